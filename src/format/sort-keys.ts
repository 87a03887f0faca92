// Puts keys in their order: fields and sections as their kinds do. Items of lists keep theirs: people group them.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { type Field, isFragment, type MappingShape, type Shape } from '@svcsync/manifests/shape.ts'
import { type CollectionNode, type Entry, isCollection, type LayoutNode } from './layout.ts'

/** Sorts the node in place, with everything below. `shape`: its expected form; undefined: unknown, so it stays. */
export function sortKeys(node: LayoutNode, shape: Shape | undefined): void {
  if (!isCollection(node) || shape === undefined) return
  if (shape.type === 'shorthand') {
    sortKeys(node, shape.long)
    return
  }
  for (const { key, value } of node.entries) sortKeys(value, shapeWithin(node, shape, key))
  if (node.type === 'sequence' || shape.type !== 'mapping') return
  if (shape.inLine) node.wide = true
  sortEntries(node, shape)
}

function shapeWithin({ type }: CollectionNode, shape: Shape, key: Entry['key']): Shape | undefined {
  // A list where a mapping is wanted: the mappings that `<<` merges.
  if (type === 'sequence') return shape.type === 'list' ? shape.items : shape.type === 'mapping' ? shape : undefined
  if (shape.type === 'map') return shape.known?.get(key?.name ?? '') ?? shape.values
  if (shape.type !== 'mapping') return undefined
  const isMerge = key?.plain === true && key.name === '<<'
  return isMerge ? shape : shape.fields.get(key?.name ?? '')?.shape
}

function sortEntries(node: CollectionNode, shape: MappingShape): void {
  const ranks = keyRanks(shape)
  // Merged keys come first; an unknown key, which is a mistake anyway, last.
  const rank = ({ key }: Entry) => {
    const name = key?.name ?? ''
    if (key?.plain === true && name === '<<') return -1
    // Below the first key, which is the database, and above all that may take something from it.
    return isFragment(shape, name) ? 0.5 : (ranks.get(name) ?? ranks.size)
  }
  const sorted = [...node.entries].sort((a, b) => rank(a) - rank(b))
  if (sorted.every((entry, index) => entry === node.entries[index])) return
  if (anchorsStayAhead(node.entries, sorted)) node.entries = sorted
}

/** Entries with anchors or aliases that are compared with one another; a mapping with more keeps its order. */
const maxCompared = 200

/** An alias means the last anchor of its name above it: no entry may pass another one that has a part in that. */
function anchorsStayAhead(before: readonly Entry[], after: readonly Entry[]): boolean {
  const places = new Map(before.map((entry, index) => [entry, index]))
  const compared = after
    .map((entry) => ({ place: places.get(entry) as number, names: namesIn(entry) }))
    .filter(({ names }) => names.anchors.size + names.aliases.size > 0)
  if (compared.every(({ names }) => names.anchors.size === 0)) return true
  if (compared.length > maxCompared) return false
  return compared.every((later, index) =>
    compared.slice(0, index).every((earlier) => earlier.place < later.place || !concern(earlier.names, later.names)),
  )
}

function concern(a: ReturnType<typeof namesIn>, b: ReturnType<typeof namesIn>): boolean {
  const sets = (name: string) => b.anchors.has(name) || b.aliases.has(name)
  return [...a.anchors].some(sets) || [...b.anchors].some((name) => a.aliases.has(name))
}

function namesIn(entry: Entry) {
  const anchors = new Set<string>()
  const aliases = new Set<string>()
  const visit = ({ key, value }: Entry): void => {
    for (const prop of [...(key?.props ?? []), ...value.props]) if (prop.startsWith('&')) anchors.add(prop.slice(1))
    if (value.type === 'scalar' && value.alias !== undefined) aliases.add(value.alias)
    if (isCollection(value)) value.entries.forEach(visit)
  }
  visit(entry)
  return { anchors, aliases }
}

const known = new WeakMap<MappingShape, ReadonlyMap<string, number>>()

/** Key → its rank among the keys of such a mapping. */
export function keyRanks(shape: MappingShape): ReadonlyMap<string, number> {
  return getOrInsert(known, shape, () => new Map(canonicalKeys(shape).map((key, index) => [key, index])))
}

function canonicalKeys({ fields, section }: MappingShape): readonly string[] {
  const all = [...fields.values()]
  const own = all.filter(({ apart }) => !apart)
  const nested = all.filter(({ apart }) => apart).sort((a, b) => place(a) - place(b))
  // For a process: its parts come before its users, and its contents come last.
  const properties = section?.section.schema.properties ?? {}
  const list = own.findIndex(({ name }) => properties[name]?.collection !== undefined)
  const before = list < 0 ? [] : nested.filter((field) => place(field) < (section?.kind.order ?? last))
  const at = list < 0 ? own.length : list
  const after = nested.filter((field) => !before.includes(field))
  return [...own.slice(0, at), ...before, ...own.slice(at), ...after].map(({ name }) => name)
}

const last = Number.MAX_SAFE_INTEGER

/** In the order that kinds have; a kind without one comes last, in the order of the registry. */
function place({ shape }: Field): number {
  const items = shape.type === 'list' && shape.items.type === 'mapping' ? shape.items : undefined
  return items?.section?.kind.order ?? last
}
