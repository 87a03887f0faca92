// The protocol of the ledger as a model: two applies of three steps each, one action at a time, and what may come
// between. Pure. It says what each action comes to; the same actions drive the real code in protocol.test.ts.

export type Fact = 'p' | 'q' | 'r' | 's' | 't' | 'h'
export type Commit = 'c0' | 'c1' | 'c2' | 'evil'
/**
 * `c2` comes after `c1`, and that after `c0`, which was applied; `evil` is on a branch of somebody else. Nobody but a
 * person gave `h`.
 */
export const declares: Readonly<Record<Commit, readonly Fact[]>> = {
  c0: ['p', 'q'],
  c1: ['q', 'r', 's'],
  c2: ['q', 's', 't'],
  evil: ['q', 'h'],
}
export const line: readonly Commit[] = ['c0', 'c1', 'c2']
const comesAfter = (commit: Commit, other: Commit): boolean => line.indexOf(commit) >= line.indexOf(other)

/** Times in minutes. */
export const [lifetime, skew] = [5, 1]

interface Entry {
  readonly id: number
  readonly commit: Commit
  /** The lease with which it was written. */
  readonly by: number
}
interface Lease {
  readonly id: number
  /** The same for as long as it is renewed. */
  readonly name: number
  readonly holder: string
  /** By the clock of the holder; null: given back. */
  readonly until: number | null
  readonly begun: readonly Commit[]
  /** The part that stays after the entry: a former holder of the lease may still be applying. */
  readonly left: readonly Commit[]
}

export interface Process {
  readonly name: string
  readonly commit: Commit
  /** Its clock, against the others'. */
  readonly skew: number
  /** It keeps a journal in the ref; then it looks at the one that is there, begins its own, and closes it. */
  readonly logs: boolean
  readonly at: 'start' | 'take' | 'look' | 'log' | 'steps' | 'note' | 'back' | 'ended'
  /** The journal that it replaces, or its own. */
  readonly journal: number
  readonly isClosed: boolean
  readonly seen: { readonly applied: Entry; readonly lease: number; readonly begun: readonly Commit[] } | null
  readonly steps: readonly { readonly gives: boolean; readonly fact: Fact }[]
  readonly next: number
  readonly held: { readonly id: number; readonly name: number; readonly until: number; readonly began: boolean } | null
  /** It has heard that somebody else has its lease, or its own clock says that it ran out. */
  readonly isLost: boolean
  readonly isNoted: boolean
}

export interface World {
  readonly now: number
  readonly ids: number
  readonly applied: Entry
  readonly lease: Lease
  readonly journal: { readonly id: number; readonly by: string; readonly isFinished: boolean }
  readonly live: readonly Fact[]
  /** Facts that an apply has granted, and none removed. */
  readonly given: readonly Fact[]
  readonly processes: readonly Process[]
  /** Somebody else has written a ref: what was remembered there is not. */
  readonly isForged: boolean
  readonly broken: readonly string[]
}

export type Push = 'arrives' | 'fails' | 'arrives unheard'
export type Forgery = 'no lease' | 'evil begun' | 'older entry' | 'old begun'
export type Action =
  | { readonly who: number; readonly does: 'read' | 'look' | 'step' | 'kill' }
  | { readonly who: number; readonly does: 'take' | 'renew' | 'log' | 'close' | 'note' | 'back'; readonly push: Push }
  | { readonly does: 'pass' }
  | { readonly does: 'forge'; readonly what: Forgery }

/** The rules of svcsync; each test omits one to see that something breaks. */
export interface Rules {
  /** Commits begun under a lost lease are remembered until the next complete apply. */
  readonly keepsOvertaken: boolean
  /** No step begins after the end of the lease by one's own clock. */
  readonly stopsAtEnd: boolean
  readonly stopsWhenLost: boolean
  /** Begun commits count as a base if they belong to the history. */
  readonly distrusts: boolean
  /** An entry makes up for what the lease names as begun if it was written with that lease. */
  readonly bindsEntries: boolean
}
export const allRules: Rules = {
  ...{ keepsOvertaken: true, stopsAtEnd: true, stopsWhenLost: true, distrusts: true, bindsEntries: true },
}

export function begin(skewOfFirst: number, logs = false): World {
  const process = (name: string, commit: Commit, own = 0): Process => ({
    ...{
      name,
      commit,
      skew: own,
      logs,
      journal: 0,
      isClosed: false,
      at: 'start',
      seen: null,
      steps: [],
      next: 0,
      held: null,
      isLost: false,
      isNoted: false,
    },
  })
  return {
    now: 0,
    ids: 2,
    applied: { id: 1, commit: 'c0', by: 2 },
    lease: { id: 2, name: 2, holder: 'nobody', until: null, begun: [], left: [] },
    journal: { id: 0, by: '', isFinished: true },
    live: ['p', 'q', 'h'],
    given: ['p', 'q'],
    processes: [process('anna', 'c1', skewOfFirst), process('ben', 'c2')],
    isForged: false,
    broken: [],
  }
}

/** Somebody who comes when all have ended, and when each lease has run out by every clock. */
export function comeLater(world: World): World {
  // She gives up a journal that was broken off, and keeps none.
  const last: Process = { ...begin(0).processes[1], name: 'carla' } as Process
  return { ...world, now: world.now + 60, processes: [...world.processes, last] }
}

export const begunIn = ({ lease, applied }: World): readonly Commit[] =>
  (applied.by === lease.name ? lease.left : lease.begun).filter((each) => each !== applied.commit)

const isBound = ({ lease }: World, now: number): boolean =>
  lease.until !== null && lease.until <= now + lifetime + skew && lease.until + skew >= now

/** The actions of `act`, if nothing else comes between. */
export function nextOf({ at, next, steps, journal, isClosed }: Process, who: number): Action | undefined {
  if (at === 'start') return { who, does: 'read' }
  if (at === 'take') return { who, does: 'take', push: 'arrives' }
  if (at === 'look') return { who, does: 'look' }
  if (at === 'log') return { who, does: 'log', push: 'arrives' }
  if (at === 'steps' && next < steps.length) return { who, does: 'step' }
  if ((at === 'steps' || at === 'back') && journal > 0 && !isClosed) return { who, does: 'close', push: 'arrives' }
  if (at === 'note' || at === 'steps') return { who, does: 'note', push: 'arrives' }
  return at === 'back' ? { who, does: 'back', push: 'arrives' } : undefined
}

export function act(world: World, action: Action, rules = allRules): World {
  if (action.does === 'pass') return { ...world, now: world.now + lifetime + skew + 1 }
  if (action.does === 'forge') return forge(world, action.what)
  const process = world.processes[action.who] as Process
  const put = (given: Partial<Process>, more: Partial<World> = {}): World => ({
    ...{ ...world, ...more },
    processes: world.processes.map((each) => (each === process ? { ...each, ...given } : each)),
  })
  switch (action.does) {
    case 'kill':
      return put({ at: 'ended' })
    case 'read':
      return read(world, process, put, rules)
    case 'step':
      return step(world, process, put, rules)
    case 'look':
      // One that was broken off is not replaced.
      return world.journal.isFinished ? put({ at: 'log', journal: world.journal.id }) : put({ at: 'back', journal: 0 })
    case 'log':
      return log(world, process, put, action.push)
    case 'close':
      return close(world, process, put, action.push)
    case 'take':
      return take(world, process, put, action.push, rules)
    case 'renew':
      return renew(world, process, put, action.push)
    case 'note':
      return note(world, process, put, action.push, rules)
    case 'back':
      return giveBack(world, process, put, action.push)
  }
}

type Put = (given: Partial<Process>, more?: Partial<World>) => World

/** The steps of a plan. */
export function stepsOf(commit: Commit, before: readonly Commit[], live: readonly Fact[]): Process['steps'] {
  const own = declares[commit]
  const known = [...new Set(before.flatMap((each) => declares[each]))]
  return [
    ...own.filter((fact) => !live.includes(fact)).map((fact) => ({ gives: true, fact })),
    ...known.filter((fact) => !own.includes(fact) && live.includes(fact)).map((fact) => ({ gives: false, fact })),
  ]
}

function read(world: World, process: Process, put: Put, rules: Rules): World {
  const { applied, lease, live } = world
  const begun = begunIn(world)
  const isRefused = isBound(world, world.now + process.skew) || !comesAfter(process.commit, applied.commit)
  if (isRefused || (rules.distrusts && begun.includes('evil'))) return put({ at: 'ended' })
  const steps = stepsOf(process.commit, [applied.commit, ...begun], live)
  return put({ at: steps.length > 0 ? 'take' : 'note', seen: { applied, lease: lease.id, begun }, steps })
}

function take(world: World, process: Process, put: Put, push: Push, rules: Rules): World {
  const { seen } = process
  if (seen === null || world.lease.id !== seen.lease || push === 'fails') return put({ at: 'ended' })
  const until = world.now + process.skew + lifetime
  const begun = [...seen.begun.filter((each) => each !== process.commit), process.commit]
  const lease = {
    id: world.ids + 1,
    name: world.ids + 1,
    holder: process.name,
    until,
    begun,
    left: leftBy(world, seen, rules),
  }
  const more = { ids: lease.id, lease }
  // An apply that has not heard of its lease begins nothing.
  if (push === 'arrives unheard') return put({ at: 'ended' }, more)
  const held = { id: lease.id, name: lease.name, until, began: false }
  return put({ at: process.logs ? 'look' : 'steps', held }, more)
}

const leftBy = ({ lease }: World, { begun }: NonNullable<Process['seen']>, rules: Rules): readonly Commit[] =>
  rules.keepsOvertaken && lease.until !== null ? begun : []

function renew(world: World, process: Process, put: Put, push: Push): World {
  const { held } = process
  if (held === null) return world
  if (world.now + process.skew >= held.until) return put({ isLost: true })
  if (push === 'fails') return world
  if (world.lease.id !== held.id) return put({ isLost: true })
  const until = world.now + process.skew + lifetime
  const lease = { ...world.lease, id: world.ids + 1, until }
  // It is heard with the next: what is there is its own, and not what it last knew of.
  const known = push === 'arrives unheard' ? held : { ...held, id: lease.id, until }
  return put({ held: known }, { ids: lease.id, lease })
}

function step(world: World, process: Process, put: Put, rules: Rules): World {
  const { held, next, steps, isLost } = process
  const [one] = steps.slice(next)
  const isOver = held !== null && world.now + process.skew >= held.until
  if ((rules.stopsWhenLost && isLost) || (rules.stopsAtEnd && isOver) || one === undefined || held === null)
    return put({ at: 'back', isLost: isLost || isOver })
  const broken = [...world.broken]
  if (isLost || isOver) broken.push(`${process.name} begins a step after the lease is lost`)
  const wanted = line.some((commit) => declares[commit].includes(one.fact))
  if (!one.gives && (!wanted || declares[process.commit].includes(one.fact)))
    broken.push(`${process.name} takes ${one.fact}, which is nobody's to take`)
  const live = world.live.filter((fact) => fact !== one.fact)
  const given = world.given.filter((fact) => fact !== one.fact)
  const changed = one.gives ? { live: [...live, one.fact], given: [...given, one.fact] } : { live, given }
  return put({ next: next + 1, held: { ...held, began: true } }, { ...changed, broken })
}

function log(world: World, process: Process, put: Put, push: Push): World {
  if (push === 'fails' || world.journal.id !== process.journal) return put({ at: 'back', journal: 0 })
  const journal = { id: world.ids + 1, by: process.name, isFinished: false }
  const more = { ids: journal.id, journal }
  // An apply that has not heard of its journal begins nothing.
  return push === 'arrives' ? put({ at: 'steps', journal: journal.id }, more) : put({ at: 'back', journal: 0 }, more)
}

function close(world: World, process: Process, put: Put, push: Push): World {
  const given = { isClosed: true }
  if (push === 'fails' || world.journal.id !== process.journal) return put(given)
  const journal = { ...world.journal, id: world.ids + 1, isFinished: true }
  return put(given, { ids: journal.id, journal })
}

function note(world: World, process: Process, put: Put, push: Push, rules: Rules): World {
  const { seen, steps, commit } = process
  if (seen === null) return world
  const isAsDeclared = steps.every(({ gives, fact }) => world.live.includes(fact) === gives)
  const isAlone = process.held === null
  const ends = isAlone ? 'ended' : 'back'
  if (!isAsDeclared || push === 'fails') return put({ at: ends })
  // With nothing to do, the lease is had for that alone, and nothing stays of what was begun.
  if (isAlone && (world.lease.id !== seen.lease || (seen.applied.commit === commit && seen.begun.length === 0)))
    return put({ at: ends })
  if (world.applied.id !== seen.applied.id) return put({ at: ends })
  const left = leftBy(world, seen, rules)
  const free = { id: world.ids + 2, name: world.ids + 2, holder: process.name, until: null, begun: left, left }
  const lease = isAlone ? free : world.lease
  // Without the rule, it makes up for whatever is there.
  const by = isAlone ? free.name : rules.bindsEntries ? (process.held?.name ?? 0) : lease.name
  const applied = { id: world.ids + 1, commit, by }
  return put({ at: ends, isNoted: push === 'arrives' }, { ids: world.ids + 2, applied, lease })
}

function giveBack(world: World, process: Process, put: Put, push: Push): World {
  const { held, seen, isNoted } = process
  if (held === null || seen === null || push === 'fails' || world.lease.id !== held.id) return put({ at: 'ended' })
  const begun = isNoted ? world.lease.left : held.began ? world.lease.begun : seen.begun
  const lease = { ...world.lease, id: world.ids + 1, until: null, begun }
  return put({ at: 'ended' }, { ids: lease.id, lease })
}

function forge(world: World, what: Forgery): World {
  const id = world.ids + 1
  const free = { id, name: id, holder: 'eve', until: null, left: [] }
  const lease = {
    'no lease': { ...free, begun: [] },
    'evil begun': { ...free, begun: ['evil' as const] },
    'old begun': { ...free, begun: ['c1' as const] },
    'older entry': world.lease,
  }[what]
  const applied = what === 'older entry' ? begin(0).applied : world.applied
  return { ...world, ids: id, lease, applied, isForged: true }
}
