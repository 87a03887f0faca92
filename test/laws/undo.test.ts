// The law of undoing: what an apply did is taken back by its journal, but for what the plan of the undo says it leaves;
// and an undo is taken back by its own.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { applyUntilKilled, keepLines, type Undone, undo } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations } from './arbitraries.ts'
import { factsBetween, factsOf } from './facts.ts'
import { holds } from './holds.ts'
import { tryLaw } from './law-runs.ts'
import { leftNames } from './undo-left.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets, settings: 'settings: { retry: { attempts: 3, maxDelay: 5ms } }' })
})
afterAll(() => workspace.close())

const facts = () => factsOf(workspace.emulator)

/** Facts of one side alone, but for those that the undo says it leaves: of the objects and accounts it names. */
function unexplained(before: ReadonlySet<string>, after: ReadonlySet<string>, ...undos: readonly Undone[]): string[] {
  const warnings = undos.flatMap(({ undone }) => undone.document.warnings)
  const left = leftNames(warnings)
  const other = factsBetween(before, after)
  const said = warnings.map(({ message }) => `(${message})`)
  const found = other.filter((fact) => !left.some((name) => fact.includes(name)))
  // The messages help to find the cause of a failure.
  return found.length === 0 ? [] : [...found, ...said]
}

/** Failed endings, so that a failure gives its cause. */
function troubleOf({ report }: Undone): unknown[] {
  const { outcome, steps, verified, left = [] } = report
  if (outcome === 'converged' || outcome === 'nothing-to-do') return []
  // Other tests compare the reported rest with the platform.
  const isAllThatIsLeft = outcome === 'different' && left.length > 0 && verified.unequal.length === 0
  if (isAllThatIsLeft && steps.every((step) => step.outcome === 'done' || step.outcome === 'unchanged')) return []
  return [outcome, ...steps.filter((step) => step.outcome !== 'done'), ...verified.unequal]
}

it('gives the state before, also of an apply that was killed, and an undo of the undo the state after', async () => {
  const kept = fc.oneof(fc.constant(null), fc.constant(null), fc.nat({ max: 20 }))
  const kills = fc.record({ atWrite: fc.constantFrom(1, 2, 3, 5, 8, 1000, 1000, 1000), sent: fc.boolean(), kept })
  const runs = fc.record({ concurrency: fc.integer({ min: 1, max: 4 }) })
  let foretold = 0
  await tryLaw(
    fc.asyncProperty(situations, kills, runs, async ({ live, items }, kill, run) => {
      workspace.emulator.load(tenantOf(live))
      workspace.emulator.setBehaviour({ managerMustExist: true })
      writeManifests(workspace, [items])
      for (const file of ['a', 'b', 'c']) rmSync(join(workspace.dir, `${file}.jsonl`), { force: true })
      const before = facts()
      const { plan, document } = await applyUntilKilled(workspace, 'a.jsonl', kill, run)
      if (plan.steps.length === 0) return
      const after = facts()
      if (kill.kept !== null) keepLines(join(workspace.dir, 'a.jsonl'), 1 + kill.kept)
      const first = await undo(workspace, 'a.jsonl', 'b.jsonl', { isCopy: kill.kept !== null })
      expect(troubleOf(first)).toEqual([])
      expect(unexplained(before, facts(), first)).toEqual([])
      if (first.undone.document.warnings.length === 0) {
        const tenant = (await workspace.control('GET', '/state')) as Tenant
        // `holds` does not know substitutions.
        const plain = (entries: readonly AccessEntry[] = []) =>
          entries.filter((each) => each.substitutions === undefined)
        const [gained, lost] = [plain(document.access?.gained), plain(document.access?.lost)]
        foretold += gained.length + lost.length
        expect(gained.filter((entry) => holds(tenant, entry))).toEqual([])
        expect(lost.filter((entry) => !holds(tenant, entry))).toEqual([])
      }
      if (first.undone.plan.steps.length === 0) return
      const second = await undo(workspace, 'b.jsonl', 'c.jsonl')
      expect(troubleOf(second)).toEqual([])
      expect(unexplained(after, facts(), first, second)).toEqual([])
    }),
    2,
  )
  // The undo restores, as foretold, the access that the apply changed.
  expect(foretold).toBeGreaterThan(0)
})

it('does with another undo what is left of one that failed in part, or names what is half-way', async () => {
  const faults = fc.record({
    match: fc.record({
      method: fc.constantFrom('POST', 'PATCH', 'DELETE'),
      path: fc.constantFrom('/admin/*', '/db/*', '/admin/user*', '/admin/group*'),
    }),
    nth: fc.integer({ min: 1, max: 4 }),
    count: fc.constantFrom(1, 5),
    effect: fc.constantFrom(
      { kind: 'status', status: 400 } as const,
      { kind: 'status', status: 500, carriedOut: true } as const,
      { kind: 'reset', carriedOut: true } as const,
    ),
  })
  await tryLaw(
    fc.asyncProperty(situations, faults, async ({ live, items }, fault) => {
      workspace.emulator.load(tenantOf(live))
      workspace.emulator.setBehaviour({ managerMustExist: true })
      writeManifests(workspace, [items])
      for (const file of ['a', 'b', 'c']) rmSync(join(workspace.dir, `${file}.jsonl`), { force: true })
      const before = facts()
      const { plan } = await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
      if (plan.steps.length === 0) return
      workspace.emulator.addFault(fault)
      const broken = await undo(workspace, 'a.jsonl', 'b.jsonl')
      workspace.emulator.clearFaults()
      const rest = await undo(workspace, 'a.jsonl', 'c.jsonl')
      expect(troubleOf(rest)).toEqual([])
      expect(unexplained(before, facts(), broken, rest)).toEqual([])
    }),
  )
})
