// Documents of installations that never were, from a seed: the same interface in other names, another order, another
// dialect and another structure, with parts missing and parts added.

type Node = { [key: string]: unknown }

export interface ForeignOptions {
  readonly seed: number
  /**
   * `product`: the names that stand for products, each product with one word, as installations have it. `any`: any
   * names, by words without a meaning, some of which are names of the interface elsewhere.
   */
  readonly names: 'product' | 'any' | 'same'
  readonly missing?: boolean
  readonly additional?: boolean
}

export interface Foreign {
  readonly document: Node
  /** The document's name of each of ours. */
  readonly truth: ReadonlyMap<string, string>
}

/** Names that stand for the product or another vendor's, and the rules that make them. */
export const standIns = [
  'svcId',
  'managerSvcId',
  'SvcSelf',
  'Svc App',
  'SvcGroup',
  'SvcSecurityGroup',
  'DbB',
  'dbb',
  'DocPortal',
  'docportal',
  'MailServer',
  'mailserver',
  'CrmSuiteA',
  'CrmSuiteB',
  'CrmSuiteAOnPremises',
  'DirectoryGraph',
  'directoryGraph',
  'mailWebService',
  'Portal2013',
  'Portal2016',
  'Portal2019',
  'PortalOnline',
]

export function randomFrom(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export function foreignDocument(ours: object, options: ForeignOptions): Foreign {
  const random = randomFrom(options.seed)
  const chance = (of: number): boolean => random(of) === 0
  const shuffled = <T>(list: readonly T[]): T[] => {
    const rest = [...list]
    return list.map(() => rest.splice(random(rest.length), 1)[0] as T)
  }
  const syllables = ['ka', 'lo', 'mi', 'ru', 'te', 'vo', 'zi', 'pha', 'gor', 'wen']
  let counter = 0
  const fresh = (): string => {
    const word = [1, 2, 3].map(() => syllables[random(syllables.length)]).join('')
    return `${word}${(counter++).toString(36)}x`
  }
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

  const is30 = chance(2)
  const api = String((ours as { info: { version: string } }).info.version)
  const prefix = ['', `/api/data/v${api}`, `/v${api}`, '/api/data/v{version}', '/{api-version}'][random(5)] as string
  const sharedParameters: Node = {}
  const truth = options.names === 'same' ? new Map<string, string>() : renames()
  const real = (name: string): string => truth.get(name) ?? name
  const schemas: Node = {}
  const given = structuredClone(ours) as { paths: Record<string, Node>; components: { schemas: Record<string, Node> } }
  const oneWay = new Map<object, Node>()

  function renames(): Map<string, string> {
    const [product, base, portal, mail, crm, sales, graph, web] = [...Array(8)].map(fresh) as string[] as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    if (options.names === 'product') {
      const parts: readonly (readonly [RegExp, string])[] = [
        [/svc/i, product],
        [/dbb/i, base],
        [/docportal/i, portal],
        [/mailserver/i, mail],
        [/crmsuitea/i, crm],
        [/crmsuiteb/i, sales],
        [/directorygraph/i, graph],
        [/mailwebservice/i, web],
        [/portal/i, portal],
      ]
      return new Map(
        standIns.map((name) => {
          const [pattern, word] = parts.find(([each]) => each.test(name)) as readonly [RegExp, string]
          return [name, name.replace(pattern, (met) => (/^[A-Z]/.test(met) ? capital(word) : word))]
        }),
      )
    }
    const all = shuffled([...positionsIn(ours).flatMap((position) => [...position])])
    const names = [...new Set(all)].filter(() => chance(options.missing || options.additional ? 12 : 30))
    const renamed = new Map(names.map((name) => [name, fresh()]))
    // Some are called as another one is that was renamed, which stands nowhere beside it.
    for (const [a, b] of names.map((name, at) => [name, names[at - 1]] as const)) {
      const isApart = b !== undefined && !positionsIn(ours).some((position) => position.has(a) && position.has(b))
      if (isApart && chance(4) && ![...renamed.values()].includes(b)) renamed.set(a, b)
    }
    return renamed
  }

  /** Nothing of a type is added where one is left out: together they would be another name. */
  function altered(schema: Node): Node {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Node>)
    const drops = options.missing === true && properties.length > 1 && chance(4)
    const adds = options.additional === true && !drops && chance(3)
    const dropped = drops ? (properties[random(properties.length)] as [string, Node])[0] : undefined
    const kept = properties.filter(([name]) => name !== dropped).map(([name, each]) => [real(name), copied(each)])
    const added = adds ? [[chance(3) ? 'modifiedBy' : fresh(), copied(someSchema())]] : []
    const required = ((schema.required ?? []) as string[]).filter((name) => name !== dropped).map(real)
    return {
      type: 'object',
      properties: Object.fromEntries(shuffled([...kept, ...added])),
      ...(required.length > 0 && chance(2) && { required: shuffled(required) }),
      ...(chance(2) && { additionalProperties: false }),
    }
  }

  function someSchema(): Node {
    return [{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }][
      random(4)
    ] as Node
  }

  function wordsOf(all: readonly unknown[]): unknown[] {
    const words = all.filter((word) => typeof word === 'string')
    const drops = options.missing === true && words.length > 2 && chance(4)
    const dropped = drops ? words[random(words.length)] : undefined
    const adds = options.additional === true && !drops && chance(3)
    return shuffled([...words.filter((word) => word !== dropped).map(real), ...(adds ? [capital(fresh())] : [])])
  }

  /** The schema in other words, and one of the ways in which documents write such a thing. */
  function copied(given: Node): Node {
    const known = oneWay.get(given)
    if (known !== undefined) return wrapped(known)
    const { $ref } = given
    if (typeof $ref === 'string') {
      const name = $ref.slice('#/components/schemas/'.length)
      if (schemas[`T${name}`] === undefined) {
        schemas[`T${name}`] = {}
        schemas[`T${name}`] = copied(
          (ours as typeof given & { components: { schemas: Record<string, Node> } }).components.schemas[name] as Node,
        )
      }
      return wrapped({ $ref: `#/components/schemas/T${name}` })
    }
    const types = ([] as unknown[]).concat(given.type ?? [])
    const isNullable = types.includes('null')
    const [type] = types.filter((each) => each !== 'null')
    let made: Node
    if (type === 'object') made = split(altered(given))
    else if (type === 'array') made = { type, items: copied(given.items as Node) }
    else made = { ...(type !== undefined && { type }), ...(Array.isArray(given.enum) && { enum: wordsOf(given.enum) }) }
    if (chance(3)) {
      const name = `S${Object.keys(schemas).length}`
      schemas[name] = made
      made = { $ref: `#/components/schemas/${name}` }
    }
    made = isNullable ? orNull(made) : made
    oneWay.set(given, made)
    return wrapped(made)
  }

  function orNull(schema: Node): Node {
    if (is30) return schema.$ref === undefined ? { ...schema, nullable: true } : { allOf: [schema], nullable: true }
    if (schema.$ref !== undefined || chance(2)) return { oneOf: shuffled([schema, { type: 'null' }]) }
    return { ...schema, type: [schema.type, 'null'] }
  }

  function split(schema: Node): Node {
    const properties = Object.entries(schema.properties as Node)
    if (properties.length < 2 || !chance(4)) return schema
    const at = 1 + random(properties.length - 1)
    const part = (some: typeof properties) => ({ type: 'object', properties: Object.fromEntries(some) })
    if (chance(3)) return { anyOf: [part(properties.slice(0, at)), part(properties.slice(at))] }
    return { ...part(properties.slice(0, at)), allOf: [part(properties.slice(at))] }
  }

  function wrapped(schema: Node): Node {
    return chance(6) ? { [chance(2) ? 'allOf' : 'oneOf']: [schema] } : schema
  }

  function operation(one: Node): Node {
    const parameters = (one.parameters ?? []) as Node[]
    const body = one.requestBody as Node | undefined
    const content = (of: Node | undefined) =>
      ((of?.content as Node | undefined)?.['application/json'] as Node | undefined)?.schema as Node | undefined
    const answer = content((one.responses as Node)['200'] as Node)
    const type = ['application/json', 'text/json', 'application/json; charset=utf-8'][random(3)] as string
    const wanted = content(body)
    const named = parameters.map((each): Node => {
      const own = { ...each, name: real(String(each.name)) }
      if (!chance(4)) return own
      const key = `P${Object.keys(sharedParameters).length}`
      sharedParameters[key] = own
      return { $ref: `#/components/parameters/${key}` }
    })
    return {
      summary: fresh(),
      parameters: shuffled([
        ...named,
        ...(chance(3) ? [{ name: 'accept-language', in: 'header', schema: { type: 'string' } }] : []),
      ]),
      ...(wanted && { requestBody: { content: { [type]: { schema: copied(wanted) } } } }),
      responses: {
        [chance(2) ? '200' : '2XX']: {
          description: '',
          ...(answer && { content: { [type]: { schema: copied(answer) } } }),
        },
        400: { description: '' },
      },
    }
  }

  const paths = shuffled(Object.entries(given.paths)).flatMap(([path, item]): [string, Node][] => {
    const methods = Object.entries(item).filter(() => options.missing !== true || !chance(15))
    if (methods.length === 0) return []
    const below = path
      .replace(/^\/api\/data\/v[\d.]+/, '')
      .replace(/\{(\w+)\}/g, (_, name: string) => `{${real(name)}}`)
    const otherCase = below.replace('{dbId}', '{dbid}').replace('formtypes', 'formTypes')
    const written = `${prefix}${chance(4) ? otherCase : below}`
    return [[written, Object.fromEntries(shuffled(methods).map(([method, one]) => [method, operation(one as Node)]))]]
  })
  const more =
    options.additional === true
      ? [
          [`${prefix}/db/{dbId}/elements`, { get: { responses: { 200: {} } } }] as [string, Node],
          ['/api/data/v4.0/admin/user', { get: { parameters: [{ name: fresh(), in: 'query' }], responses: {} } }] as [
            string,
            Node,
          ],
          ['/api/data/beta/me', { get: { responses: {} } }] as [string, Node],
        ]
      : []
  return {
    document: {
      openapi: is30 ? '3.0.3' : '3.1.0',
      info: { title: 'Elsewhere', version: '1' },
      paths: Object.fromEntries([...paths, ...more]),
      components: { schemas, parameters: sharedParameters },
    },
    truth,
  }
}

/** The names that stand together, place by place. */
export function positionsIn(document: object): readonly ReadonlySet<string>[] {
  const positions: Set<string>[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (typeof value === 'object' && value !== null) visitNode(value as Node)
  }
  const visitNode = (node: Node): void => {
    const { properties, enum: words, ...rest } = node
    if (typeof properties === 'object' && properties !== null) {
      positions.push(new Set(Object.keys(properties)))
      Object.values(properties).forEach(visit)
    }
    if (Array.isArray(words)) positions.push(new Set(words.filter((word) => typeof word === 'string')))
    Object.values(rest).forEach(visit)
    if (!Array.isArray(node.parameters)) return
    const ofQuery = (node.parameters as Node[]).filter((each) => each.in === 'query')
    positions.push(new Set(ofQuery.map(({ name }) => String(name))))
  }
  visit(document)
  return positions
}
