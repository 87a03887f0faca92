// Laws of a whole life with a ledger: commits, changes by hand, another repository, applies of the whole and of parts, some of them
// killed, and undos, in any order. What the ledger says is put together by its own code; the commits are folders.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BegunCommit, PlanDocument } from '../../src/core/plan/plan-document.ts'
import { withMore } from '../../src/ledger/ledger.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { type LedgerOfFolders, openWorkspace, type Workspace } from '../harness/workspace.ts'
import { tryLaw } from './law-runs.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ target: '    overrides: [manifests/own]' })
})
afterAll(() => workspace.close())

const accounts = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`)
/** The other repository names nobody else: who is named by both is taken away by whichever names them no more. */
const ours = accounts.slice(0, 4)
const groups = ['whole@example.com', 'shared@example.com'] as const
type Group = (typeof groups)[number]

/** `whole` is listed whole, or not at all; of `shared` members alone are named. An override may leave the members of `whole` alone. */
interface Declared {
  readonly whole: { readonly name: string; readonly members: readonly string[]; readonly unmanaged: boolean } | null
  readonly shared: readonly string[]
}

type Event =
  | { readonly does: 'commit'; readonly says: Declared }
  | { readonly does: 'revert' }
  | { readonly does: 'hand'; readonly group: Group; readonly account: string }
  | { readonly does: 'rename'; readonly name: string }
  | { readonly does: 'other'; readonly members: readonly string[] }
  | { readonly does: 'apply'; readonly only: readonly Group[]; readonly atWrite: number; readonly sent: boolean }
  | { readonly does: 'undo' }

const names = fc.constantFrom('One', 'Two')
const declared: fc.Arbitrary<Declared> = fc.record({
  whole: fc.option(
    fc.record({ name: names, members: fc.subarray(ours), unmanaged: fc.constantFrom(false, false, false, true) }),
    {
      freq: 5,
    },
  ),
  shared: fc.subarray(ours),
})
const whole = { does: 'apply' as const, only: [], atWrite: 1000, sent: true }
const applies: fc.Arbitrary<Event> = fc.record({
  does: fc.constant('apply' as const),
  only: fc.constantFrom<Group[]>([], [], [], [groups[1]], [groups[0]]),
  atWrite: fc.constantFrom(1, 2, 1000, 1000, 1000),
  sent: fc.boolean(),
})
const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('commit' as const), says: declared }) },
  { weight: 2, arbitrary: fc.constant({ does: 'revert' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('hand' as const),
      group: fc.constantFrom(...groups),
      account: fc.constantFrom(...accounts),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('rename' as const), name: names }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('other' as const), members: fc.subarray(accounts.slice(4)) }) },
  { weight: 4, arbitrary: applies },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('undo' as const) }) },
)

const textOf = ({ whole, shared }: Declared): string =>
  [
    ...(whole ? [`groups: [{ svcId: ${groups[0]}, name: ${whole.name}, members: [${whole.members}] }]`] : []),
    ...(shared.length > 0 ? [`memberships: [{ group: ${groups[1]}, members: [${shared}] }]`] : []),
  ].join('\n')

const overrideOf = ({ whole }: Declared): string =>
  whole?.unmanaged ? `groups: [{ svcId: ${groups[0]}, unmanaged: [members] }]` : ''

const write = (says: Declared): void => {
  workspace.write('manifests/own/main.yaml', overrideOf(says))
  workspace.manifest(textOf(says))
}

/** What is declared of the members of a group; undefined: nothing. */
const listOf = ({ whole, shared }: Declared, group: Group): readonly string[] | undefined =>
  group !== groups[0] ? shared : whole?.unmanaged ? undefined : whole?.members

/** What is live: `shared@example.com a@example.com`, and `name One`. */
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
  /** Who made it as it is: a fact that is there, or is not. */
  private readonly touched = new Map<string, 'svcsync' | 'somebody'>()
  private undoable: { known: History['known']; touched: History['touched'] } | undefined
  private others: readonly string[] = []

  get says(): Declared {
    return this.commits.at(-1) ?? { whole: null, shared: [] }
  }

  /** What was applied to its end, byte for byte. */
  get applied(): Declared {
    return this.ledger.applied === undefined ? this.says : (this.known[0] as History['known'][number]).says
  }

  commit(says: Declared): void {
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

  /** What a plan has to say now. */
  check(live: ReadonlySet<string>, { changes, noLongerDeclared = [] }: PlanDocument, only: readonly Group[]): void {
    for (const group of groups) {
      if (only.length > 0 && !only.includes(group)) continue
      const list = listOf(this.says, group)
      const isWhole = group === groups[0] && list !== undefined
      const isLeftAlone = group === groups[0] && this.says.whole?.unmanaged === true
      const listed = ({ says, of }: History['known'][number]): readonly string[] =>
        (of.includes(group) && !isLeftAlone && listOf(says, group)) || []
      const given = new Set(this.known.flatMap(listed))
      const there = membersOf(group, live)
      // What no base declared is not taken away, and what any did is.
      const goes = there.filter((each) => !list?.includes(each) && (isWhole || given.has(each)))
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
      for (const { svcId, cause } of [...removed, ...differences.flatMap((each) => each.added ?? [])]) {
        const who = this.touched.get(`${group} ${svcId}`) ?? 'somebody'
        if (who === 'svcsync') expect([group, svcId, cause]).not.toEqual([group, svcId, 'live'])
        // All that was ever begun says the same of it, and the platform something else.
        const isGiven = (each: History['known'][number]) => listed(each).includes(svcId ?? '')
        const [applied] = this.known
        const isAlone = this.ledger.begun.length === 0 && applied !== undefined
        const spoke =
          isAlone && (isGiven(applied) || (group === groups[0] && listOf(applied.says, group) !== undefined))
        if (spoke) expect([svcId, cause === 'live']).toEqual([svcId, isGiven(applied) !== there.includes(svcId ?? '')])
      }
      for (const { path, cause } of differences) {
        if (
          path === 'name' &&
          this.touched.get(`name ${String([...live].find((each) => each.startsWith('name '))?.slice(5))}`) === 'svcsync'
        )
          expect(cause).not.toBe('live')
      }
    }
  }

  async apply({ only, atWrite, sent }: Extract<Event, { does: 'apply' }>): Promise<void> {
    if (this.commits.length === 0) return
    const of = only.filter((group) => (group === groups[0] ? this.says.whole !== null : this.says.shared.length > 0))
    // A part that is not declared is none.
    if (of.length < only.length) return
    write(this.says)
    const before = facts()
    const run = { base: this.base(), only: only.map((group) => `group/${group}`) }
    rmSync(join(workspace.dir, 'a.jsonl'), { force: true })
    this.undoable = undefined
    const known = this.known
    const touched = new Map(this.touched)
    const { plan, document, report } = await applyUntilKilled(workspace, 'a.jsonl', { atWrite, sent }, run)
    this.check(before, document, only)
    if (plan.steps.length > 0) {
      const own = { commit: commitOf(this.folder), at, only: run.only }
      this.ledger = { ...this.ledger, begun: withMore(this.state(), [own]) }
      this.known = [...known, { says: this.says, of: only.length > 0 ? only : groups }]
      this.undoable = { known, touched }
      this.move(before, () => 'svcsync')
    }
    if (only.length > 0 || report === undefined) return
    expect(['converged', 'nothing-to-do']).toContain(report.outcome)
    this.ledger = { applied: this.folder, begun: [] }
    this.known = [{ says: this.says, of: groups }]
    const again = (await workspace.plan({ base: this.base() })).document
    expect([again.changes, again.noLongerDeclared]).toEqual([[], []])
  }

  async undo(): Promise<void> {
    if (this.undoable === undefined) return
    const { known, touched } = this.undoable
    this.undoable = undefined
    const before = facts()
    rmSync(join(workspace.dir, 'b.jsonl'), { force: true })
    const { undone } = await undo(workspace, 'a.jsonl', 'b.jsonl')
    if (undone.plan.steps.length === 0) return
    this.ledger = { ...this.ledger, begun: withMore(this.state(), undone.document.base?.begun ?? []) }
    this.known = [...this.known, ...known]
    this.move(before, (fact) => touched.get(fact) ?? 'somebody')
  }

  private state() {
    const { applied, begun } = this.ledger
    return { begun, applied: applied === undefined ? undefined : ({ commit: commitOf(applied) } as never) }
  }
}

const at = '2026-01-01T00:00:00.000Z'
const commitOf = (folder: string): string => Buffer.from(folder).toString('hex').padEnd(40, '0')
const folderOf = (commit: string): string => Buffer.from(commit, 'hex').toString().replaceAll('\0', '')

it('takes what any base declared and no other, says whose change it is, and has nothing left to do once an apply is complete', async () => {
  await tryLaw(
    fc.asyncProperty(
      declared,
      fc.boolean(),
      fc.array(events, { minLength: 4, maxLength: 14 }),
      async (first, isApplied, life) => {
        workspace.emulator.load({
          users: accounts.map((svcId) => ({ svcId })),
          groups: groups.map((svcId) => ({ svcId, name: 'Zero', members: [accounts[0]] })),
        } as never)
        const history = new History()
        history.commit(first)
        if (isApplied) await history.apply(whole)
        for (const event of life) {
          if (event.does === 'commit') history.commit(event.says)
          else if (event.does === 'revert') {
            history.commit(history.applied)
            await history.apply(whole)
          } else if (event.does === 'apply') await history.apply(event)
          else if (event.does === 'undo') await history.undo()
          else if (event.does === 'other') await history.other(event.members)
          else if (event.does === 'rename')
            history.byHand(() => workspace.emulator.edit({ upsertGroup: { svcId: groups[0], name: event.name } }))
          else {
            const { group, account } = event
            const verb = membersOf(group, facts()).includes(account) ? 'removeMembers' : 'addMembers'
            history.byHand(() =>
              workspace.emulator.edit({ [verb]: { group, members: [account] } } as Parameters<
                Workspace['emulator']['edit']
              >[0]),
            )
          }
        }
      },
    ),
    0.5,
  )
})
