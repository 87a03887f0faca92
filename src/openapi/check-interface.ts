// Holds what an installation's document says against what svcsync asks for: operations, fields, types and words, by kind.
import type { Collection, Kind, Location } from '../core/model/kind.ts'
import type { PlatformRequest } from '../core/model/platform-port.ts'
import type { Interface, Shape } from './read-interface.ts'

interface Lack {
  readonly kind: Kind
  /** One sentence. */
  readonly what: string
  /** Without it, what is declared cannot be read or brought about; else some field or word cannot be used. */
  readonly isNeeded: boolean
}

type Real = (name: string, isWord: boolean) => string

/** Names are those that the document uses. Of what the document does not describe nothing is said. */
export function checkInterface(
  ours: Interface,
  theirs: Interface,
  { kinds, apiVersion, real }: { readonly kinds: readonly Kind[]; readonly apiVersion: string; readonly real: Real },
): readonly Lack[] {
  return kinds.flatMap((kind) => {
    const lacks = new Map<string, Lack>()
    // Four environments of one form say the same four times.
    const seen = new WeakMap<Shape, Set<Shape>>()
    const lack = (what: string, isNeeded: boolean): void => {
      if (!lacks.has(what)) lacks.set(what, { kind, what, isNeeded })
    }
    for (const { request, cannot } of requestsOf(kind)) {
      const path = (apiVersion === '5.0' ? request.pathIn50 : undefined) ?? request.path
      const own = find(ours, request.method, path)
      if (own === undefined) continue
      const { operation } = own
      const other = theirs.operations.get(own.key)
      const name = `${operation.method} ${operation.path}`
      if (other === undefined) {
        lack(`${name} is not in the document${theirs.ambiguous.has(own.key) ? ' in one form' : ''}: ${cannot}`, true)
        continue
      }
      const where = { name, real, lack, seen }
      for (const parameter of Object.keys(request.query ?? {}))
        if (!other.query().properties.has(real(parameter, false)))
          lack(`${name} has no parameter \`${parameter}\``, true)
      if (operation.body && other.body) compare(operation.body(), other.body(), { ...where, isRead: false })
      if (operation.answer && other.answer) compare(operation.answer(), other.answer(), { ...where, isRead: true })
    }
    return [...lacks.values()]
  })
}

interface Where {
  readonly name: string
  readonly real: Real
  readonly lack: (what: string, isNeeded: boolean) => void
  readonly isRead: boolean
  readonly seen: WeakMap<Shape, Set<Shape>>
}

const deepest = 12

function compare(a: Shape, b: Shape, where: Where, path: readonly string[] = []): void {
  const { name, real, lack, isRead, seen } = where
  const pairs = seen.get(a) ?? new Set()
  if (path.length > deepest || pairs.has(b)) return
  seen.set(a, pairs.add(b))
  const at = path.length === 0 ? name : `\`${path.join('.')}\` of ${name}`
  if (a.type !== b.type && a.type !== 'any' && b.type !== 'any') {
    lack(`${at} is ${b.type} where svcsync knows ${a.type}`, true)
    return
  }
  if (a.words.length > 0 && b.words.length > 0) {
    const missing = a.words.filter((word) => !b.words.includes(real(word, true)))
    const known = new Set(a.words.map((word) => real(word, true)))
    const added = b.words.filter((word) => !known.has(word))
    if (missing.length > 0) lack(`${at} does not have ${listed(missing)}`, false)
    if (added.length > 0) lack(`${at} has ${listed(added)}, which svcsync does not know`, false)
  }
  if (a.items !== undefined && b.items !== undefined) compare(a.items(), b.items(), where, path)
  if (b.properties.size === 0) return
  for (const [key, shape] of a.properties) {
    const other = b.properties.get(real(key, false))
    if (other !== undefined) compare(shape(), other(), where, [...path, key])
    // What may be left out, or need not be sent, may be lacking.
    else if (isRead ? a.required.has(key) : true) {
      const called = real(key, false) === key ? '' : ` (\`${real(key, false)}\`)`
      lack(`${at} has no \`${key}\`${called}`, isRead || a.required.has(key))
    }
  }
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 5).map((word) => `\`${word}\``)
  return `${shown.join(', ')}${words.length > 5 ? ` and ${words.length - 5} more` : ''}`
}

/** By the variable parts of the path: our paths have a name where a request has a value. */
function find(ours: Interface, method: string, path: string) {
  const steps = path.split('/')
  for (const [key, operation] of ours.operations) {
    const wanted = operation.path.split('/')
    if (operation.method !== method || wanted.length !== steps.length) continue
    if (wanted.every((step, at) => step === steps[at] || (step.startsWith('{') && steps[at] === placeholder(step))))
      return { key, operation }
  }
  return undefined
}

/** Whatever it stands in, by whatever key. */
const somewhere = new Proxy<Location>({ dbId: 1 }, { get: (target, key) => (key === 'dbId' ? target.dbId : '2') })

function placeholder(step: string): string {
  return step === '{dbId}' ? '1' : '2'
}

interface Asked {
  readonly request: PlatformRequest
  /** What does not work without it. */
  readonly cannot: string
}

/** Every request that a kind may make, about an object that is nowhere. */
function requestsOf({ requests, lookup, page, collections }: Kind): readonly Asked[] {
  const at = somewhere
  const list = requests.list?.(at)
  const paged = list?.paged === true ? { query: { page: 0, size: 1 } } : {}
  const asked: (readonly [PlatformRequest | undefined, string])[] = [
    [lookup?.request(at), 'nothing of it can be found'],
    [page?.request('/'), 'it cannot be named by an address'],
    [list && { method: 'GET', path: list.path, ...paged }, 'nothing of it can be found'],
    [requests.read?.(at), 'nothing of it can be read'],
    [requests.create?.(at, {}, {}), 'it cannot be created'],
    [requests.update?.(at, {}, {}), 'it cannot be changed'],
    [requests.remove?.(at), 'it cannot be deleted'],
    ...Object.entries(collections).flatMap(([name, collection]) => changesOf(name, collection)),
  ]
  return asked.flatMap(([request, cannot]) => (request === undefined ? [] : [{ request, cannot }]))
}

function changesOf(name: string, { of, add, remove }: Collection): readonly (readonly [PlatformRequest, string])[] {
  const elements = of === 'items' ? [{ item: '2' }] : [{ svcId: '2', level: '2' }]
  if (add === undefined || remove === undefined) return []
  return [
    [add(somewhere, elements), `${name} cannot be added`],
    [remove(somewhere, elements), `${name} cannot be removed`],
  ]
}
