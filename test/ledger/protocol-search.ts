// Every order of the actions of the ledger's model within limits of what interferes, and the faults at each end.
import {
  type Action,
  act,
  allRules,
  begin,
  begunIn,
  comeLater,
  declares,
  nextOf,
  type Process,
  type World,
} from './protocol-model.ts'

/** The interferences, each with its limit. */
export interface Budget {
  readonly kills: number
  readonly pushes: number
  readonly passes: number
  readonly forgeries: number
  readonly renewals: number
}

/** With what is left of the budget then. */
export function actionsIn({ processes }: World, budget: Budget): readonly (readonly [Action, Budget])[] {
  const own = processes.flatMap((process, who) => actionsOf(process, who, budget))
  if (own.length === 0) return []
  const forgeries = ['no lease', 'evil begun', 'older entry', 'old begun'] as const
  return [
    ...own,
    ...spent(budget, 'passes', [{ does: 'pass' }]),
    ...spent(
      budget,
      'forgeries',
      forgeries.map((what) => ({ does: 'forge', what })),
    ),
  ]
}

type Spent = readonly (readonly [Action, Budget])[]

/** None where nothing of the budget is left. */
function spent(budget: Budget, what: keyof Budget, actions: readonly Action[]): Spent {
  return budget[what] > 0 ? actions.map((action) => [action, { ...budget, [what]: budget[what] - 1 }]) : []
}

function actionsOf(process: World['processes'][number], who: number, budget: Budget): Spent {
  const own = nextOf(process, who)
  if (own === undefined) return []
  // With nothing to do, several are made at once.
  const pushes = process.at === 'note' ? (['fails'] as const) : (['fails', 'arrives unheard'] as const)
  return [
    [own, budget],
    ...spent(budget, 'pushes', 'push' in own ? pushes.map((push) => ({ ...own, push })) : []),
    ...spent(budget, 'renewals', process.at === 'steps' ? [{ who, does: 'renew', push: 'arrives' }] : []),
    ...spent(budget, 'kills', process.at === 'start' ? [] : [{ who, does: 'kill' }]),
  ]
}

/** The faults at an end: for the later apply, and after it. */
export function faultsOf(ended: World, rules = allRules): readonly string[] {
  let world = comeLater(ended)
  const who = world.processes.length - 1
  // What nobody trusts is allowed by its name, which drops it; what is newer than what is there was somebody else's.
  if (begunIn(world).includes('evil') && rules.distrusts)
    world = { ...world, lease: { ...world.lease, begun: world.lease.begun.filter((each) => each !== 'evil') } }
  for (;;) {
    const action = nextOf(world.processes[who] as Process, who)
    if (action === undefined) break
    world = act(world, action, rules)
  }
  const { applied, live, given, broken } = world
  const own = declares.c2
  const faults = [...broken]
  if (applied.commit !== 'c2' || own.some((fact) => !live.includes(fact))) faults.push('nobody can go on')
  if (!live.includes('h')) faults.push('what a person gave is gone')
  for (const { name, held, logs, isClosed } of ended.processes)
    if (logs && held?.began && !isClosed && (ended.journal.by !== name || ended.journal.isFinished))
      faults.push(`the journal of ${name} is gone, which was broken off`)
  const forgotten = given.filter((fact) => !own.includes(fact))
  if (!world.isForged && forgotten.length > 0) faults.push(`${forgotten.join()} was given, and is forgotten`)
  return faults
}

export interface Schedule {
  readonly skew: number
  readonly logs: boolean
  readonly actions: readonly Action[]
  readonly end: World
}

/**
 * Every end that there is, each by one way to it, or those up to the first that is looked for. Numbers of ids say
 * nothing of their own.
 */
export function explore(
  skewOfFirst: number,
  budget: Budget,
  rules = allRules,
  logs = false,
  isLookedFor: (end: World) => boolean = () => false,
) {
  const seen = new Set<string>()
  const ends: Schedule[] = []
  let isFound = false
  const visit = (world: World, left: Budget, way: readonly Action[]): void => {
    const key = keyOf(world, left)
    if (seen.has(key)) return
    seen.add(key)
    const actions = actionsIn(world, left)
    if (actions.length === 0) {
      ends.push({ skew: skewOfFirst, logs, actions: way, end: world })
      isFound ||= isLookedFor(world)
    }
    for (const [action, rest] of actions) if (!isFound) visit(act(world, action, rules), rest, [...way, action])
  }
  visit(begin(skewOfFirst, logs), budget, [])
  return { states: seen.size, ends, isFound }
}

function keyOf(world: World, left: Budget): string {
  const names = new Map<number, number>()
  const text = JSON.stringify([{ ...world, ids: 0 }, left], (key, value) => {
    if (!['id', 'name', 'by', 'lease', 'journal'].includes(key) || typeof value !== 'number') return value
    if (!names.has(value)) names.set(value, names.size)
    return names.get(value)
  })
  return text
}
