// Items of a forge over its interface: what is the same on GitHub and GitLab, for issues and for requests to merge.
import type { Item, ItemStore } from './keep-item.ts'
import type { createRest } from './rest.ts'

type RestObject = Readonly<Record<string, unknown>>

interface ItemDialect extends Pick<ItemStore, 'name' | 'what' | 'shown' | 'hintFor'> {
  /** The common path of all items: `/repos/org/config/issues`. */
  readonly path: string
  /** Selects those that svcsync may have created. */
  query(): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>
  /** By which name each has its id and its text. */
  readonly fields: { readonly id: string; readonly body: string }
  readonly changes: 'PATCH' | 'PUT'
  /** Comments on one, below its path; where that is elsewhere, the whole path. */
  commentsOf(id: number): string
  isItem?(data: RestObject): boolean
  /** The fields of a new item beside title and text. */
  made(assignees: readonly string[], unowned: string | undefined): Promise<RestObject> | RestObject
  state(isOpen: boolean): RestObject
}

export function restItems(rest: ReturnType<typeof createRest>, dialect: ItemDialect): ItemStore {
  const { name, what, path, fields, changes, shown, hintFor, commentsOf, isItem = () => true } = dialect
  const itemOf = (data: RestObject): Item => ({
    id: data[fields.id] as number,
    title: String(data.title ?? ''),
    body: String(data[fields.body] ?? ''),
    isOpen: data.state === 'open' || data.state === 'opened',
  })
  const itemsIn = (page: unknown): ReadonlyMap<number, Item> => {
    const all = (Array.isArray(page) ? (page as RestObject[]) : []).filter(isItem)
    return new Map(all.map(itemOf).map((item) => [item.id, item]))
  }
  return {
    ...{ name, what, shown, hintFor, close: rest.close },
    list: async () => {
      const query = new URLSearchParams(await dialect.query())
      return [...(await rest.list(`${path}?${query}`, itemsIn)).values()]
    },
    create: async ({ title, body, assignees, unowned }) => {
      const more = await dialect.made(assignees, unowned)
      await rest.request('POST', path, { title, [fields.body]: body, ...more })
    },
    change: async (id, { body, isOpen, ...text }) => {
      const moved = isOpen === undefined ? {} : dialect.state(isOpen)
      const told = body === undefined ? {} : { [fields.body]: body }
      await rest.request(changes, `${path}/${id}`, { ...text, ...told, ...moved })
    },
    say: async (id, body) => void (await rest.request('POST', commentsOf(id), { body })),
  }
}

/** Asked when it is first needed; after a failure, again. */
export function cacheUnlessFailed<T>(ask: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}

/** The default branch as GitHub and GitLab tell it; Azure tells the whole ref. */
export function defaultBranchIn(data: unknown): string {
  const { default_branch: name, defaultBranch: ref } = (data ?? {}) as Readonly<Record<string, unknown>>
  return String(name ?? ref ?? 'main').replace(/^refs\/heads\//, '')
}
