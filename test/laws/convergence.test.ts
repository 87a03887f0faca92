// Laws on random installations and manifests: what is there needs no plan, what is applied holds, and nothing leaks.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderPlanJson } from '../../src/render/report/render-json.ts'
import { renderReportMarkdown, renderReportText } from '../../src/render/report/report-blocks.ts'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { unsharedSteps, unsharedWrites, writesOf } from '../harness/write-log.ts'
import { situations, worlds } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import {
  accountIds,
  declaring,
  type Fields,
  groupIds,
  type Item,
  secrets,
  tenantOf,
  userIds,
  writeManifests,
} from './world.ts'

type GivenApplication = Fields & {
  readonly privileges: Readonly<Record<string, readonly string[] | null>> | null
  readonly manage: Fields
}

interface StateOfA {
  readonly databases: readonly [
    { readonly applications: readonly [{ readonly privileges: readonly { svcId: string; level: string }[] }] },
  ]
}

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets, behaviour: { managerMustExist: true } })
})
afterAll(() => workspace.close())

it('plans nothing where the platform is as declared', async () => {
  await tryLaw(
    fc.asyncProperty(worlds, async (live) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [declaring(live)])
      const { document } = await workspace.plan()
      expect(document).toMatchObject({ changes: [], steps: [], unreadable: [] })
    }),
  )
})

const svcIds: ReadonlySet<unknown> = new Set([...userIds, ...groupIds, ...accountIds])

/** The same with svcIds in other case. */
function respelt(value: unknown, capitals: Iterator<boolean>): unknown {
  if (typeof value === 'string') {
    const spell = (char: string) => (capitals.next().value ? char.toUpperCase() : char)
    return svcIds.has(value) ? Array.from(value, spell).join('') : value
  }
  if (Array.isArray(value)) return value.map((part) => respelt(part, capitals))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, respelt(part, capitals)]))
}

it('means the same accounts in whatever case their svcIds are written', async () => {
  await tryLaw(
    fc.asyncProperty(situations, fc.infiniteStream(fc.boolean()), async ({ live, items }, capitals) => {
      const other = (all: readonly Item[]) =>
        all.map((each) => ({ ...each, item: respelt(each.item, capitals) as Fields }))
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [other(declaring(live))])
      const { document } = await workspace.plan()
      expect(document).toMatchObject({ changes: [], steps: [], unreadable: [] })
      writeManifests(workspace, [other(items)])
      const { planned, report } = await workspace.run()
      expect(report).toMatchObject({ counts: { done: planned.document.steps.length }, verified: { unequal: [] } })
      writeManifests(workspace, [other(items)])
      expect(await workspace.changes()).toEqual([])
    }),
  )
})

it('applies every plan truthfully, and has nothing left to plan', async () => {
  await tryLaw(
    fc.asyncProperty(situations, fc.integer({ min: 1, max: 8 }), async ({ live, items }, concurrency) => {
      workspace.emulator.load(tenantOf(live))
      workspace.emulator.setBehaviour({ managerMustExist: true })
      writeManifests(workspace, [items])
      await workspace.control('DELETE', '/requests')
      const { planned, report } = await workspace.run({ concurrency })
      expect(report).toMatchObject({
        outcome: planned.document.steps.length === 0 ? 'nothing-to-do' : 'converged',
        counts: { done: planned.document.steps.length },
        verified: { unequal: [] },
      })
      const writes = writesOf(workspace.emulator)
      expect(untruths(report, planned.plan.steps, writes)).toEqual([])
      expect(unsharedWrites(writes)).toHaveLength(unsharedSteps(planned.document.steps).length)
      expect(await workspace.changes()).toEqual([])
    }),
  )
})

it('leaves at levels that nothing lists who was there, and nobody where the privileges are managed whole', async () => {
  const level = (held: { readonly level: string }) => held.level
  const text = ({ svcId, level }: { readonly svcId: string; readonly level: string }) =>
    `${level} ${svcId.toLowerCase()}`
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      const given = items.find(({ section }) => section === 'applications')?.item as GivenApplication
      const { manage } = given
      // Only those who are there: nothing else is applied.
      const known = new Set([...accountIds, ...[...live.users, ...live.groups].map(({ svcId }) => svcId)])
      const privileges =
        given.privileges &&
        Object.fromEntries(
          Object.entries(given.privileges).map(([level, list]) => [
            level,
            list?.filter((each) => known.has(each)) ?? null,
          ]),
        )
      const listed = Object.keys(privileges ?? {})
      const isWhole = listed.length === 0 || manage.privileges === 'whole'
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [[{ section: 'applications', item: { ...given, privileges } }]])
      const report = await workspace.apply()
      expect(report.outcome).toMatch(/^(converged|nothing-to-do)$/)
      const wanted = listed.flatMap((each) => (privileges?.[each] ?? []).map((svcId) => ({ svcId, level: each })))
      const others = isWhole ? [] : live.application.filter((held) => !listed.includes(level(held)))
      const state = (await workspace.control('GET', '/state')) as StateOfA
      const held = state.databases[0].applications[0].privileges
      expect(held.map(text).sort()).toEqual([...wanted, ...others].map(text).sort())
    }),
  )
})

it('never claims a convergence that a plan afterwards denies, on whatever installation', async () => {
  const installations = fc.record({
    privilegeLevels: fc.constantFrom('several', 'single'),
    privilegeRemoval: fc.constantFrom('oneLevel', 'allLevels'),
    privilegeCompany: fc.constantFrom('returned', 'omitted'),
    privilegeLevel: fc.constantFrom('returned', 'returned', 'omitted'),
  } as const)
  await tryLaw(
    fc.asyncProperty(situations, installations, async ({ live, items }, behaviour) => {
      workspace.emulator.load(tenantOf(live))
      workspace.emulator.setBehaviour(behaviour)
      writeManifests(workspace, [items])
      const { report } = await workspace.run()
      const { document } = await workspace.plan()
      const { unequal } = report.verified
      // What nobody manages and went with something else is said, and no plan can bring it back.
      const isBeside = ({ differences, reason }: (typeof unequal)[number]) =>
        differences.length === 0 && reason?.startsWith('the platform removed more') === true
      // An empty list can be read where no level is told: what was added to it cannot.
      const untold = new Set(document.unreadable.map(({ address }) => address))
      expect(
        unequal.filter((each) => !isBeside(each) && !untold.has(each.address)).map(({ address }) => address),
      ).toEqual(document.changes.map(({ address }) => address).sort())
      const takesWhatIsNamed = behaviour.privilegeRemoval === 'oneLevel' && behaviour.privilegeLevels === 'several'
      expect(takesWhatIsNamed && unequal.some(isBeside)).toBe(false)
      expect(report.outcome === 'different').toBe(unequal.length > 0)
    }),
    0.25,
  )
})

it('shows no secret, whatever is printed, saved or reported', async () => {
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const { planned, report } = await workspace.run()
      const again = await workspace.plan()
      const outputs = [planned.document, again.document].flatMap((document) => [
        renderPlanText(document, { colour: false, width: 100 }),
        renderPlanMarkdown(document),
        renderPlanJson(document),
        JSON.stringify(document),
      ])
      outputs.push(
        renderReportText(report, { colour: false, width: 100 }),
        renderReportMarkdown(report),
        JSON.stringify(report),
      )
      for (const secret of Object.values(secrets))
        expect(outputs.filter((output) => output.includes(secret))).toEqual([])
    }),
    0.5,
  )
})
