// Licences: what cannot be, what is said of it, and what installations without them see.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanHtml, renderReportHtml } from '../../src/render/html/plan-page.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderCombinedMarkdown } from '../../src/render/report/combined.ts'
import { renderDriftJson } from '../../src/render/report/render-json.ts'
import { renderReportMarkdown, renderReportText } from '../../src/render/report/report-blocks.ts'
import { adopt } from '../harness/adopt.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { documentValidator, planSchema } from '../harness/plan-schema.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import type { Workspace } from '../harness/workspace.ts'
import { brief } from '../manifests/manifest-fixture.ts'
import { of, openLicences, process, solution, tenant } from './licences-fixture.ts'

let workspace: Workspace
afterEach(() => workspace.close())
const open = async (...given: Parameters<typeof openLicences>) => {
  workspace = await openLicences(...given)
}

it('of one person in two places are one object, also where one of the two alone is limited to processes', async () => {
  const manage = { licenses: 'additive' }
  await open([
    { ...of('jan', { type: 'PowerUser' }), manage },
    { ...of('jan', solution('2')), manage },
    of('nina', { type: 'User' }),
  ])
  const { document } = await workspace.plan()
  expect(document.changes.map(({ address }) => address)).toEqual(['license/jan', 'license/nina'])
  const text = renderPlanText(document, { colour: false, width: 100 })
  expect(text).toContain('+PowerUser')
  expect(text).toContain('+SingleSolutionUser (2)')
})

it('are shown with what they are limited to, and fit the schema of plans', async () => {
  await open([of('jan', solution('2')), of('anna', { type: 'DesignerDeskUser', allowProjectCreation: true })])
  const { document } = await workspace.plan()
  const validate = documentValidator(planSchema)
  expect([validate(document), validate.errors]).toEqual([true, null])
  const text = renderPlanText(document, { colour: false, width: 100 })
  expect(text).toContain('-SingleSolutionUser (1) +SingleSolutionUser (2)')
  expect(text).toContain('+DesignerDeskUser (allowProjectCreation: true, allowProjectPublishing: false)')
  // It may replace one that allowed more: an apply shows it, and does not say that it takes nothing away.
  const short = renderPlanText(document, { colour: false, width: 100, short: true })
  expect(short).toContain('+DesignerDeskUser (allowProjectCreation: true, allowProjectPublishing: false)')
  expect(short).not.toContain('nothing away')
})

it('are carried by a saved plan, which is not applied where they are not as they were', async () => {
  await open([of('jan', solution('2')), of('nina', { type: 'User' })])
  const text = await savedText(workspace)
  expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged' })
  await expect(applySaved(workspace, text)).rejects.toMatchObject({ code: 'SVC2107' })
})

it('that are limited to no process are limited, and not lost by it', async () => {
  await open([of('nina', solution('1'))])
  const held = {
    svcId: 'nina',
    licenses: [{ type: 'SingleSolutionUser', singleSolutionSettings: { processes: [] } }],
  }
  workspace.emulator.load({ ...tenant, licenses: { assigned: [held] } } as unknown as Tenant)
  const { files } = await workspace.export()
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(await workspace.changes()).toEqual([])
  // Added to, it stays what it is: there is no taking limits away without taking the licence.
  const limitless = of('nina', solution())
  workspace.manifest(stringify({ licenses: [{ ...limitless, manage: { licenses: 'additive' } }] }))
  expect(await workspace.changes()).toEqual([])
  // With its last process the platform takes the licence: it is given again, after that.
  workspace.manifest(stringify({ licenses: [limitless] }))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(workspace.emulator.state().licenses?.assigned).toMatchObject([held])
  // And what is exported of such a licence is what it was.
  workspace.emulator.load({ ...tenant, licenses: { assigned: [held] } } as unknown as Tenant)
  workspace.write('manifests/main.yaml', files.find(({ text }) => text.includes('SingleSolutionUser'))?.text ?? '')
  expect(await workspace.changes()).toEqual([])
})

it('that were limited to no process are so again when their limits are taken back', async () => {
  await open([of('nina', solution('1', '2'))])
  const held = {
    svcId: 'nina',
    licenses: [{ type: 'SingleSolutionUser', singleSolutionSettings: { processes: [] } }],
  }
  workspace.emulator.load({ ...tenant, licenses: { assigned: [held] } } as unknown as Tenant)
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true }, {})
  expect(workspace.emulator.state().licenses?.assigned).not.toMatchObject([held])
  await undo(workspace, 'a.jsonl', 'b.jsonl')
  expect(workspace.emulator.state().licenses?.assigned).toMatchObject([held])
})

it.each([409, 402] as const)(
  'of which there are not enough are refused for one user, by %i as by any',
  async (status) => {
    await open([of('nina', { type: 'PowerUser' }), of('jan', solution('1', '2'))])
    workspace.emulator.setBehaviour({ licenseErrorStatus: status })
    const report = await workspace.apply()
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1, failed: 1 } })
    expect(report.steps.find(({ outcome }) => outcome === 'failed')).toMatchObject({
      code: 'SVC3033',
      reason: expect.stringContaining(`${status} (LicenseError)`),
      hint: 'No licence of this type is left, or the account cannot have one.',
    })
  },
)

it('name processes that exist, and each once', async () => {
  await open([of('jan', solution('9')), of('nina', solution({ process: '1', database: 'nowhere' }))])
  await expect(workspace.plan()).rejects.toMatchObject({
    problems: [
      { code: 'SVC1401', message: 'The platform has no process `9`', place: { line: 7 } },
      { code: 'SVC1302', message: 'There is no database `nowhere` in the target', place: { line: 12 } },
    ],
  })
  workspace.manifest(
    stringify({
      database: 'main',
      licenses: [of('jan', solution('1', process('1').guid), { type: 'User', processes: ['1'] })],
    }),
  )
  expect(brief(workspace.open().problems)[0]).toContain('A licence of type User takes no `processes`')
  workspace.manifest(stringify({ database: 'main', licenses: [of('jan', solution('1', process('1').guid))] }))
  await expect(workspace.plan()).rejects.toMatchObject({
    problems: [{ message: '`SingleSolutionUser (1)` is listed twice' }],
  })
})

it('are for users: one for a declared group is a warning, in a plan as well', async () => {
  await open([])
  const groups = [{ svcId: 'staff@example.com', name: 'Staff' }]
  const licenses = [{ svcId: 'STAFF@example.com', licenses: [{ type: 'User' }] }]
  workspace.manifest(stringify({ groups, licenses }))
  const warning = { code: 'SVC1340', severity: 'warning', place: { line: 5 }, related: [{ place: { line: 2 } }] }
  expect(workspace.open().problems).toMatchObject([warning])
  expect((await workspace.plan()).document.warnings).toContainEqual(expect.objectContaining({ code: 'SVC1340' }))
  workspace.manifest(stringify({ groups, licenses: [{ svcId: 'staff@example.com', licenses: [] }] }))
  expect(workspace.open().problems).toEqual([])
})

it('stand in a list once each, and in lists that add up with the same settings and limits', async () => {
  const desk = (allowProjectCreation: boolean) => ({ type: 'DesignerDeskUser', allowProjectCreation })
  const additive = (license: object) => ({ ...of('nina', license), manage: { licenses: 'additive' } })
  await open([of('jan', desk(true), desk(false)), of('anna', solution(), solution('1'))])
  const found = () => workspace.open().problems.filter(({ code }) => code.startsWith('SVC13'))
  const lines = () => found().map(({ code, place, related }) => [code, place?.line, related?.[0]?.place.line])
  expect(lines()).toEqual([
    ['SVC1307', 7, 5],
    ['SVC1307', 15, 11],
  ])
  workspace.manifest(stringify({ licenses: [additive(desk(true)), additive(desk(false)), additive({ type: 'User' })] }))
  expect(lines()).toEqual([['SVC1307', 10, 4]])
  workspace.manifest(stringify({ licenses: [of('jan', desk(true)), of('jan', { type: 'User' })] }))
  expect(found()).toMatchObject([{ code: 'SVC1301', hint: expect.not.stringContaining('sets') }])
})

it('are of accounts: one that nobody knows is a warning, one that is to go an error', async () => {
  await open([of('nobody', { type: 'PowerUser' })])
  const { document } = await workspace.plan()
  expect(document.warnings).toMatchObject([{ code: 'SVC1306', address: 'license/nobody' }])
  // Also beside others in one request: nobody is told that it is not known whether who is not there got one.
  workspace.manifest(stringify({ licenses: [of('nobody', { type: 'User' }), of('nina', { type: 'User' })] }))
  const report = await workspace.apply()
  expect(report.counts).toMatchObject({ done: 1, failed: 1, unknown: 0 })
  expect(report.steps.find(({ outcome }) => outcome === 'failed')).toMatchObject({
    address: 'license/nobody',
    reason: 'The platform answered 409 (InvalidData) to POST /admin/licenses/assign: There is no user "nobody".',
  })
  workspace.manifest(stringify({ users: [{ svcId: 'jan', absent: true }], licenses: [of('jan', { type: 'User' })] }))
  expect(brief(workspace.open().problems)).toEqual([
    expect.stringContaining('`jan` is declared absent, but given something here'),
  ])
})

it('are exported so that each process is found again, where names are in several databases', async () => {
  await open([])
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  workspace.write('svcsync.yaml', project.replace('{ main: 1 }', '{ main: 1, sales: 2 }'))
  expect(await adopt(workspace)).toMatchObject({ changes: [], unreadable: [], leftOut: [] })
  const { files } = await workspace.export()
  expect(files.find(({ file }) => file === 'licenses.yaml')?.text).toContain('{ process: "1", database: main }')
})

it('show what other settings replace, setting by setting', async () => {
  const settings = (allowProjectCreation: boolean) => ({ allowProjectCreation, allowProjectPublishing: false })
  const desk = (creates: boolean) => ({ type: 'DesignerDeskUser', ...settings(creates) })
  await open([of('jan', desk(true), { type: 'User' })])
  await workspace.apply()
  workspace.manifest(stringify({ licenses: [of('jan', desk(false))] }))
  const { planned, report } = await workspace.run()
  const { document } = planned
  const element = { item: 'DesignerDeskUser', before: settings(true), settings: settings(false) }
  for (const { changes, counts } of [{ changes: report.changed, counts: document.counts }, document]) {
    expect(changes).toMatchObject([{ differences: [{ added: [element], removed: [{ item: 'User' }] }] }])
    expect(counts).toMatchObject({ added: 0, removed: 1 })
  }
  const form = { width: 200, colour: false }
  const drift = { options: [] }
  const was = (text: string) => `licenses.DesignerDeskUser.allowProjectCreation${text}`
  expect(renderPlanText(document, form)).toContain(was('  true → false'))
  expect(renderReportText(report, form)).toContain(was('  true → false'))
  expect(renderPlanText(document, { ...form, drift })).toContain(was('  false → true'))
  expect(renderPlanMarkdown(document)).toContain(was(' `true` → `false`'))
  expect(renderPlanMarkdown(document, { drift })).toContain(was(' `false` → `true`'))
  expect(JSON.parse(renderDriftJson(document, {})).changes[0].differences[0].onPlatform).toMatchObject({
    added: [{ item: 'User' }],
    removed: [],
  })
  expect(renderReportMarkdown(report)).toContain(was(' `true` → `false`'))
})

it('are nothing where the installation has no licence management, but for who declares some', async () => {
  const onPremises = { ...tenant, licenses: { installation: 'onPremises' } } as unknown as Tenant
  await open([], { tenant: onPremises })
  const { leftOut } = await workspace.export()
  expect(leftOut).toEqual([])
  await expect(workspace.export({ only: ['license/*'] })).rejects.toMatchObject({
    hint: 'The installation says that it has no licences.',
  })
  workspace.manifest(stringify({ users: [{ svcId: 'jan', name: 'Jan' }], licenses: [of('jan', { type: 'User' })] }))
  const { document } = await workspace.plan({ unmanaged: { everywhere: false } })
  expect(document).toMatchObject({ unreadable: [], changes: [{ address: 'user/jan' }] })
  expect(document.warnings).toMatchObject([{ code: 'SVC1338', place: { line: 5 } }])
  expect((await workspace.plan({ only: ['license/jan'] })).document.changes).toEqual([])
  // Said once, and what else is declared is written, deletions too.
  const licenses = [of('nina', { type: 'User' }), of('anna', { type: 'User' })]
  workspace.manifest(stringify({ users: [{ svcId: 'jan', absent: true }], licenses }))
  const { planned, report } = await workspace.run({ guarded: true, allow: ['last-owner=group/staff'] })
  expect(planned.plan.problems.map(({ code }) => code)).toEqual(['SVC1338', 'SVC2072'])
  expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
  // No sentence is about more than what was compared.
  const lacking = [{ kind: 'license', objects: 2, reason: 'The installation says that it has no licences' }]
  const left = `2 declared objects left out: ${lacking[0]?.reason}.`
  expect([planned.document.lacking, report.lacking]).toEqual([lacking, lacking])
  const again = await workspace.run()
  const form = { width: 200, colour: false }
  const hash = () => ''
  for (const said of [
    renderPlanText(again.planned.document, form),
    renderPlanMarkdown(again.planned.document, { drift: { options: [] } }),
    renderPlanHtml(again.planned.document, { hash }),
    ...[report, again.report].flatMap((each) => [renderReportText(each, form), renderReportHtml(each, { hash })]),
    renderCombinedMarkdown([{ command: 'plan', plan: again.planned.document }]),
  ]) {
    expect(said).toContain(left.replace(/\.$/, ''))
    expect(said).not.toContain('platform is as declared')
  }
  workspace.manifest(stringify({ users: [{ svcId: 'ewa', name: 'Ewa' }], licenses }))
  expect(await applySaved(workspace, await savedText(workspace))).toMatchObject({ outcome: 'converged', lacking })
  // As it is licensed it may have none, either.
  const body = { type: 'UnsupportedLicensingType', description: 'no', errorGuid: 'g' }
  workspace.emulator.load(tenant)
  workspace.emulator.addFault({
    match: { path: '/admin/licenses' },
    count: null,
    effect: { kind: 'status', status: 409, body },
  })
  expect((await workspace.plan()).document).toMatchObject({ unreadable: [], lacking })
})
