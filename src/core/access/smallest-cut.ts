// The fewest edges without which no way leads from one node to another: as many as there are ways that share none of
// them.
import { append } from '../model/group-by.ts'

interface Edge {
  readonly from: number
  readonly to: number
  /** Nobody can take it away. */
  readonly isFixed: boolean
}

/** An edge, or, of a way that may give way, an edge backwards. */
interface Step<Own> {
  readonly edge: Own
  readonly to: number
  readonly isReturn: boolean
}

/**
 * The cut nearest to the start, and the one nearest to the end: they may be the same. Undefined: a way of fixed edges
 * leads there.
 */
export function smallestCuts<Own extends Edge>(
  edges: readonly Own[],
  start: number,
  end: number,
): { readonly near: readonly Own[]; readonly far: readonly Own[] } | undefined {
  const steps = new Map<number, Step<Own>[]>()
  const stepsBack = new Map<number, Step<Own>[]>()
  for (const edge of edges) {
    const { from, to } = edge
    append(steps, from, { edge, to, isReturn: false })
    append(steps, to, { edge, to: from, isReturn: true })
    append(stepsBack, to, { edge, to: from, isReturn: false })
    append(stepsBack, from, { edge, to, isReturn: true })
  }
  /** The number of ways along an edge; at most one along an edge that is not fixed. */
  const used = new Map<Own, number>()
  const waysAlong = (edge: Own): number => used.get(edge) ?? 0
  const isOpen = ({ edge, isReturn }: Step<Own>): boolean =>
    isReturn ? waysAlong(edge) > 0 : edge.isFixed || waysAlong(edge) === 0
  if (reachable(steps, start, ({ edge, isReturn }) => edge.isFixed && !isReturn).has(end)) return undefined
  for (let found = reachable(steps, start, isOpen); found.has(end); found = reachable(steps, start, isOpen)) {
    for (let node = end; node !== start; ) {
      const { edge, isReturn } = found.get(node) as Step<Own>
      used.set(edge, waysAlong(edge) + (isReturn ? -1 : 1))
      node = isReturn ? edge.to : edge.from
    }
  }
  const [ahead, behind] = [reachable(steps, start, isOpen), reachable(stepsBack, end, isOpen)]
  return {
    near: edges.filter(({ from, to }) => ahead.has(from) && !ahead.has(to)),
    far: edges.filter(({ from, to }) => !behind.has(from) && behind.has(to)),
  }
}

/** Each node that can be reached, with the step by which; breadth first. */
function reachable<Own>(
  steps: ReadonlyMap<number, readonly Step<Own>[]>,
  start: number,
  isOpen: (step: Step<Own>) => boolean,
): ReadonlyMap<number, Step<Own> | undefined> {
  const found = new Map<number, Step<Own> | undefined>([[start, undefined]])
  // The map grows while it is walked through.
  for (const node of found.keys())
    for (const step of steps.get(node) ?? []) if (!found.has(step.to) && isOpen(step)) found.set(step.to, step)
  return found
}
