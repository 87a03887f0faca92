// Beside each desired object, what applies that were begun and not completed were to make of it.
import { byAddress } from '../model/address.ts'
import type { Desired, DesiredElement, Since } from '../model/desired.ts'
import { identify, inheriting, type RemovedRules, withBase } from './with-base.ts'

interface BegunDesired {
  readonly commit: string | null
  readonly undo?: true | undefined
  readonly desired: readonly Desired[]
  /** It tells nothing about other objects, whatever `desired` holds of them. */
  isSelected(object: Desired): boolean
}

/**
 * As `withBase`. An object that any of the commits declares, and no manifest does now, is no longer declared. Sorted by
 * address.
 */
export function withBegun(
  current: readonly Desired[],
  base: readonly Desired[],
  begun: readonly BegunDesired[],
  rules: RemovedRules,
): readonly Desired[] {
  return begun.reduce(
    (known, side) => besides(known, withBase(current, side.desired, rules), side),
    [...withBase(current, base, rules)],
  )
}

const nameOf = (object: Desired): string => `${object.kind.name} ${identify(object)}`

function besides(known: readonly Desired[], own: readonly Desired[], side: BegunDesired): Desired[] {
  const { isSelected } = side
  const said = new Map(own.flatMap((each) => (each.since && isSelected(each) ? [[nameOf(each), each]] : [])))
  const result = known.map((object): Desired => {
    const other = said.get(nameOf(object))
    said.delete(nameOf(object))
    if (other === undefined && (object.since === undefined || !isSelected(object))) return object
    return joined(object, other, side)
  })
  const more = [...said.values()].map((object) => joined({ ...object, since: undefined }, object, side))
  return more.length === 0 ? result : [...result, ...more].sort(byAddress)
}

function joined(object: Desired, other: Desired | undefined, { commit, undo }: BegunDesired): Desired {
  const { since } = object
  const more = other?.since
  const first = since ?? (more as Since)
  const begun = [...(since?.begun ?? []), { commit, undo, said: more?.base.absent ? undefined : more?.base }]
  if (since !== undefined && more === undefined) return { ...object, since: { ...since, begun } }
  const { values, entries, standing, deletion = more?.deletion } = first
  const known = new Set(values.map(({ path }) => path.join('.')))
  const others = more?.values.filter(({ path }) => !known.has(path.join('.'))) ?? []
  return {
    ...object,
    spec: inheriting(
      object.spec,
      others.filter(({ inherits }) => inherits),
    ),
    since: {
      base: first.base,
      begun,
      ...((since === undefined || since.isBegun) && { isBegun: true as const }),
      standing: standing === 'declared' ? (more?.standing ?? standing) : standing,
      ...(deletion && { deletion }),
      values: [...values, ...others],
      entries: union(entries, more?.entries ?? {}),
      // A side that is as what is declared now lists nothing, and so has nothing to take.
      takesEntries: first.takesEntries || more?.takesEntries === true,
    },
  }
}

function union(known: Since['entries'], more: Since['entries']): Since['entries'] {
  const result: Record<string, ReadonlyMap<string, DesiredElement>> = { ...known }
  for (const [name, entries] of Object.entries(more)) result[name] = new Map([...entries, ...(known[name] ?? [])])
  return result
}
