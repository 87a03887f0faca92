// In which order keys stand: fields as their kinds declare them, sections as kinds stand to each other.
import type { Field, MappingShape } from '../manifests/shape.ts'

const known = new WeakMap<MappingShape, ReadonlyMap<string, number>>()

/** Key → its rank among the keys of such a mapping. */
export function keyRanks(shape: MappingShape): ReadonlyMap<string, number> {
  let ranks = known.get(shape)
  if (ranks === undefined) {
    ranks = new Map(canonicalKeys(shape).map((key, index) => [key, index]))
    known.set(shape, ranks)
  }
  return ranks
}

function canonicalKeys({ fields, section }: MappingShape): readonly string[] {
  const all = [...fields.values()]
  const own = all.filter(({ apart }) => !apart)
  const nested = all.filter(({ apart }) => apart).sort((a, b) => place(a) - place(b))
  // Of a process: what it works with comes before who may use it, and what is inside it comes last.
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
