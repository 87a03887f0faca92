// An OpenAPI document (3.0, 3.1) as what svcsync compares: operations with parameters, bodies and answers.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'

/** A schema with its references, `allOf`, `oneOf` and `anyOf` flattened by one level; null counts for nothing. */
export interface WireShape {
  /** `any`: the document does not say. */
  readonly type: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'any'
  readonly properties: ReadonlyMap<string, LazyShape>
  readonly items?: LazyShape | undefined
  readonly words: readonly string[]
  readonly required: ReadonlySet<string>
  /** Has the same properties, items and words, and may have very many references. */
  readonly refersTo?: WireShape
}

/** A schema that is read on demand, since schemas may contain themselves. */
type LazyShape = () => WireShape

interface Operation {
  readonly method: string
  /** Below the version, as the document writes it. */
  readonly path: string
  readonly query: LazyShape
  /** Undefined: the document does not describe one. */
  readonly body?: LazyShape | undefined
  readonly answer?: LazyShape | undefined
}

export interface Interface {
  /** By method and path in lower case, without the names of its variable parts. */
  readonly operations: ReadonlyMap<string, Operation>
  /** The names that the document has twice. */
  readonly ambiguous: ReadonlySet<string>
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const nothing: WireShape = { type: 'any', properties: new Map(), words: [], required: new Set() }
/** The greatest depth of nested references and compositions. */
const deepest = 40

/** `GET /admin/users/{}` */
function operationKey(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.toLowerCase().replace(/\{[^/]*\}/g, '{}')}`
}

/** Reads one version of the interface from the document. Paths of other versions are left out. */
export function readInterface(document: JsonObject, version: '5.0' | '6.0'): Interface {
  const operations = new Map<string, Operation>()
  const ambiguous = new Set<string>()
  const read = reader(document)
  for (const [written, given] of Object.entries(objectOr(document.paths))) {
    const path = belowVersion(written, version)
    const item = read.resolved(given)
    if (path === undefined) continue
    for (const method of methods) {
      const operation = read.resolved(item[method])
      if (item[method] === undefined) continue
      const key = operationKey(method, path)
      if (operations.has(key)) ambiguous.add(key)
      const parameters = [...listOr(item.parameters), ...listOr(operation.parameters)].map(read.resolved)
      operations.set(key, {
        method: method.toUpperCase(),
        path,
        query: read.query(parameters),
        body: read.content(operation.requestBody),
        answer: read.answer(operation.responses),
      })
    }
  }
  for (const key of ambiguous) operations.delete(key)
  return { operations, ambiguous }
}

/** Undefined: of another version, which may be in the path, in a variable part, or in the server's address. */
function belowVersion(path: string, version: string): string | undefined {
  const found = /^(?:.*?)\/(?:v(\d+(?:\.\d+)?|\{[^}]*\})|\{[^}]*version[^}]*\}|(beta))(?=\/)/i.exec(path)
  if (found === null) return path
  const [prefix, number, beta] = found
  if (beta !== undefined) return undefined
  if (number !== undefined && /^\d/.test(number) && Number(number) !== Number(version)) return undefined
  return path.slice(prefix.length)
}

function reader(document: JsonObject) {
  const made = new WeakMap<object, WireShape>()

  /** Resolves a local reference; one that leads nowhere, or outside, counts as empty. */
  const resolved = (given: Json | undefined): JsonObject => {
    let value = given
    for (let steps = 0; steps < deepest && isJsonObject(value) && typeof value.$ref === 'string'; steps++) {
      value = lookUp(document, value.$ref)
    }
    return objectOr(value)
  }

  const shaped =
    (schema: Json | undefined): LazyShape =>
    () =>
      isJsonObject(schema) ? flatten(schema, 0) : nothing

  /** Each schema once: some contain themselves, and others the same one many times over. */
  const flatten = (schema: JsonObject, depth: number): WireShape => {
    const known = made.get(schema)
    if (known !== undefined) return known
    if (depth > deepest) return nothing
    made.set(schema, nothing)
    const { $ref, allOf, oneOf, anyOf, ...own } = schema
    const inner = (each: Json): WireShape => (isJsonObject(each) ? flatten(each, depth + 1) : nothing)
    const alternatives = [...listOr(oneOf), ...listOr(anyOf)].map(inner)
    const shape = mergeShapes([
      shapeOf(own),
      ...(typeof $ref === 'string' ? [inner(lookUp(document, $ref) ?? null)] : []),
      ...listOr(allOf).map(inner),
      // One of them holds: none of what only some want is certain.
      ...alternatives.map((each) => ({ ...each, required: new Set<string>() })),
    ])
    made.set(schema, shape)
    return shape
  }

  const shapeOf = (schema: JsonObject): WireShape => {
    const words = [...listOr(schema.enum), ...(schema.const === undefined ? [] : [schema.const])]
    const properties = Object.entries(objectOr(schema.properties))
    return {
      type: typeOf(schema, properties.length > 0),
      properties: new Map(properties.map(([name, each]) => [name, shaped(each)])),
      items: schema.items === undefined ? undefined : shaped(schema.items),
      words: [...new Set(words.filter((word) => typeof word === 'string'))],
      required: new Set(listOr(schema.required).filter((name) => typeof name === 'string')),
    }
  }

  const content = (given: Json | undefined): LazyShape | undefined => {
    const types = Object.entries(objectOr(resolved(given).content))
    const [, json] = types.find(([type]) => /[/+]json\b/i.test(type)) ?? types.find(([type]) => type === '*/*') ?? []
    const { schema } = objectOr(json)
    return schema === undefined ? undefined : shaped(schema)
  }

  return {
    resolved,
    content,
    query: (parameters: readonly JsonObject[]): LazyShape => {
      const ofQuery = parameters.filter((each) => each.in === 'query' && typeof each.name === 'string')
      return () => ({
        ...nothing,
        type: 'object',
        properties: new Map(ofQuery.map(({ name, schema }) => [String(name), shaped(schema)])),
        required: new Set(ofQuery.filter(({ required }) => required === true).map(({ name }) => String(name))),
      })
    },
    answer: (responses: Json | undefined): LazyShape | undefined => {
      const all = Object.entries(objectOr(responses)).filter(([status]) => /^2(?:\d\d|xx)$/i.test(status))
      return all.map(([, response]) => content(response)).find((each) => each !== undefined)
    },
  }
}

function typeOf(schema: JsonObject, hasProperties: boolean): WireShape['type'] {
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null')
  if (named.length === 1) {
    const [type] = named
    if (type === 'integer' || type === 'number') return 'number'
    if (type === 'object' || type === 'array' || type === 'string' || type === 'boolean') return type
  }
  if (named.some((type) => type !== undefined)) return 'any'
  if (hasProperties) return 'object'
  if (schema.items !== undefined) return 'array'
  return listOr(schema.enum).some((word) => typeof word === 'string') ? 'string' : 'any'
}

function mergeShapes(parts: readonly WireShape[]): WireShape {
  const shapes = [...new Set(parts)]
  const [only] = shapes
  if (only !== undefined && shapes.length === 1) return only
  const [telling, another] = shapes.filter(isInformative)
  if (telling !== undefined && another === undefined) return { ...telling, refersTo: telling.refersTo ?? telling }
  const types = new Set(shapes.map(({ type }) => type).filter((type) => type !== 'any'))
  const properties = new Map<string, LazyShape>()
  for (const [name, shape] of shapes.flatMap((each) => [...each.properties])) {
    const earlier = properties.get(name)
    properties.set(
      name,
      earlier === undefined || earlier === shape ? shape : memoise(() => mergeShapes([earlier(), shape()])),
    )
  }
  return {
    type: types.size === 1 ? ([...types][0] ?? 'any') : 'any',
    properties,
    items: shapes.map(({ items }) => items).find((items) => items !== undefined),
    words: [...new Set(shapes.flatMap(({ words }) => words))],
    required: new Set(shapes.flatMap(({ required }) => [...required])),
  }
}

function isInformative({ type, properties, items, words, required }: WireShape): boolean {
  return type !== 'any' || items !== undefined || properties.size + words.length + required.size > 0
}

/** Reading it twice at each of many levels would not end. */
function memoise(shaped: LazyShape): LazyShape {
  let made: WireShape | undefined
  return () => {
    made ??= shaped()
    return made
  }
}

function lookUp(document: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#/')) return undefined
  let value: Json | undefined = document
  for (const step of reference.slice(2).split('/')) {
    const key = unescapePointer(step)
    if (Array.isArray(value)) value = value[Number(key)] as Json | undefined
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

function unescapePointer(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

function objectOr(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function listOr(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}
