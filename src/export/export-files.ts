// Turns live objects into the text of manifest files.
import { byAddress, type NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { append, getOrInsert } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { LiveItem, LiveTree, UnreadPart } from '@svcsync/core/model/live-tree.ts'
import { commentText } from '@svcsync/core/model/yaml-text.ts'
import { type Entry, isCollection } from '@svcsync/format/layout.ts'
import { keyRanks } from '@svcsync/format/sort-keys.ts'
import { manifestShapeOf } from '@svcsync/manifests/manifest-shape.ts'
import type { Field, MappingShape } from '@svcsync/manifests/shape.ts'
import { accountNames, externalAccountsOf } from './account-names.ts'
import { FilePlaces } from './file-places.ts'
import type { Extent } from './fitting.ts'
import { sectionEntry } from './item-node.ts'
import { documentText, entry, scalar } from './yaml-node.ts'

interface ExportOptions {
  readonly kinds: readonly Kind[]
  readonly normalise: NormaliseSvcId
  /** The names of all databases of the target. */
  readonly databases: readonly string[]
  readonly extent: Extent
  /** The schema of manifests, as seen from a file. */
  schemaFor(file: string): string
  /** Business entities to be told in comments, by database. */
  readonly entities?: ReadonlyMap<string, Parameters<typeof entitiesText>[0]> | undefined
  /** Only what no manifest declares was looked for: the files stand beside others. */
  readonly missing?:
    | {
        isTaken(file: string): boolean
        /** Why an account is to be deleted; what uses it is left out, or a plan could not do both. */
        doomOf(svcId: string): string | undefined
      }
    | undefined
}

export interface Exported {
  /** In the order in which one would tell it. `file`: relative, with forward slashes; `text`: in canonical layout. */
  readonly files: readonly { readonly file: string; readonly text: string }[]
  /** Everything that is live and not told, in order of addresses. */
  readonly leftOut: readonly UnreadPart[]
  /** Live objects that are declared, or that `prune` deletes. */
  readonly passed: LiveTree['passed']
  /** Objects in the files. */
  readonly objects: number
  /** Accounts that are used, and were not found among users and groups: patterns for `accounts.external`. */
  readonly external: readonly string[]
}

type ItemContext = Parameters<typeof sectionEntry>[3]

/** Without its ending. */
const entitiesFile = 'business-entities'

/** Pure: the same tree gives the same files, byte for byte. */
export function exportFiles(tree: LiveTree, options: ExportOptions): Exported {
  const { kinds, normalise, extent, databases, schemaFor, entities = [], missing } = options
  const { document } = manifestShapeOf(kinds)
  const { drafts, places, childrenOf, leave } = draftFiles(tree, databases, normalise, missing?.isTaken)
  let objects = 0
  const context: ItemContext = {
    extent,
    nameOf: accountNames(tree.accountNames, normalise),
    doomOf: (svcId) => missing?.doomOf(svcId),
    childrenOf,
    leave,
    onItem: () => {
      objects += 1
    },
  }
  const files: (Exported['files'][number] & { readonly order: string })[] = []
  for (const draft of drafts.values()) {
    const entries = entriesOf(draft, document, context)
    // Beside other files, one without an object would be there again after each run.
    if (entries.length === 0 && (draft.leftOut.length === 0 || missing !== undefined)) continue
    const header = fileHeader(schemaFor(draft.file), entries, draft.leftOut, missing !== undefined)
    files.push({
      file: draft.file,
      text: documentText(entries, header),
      order: orderOf(draft, document),
    })
  }
  for (const [database, list] of entities) {
    const file = places.fileBeside(database, entitiesFile)
    const text = entitiesText(list, schemaFor(file), context.nameOf)
    files.push({ file, text, order: `1${places.folderOf(database)} ${file}` })
  }
  return {
    files: files.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ file, text }) => ({ file, text })),
    leftOut: [...drafts.values()].flatMap(({ leftOut }) => leftOut).sort(byAddress),
    passed: tree.passed,
    objects,
    external: externalAccountsOf(tree.items, normalise),
  }
}

function entriesOf(draft: FileDraft, document: MappingShape, context: ItemContext): Entry[] {
  const ranks = keyRanks(document)
  const entries: Entry[] = []
  for (const [key, items] of [...draft.items].sort(([a], [b]) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))) {
    const { shape } = document.fields.get(key) as Field
    const section = sectionEntry(key, items, shape, context)
    if (section !== undefined) entries.push(section)
  }
  if (draft.database === undefined || entries.length === 0) return entries
  return [entry('database', scalar(draft.database)), ...entries]
}

/** First what is there for all databases, then one database after the other; of each in the order of sections. */
function orderOf({ file, folder, database, items }: FileDraft, document: MappingShape): string {
  const ranks = keyRanks(document)
  const rank = Math.min(ranks.size, ...[...items.keys()].map((key) => ranks.get(key) ?? ranks.size))
  return `${database === undefined ? 0 : 1}${folder} ${String(rank).padStart(3, '0')} ${file}`
}

/** Lines without `# `. */
function fileHeader(
  schema: string,
  entries: readonly Entry[],
  leftOut: readonly UnreadPart[],
  isAddition: boolean,
): string[] {
  const lines = [`yaml-language-server: $schema=${schema}`]
  if (isAddition) lines.push('Live objects that no manifest declared at export. Move the items to fitting files.')
  if (entries.some(hasPlacesForSecrets)) {
    lines.push(
      'The platform never returns logins and credentials, so they are not managed here. ' +
        'Each environment has lines for them',
      'at its end: fill in those that apply before you change anything else in it, since an environment is sent whole.',
    )
  }
  if (leftOut.length > 0) {
    lines.push('Left out, and so not managed here:')
    for (const { address, field, reason } of leftOut) {
      const what = field === undefined ? address : `${address} ${field}`
      lines.push(`- ${commentText(what, 200)}: ${commentText(reason)}`)
    }
  }
  return lines
}

/** Such comments follow the value of an environment, or precede an environment without one. */
function hasPlacesForSecrets({ leading, value }: Entry): boolean {
  if (leading.length > 0) return true
  return isCollection(value) && (value.trailing.length > 0 || value.entries.some(hasPlacesForSecrets))
}

interface FileDraft {
  readonly file: string
  /** The folder of the database, if there are several; else empty. */
  readonly folder: string
  readonly database: string | undefined
  /** By section, each in the order of names. */
  readonly items: Map<string, LiveItem[]>
  readonly leftOut: UnreadPart[]
}

/** `isTaken`: a foreign file has the name. */
function draftFiles(
  tree: LiveTree,
  databases: readonly string[],
  normalise: NormaliseSvcId,
  isTaken?: (file: string) => boolean,
) {
  const places = new FilePlaces(databases, isTaken)
  const drafts = new Map<string, FileDraft>()
  /** Objects inside the item of another object, in the order of names. */
  const children = new Map<LiveItem, LiveItem[]>()
  const known = new Map(tree.items.map((item) => [item.address, item]))

  const draftOf = ({ kind, database, parent }: UnreadPart, self: LiveItem | undefined): FileDraft => {
    const file = places.fileOf(kind, database, parent, self)
    const fresh = () => ({ file, folder: places.folderOf(database), database, items: new Map(), leftOut: [] })
    return getOrInsert(drafts, file, fresh)
  }
  /** Adds to a draft what turns out not to be told. */
  const leave = (what: UnreadPart): void => {
    draftOf(what, known.get(what.address)).leftOut.push(what)
  }

  for (const item of sortByName([...withoutSharedIds(tree.items, normalise, leave)])) {
    if (item.kind.scope === 'parent' && item.parent !== undefined) append(children, item.parent, item)
    else append(draftOf({ ...item, reason: '' }, item).items, item.kind.sections[0].key, item)
  }
  for (const each of tree.leftOut) leave(each)
  return { drafts, places, childrenOf: (item: LiveItem) => children.get(item) ?? [], leave }
}

/** By name as people sort: without case. */
function sortByName(items: readonly LiveItem[]): readonly LiveItem[] {
  const keyed = items.map((item) => ({ item, key: `${(item.called ?? item.identity).toLowerCase()}\0${item.address}` }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item)
}

/** An account has one kind, and a lent process without a known lender one application: the first. */
function* withoutSharedIds(
  items: readonly LiveItem[],
  normalise: NormaliseSvcId,
  leave: (what: UnreadPart) => void,
): Generator<LiveItem> {
  const byKey = new Map<string, LiveItem>()
  const found = new Set<string>()
  for (const item of items) {
    const { kind, at } = item
    if (kind.scope === 'database' && kind.parent !== undefined && at !== undefined) {
      const object = `${kind.name} ${at.dbId} ${at[kind.name]}`
      if (found.has(object)) continue
      found.add(object)
    }
    const key = item.kind.provides === undefined ? undefined : normalise(item.identity)
    const earlier = key === undefined ? undefined : byKey.get(key)
    if (key !== undefined && earlier === undefined) byKey.set(key, item)
    if (earlier === undefined) yield item
    else leave({ ...item, reason: `It has the svcId of \`${earlier.address}\`: only one of them can be declared` })
  }
}

/** As the platform lists it. */
interface ListedEntity {
  readonly guid: string
  readonly name: string
  readonly id?: number
  readonly code?: string
  readonly permissions?: Json
}

/** Without a line that means anything: what is in it is for people. `schema`: of manifests, as seen from the file. */
export function entitiesText(entities: readonly ListedEntity[], schema: string, nameOf: ItemContext['nameOf']): string {
  const header = [
    `yaml-language-server: $schema=${schema}`,
    'Business entities, and the accounts permitted in each. The platform manages them, svcsync does not. Privileges',
    'name them by `company`: their code, name, guid or id.',
  ]
  const sorted = entities.map((entity) => ({ entity, key: entity.code ?? entity.name }))
  for (const { entity } of sorted.sort((a, b) => (a.key < b.key ? -1 : 1))) header.push('', ...linesOf(entity, nameOf))
  return documentText([], header)
}

function linesOf({ code, name, id, guid, permissions }: ListedEntity, nameOf: ItemContext['nameOf']): string[] {
  const ids = [name, ...(id === undefined ? [] : [`id ${id}`]), `guid ${guid}`]
  const title = commentText(code === undefined ? ids.join(', ') : `${code}: ${ids.join(', ')}`)
  const byType = permittedIn(permissions)
  if (byType === undefined) return [title, '  the platform tells no permitted accounts']
  if (byType.size === 0) return [title, '  nobody is permitted']
  return [
    title,
    ...[...byType].flatMap(([type, accounts]) => [
      `  ${commentText(type)}`,
      ...accounts.map((svcId) => {
        const beside = nameOf(svcId)
        return `  - ${commentText(svcId)}${beside === undefined ? '' : ` (${beside})`}`
      }),
    ]),
  ]
}

/** Accounts by the sort of their permission. Undefined: some of it cannot be read, and the rest would pass for all. */
function permittedIn(permissions: Json | undefined): ReadonlyMap<string, readonly string[]> | undefined {
  if (!Array.isArray(permissions)) return undefined
  const byType = new Map<string, string[]>()
  for (const each of permissions as readonly Json[]) {
    if (!isJsonObject(each) || typeof each.svcId !== 'string' || typeof each.type !== 'string') return undefined
    byType.set(each.type, [...(byType.get(each.type) ?? []), each.svcId].sort())
  }
  return new Map([...byType].sort(([a], [b]) => (a < b ? 1 : -1)))
}
