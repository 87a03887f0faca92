// Reads a paged list to its end, whichever way the server counts pages and wherever it caps their size.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { PlatformPort, PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import { failureCodes, PlatformError } from '@svcsync/errors/index.ts'
import { itemsOf } from './list-items.ts'

type Sender = Pick<PlatformPort, 'send'>

interface PagedList<Part> {
  readonly path: string
  /** Name of the list in the answer, e.g. `groups`. */
  readonly key: string
  /** Items to ask for in a page. The server may cap it without saying so. */
  readonly size: number
  /** The identity of an item. Repeated items are given once, in the order of their first appearance. */
  readonly idOf: (item: JsonObject) => string | number
  /** Reduces an item as soon as its page is there, so that the items of many pages are not held twice. */
  readonly read: (item: JsonObject) => Part
  /** The platform answers a 404 where the list is empty. */
  readonly mayBeMissing?: boolean | undefined
  readonly query?: PlatformRequest['query']
  /** The expected number of items, a guess that saves round trips. */
  readonly expected?: number | undefined
  /** The number of requests that may be in flight. */
  readonly concurrency?: number | undefined
  /** Called with each request of a page; its result is called with the content of that page, and gives what is kept. */
  readonly onAsk?: (() => (parts: readonly Part[]) => readonly Part[]) | undefined
}

/** The greatest number of pages to request in advance without a guess. */
const maxAhead = 4
/** With one, this many: a guess can be wrong. */
const maxWindow = 32
/** So many that others wait for what the first ones show; no more than can be in flight. */
const mostAtOnce = 16
/** A list of more pages, or of more items, is a server that makes them up: nobody has a fifth of that in one list. */
const maxPages = 10_000
const maxItems = 500_000
/** In bytes as `weightOf` counts them: three times what 100,000 users weigh. */
const maxWeight = 192_000_000

/** Half a list is never given. Asks for few pages more than there are. */
export async function readPages<Part>(port: Sender, list: PagedList<Part>): Promise<readonly Part[]> {
  const found = new Map<string | number, Part>()
  let next = 0
  let weight = 0
  /** The most items of a page: the size that the server really uses. */
  let pageLength = 0
  // A short page may be capped, and an empty one be that of a server which counts from 1: two go out together.
  let count = 1 + Math.max(1, list.expected === undefined ? 0 : Math.ceil(list.expected / list.size))
  for (;;) {
    const pages = await readWindow(port, list, next, Math.min(count, maxWindow))
    // Only page numbers differ: a page refused beside one that was given lies outside the list.
    const given = pages.map((page) => (page instanceof PlatformError ? [] : page))
    const fresh = given.map((items) => {
      const before = found.size
      for (const { id, part, weight: own } of items) {
        if (found.has(id)) continue
        found.set(id, part)
        weight += own
      }
      return found.size - before
    })
    pageLength = given.reduce((most, { length }) => Math.max(most, length), pageLength)
    const refused = refusalInPages(pages, next === 0)
    if (refused !== undefined) {
      if (list.mayBeMissing && found.size === 0 && isMissing(refused)) return []
      throw refused
    }
    next += pages.length
    // A server that counts from 1 may give page 1 for page 0: one more page tells it from one that ignores pages.
    const mayRepeatFirst = next === 2
    const isOver = given.at(-1)?.length === 0 || (fresh.at(-1) === 0 && !mayRepeatFirst)
    if (isOver || pageLength === 0) return [...found.values()]
    if (next > maxPages || found.size > maxItems || weight > maxWeight) throw endless(list)
    const missing = Math.ceil(((list.expected ?? 0) - found.size) / pageLength)
    // What is missing goes out with the page that shows the end.
    count = missing > 0 ? missing + 1 : Math.min(maxAhead, Math.max(1, Math.floor(next / 4)))
  }
}

interface Item<Part> {
  readonly id: string | number
  readonly part: Part
  readonly weight: number
}

/** Pages side by side. Those behind `atOnce` are not asked for where all but the first of these show nothing. */
function readWindow<Part>(port: Sender, list: PagedList<Part>, first: number, count: number) {
  const atOnce = Math.max(2, Math.min(list.concurrency ?? mostAtOnce, mostAtOnce))
  const read = (page: number): Promise<PageRead<Part>> => readPage(port, list, page)
  const asked = Array.from({ length: Math.min(count, atOnce) }, (_, index) => read(first + index))
  const [, second, ...others] = asked
  if (count <= atOnce || second === undefined) return Promise.all(asked)
  const isOver = second.then(async (page) => !holdsItems(page) && !(await Promise.all(others)).some(holdsItems))
  for (let page = first + atOnce; page < first + count; page++)
    asked.push(isOver.then((over) => (over ? second : read(page))))
  return Promise.all(asked)
}

/** The items of a page, or the error when the server has no such page. */
async function readPage<Part>(port: Sender, list: PagedList<Part>, page: number): Promise<PageRead<Part>> {
  try {
    const query = { ...list.query, size: list.size, page }
    const onItems = list.onAsk?.()
    const items = itemsOf(await port.send({ method: 'GET', path: list.path, query }), list)
    const parts = items.map(list.read)
    const kept = onItems?.(parts) ?? parts
    return items.map((item, at) => ({ id: list.idOf(item), part: kept[at] as Part, weight: weightOf(item) }))
  } catch (error) {
    if (error instanceof PlatformError && isAboutPage(error)) return error
    throw error
  }
}

type PageRead<Part> = readonly Item<Part>[] | PlatformError

const holdsItems = (page: PageRead<unknown>): boolean => !(page instanceof PlatformError) && page.length > 0

/** A refusal that ends no list: of a page that others follow, or of the first one. */
function refusalInPages(pages: readonly PageRead<unknown>[], isBeginning: boolean): PlatformError | undefined {
  const lastTold = pages.findLastIndex(holdsItems)
  const first = isBeginning ? pages[0] : undefined
  if (lastTold < 0 && first instanceof PlatformError) {
    const isEmptyAfter = pages.some((page) => !(page instanceof PlatformError))
    // If pages count from 1, an empty list has an empty page 1; a 404 may concern the list itself.
    return isEmptyAfter && !isMissing(first) ? undefined : first
  }
  const refused = pages.slice(isBeginning ? 1 : 0, Math.max(0, lastTold))
  return refused.find((page) => page instanceof PlatformError)
}

function isMissing({ code }: PlatformError): boolean {
  return code === failureCodes.notFound
}

/** The platform's own 404 or 400. Any other refusal, taken for one outside the list, would give half a list. */
export function isAboutPage(error: PlatformError): boolean {
  const { kind, status, type } = error
  if (isMissing(error)) return true
  return kind === 'status' && status === 400 && type !== undefined && type !== 'InternalError'
}

/** Bytes of a value in the heap, with its key, besides the characters of both. */
const weightOfValue = 48

/** The approximate bytes of memory of an item of any depth. */
function weightOf(item: JsonObject): number {
  const open: (Json | undefined)[] = [item]
  let weight = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    weight += weightOfValue + (typeof value === 'string' ? value.length : 0)
    if (Array.isArray(value)) for (const part of value) open.push(part)
    else if (isJsonObject(value))
      for (const key in value) {
        weight += key.length
        open.push(value[key])
      }
  }
  return weight
}

function endless(list: Pick<PagedList<never>, 'path'>): PlatformError {
  return new PlatformError(failureCodes.endlessList, `GET ${list.path} returns pages without end`, {
    kind: 'unreadable',
    method: 'GET',
    path: list.path,
  })
}
