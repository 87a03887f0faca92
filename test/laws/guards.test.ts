// Laws of guards and of prune on random installations, manifests and faults.
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { skippedSteps } from '../../src/core/plan/rest-on-unread.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { RefusedError, SvcsyncError } from '../../src/errors/index.ts'
import { openWorkspace, type RunOptions, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { situations, spares } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { licencesMissing } from './licences-missing.ts'
import { mayName } from './may-name.ts'
import { type Item, secrets, tenantOf, type World, writeManifests } from './world.ts'

let workspace: Workspace
let pruning: Workspace
const settings = 'settings: { retry: { attempts: 2, maxDelay: 5ms } }\n'
const guards = 'guards: { deletions: { max: 1 }, removals: { max: 3 } }\nprotect: ["group/g0*"]\n'
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets, settings: settings + guards })
  pruning = await openWorkspace({
    env: secrets,
    settings: `${settings}${guards}prune: { users: ["u*"], groups: ["g*"] }`,
  })
})
afterAll(async () => {
  await workspace.close()
  await pruning.close()
})
beforeEach(() => {
  workspace.emulator.clearFaults()
  pruning.emulator.clearFaults()
})

async function prepare(target: Workspace, live: World, items: readonly Item[]): Promise<void> {
  target.emulator.clearFaults()
  target.emulator.load(tenantOf(live))
  writeManifests(target, [items])
  await target.control('DELETE', '/requests')
}

/** What a guarded apply came to: its outcome, or that it was refused. */
async function attempt(target: Workspace, options: RunOptions): Promise<string> {
  try {
    return (await target.apply({ ...options, guarded: true })).outcome
  } catch (error) {
    expect(error).toBeInstanceOf(SvcsyncError)
    return error instanceof RefusedError ? 'refused' : 'error'
  }
}

it('refuses nothing that takes nothing away, and exactly what is not allowed by name', async () => {
  let refusedOnce = false
  await tryLaw(
    fc.asyncProperty(situations, spares, fc.nat(1000), async ({ live, items }, spare, number) => {
      await prepare(workspace, { ...live, spare }, items)
      const { document } = await workspace.plan()
      const refused = document.guards.filter(({ verdict }) => verdict === 'refused')
      const takes = document.counts.delete + document.counts.removed > 0
      const lacking = refused.filter(({ guard }) => guard === 'enough-licences')
      const missing = licencesMissing(tenantOf({ ...live, spare }), items)
      const named = missing === 0 ? [] : [`enough-licences=${missing}`]
      expect([...new Set(lacking.map(({ allow }) => allow))]).toEqual(named)
      if (!takes) expect(refused).toEqual(lacking)
      // Everything that is refused here can be allowed, since all was read.
      const options = [...new Set(refused.map(({ allow }) => allow as string))]
      const allowed = await workspace.plan({ allow: options })
      expect(allowed.document.guards.filter(({ verdict }) => verdict === 'refused')).toEqual([])
      expect(allowed.document.warnings.filter(({ code }) => code === 'SVC2072')).toEqual([])
      expect(allowed.document.steps).toEqual(document.steps)
      const left = options[number % Math.max(options.length, 1)]
      if (left === undefined) return
      refusedOnce = true
      // One less, and one that is left out, are refused, and nothing is written.
      const [, guard, count] = /^([\w-]+)=(\d+)$/.exec(left) ?? []
      const others = options.filter((option) => option !== left)
      const allow = count === undefined ? others : [...others, `${guard}=${Number(count) - 1}`]
      const { guards } = (await workspace.plan({ allow })).document
      const still = guards.filter(({ verdict }) => verdict === 'refused').map((verdict) => verdict.allow)
      expect(new Set(still)).toEqual(new Set([left]))
      expect(await attempt(workspace, { allow })).toBe('refused')
      expect(writesOf(workspace.emulator)).toEqual([])
    }),
    0.6,
  )
  expect(refusedOnce).toBe(true)
})

it('prunes what no manifest mentions, and is then done', async () => {
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      await prepare(pruning, live, items)
      const text = JSON.stringify(items).toLowerCase()
      const { report, planned } = await pruning.run()
      const pruned = planned.document.changes.filter(({ prunedBy }) => prunedBy !== undefined)
      const named = pruned.filter(({ address }) =>
        text.includes(JSON.stringify(address.replace(/^\w+\//, '').toLowerCase()).slice(1, -1)),
      )
      expect(named).toEqual([])
      expect(report.outcome).toMatch(/^(converged|nothing-to-do)$/)
      expect(await pruning.changes()).toEqual([])
    }),
    0.6,
  )
})

const readFaults: fc.Arbitrary<Fault[]> = fc.array(
  fc.record({
    match: fc.record({
      method: fc.constant('GET'),
      path: fc.constantFrom(
        '/admin/user',
        '/admin/users',
        '/admin/group',
        '/admin/groups',
        '/me',
        '/admin/license*',
        '/admin/substitutions*',
        '/db/1/*/admin/privileges',
        '*',
      ),
    }),
    nth: fc.integer({ min: 1, max: 4 }),
    count: fc.constantFrom(1, 2, null),
    effect: fc.oneof(
      fc.constantFrom(403, 500, 502).map((status) => ({ kind: 'status' as const, status })),
      fc.constantFrom(
        { kind: 'truncate' as const },
        { kind: 'text' as const },
        { kind: 'cut' as const },
        {
          kind: 'text' as const,
          contentType: 'application/json',
          body: '{}',
        },
      ),
    ),
  }),
  { minLength: 1, maxLength: 3 },
)

it('deletes nothing that whole reads keep, and writes nothing if a deletion rests on unread objects', async () => {
  let refusedOnce = false
  await tryLaw(
    fc.asyncProperty(situations, readFaults, async ({ live, items }, faults) => {
      await prepare(pruning, live, items)
      // Of accounts: who is away, and for how long, rests on nothing else.
      const deletions = (changes: readonly { readonly action: string; readonly address: string }[]) =>
        changes
          .filter(({ action, address }) => action === 'delete' && /^(?:user|group)/.test(address))
          .map(({ address }) => address)
      const whole = (await pruning.plan()).document
      for (const fault of faults) pruning.emulator.addFault(fault)
      const part = await pruning.plan().catch((error: unknown) => {
        expect(error).toBeInstanceOf(SvcsyncError)
        return undefined
      })
      if (part === undefined) return
      const { document } = part
      expect(deletions(whole.changes)).toEqual(expect.arrayContaining(deletions(document.changes)))
      const unread = new Set(document.unreadable.map(({ address }) => address))
      for (const address of deletions(document.changes)) {
        expect(unread.has(address)).toBe(false)
        expect(unread.has(`${address.split('/')[0]}/*`) && !items.some(({ item }) => item.absent === true)).toBe(false)
      }
      // What rests on an unread object is not sent: a deletion that waits for it is no deletion to a guard.
      const skipped = skippedSteps(document.steps)
      const sent = document.changes.filter(({ address }) =>
        document.steps.some((step) => step.address === address && step.verb === 'delete' && !skipped.has(step.id)),
      )
      const accounts = deletions(sent).map((address) => address.slice(address.indexOf('/') + 1))
      if (!document.unreadable.some(({ address }) => accounts.some((account) => mayName(address, account)))) return
      const refused = document.guards.filter(({ verdict, allow }) => verdict === 'refused' && allow === undefined)
      expect(refused.map(({ guard }) => guard)).toEqual(['unread'])
      // With the same faults, and whatever can be allowed.
      const allow = [...new Set(document.guards.flatMap((verdict) => verdict.allow ?? []))]
      pruning.emulator.clearFaults()
      for (const fault of faults) pruning.emulator.addFault(fault)
      await pruning.control('DELETE', '/requests')
      const again = await attempt(pruning, { allow })
      // Which request a fault hits depends on which comes first.
      if (again !== 'refused' && again !== 'error') return
      refusedOnce = true
      expect(writesOf(pruning.emulator)).toEqual([])
    }),
    4,
  )
  expect(refusedOnce).toBe(true)
})
