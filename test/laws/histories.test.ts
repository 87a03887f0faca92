// Laws of a whole life with a ledger: commits, changes by hand, another repository, applies of the whole and of parts,
// some of them killed, saved plans that are applied at some later time, and undos, in any order. What the ledger says
// is put together by its own code; the commits are folders.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BegunCommit, CausedElement, PlanDocument } from '../../src/core/plan/plan-document.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { PlanRefusal } from '../../src/core/saved/plan-refusal.ts'
import type { SavedPlan } from '../../src/core/saved/saved-plan.ts'
import { mergeBegun, reasonToStay } from '../../src/ledger/ledger.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { type LedgerOfFolders, openWorkspace, type Workspace } from '../harness/workspace.ts'
import {
  accounts,
  type Declared,
  declared,
  type Event,
  type Group,
  groups,
  lives,
  ours,
  overrideOf,
  textOf,
  whole,
} from './history-events.ts'
import { tryLaw } from './law-runs.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ target: '    overrides: [manifests/own]' })
})
afterAll(() => workspace.close())

const write = (says: Declared): void => {
  workspace.write('manifests/own/main.yaml', overrideOf(says))
  workspace.manifest(textOf(says))
}

/** The declared members of a group; undefined: nothing. */
const listOf = ({ whole, shared }: Declared, group: Group): readonly string[] | undefined =>
  group !== groups[0] ? shared : whole?.unmanaged ? undefined : whole?.members

/** The live facts: `shared@example.com a@example.com`, and `name One`. */
function facts(): ReadonlySet<string> {
  const state = (workspace.emulator.state().groups ?? []) as readonly {
    svcId: string
    name: string
    members?: string[]
  }[]
  return new Set(
    state.flatMap(({ svcId, name, members = [] }) => [
      ...members.map((member) => `${svcId} ${member}`),
      ...(svcId === groups[0] ? [`name ${name}`] : []),
    ]),
  )
}

const membersOf = (group: Group, live: ReadonlySet<string>): string[] =>
  accounts.filter((account) => live.has(`${group} ${account}`))

/** One history: the ledger as svcsync has it, and beside it what a simple mind remembers. */
class History {
  private readonly commits: Declared[] = []
  private ledger: { applied: string | undefined; begun: readonly BegunCommit[] } = { applied: undefined, begun: [] }
  /** Commits of which the platform may hold something, each with the groups it may be of. */
  private known: { says: Declared; of: readonly Group[] }[] = []
  /** The last author of a fact, present or absent. */
  private readonly touched = new Map<string, 'svcsync' | 'somebody'>()
  private undoable: { known: History['known']; touched: History['touched'] } | undefined
  private others: readonly string[] = []
  private readonly saved: { readonly text: string; readonly says: Declared; readonly number: number }[] = []

  get says(): Declared {
    return this.commits.at(-1) ?? { whole: null, shared: [] }
  }

  /** The last complete apply, byte for byte. */
  get applied(): Declared {
    return this.ledger.applied === undefined ? this.says : (this.known[0] as History['known'][number]).says
  }

  commit(now: Declared, keeps: keyof Declared | null = null): void {
    const says = keeps === null ? now : { ...now, [keeps]: this.says[keeps] }
    this.commits.push(says)
    const folder = `c${this.commits.length}`
    workspace.write(`${folder}/manifests/main.yaml`, textOf(says))
    workspace.write(`${folder}/manifests/own/main.yaml`, overrideOf(says))
    cpSync(join(workspace.dir, 'svcsync.yaml'), join(workspace.dir, folder, 'svcsync.yaml'))
  }

  private get folder(): string {
    return `c${this.commits.length}`
  }

  private base(): LedgerOfFolders | undefined {
    const { applied, begun } = this.ledger
    if (applied === undefined && begun.length === 0) return undefined
    const sides = begun.map(({ commit, ...rest }) => ({ ...rest, folder: commit && folderOf(commit) }))
    return { applied: applied ?? null, at, ...(sides.length > 0 && { begun: sides }) }
  }

  private move(before: ReadonlySet<string>, who: (fact: string) => 'svcsync' | 'somebody'): void {
    const after = facts()
    for (const fact of new Set([...before, ...after])) {
      if (before.has(fact) !== after.has(fact)) this.touched.set(fact, who(fact))
    }
  }

  byHand(edit: () => void): void {
    const before = facts()
    edit()
    this.move(before, () => 'somebody')
  }

  /** The other repository has a ledger of its own, and only the shared group. */
  async other(members: readonly string[]): Promise<void> {
    const before = facts()
    const item = (list: readonly string[]) => textOf({ whole: null, shared: list })
    workspace.baseManifest(item(this.others))
    workspace.write('manifests/own/main.yaml', '')
    workspace.write('base/manifests/own/main.yaml', '')
    workspace.manifest(item(members))
    await workspace.run({ base: 'ledger', guarded: 'as-allowed' })
    this.others = members
    this.move(before, () => 'somebody')
    expect(membersOf(groups[1], facts()).filter((each) => ours.includes(each))).toEqual(
      membersOf(groups[1], before).filter((each) => ours.includes(each)),
    )
  }

  /** Checks the content of a plan. */
  check(live: ReadonlySet<string>, document: PlanDocument, only: readonly Group[]): void {
    for (const group of groups) if (only.length === 0 || only.includes(group)) this.checkGroup(group, live, document)
  }

  private checkGroup(group: Group, live: ReadonlySet<string>, { changes, noLongerDeclared = [] }: PlanDocument): void {
    const list = listOf(this.says, group)
    const isWhole = group === groups[0] && list !== undefined
    const given = new Set(this.known.flatMap((each) => this.listed(each, group)))
    // Entries that a base declared are removed; all others stay.
    const goes = membersOf(group, live).filter((each) => !list?.includes(each) && (isWhole || given.has(each)))
    const differences = changes
      .filter(({ address }) => address === `group/${group}`)
      .flatMap((each) => each.differences)
    const removed = differences.flatMap((each) => each.removed ?? [])
    expect([group, removed.map(({ svcId }) => svcId).sort()]).toEqual([group, goes])
    const told = noLongerDeclared.filter(
      ({ address, becomes }) => address === `group/${group}` && becomes === 'removed',
    )
    expect([group, told.map(({ element }) => element?.svcId).sort()]).toEqual([
      group,
      goes.filter((each) => given.has(each)),
    ])
    for (const element of [...removed, ...differences.flatMap((each) => each.added ?? [])]) {
      this.checkCause(group, live, element)
    }
    const name = [...live].find((each) => each.startsWith('name '))?.slice(5)
    if (this.touched.get(`name ${String(name)}`) !== 'svcsync') return
    for (const { path, cause } of differences) if (path === 'name') expect(cause).not.toBe('live')
  }

  private listed({ says, of }: History['known'][number], group: Group): readonly string[] {
    const isLeftAlone = group === groups[0] && this.says.whole?.unmanaged === true
    return (of.includes(group) && !isLeftAlone && listOf(says, group)) || []
  }

  private checkCause(group: Group, live: ReadonlySet<string>, { svcId = '', cause }: CausedElement): void {
    if (this.touched.get(`${group} ${svcId}`) === 'svcsync') {
      expect([group, svcId, cause]).not.toEqual([group, svcId, 'live'])
    }
    // All that was ever begun says the same of it, and the platform something else.
    const [applied] = this.known
    if (this.ledger.begun.length > 0 || applied === undefined) return
    const isGiven = this.listed(applied, group).includes(svcId)
    if (!isGiven && (group !== groups[0] || listOf(applied.says, group) === undefined)) return
    expect([svcId, cause === 'live']).toEqual([svcId, isGiven !== membersOf(group, live).includes(svcId)])
  }

  async apply({ only, atWrite, sent }: Extract<Event, { does: 'apply' }>): Promise<void> {
    if (this.commits.length === 0) return
    if (!this.declares(only)) return
    write(this.says)
    const before = facts()
    const run = { base: this.base(), only: only.map((group) => `group/${group}`) }
    rmSync(join(workspace.dir, 'a.jsonl'), { force: true })
    this.undoable = undefined
    const known = this.known
    const touched = new Map(this.touched)
    const { plan, document, report } = await applyUntilKilled(workspace, 'a.jsonl', { atWrite, sent }, run)
    this.check(before, document, only)
    const own = { commit: commitOf(this.folder), at, only: run.only }
    if (plan.steps.length > 0) {
      this.begin(own, this.says)
      this.undoable = { known, touched }
      this.move(before, () => 'svcsync')
    }
    if (report === undefined) return
    if (only.length === 0) expect(['converged', 'nothing-to-do']).toContain(report.outcome)
    this.note(report, document.base, own, this.says)
    if (only.length > 0) return
    expect(this.ledger).toEqual({ applied: this.folder, begun: [] })
    const again = (await workspace.plan({ base: this.base() })).document
    expect([again.changes, again.noLongerDeclared]).toEqual([[], []])
  }

  private begin(own: BegunCommit, says: Declared): void {
    this.ledger = { ...this.ledger, begun: mergeBegun(this.state(), [own]) }
    this.known = [
      ...this.known,
      { says, of: own.only.length > 0 ? groups.filter((each) => own.only.includes(`group/${each}`)) : groups },
    ]
  }

  /** Moves the ledger where its own code says so: nothing is left then that svcsync has given and nobody declares. */
  private note(report: ApplyReport, base: PlanDocument['base'], { commit, only }: BegunCommit, says: Declared): void {
    const exact = { commit: commit as string, ...(only.length > 0 && { reason: 'a part', isPart: true as const }) }
    const run = { exact, base: base ?? ('none' as const), isRemembered: true, hasEnded: false, rotates: false }
    if (reasonToStay(this.state(), report, run) !== undefined) return
    for (const group of groups) {
      const isLeftAlone = group === groups[0] && says.whole?.unmanaged === true
      const left = membersOf(group, facts()).filter((each) => !listOf(says, group)?.includes(each))
      const given = left.filter((each) => this.touched.get(`${group} ${each}`) === 'svcsync')
      expect([group, isLeftAlone ? [] : given]).toEqual([group, []])
    }
    this.ledger = { applied: folderOf(commit as string), begun: [] }
    this.known = [{ says, of: groups }]
  }

  async save(only: readonly Group[]): Promise<void> {
    if (!this.declares(only)) return
    write(this.says)
    const run = { base: this.base(), only: only.map((group) => `group/${group}`) }
    const text = await savedText(workspace, run)
    this.check(facts(), parsed(text), only)
    this.saved.push({ text, says: this.says, number: this.commits.length })
  }

  /** Whatever was applied since: it does what it showed, or nothing. */
  async applySaved(which: number, goesBack: boolean): Promise<void> {
    const [saved] = this.saved.slice(which)
    if (saved === undefined) return
    const { text, says, number } = saved
    const plan = parsed(text)
    const { applied } = this.ledger
    // The guard `older-commit` refuses it.
    const isOlder = applied !== undefined && Number(applied.slice(1)) > number
    if (isOlder && plan.base?.commit !== commitOf(applied) && !goesBack) return
    const before = facts()
    const report = await applySaved(workspace, text).catch((error: unknown) => {
      expect(error).toBeInstanceOf(PlanRefusal)
      return undefined
    })
    expect([...facts()].sort()).toEqual(report === undefined ? [...before].sort() : shownBy(plan, before))
    if (report === undefined) return
    this.saved.splice(which, 1)
    const own = { commit: commitOf(`c${number}`), at, only: plan.only }
    if (plan.steps.length > 0) {
      this.undoable = undefined
      this.begin(own, says)
      this.move(before, () => 'svcsync')
    }
    this.note(report, plan.base, own, says)
  }

  /** A part that is not declared is none. */
  private declares(only: readonly Group[]): boolean {
    return only.every((group) => (group === groups[0] ? this.says.whole !== null : this.says.shared.length > 0))
  }

  async undo(): Promise<void> {
    if (this.undoable === undefined) return
    const { known, touched } = this.undoable
    this.undoable = undefined
    const before = facts()
    rmSync(join(workspace.dir, 'b.jsonl'), { force: true })
    const { undone } = await undo(workspace, 'a.jsonl', 'b.jsonl')
    if (undone.plan.steps.length === 0) return
    this.ledger = { ...this.ledger, begun: mergeBegun(this.state(), undone.document.base?.begun ?? []) }
    this.known = [...this.known, ...known]
    this.move(before, (fact) => touched.get(fact) ?? 'somebody')
  }

  private state() {
    const { applied, begun } = this.ledger
    return { begun, applied: applied === undefined ? undefined : ({ commit: commitOf(applied) } as never) }
  }
}

/** The live facts after a plan has done all its steps. */
function shownBy({ changes }: SavedPlan, before: ReadonlySet<string>): string[] {
  const after = new Set(before)
  for (const { address, differences } of changes) {
    const group = address.slice('group/'.length)
    for (const { path, before: name, after: next, added = [], removed = [] } of differences) {
      for (const { svcId } of removed) after.delete(`${group} ${svcId}`)
      for (const { svcId } of added) after.add(`${group} ${svcId}`)
      if (path !== 'name') continue
      after.delete(`name ${String(name)}`)
      after.add(`name ${String(next)}`)
    }
  }
  return [...after].sort()
}

const at = '2026-01-01T00:00:00.000Z'
const commitOf = (folder: string): string => Buffer.from(folder).toString('hex').padEnd(40, '0')
const folderOf = (commit: string): string => Buffer.from(commit, 'hex').toString().replaceAll('\0', '')

async function follow(history: History, event: Event): Promise<void> {
  const edit = (change: Parameters<Workspace['emulator']['edit']>[0]) =>
    history.byHand(() => workspace.emulator.edit(change))
  switch (event.does) {
    case 'commit':
      return history.commit(event.says, event.keeps)
    case 'revert':
      history.commit(history.applied)
      return history.apply(whole)
    case 'apply':
      return history.apply(event)
    case 'undo':
      return history.undo()
    case 'save':
      return history.save(event.only)
    case 'saved':
      return history.applySaved(event.which, event.goesBack)
    case 'other':
      return history.other(event.members)
    case 'rename':
      return edit({ upsertGroup: { svcId: groups[0], name: event.name } } as never)
    default: {
      const { group, account } = event
      const verb = membersOf(group, facts()).includes(account) ? 'removeMembers' : 'addMembers'
      return edit({ [verb]: { group, members: [account] } } as Parameters<Workspace['emulator']['edit']>[0])
    }
  }
}

it('takes what bases declared and no other, tells whose change it is, and leaves none after an apply', async () => {
  await tryLaw(
    fc.asyncProperty(declared, fc.boolean(), lives, async (first, isApplied, life) => {
      workspace.emulator.load({
        users: accounts.map((svcId) => ({ svcId })),
        groups: groups.map((svcId) => ({ svcId, name: 'Zero', members: [accounts[0]] })),
      } as never)
      const history = new History()
      history.commit(first)
      if (isApplied) await history.apply(whole)
      for (const event of life) await follow(history, event)
    }),
    0.5,
  )
})
