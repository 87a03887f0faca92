// Finds gains and losses from the holders of a right down to everybody who has it through groups. Deep nestings are
// walked once for each right that the plan touches, not once for each person in them.
import { append, getOrInsert } from '../model/group-by.ts'
import { type ClassBlocks, tell, unseenWay } from './access-blocks.ts'
import { type Time, times } from './aftermath.ts'
import { type AccessGraph, type Numbers, type Right, reached, sameNumbers } from './graph-model.ts'
import { createTree, landOf } from './right-tree.ts'

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
 * The blocks of each class, accounts with the same access, in order, for graphs without substitutions. Yields the work
 * since the last yield. `behind`: rights that unknown people may have.
 */
export function* findDownward(
  graph: AccessGraph,
  classes: readonly Numbers[],
  behind: (time: Time) => ReadonlyMap<number, number>,
): Generator<number, readonly ClassBlocks[]> {
  const firsts = classes.map(firstOf)
  const above = atEach((time) => reached(graph.within[time], firsts))
  const bundles = bundlesOf(graph, above)
  const found = classes.map((): ClassBlocks => new Map())
  const trees = atEach((time): Trees => {
    const land = landOf(graph, time, above[time])
    return { own: createTree(land), any: createTree(land), vague: createTree(land) }
  })
  yield above.before.size + above.after.size
  for (const bundle of bundles) yield tellBundle(graph, trees, bundle, { classes, found, behind })
  return found
}

const firstOf = (subjects: Numbers): number => subjects[0] as number

interface Search {
  readonly classes: readonly Numbers[]
  readonly found: readonly ClassBlocks[]
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
  classes.forEach((subjects, index) => {
    const first = firstOf(subjects)
    const blocks = found[index] as ClassBlocks
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
function bundlesOf(graph: AccessGraph, above: AtEach<ReadonlySet<number>>): readonly Bundle[] {
  const holders = atEach((time) => {
    const lists = new Map<number, number[]>()
    for (const account of [...above[time]].sort((a, b) => a - b)) {
      for (const right of graph.held[time][account] as Numbers) append(lists, right, account)
    }
    return lists
  })
  const { before, after } = graph.within
  const moved = [...graph.svcIds.keys()].filter((each) => !sameNumbers(before[each], after[each]))
  const touched = atEach((time) => reached(graph.within[time], moved))
  const none: Numbers = []
  const of = (right: number, time: Time): Numbers => holders[time].get(right) ?? none
  const bundles = new Map<string, Bundle>()
  for (const right of new Set([...holders.before.keys(), ...holders.after.keys()])) {
    const { covering, vague } = graph.rights[right] as Right
    const own = atEach((time) => of(right, time))
    const any = atEach((time) => joined(own[time], of(covering, time)))
    const isSame = String(any.before) === String(any.after)
    const isTouched = times.some((time) => any[time].some((account) => touched[time].has(account)))
    if (isSame && !isTouched) continue
    const possible = atEach((time) => vague.reduce((list, each) => joined(list, of(each, time)), none))
    const key = [own, any, possible].flatMap(({ before, after }) => [before, after]).join('|')
    getOrInsert(bundles, key, () => ({ ...{ rights: [], own, any }, vague: possible })).rights.push(right)
  }
  return [...bundles.values()]
}

/** Each once; the first list itself where the second adds nothing. */
function joined(list: Numbers, more: Numbers): Numbers {
  if (more.length === 0) return list
  return [...new Set([...list, ...more])]
}
