// What is live → manifests: which object stands in which file, and the text of each.
import type { FoldSvcId } from '../core/address.ts'
import type { Kind } from '../core/kind.ts'
import type { LeftOut, LiveItem, LiveTree } from '../core/live-tree.ts'
import { keyRanks } from '../format/key-order.ts'
import { manifestShapeOf } from '../manifests/manifest-shape.ts'
import type { Field, ListShape, MappingShape } from '../manifests/shape.ts'
import { accountNames } from './account-names.ts'
import { fileHeader } from './file-header.ts'
import { FileNames } from './file-names.ts'
import { type ItemContext, itemNode } from './item-node.ts'
import { printDocument } from './print-yaml.ts'
import { scalar, type YamlEntry, type YamlItem } from './yaml-node.ts'

export interface ExportOptions {
  readonly kinds: readonly Kind[]
  readonly fold: FoldSvcId
  /** How many databases the target has: with several, each gets a folder. */
  readonly databases: readonly string[]
  /** What is empty is written as well, and so managed. */
  readonly complete: boolean
  /** The schema of manifests, as seen from a file. */
  schemaFor(file: string): string
}

export interface ExportedFile {
  /** Relative, with forward slashes. */
  readonly file: string
  /** One document, in canonical layout. */
  readonly text: string
}

export interface Exported {
  /** In the order in which one would tell it. */
  readonly files: readonly ExportedFile[]
  /** Everything that is live and not told, in order of addresses. */
  readonly leftOut: readonly LeftOut[]
  /** Objects in the files. */
  readonly objects: number
}

interface Draft {
  readonly database: string | undefined
  /** By section. */
  readonly items: Map<string, LiveItem[]>
  readonly leftOut: LeftOut[]
}

/** Pure: the same tree gives the same files, byte for byte. */
export function exportFiles(tree: LiveTree, options: ExportOptions): Exported {
  const { document } = manifestShapeOf(options.kinds)
  const places = new Places(options)
  const drafts = new Map<string, Draft>()
  const draftOf = (file: string, database: string | undefined): Draft => {
    let draft = drafts.get(file)
    if (draft === undefined) {
      draft = { database, items: new Map(), leftOut: [] }
      drafts.set(file, draft)
    }
    return draft
  }
  const known = new Map(tree.items.map((item) => [item.address, item]))
  const leave = (what: LeftOut): void => {
    const { kind, database, parent, address } = what
    draftOf(places.fileOf(kind, database, parent, known.get(address)), database).leftOut.push(what)
  }
  const inside = new Map<LiveItem, LiveItem[]>()
  for (const item of withoutSharedIds(tree.items, options.fold, leave)) {
    const isInside = item.kind.scope === 'parent' && item.parent !== undefined
    if (isInside) push(inside, item.parent as LiveItem, item)
    else
      push(draftOf(places.fileOf(item.kind, item.database, item.parent, item), item.database).items, keyOf(item), item)
  }
  for (const each of tree.leftOut) leave(each)
  let objects = 0
  const context: ItemContext = {
    fold: options.fold,
    complete: options.complete,
    nameOf: accountNames(tree.accountNames, options.fold),
    childrenOf: (item) => inOrder(inside.get(item) ?? []),
    leave,
    onItem: () => {
      objects += 1
    },
  }
  const ranks = keyRanks(document)
  const files: (ExportedFile & { readonly order: string })[] = []
  for (const [file, draft] of drafts) {
    const entries: YamlEntry[] = []
    const sections = [...draft.items].sort(([a], [b]) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
    for (const [key, items] of sections) {
      const field = document.fields.get(key) as Field
      const shape = (field.shape as ListShape).items as MappingShape
      const list: YamlItem[] = []
      for (const item of inOrder(items)) {
        const node = itemNode(item, shape, context)
        if (node !== undefined) list.push({ value: node })
      }
      if (list.length > 0) entries.push({ key, value: { type: 'list', items: list } })
    }
    if (entries.length === 0 && draft.leftOut.length === 0) continue
    const first = sections[0]?.[0]
    if (draft.database !== undefined && entries.length > 0) {
      entries.unshift({ key: 'database', value: scalar(draft.database) })
    }
    const text = printDocument(
      { type: 'mapping', entries },
      fileHeader(options.schemaFor(file), entries, draft.leftOut),
    )
    const rank = String(ranks.get(first ?? '') ?? ranks.size).padStart(3, '0')
    files.push({
      file,
      text,
      order: `${draft.database === undefined ? 0 : 1} ${places.folderOf(draft.database)} ${rank} ${file}`,
    })
  }
  files.sort((a, b) => (a.order < b.order ? -1 : 1))
  return {
    files: files.map(({ file, text }) => ({ file, text })),
    leftOut: [...drafts.values()]
      .flatMap(({ leftOut }) => leftOut)
      .sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0)),
    objects,
  }
}

function keyOf({ kind }: LiveItem): string {
  return kind.sections[0].key
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

function inOrder(items: readonly LiveItem[]): readonly LiveItem[] {
  const keyed = items.map((item) => ({ item, key: `${(item.called ?? item.identity).toLowerCase()} ${item.address}` }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item)
}

/** One account cannot be declared as two kinds: then it stands as the first. */
function* withoutSharedIds(
  items: readonly LiveItem[],
  fold: FoldSvcId,
  leave: (what: LeftOut) => void,
): Generator<LiveItem> {
  const seen = new Map<string, LiveItem>()
  for (const item of items) {
    const key = item.kind.provides === undefined ? undefined : fold(item.identity)
    const earlier = key === undefined ? undefined : seen.get(key)
    if (key !== undefined) seen.set(key, earlier ?? item)
    if (earlier === undefined || earlier.kind === item.kind) yield item
    else
      leave({
        ...item,
        reason: `It has the same svcId as \`${earlier.address}\`, and only one of them can be declared`,
      })
  }
}

/** Which file an object stands in. */
class Places {
  readonly #options: ExportOptions
  readonly #folders = new FileNames()
  readonly #names = new Map<string, FileNames>()

  constructor(options: ExportOptions) {
    this.#options = options
    for (const database of [...options.databases].sort()) this.folderOf(database)
  }

  folderOf(database: string | undefined): string {
    if (database === undefined || this.#options.databases.length < 2) return ''
    return `${this.#folders.of(database, database, 'database')}/`
  }

  /** Found objects stand with the outermost one that they are in, each of those in a file of its own. */
  fileOf(kind: Kind, database: string | undefined, parent: LiveItem | undefined, self?: LiveItem): string {
    const folder = this.folderOf(database)
    const outer = outermost(parent) ?? (kind.lookup === undefined ? undefined : self)
    if (outer === undefined) return `${folder}${kind.sections[0].key}.yaml`
    const key = keyOf(outer)
    const group = `${folder}${key}`
    let names = this.#names.get(group)
    if (names === undefined) {
      names = new FileNames()
      this.#names.set(group, names)
    }
    return `${group}/${names.of(outer.address, outer.called ?? outer.identity, 'unnamed')}.yaml`
  }
}

function outermost(item: LiveItem | undefined): LiveItem | undefined {
  return item?.parent === undefined ? item : outermost(item.parent)
}
