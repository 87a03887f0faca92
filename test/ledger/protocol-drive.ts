// Drives the real code of the ledger through a schedule of the model, on real refs: after each action both have to say
// the same.
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { follows } from '../../src/git/commit-tree.ts'
import { keepJournal, readKeptJournal } from '../../src/ledger/journal-ref.ts'
import { type LeaseSettings, takeLease } from '../../src/ledger/lease.ts'
import { type LedgerState, mergeBegun, readLedger, recordApplied } from '../../src/ledger/ledger.ts'
import { ledgerRefs, writeApplied, writeLease } from '../../src/ledger/ledger-commit.ts'
import { openRemote } from '../../src/ledger/remote.ts'
import { strayCommits } from '../../src/ledger/stray-commits.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import {
  type Action,
  act,
  begin,
  begunIn,
  type Commit,
  comeLater,
  type Fact,
  type Forgery,
  nextOf,
  type Process,
  type Push,
  stepsOf,
  type World,
} from './protocol-model.ts'
import type { Schedule } from './protocol-search.ts'

const startMs = Date.parse('2026-11-22T12:00:00Z')
const at = '2026-01-01T00:00:00.000Z'
const refs = ledgerRefs('prod')
const names = ['anna', 'ben', 'carla'] as const

export interface Stage {
  drive(schedule: Schedule): Promise<void>
  close(): void
}

/** A remote with the commits of the model, and a clone for each of the three. */
export function openStage(): Stage {
  const remote = openGitRemote()
  const ids = new Map<Commit, string>()
  const clones = names.map((name) => {
    const dir = remote.clone(name)
    if (name !== 'anna') return dir
    git(dir, 'checkout', '--quiet', '-B', 'main')
    for (const commit of ['c0', 'c1', 'c2'] as const) {
      writeFileSync(join(dir, 'svcsync.yaml'), `# ${commit}\n`)
      ids.set(commit, commitAll(dir, commit))
    }
    git(dir, 'checkout', '--quiet', '--detach', ids.get('c0') ?? '')
    writeFileSync(join(dir, 'svcsync.yaml'), '# evil\n')
    ids.set('evil', commitAll(dir, 'evil'))
    git(dir, 'push', '--quiet', 'origin', 'main', 'HEAD:refs/heads/theirs')
    git(remote.path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    return dir
  })
  for (const dir of clones) {
    git(dir, 'fetch', '--quiet', 'origin')
    git(dir, 'checkout', '--quiet', '-B', 'main', 'origin/main')
  }
  return {
    drive: (schedule) => new Play(remote, clones, ids, schedule).play(schedule.actions),
    close: () => remote.close(),
  }
}

class Actor {
  state: LedgerState | undefined
  held: Awaited<ReturnType<typeof takeLease>> | undefined
  steps: Process['steps'] = []
  next = 0
  isNoted = false
  hasBegun = false
  hasEnded = false
  keeper: ReturnType<typeof keepJournal> | undefined
  kept: Awaited<ReturnType<typeof readKeptJournal>> | undefined
  readonly commit: Commit
  readonly settings: LeaseSettings
  readonly sleepers = new Set<() => void>()

  constructor(name: string, commit: Commit, dir: string, clock: () => number) {
    this.commit = commit
    this.settings = {
      ...{ remote: openRemote(join(dir, 'svcsync.yaml'), 'origin'), target: 'prod', clock },
      self: { holder: name, where: '' },
      sleep: (_delayMs, signal) =>
        new Promise((resolve) => {
          this.sleepers.add(resolve)
          signal?.addEventListener('abort', () => resolve())
        }),
    }
  }

  /** Until what it does then has ended. */
  async wake(): Promise<void> {
    const woken = [...this.sleepers]
    this.sleepers.clear()
    for (const each of woken) each()
    while (woken.length > 0 && this.sleepers.size === 0 && this.held?.lost.aborted !== true) await delay(5)
  }
}

function arrives(action: Action | undefined, does: 'note' | 'back', who?: number): action is Action & { who: number } {
  return action?.does === does && action.push === 'arrives' && (who === undefined || action.who === who)
}

class Play {
  private now = 0
  private live: readonly Fact[] = begin(0).live
  private readonly actors: Actor[] = []
  private seen: Awaited<ReturnType<Play['readRefs']>> | undefined
  private readonly remote: GitRemote
  private readonly clones: readonly string[]
  private readonly ids: ReadonlyMap<Commit, string>
  private readonly skew: number
  private readonly logs: boolean

  constructor(
    remote: GitRemote,
    clones: readonly string[],
    ids: ReadonlyMap<Commit, string>,
    { skew, logs }: Schedule,
  ) {
    this.remote = remote
    this.clones = clones
    this.ids = ids
    this.skew = skew
    this.logs = logs
    git(this.remote.path, 'update-ref', '-d', refs.journal)
    const lease = {
      holder: 'nobody',
      where: '',
      since: at,
      until: undefined,
      begun: [],
      after: undefined,
      name: 'first',
    }
    this.push(refs.lease, writeLease(this.dir, lease, 'prod', 0))
    this.push(refs.applied, this.entryOf('c0', 'first'))
    for (const { name, commit } of begin(0).processes) this.enter(name, commit)
  }

  private get dir(): string {
    return this.clones[0] as string
  }

  private enter(name: string, commit: Commit): void {
    const own = name === 'anna' ? this.skew : 0
    const dir = this.clones[names.indexOf(name as 'anna')] as string
    this.actors.push(new Actor(name, commit, dir, () => startMs + (this.now + own) * 60_000))
  }

  private push(ref: string, id: string | undefined): void {
    git(this.dir, 'push', '--quiet', '--force', 'origin', `${id}:${ref}`)
  }

  private entryOf(commit: Commit, lease: string): string | undefined {
    const facts = { commit: this.ids.get(commit) ?? '', at, digest: '', application: '', installation: '', version: '' }
    const counts = { done: 0, unchanged: 0 } as never
    const more = { target: 'prod', project: 'svcsync.yaml', objects: 0, counts, approvedBy: [] }
    return writeApplied(this.dir, { ...facts, ...more, lease }, undefined)
  }

  private nameOf(commit: string | null): Commit {
    return [...this.ids].find(([, id]) => id === commit)?.[0] as Commit
  }

  async play(actions: readonly Action[]): Promise<void> {
    let world = begin(this.skew, this.logs)
    for (const [index, action] of actions.entries()) {
      world = act(world, action)
      const isJoined = arrives(action, 'note') && arrives(actions[index + 1], 'back', action.who)
      await (isJoined ? this.note(this.actors[action.who] as Actor, true) : this.do(action))
      // Both have moved by then: the model has one after the other.
      if (!isJoined) await this.compare(world, actions.slice(0, index + 1))
    }
    world = comeLater(world)
    this.now = world.now
    this.enter('carla', 'c2')
    for (;;) {
      const action = nextOf(world.processes.at(-1) as Process, world.processes.length - 1)
      if (action === undefined) return
      world = act(world, action)
      await this.do(action)
      await this.compare(world, [...actions, action])
    }
  }

  /** The refs as a newcomer reads them. */
  private async readRefs() {
    const { remote, clock } = (this.actors[0] as Actor).settings
    const { applied, begun, lease } = await readLedger(remote, 'prod', clock())
    const untilMs = lease.lease?.until === undefined ? null : Date.parse(lease.lease.until)
    return {
      applied: this.nameOf(applied?.commit ?? null),
      begun: begun.map(({ commit }) => this.nameOf(commit)).sort(),
      until: untilMs === null ? null : (untilMs - startMs) / 60_000,
      holder: lease.lease?.holder,
      isFinished: (await readKeptJournal(remote, refs.journal)).isFinished,
    }
  }

  /** Refs are read again after what may move them; whatever else moved one is seen with the next of those. */
  private async compare(world: World, way: readonly Action[]): Promise<void> {
    const last = way.at(-1) as Action
    const mayMove = 'push' in last || last.does === 'pass' || last.does === 'forge'
    if (mayMove || this.seen === undefined) this.seen = await this.readRefs()
    const real = {
      ...this.seen,
      live: [...this.live].sort(),
      ended: this.actors.map(({ hasEnded }) => hasEnded),
    }
    const { until, holder } = world.lease
    const model = {
      applied: world.applied.commit,
      begun: [...new Set(begunIn(world))].sort(),
      ...{ until, holder },
      live: [...world.live].sort(),
      isFinished: world.journal.isFinished,
      ended: world.processes.map((each) => each.at === 'ended'),
    }
    expect({ way, ...real }).toEqual({ way, ...model })
  }

  private async do(action: Action): Promise<void> {
    if (action.does === 'forge') {
      this.forge(action.what)
      return
    }
    if (action.does === 'pass') {
      this.now += 7
      for (const each of this.actors) if (!each.hasEnded) await each.wake()
      return
    }
    const actor = this.actors[action.who] as Actor
    if ('push' in action) await this.whilePush(action.push, () => this.speak(actor, action.does))
    else if (action.does === 'kill') actor.hasEnded = true
    else if (action.does === 'read') await this.read(actor)
    else if (action.does === 'look') actor.kept = await readKeptJournal(actor.settings.remote, refs.journal)
    else this.step(actor)
  }

  private async speak(actor: Actor, does: Extract<Action, { readonly push: Push }>['does']): Promise<void> {
    if (does === 'take') await this.take(actor)
    else if (does === 'renew') await actor.wake()
    else if (does === 'note') await this.note(actor)
    else if (does === 'log') await this.log(actor)
    else if (does === 'close') await this.close(actor)
    else {
      await actor.held?.giveBack(actor.isNoted ? 'complete' : actor.hasBegun ? 'begun' : 'nothing')
      actor.hasEnded = true
    }
  }

  private async read(actor: Actor): Promise<void> {
    const { remote, clock } = actor.settings
    const state = await readLedger(remote, 'prod', clock())
    const own = this.ids.get(actor.commit) ?? ''
    const isOlder = follows(remote.dir, own, state.applied?.commit ?? '') !== 'yes'
    if (state.lease.state === 'held' || isOlder || (await strayCommits(remote, state, own)).length > 0) {
      actor.hasEnded = true
      return
    }
    const before = [state.applied?.commit ?? null, ...state.begun.map(({ commit }) => commit)]
    actor.state = state
    actor.steps = stepsOf(
      actor.commit,
      before.map((each) => this.nameOf(each)),
      this.live,
    )
  }

  private lease(actor: Actor, begun: readonly BegunCommit[]) {
    const { lease, begun: before = [], applied } = actor.state as LedgerState
    const after = applied?.entry
    return takeLease(lease, actor.settings, { begun, after }, { begun: before, after })
  }

  private async take(actor: Actor): Promise<void> {
    const own = [{ commit: this.ids.get(actor.commit) ?? null, at, only: [] }]
    actor.held = await this.lease(actor, mergeBegun(actor.state as LedgerState, own)).catch(() => undefined)
    if (actor.held === undefined) actor.hasEnded = true
  }

  private pathOf({ settings }: Actor): string {
    return join(settings.remote.dir, '.git', 'journal.jsonl')
  }

  private async log(actor: Actor): Promise<void> {
    const { remote, clock, self } = actor.settings
    const path = this.pathOf(actor)
    writeFileSync(path, `{"event":"begun","by":"${self.holder}"}\n`)
    const sleep = (_delayMs: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    if (actor.kept === undefined) return
    const keeper = keepJournal(remote, actor.kept, { path, clock, sleep, onTrouble: () => undefined })
    const isKept = await keeper.begun().then(
      () => true,
      () => false,
    )
    if (isKept) actor.keeper = keeper
  }

  private async close(actor: Actor): Promise<void> {
    writeFileSync(this.pathOf(actor), `{"event":"begun"}\n{"event":"finished"}\n`)
    await actor.keeper?.ended()
  }

  private step(actor: Actor): void {
    const [one] = actor.steps.slice(actor.next)
    if (one === undefined || actor.held?.lost.aborted) return
    actor.next++
    actor.hasBegun = true
    const rest = this.live.filter((fact) => fact !== one.fact)
    this.live = one.gives ? [...rest, one.fact] : rest
  }

  /** `isJoined`: the lease is given back in the same push. */
  private async note(actor: Actor, isJoined = false): Promise<void> {
    const { state, held, steps } = actor
    if (state === undefined) return
    const isAsDeclared = steps.every(({ gives, fact }) => this.live.includes(fact) === gives)
    const outcome = steps.length === 0 ? 'nothing-to-do' : isAsDeclared ? 'converged' : 'failed'
    const counts = { done: steps.length, unchanged: 0 }
    const report = { outcome, counts, verified: { equal: 0 }, startedAt: at, elapsedMs: 0 } as unknown as ApplyReport
    const commit = state.applied?.commit ?? null
    const lease = held && {
      name: held.name,
      giving: async () => (isJoined ? held.giving() : undefined),
      given: held.given,
    }
    const { moved } = await recordApplied(actor.settings.remote, 'prod', state, report, {
      ...{
        exact: { commit: this.ids.get(actor.commit) ?? '' },
        installation: '',
        version: '',
        digest: '',
        approvedBy: [],
      },
      base: { ref: '', commit, from: 'ledger', begun: state.begun },
      ...{ isRemembered: true, hasEnded: false, rotates: false, application: async () => '' },
      ...(held ? { lease } : { takeLease: () => this.lease(actor, state.begun) }),
    })
    actor.isNoted = moved
    if (held === undefined) actor.hasEnded = true
  }

  private forge(what: Forgery): void {
    if (what === 'older entry') {
      this.push(refs.applied, this.entryOf('c0', 'first'))
      return
    }
    const begun = { 'no lease': [], 'evil begun': ['evil' as const], 'old begun': ['c1' as const] }[what]
    const lease = { holder: 'eve', where: '', since: at, until: undefined, after: undefined, name: `eve ${what}` }
    const named = begun.map((each) => ({ commit: this.ids.get(each) ?? null, at, only: [] }))
    this.push(refs.lease, writeLease(this.dir, { ...lease, begun: named }, 'prod', 0))
  }

  /**
   * `fails`: the remote refuses it; `arrives unheard`: its process and its folder are gone before anybody has heard.
   */
  private async whilePush(push: Push, run: () => Promise<void>): Promise<void> {
    const { path } = this.remote
    const hooks = join(path, 'hooks')
    const text = {
      arrives: '',
      fails: 'test "$1" != prepared',
      'arrives unheard': `test "$1" != committed || { mv ${path} ${path}.away; kill -9 $PPID; }`,
    }[push]
    if (text !== '') {
      mkdirSync(hooks, { recursive: true })
      writeFileSync(join(hooks, 'reference-transaction'), `#!/bin/sh\n${text}\n`)
      chmodSync(join(hooks, 'reference-transaction'), 0o755)
    }
    await run()
    if (existsSync(`${path}.away`)) renameSync(`${path}.away`, path)
    rmSync(hooks, { recursive: true, force: true })
  }
}
