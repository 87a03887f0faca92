// What is live, in the files in which it is to stand.
import type { NormaliseSvcId } from '../core/model/address.ts'
import { append } from '../core/model/group-by.ts'
import type { LeftOut, LiveItem, LiveTree } from '../core/model/live-tree.ts'
import { FilePlaces } from './file-places.ts'

export interface Draft {
  readonly file: string
  /** Of the database, with several of them; else empty. */
  readonly folder: string
  readonly database: string | undefined
  /** By section, each in the order of names. */
  readonly items: ReadonlyMap<string, readonly LiveItem[]>
  readonly leftOut: readonly LeftOut[]
}

interface Arrangement {
  readonly drafts: ReadonlyMap<string, Draft>
  /** What stands inside the item of another object, in the order of names. */
  childrenOf(item: LiveItem): readonly LiveItem[]
  /** Adds to a draft what turns out not to be told. */
  leave(what: LeftOut): void
}

interface Growing extends Draft {
  readonly items: Map<string, LiveItem[]>
  readonly leftOut: LeftOut[]
}

/** `isTaken`: somebody else's file bears the name. */
export function arrange(
  tree: LiveTree,
  databases: readonly string[],
  normalise: NormaliseSvcId,
  isTaken?: (file: string) => boolean,
): Arrangement {
  const places = new FilePlaces(databases, isTaken)
  const drafts = new Map<string, Growing>()
  const children = new Map<LiveItem, LiveItem[]>()
  const known = new Map(tree.items.map((item) => [item.address, item]))

  const draftOf = ({ kind, database, parent }: LeftOut, self: LiveItem | undefined): Growing => {
    const file = places.fileOf(kind, database, parent, self)
    let draft = drafts.get(file)
    if (draft === undefined) {
      draft = { file, folder: places.folderOf(database), database, items: new Map(), leftOut: [] }
      drafts.set(file, draft)
    }
    return draft
  }
  const leave = (what: LeftOut): void => {
    draftOf(what, known.get(what.address)).leftOut.push(what)
  }

  for (const item of inOrder([...withoutSharedIds(tree.items, normalise, leave)])) {
    if (item.kind.scope === 'parent' && item.parent !== undefined) append(children, item.parent, item)
    else append(draftOf({ ...item, reason: '' }, item).items, item.kind.sections[0].key, item)
  }
  for (const each of tree.leftOut) leave(each)
  return { drafts, childrenOf: (item) => children.get(item) ?? [], leave }
}

/** By name as people sort: without case. */
function inOrder(items: readonly LiveItem[]): readonly LiveItem[] {
  const keyed = items.map((item) => ({ item, key: `${(item.called ?? item.identity).toLowerCase()}\0${item.address}` }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item)
}

/** One account cannot be declared as two kinds: it stands as the first. */
function* withoutSharedIds(
  items: readonly LiveItem[],
  normalise: NormaliseSvcId,
  leave: (what: LeftOut) => void,
): Generator<LiveItem> {
  const seen = new Map<string, LiveItem>()
  for (const item of items) {
    const key = item.kind.provides === undefined ? undefined : normalise(item.identity)
    const earlier = key === undefined ? undefined : seen.get(key)
    if (key !== undefined && earlier === undefined) seen.set(key, item)
    if (earlier === undefined) yield item
    else leave({ ...item, reason: `It has the svcId of \`${earlier.address}\`, and only one of them can be declared` })
  }
}
