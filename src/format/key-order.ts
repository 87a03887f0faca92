// In which order keys stand: fields as their kinds declare them, sections as one would tell the story.
import type { Field, MappingShape } from '../manifests/shape.ts'

/** Who there is, what there is, and who may do what with it. */
const sections = [
  'users',
  'groups',
  'memberships',
  'constants',
  'connections',
  'applications',
  'processes',
  'workflows',
  'formTypes',
]

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

function canonicalKeys({ fields }: MappingShape): readonly string[] {
  const all = [...fields.values()]
  const own = all.filter(({ apart }) => !apart)
  const nested = all.filter(({ apart }) => apart).sort((a, b) => place(a) - place(b))
  // Of a process: what it works with comes before who may use it, and what is inside it comes last.
  const privileges = own.findIndex(({ name }) => name === 'privileges')
  const before = privileges < 0 ? [] : nested.filter(({ name }) => name === 'constants')
  const at = privileges < 0 ? own.length : privileges
  const after = nested.filter((field) => !before.includes(field))
  return [...own.slice(0, at), ...before, ...own.slice(at), ...after].map(({ name }) => name)
}

/** A section that is not listed comes last, in the order of the registry. */
function place({ name }: Field): number {
  const index = sections.indexOf(name)
  return index < 0 ? sections.length : index
}
