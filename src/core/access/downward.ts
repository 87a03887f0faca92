// Finds gains and losses from the holders of a right down to everybody who has it through groups. Deep nestings are
// walked once for each right that the plan touches, not once for each person in them.
import { append, getOrInsert } from '../model/group-by.ts'
import { type AccessClass, type ClassBlocks, tell, unseenWay } from './access-blocks.ts'
import { type Time, times } from './aftermath.ts'
import { createTree, landOf } from './right-tree.ts'
import { type AccessGraph, type Numbers, type Right, reached, sameNumbers } from './walk.ts'

type AtEach<Value> = Readonly<Record<Time, Value>>

/** Rights that the same accounts hold by themselves: who has one of them has all, and by the same ways. */
interface Bundle {
  readonly rights: number[]
  readonly own: AtEach<Numbers>
  /** The holders, also those of the same right without a company. */
  readonly any: AtEach<Numbers>
  /** The holders of a right that may be one of them. */
  readonly vague: AtEach<Numbers>
}

type Trees = Readonly<Record<'own' | 'any' | 'vague', ReturnType<typeof createTree>>>

/**
 * The blocks of each class, in order, for graphs without substitutions. Yields the work since the last yield. `behind`:
 * rights that unknown people may have.
 */
export function* findDownward(
  graph: AccessGraph,
  classes: readonly AccessClass[],
  behind: (time: Time) => ReadonlyMap<number, number>,
): Generator<number, readonly ClassBlocks[]> {
  const firsts = classes.map(({ first }) => first)
  const above = atEach((time) => reached(graph.within[time], firsts))
  const moved = new Set(movedIn(graph))
  const bundles = bundlesOf(graph, above, moved)
  const found: ClassBlocks[] = []
  const trees = atEach((time): Trees => {
    const land = landOf(graph, time, above[time], moved)
    return { own: createTree(land), any: createTree(land), vague: createTree(land) }
  })
  yield above.before.size + above.after.size
  for (const bundle of bundles) yield tellBundle(graph, trees, bundle, { classes, found, behind })
  return classes.map((_, index) => found[index] ?? new Map())
}

interface Search {
  readonly classes: readonly AccessClass[]
  /** The classes with an effect. */
  readonly found: ClassBlocks[]
  readonly behind: (time: Time) => ReadonlyMap<number, number>
}

/** The work so far. */
function tellBundle(
  graph: AccessGraph,
  trees: AtEach<Trees>,
  { rights, own, any, vague }: Bundle,
  { classes, found, behind }: Search,
): number {
  let steps = classes.length
  for (const time of times) {
    steps += trees[time].any.grow(any[time])
    if (own[time] !== any[time]) steps += trees[time].own.grow(own[time])
    steps += trees[time].vague.grow(vague[time])
  }
  const holdsItself = (account: number, time: Time): boolean =>
    trees[time][own[time] === any[time] ? 'any' : 'own'].endOf(account) !== undefined
  const wayAt = (account: number, time: Time) => ({
    place: trees[time].any.endOf(account) as number,
    wayLater: () => () => {
      // Another bundle may have moved the tree since.
      trees[time].any.grow(any[time])
      return trees[time].any.wayOf(account)
    },
  })
  const after = new Set(any.after)
  classes.forEach(({ first, subjects }, index) => {
    if (times.every((time) => trees[time].any.endOf(first) === undefined)) return
    found[index] ??= new Map()
    const blocks = found[index]
    const [was, is] = times.map((time) => trees[time].any.endOf(first))
    const seesVague = (time: Time): boolean => trees[time].vague.endOf(first) !== undefined
    const say = (effect: 'gain' | 'lose', through: (right: number) => number | undefined): void => {
      const via = wayAt(first, effect === 'gain' ? 'after' : 'before')
      for (const right of rights) tell(blocks, subjects, { effect, right, via, through: through(right) })
    }
    const unseen = (time: Time) => (right: number) =>
      unseenWay(graph, first, right, time, { behind, seesVague: seesVague(time) })
    const keep = (): void => {
      const [via, before] = [wayAt(first, 'after'), wayAt(first, 'before')]
      for (const right of rights) tell(blocks, subjects, { effect: 'keep', right, via, before })
    }
    if (is === undefined) {
      if (was !== undefined && holdsItself(first, 'before')) say('lose', unseen('after'))
      return
    }
    if (!holdsItself(first, 'after')) return
    if (was === undefined) say('gain', unseen('before'))
    else if (!after.has(was) || !trees.before.any.staysWhole(first)) keep()
  })
  return steps
}

const atEach = <Value>(make: (time: Time) => Value): AtEach<Value> => ({ before: make('before'), after: make('after') })

/** The rights of accounts below: those that the plan may give or take. */
function bundlesOf(
  graph: AccessGraph,
  above: AtEach<ReadonlySet<number>>,
  moved: ReadonlySet<number>,
): readonly Bundle[] {
  const holders = atEach((time) => {
    const lists = new Map<number, number[]>()
    for (const account of [...above[time]].sort((a, b) => a - b)) {
      for (const right of graph.held[time][account] ?? []) append(lists, right, account)
    }
    return lists
  })
  const touched = atEach((time) => reached(graph.within[time], moved))
  const none: Numbers = []
  const of = (right: number, time: Time): Numbers => holders[time].get(right) ?? none
  const bundles = new Map<string, Bundle>()
  const all = [...new Set([...holders.before.keys(), ...holders.after.keys()])].sort((a, b) => a - b)
  for (const right of all) {
    const { covering, vague } = graph.rights[right] as Right
    const own = atEach((time) => of(right, time))
    const any = atEach((time) => joined(own[time], of(covering, time)))
    const isSame = String(own.before) === String(own.after) && String(any.before) === String(any.after)
    if (isSame && !times.some((time) => any[time].some((account) => touched[time].has(account)))) continue
    const others = vague.flatMap((each) => [each, (graph.rights[each] as Right).covering])
    const possible = atEach((time) => others.reduce((list, each) => joined(list, of(each, time)), none))
    const key = [own, any, possible].flatMap(({ before, after }) => [before, after]).join('|')
    getOrInsert(bundles, key, () => ({ ...{ rights: [], own, any }, vague: possible })).rights.push(right)
  }
  return [...bundles.values()]
}

/** Each once; the first list itself where the second adds nothing. */
function joined(list: Numbers, more: Numbers): Numbers {
  if (more.length === 0) return list
  return [...new Set([...list, ...more])].sort((a, b) => a - b)
}

/** Accounts that are in other groups after the plan. */
export function movedIn({ svcIds, within }: AccessGraph): readonly number[] {
  return [...svcIds.keys()].filter((each) => !sameNumbers(within.before[each], within.after[each]))
}
