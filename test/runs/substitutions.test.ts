// Substitutions: known again by who, for whom, of which type and from when; never made twice; what cannot be, and what
// is over.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { adopt } from '../harness/adopt.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { brief } from '../manifests/manifest-fixture.ts'

const process = (name: string, id: number) => ({ name, id, guid: `${id}0000000-0000-4000-8000-000000000000` })
const entity = 'e0000000-0000-4000-8000-000000000000'
const tenant = {
  users: ['anna', 'jan', 'ewa'].map((svcId) => ({ svcId, name: svcId })),
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland', id: 1, guid: entity }],
      applications: [{ name: 'Purchasing', processes: [process('Approval', 1)] }],
    },
    { id: 2, applications: [{ name: 'Sales', processes: [process('Approval', 2)] }] },
  ],
} as unknown as Tenant

let workspace: Workspace
let project: string
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'settings: { timeZone: Europe/Warsaw, retry: { maxDelay: 10ms } }' })
  project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
})
afterAll(() => workspace.close())
beforeEach(() => {
  for (const folder of ['manifests', 'policies']) rmSync(join(workspace.dir, folder), { recursive: true, force: true })
  workspace.write('svcsync.yaml', project)
  load([])
})

function load(substitutions: readonly object[], behaviour = {}): void {
  const usual = { substitutionDates: 'asWritten', pastSubstitutions: 'accepted' } as const
  workspace.emulator.clearFaults()
  workspace.emulator.load({ ...tenant, substitutions } as unknown as Tenant)
  workspace.emulator.setBehaviour({ ...usual, ...behaviour })
}
const least = { person: 'anna', substitute: 'jan', type: 'TaskDelegation', from: '2026-07-01' }
const whole = { ...least, to: '2026-07-15' }
function declare(...substitutions: object[]): void {
  workspace.manifest(stringify({ database: 'main', substitutions }))
}
const live = (startDate: string, endDate: string, more: object = {}) => ({
  startDate,
  endDate,
  type: 'TaskDelegation',
  originalPerson: { svcId: 'anna' },
  substitutePerson: { svcId: 'jan' },
  ...more,
})
const state = () => workspace.emulator.state().substitutions ?? []
const address = 'substitution/anna→jan/TaskDelegation/2026-07-01'
const writesSince = (before: number) =>
  writesOf(workspace.emulator)
    .slice(before)
    .map(({ method, path }) => `${method} ${path}`)

it.each([true, false])('are made once, whether a create without an answer was carried out or not: %s', async (done) => {
  declare(whole)
  const effect = { kind: 'reset', carriedOut: done } as const
  workspace.emulator.addFault({ match: { method: 'POST', path: '/admin/substitutions' }, effect })
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(state()).toHaveLength(1)
  expect(await workspace.changes()).toEqual([])
})

it.each(['asWritten', 'asUtc', 'withoutOffset'] as const)(
  'are known again with dates %s',
  async (substitutionDates) => {
    load([], { substitutionDates })
    declare(whole, { ...least, from: '2026-08-01T08:30', to: '2026-08-01T12:00:00Z' })
    const { planned, report } = await workspace.run()
    expect(planned.document.changes.map((change) => change.address)).toEqual([
      address,
      'substitution/anna→jan/TaskDelegation/2026-08-01T08:30:00+02:00',
    ])
    expect(report.outcome).toBe('converged')
    expect(state()).toMatchObject([
      { startDate: '2026-07-01T00:00:00+02:00', endDate: '2026-07-15T23:59:59+02:00' },
      { startDate: '2026-08-01T08:30:00+02:00', endDate: '2026-08-01T14:00:00+02:00' },
    ])
    // Two texts of the same moment are equal.
    declare({ ...whole, person: 'ANNA', from: '2026-06-30T22:00:00Z', to: '2026-07-15T21:59:59Z' })
    expect(await workspace.changes()).toEqual([])
  },
)

it('are known again in other letters, and read once, where what nothing declares is counted', async () => {
  load([live('2026-07-01', '2026-07-15', { originalPerson: { svcId: 'ANNA' } })])
  declare({ ...whole, applications: ['Purchasing'] })
  const before = workspace.emulator.requests().length
  const { document } = await workspace.plan({ unmanaged: { everywhere: false } })
  expect(document.changes).toMatchObject([{ address, action: 'update' }])
  expect(document.unmanaged?.substitution).toEqual({ live: 1, declared: 1, percent: 100, addresses: [] })
  const read = workspace.emulator.requests().slice(before)
  const pages = read.filter(({ path }) => String(path).endsWith('/admin/substitutions'))
  expect(new Set(pages.map(({ query }) => JSON.stringify(query))).size).toBe(pages.length)
})

it('are updated in place, with all that they say, and ended by `absent`', async () => {
  declare({ ...whole, applications: ['Purchasing'], businessEntity: 'PL01' })
  await workspace.apply()
  const [{ id } = { id: 0 }] = state()
  const before = writesOf(workspace.emulator).length
  // It held everywhere, and until later: an apply shows that, and does not say that it takes nothing away.
  const held = workspace.emulator.state()
  for (const narrower of [
    { ...least, to: '2026-07-10' },
    { ...least, processes: ['Approval'] },
  ]) {
    load([live('2026-07-01T00:00:00+02:00', '2026-07-15T23:59:59+02:00')])
    declare(narrower)
    const plan = (await workspace.plan()).document
    expect(renderPlanText(plan, { colour: false, width: 80, short: true })).toMatch(
      /~ substitution\/anna→jan[\s\S]+(?:to|processes) /,
    )
  }
  workspace.emulator.load(held as Tenant)
  // An undeclared part stays: the business entity.
  declare({ ...least, to: '2026-07-20', applications: [], processes: [{ process: 'Approval', database: 2 }] })
  const { document } = await workspace.plan()
  expect(document.changes).toMatchObject([
    {
      address,
      differences: [
        { path: 'to', before: '2026-07-15T23:59:59+02:00', after: '2026-07-20T23:59:59+02:00' },
        { path: 'applications', removed: [{ about: { name: 'Purchasing' } }] },
        { path: 'processes', added: [{ about: { name: 'Approval', dbId: 2 } }] },
      ],
    },
  ])
  const text = await savedText(workspace)
  expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged' })
  expect(state()).toMatchObject([
    {
      id,
      startDate: '2026-07-01T00:00:00+02:00',
      businessEntity: { name: 'Poland' },
      activeApplications: { allApplications: false, applications: [], processes: [{ dbId: 2 }] },
    },
  ])
  declare({ ...least, absent: true })
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(writesSince(before)).toEqual([`PATCH /admin/substitutions/${id}`, `DELETE /admin/substitutions/${id}`])
  expect(state()).toEqual([])
})

it('that cannot be are errors, with both places', () => {
  declare(
    { ...whole, substitute: 'ANNA' },
    { ...whole, from: '2026-09-02', to: '2026-09-01' },
    { ...whole, from: '2026-07-15T12:00', to: '2026-07-31' },
    { ...whole, from: '2026-07-10', to: '2026-07-12', applications: ['Purchasing'] },
    whole,
  )
  const { problems } = workspace.open()
  expect(
    problems.map(({ code, message, place, related }) => [code, message, place?.line, related?.[0]?.place.line]),
  ).toEqual([
    ['SVC1305', '`anna` cannot be its own substitute: `person` and `substitute` are one account', 4, 3],
    ['SVC1310', '`to` is not after `from`: the substitution never applies', 12, 11],
    ['SVC1305', 'It overlaps another substitution of the same people and type', 16, 29],
    ['SVC1305', 'It overlaps another substitution of the same people and type', 21, 29],
  ])
  // Limited to different things, they may.
  declare({ ...whole, applications: ['Purchasing'] }, { ...whole, from: '2026-07-02', applications: ['Sales'] })
  expect(workspace.open().problems).toEqual([])
  // Other errors hide none of them.
  declare({ ...whole, from: 'soon' }, { ...whole, type: 'Holiday' }, { ...whole, substitute: 'anna' }, whole, whole)
  expect(brief(workspace.open().problems)).toEqual([
    expect.stringContaining('`from` is neither a date nor a moment'),
    expect.stringContaining('`type` cannot be `Holiday`'),
    expect.stringContaining('`anna` cannot be its own substitute'),
    expect.stringContaining('`to` of substitution `anna→jan/TaskDelegation/2026-07-01` is declared twice'),
  ])
})

it('that are over are not made, are left as they are, and are pruned alone', async () => {
  const nowMs = Date.parse('2026-08-01T00:00:00Z')
  load([], { pastSubstitutions: 'refused' })
  declare(whole)
  const { document } = await workspace.plan({ nowMs })
  expect(document.changes).toEqual([])
  expect(document.warnings).toMatchObject([{ code: 'SVC1309', address, place: { line: 7 } }])
  load([live('2026-07-01', '2026-07-10')], { pastSubstitutions: 'refused' })
  expect(await workspace.changes({ nowMs })).toEqual([])
  // A present substitution ends as declared.
  load([live('2026-07-01', '2026-08-20')])
  expect(await workspace.changes({ nowMs })).toEqual([`update ${address}`])
  load([live('2026-07-01', '2026-07-15'), live('2026-09-01', '2026-09-15'), live('2026-05-01', '2026-05-15')])
  const pruning = await openWorkspace({
    tenant: { ...tenant, substitutions: state() } as never,
    settings: 'prune: { substitutions: ["anna*"] }',
  })
  try {
    pruning.manifest(stringify({ substitutions: [whole] }))
    // Declared and unfinished substitutions are kept.
    expect(await pruning.changes({ nowMs })).toEqual(['delete substitution/anna→jan/TaskDelegation/2026-05-01'])
    expect(await pruning.apply({ nowMs, guarded: true })).toMatchObject({ outcome: 'converged' })
    expect(pruning.emulator.state().substitutions).toHaveLength(2)
    // A declared name that is there twice is no reason to keep what is over: nothing refers to that.
    const twice = [live('2026-07-01', '2026-07-15'), live('2026-07-01', '2026-07-20')]
    const both = [live('2026-09-01', '2026-09-15'), live('2026-09-01', '2026-09-20')]
    load([...twice, live('2026-05-01', '2026-05-15'), ...both])
    pruning.emulator.load({ ...tenant, substitutions: state() } as unknown as Tenant)
    const { planned, report } = await pruning.run({ nowMs, guarded: true })
    expect(planned.document.unreadable).toMatchObject([{ address, hint: expect.stringContaining('Delete all but') }])
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1 }, unreadable: [{ address }] })
  } finally {
    await pruning.close()
  }
})

it('that the platform refuses fail alone, and one that is gone says so', async () => {
  declare({ ...whole, person: 'nobody' }, whole)
  const { planned, report } = await workspace.run()
  expect(planned.document.warnings).toMatchObject([{ code: 'SVC1306' }])
  expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1, failed: 1 } })
  expect(report.steps.find(({ outcome }) => outcome === 'failed')).toMatchObject({
    code: 'SVC3033',
    reason: expect.stringContaining('409 (ValidationError)'),
  })
  const gone = {
    kind: 'status',
    status: 404,
    body: { type: 'ResourceNotFound', description: 'gone', errorGuid: 'g' },
  } as const
  workspace.emulator.addFault({ match: { method: 'PATCH', path: '/admin/substitutions/*' }, effect: gone })
  declare({ ...whole, to: '2026-07-31' })
  expect((await workspace.apply()).steps).toMatchObject([
    { outcome: 'failed', reason: expect.stringContaining('404 (ResourceNotFound)') },
  ])
  // One that is gone already is ended.
  workspace.emulator.addFault({
    match: { method: 'DELETE', path: '/admin/substitutions/*' },
    effect: { ...gone, carriedOut: true },
  })
  declare({ ...least, absent: true })
  expect((await workspace.apply()).steps).toMatchObject([{ outcome: 'unchanged' }])
})

it('of which two are live under one name are not touched', async () => {
  load([live('2026-07-01T00:00:00', '2026-07-15'), live('2026-06-30T22:00:00Z', '2026-07-20')])
  declare({ ...whole, to: '2026-07-31' })
  expect((await workspace.plan()).document).toMatchObject({
    changes: [],
    unreadable: [{ address, reason: `2 live objects are called \`anna→jan/TaskDelegation/2026-07-01\` (1, 2)` }],
  })
  const { leftOut } = await workspace.export()
  expect(leftOut.map((each) => each.reason)).toEqual(['2 live objects have this name'])
})

it('come after the people who are new, and say once where the installation has none', async () => {
  workspace.manifest(
    stringify({ users: [{ svcId: 'new', name: 'New' }], substitutions: [{ ...whole, substitute: 'new' }] }),
  )
  const { steps } = (await workspace.plan()).document
  expect(steps.map(({ id, address: of, dependsOn }) => [id, of, dependsOn])).toEqual([
    ['1', 'user/new', []],
    ['2', 'substitution/anna→new/TaskDelegation/2026-07-01', ['1']],
  ])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  const effect = {
    kind: 'status',
    status: 405,
    body: { type: 'UnsupportedInstallationType', description: 'no', errorGuid: 'g' },
  } as const
  workspace.emulator.addFault({ match: { path: '/admin/substitutions' }, count: null, effect })
  declare(whole)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], unreadable: [], warnings: [{ code: 'SVC1338' }] })
})

it('are taken back: what was made, changed and ended', async () => {
  const other = { ...least, from: '2026-10-01' }
  declare({ ...whole, applications: ['Purchasing'] }, { ...other, to: '2026-10-15', businessEntity: 'PL01' })
  await workspace.apply()
  const before = state().map(({ id: _, ...fields }) => fields)
  declare(
    { ...whole, to: '2026-07-20', processes: ['Approval'] },
    { ...other, absent: true },
    { ...whole, from: '2026-12-01', to: '2026-12-02' },
  )
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
  expect(state()).toHaveLength(2)
  const { report, undone } = await undo(workspace, 'a.jsonl', 'b.jsonl')
  expect(undone.document.warnings).toEqual([])
  expect(report).toMatchObject({ outcome: 'converged', counts: { done: 3 } })
  expect(state().map(({ id: _, ...fields }) => fields)).toEqual(before)
})

it('that were over when they were deleted are not made again, and nothing says that they are', async () => {
  load([live('2020-07-01', '2020-07-10')])
  declare({ ...least, from: '2020-07-01', absent: true })
  await applyUntilKilled(workspace, 'c.jsonl', { atWrite: 1000, sent: true })
  expect(state()).toEqual([])
  const { undone } = await undo(workspace, 'c.jsonl', 'd.jsonl')
  expect(undone.document.warnings).toMatchObject([
    { code: 'SVC2260', message: 'It has ended since, and is not created again' },
  ])
  expect(state()).toEqual([])
})

it('that only the commit before declared are ended where the project file says so', async () => {
  workspace.write('svcsync.yaml', `${project}removed: { objects: delete }\n`)
  workspace.baseManifest(stringify({ database: 'main', substitutions: [whole] }))
  load([live('2026-07-01', '2026-07-15')])
  workspace.manifest('users: []')
  expect(await workspace.changes({ base: 'ledger' })).toEqual([`delete ${address}`])
})

it('are exported, with names where they lead there alone', async () => {
  workspace.write('svcsync.yaml', project.replace('{ main: 1 }', '{ main: 1, sales: 2 }'))
  const guid = (id: number) => process('', id).guid
  const active = {
    allApplications: false,
    applications: [],
    processes: [
      { guid: guid(1), dbId: 1 },
      { guid: guid(2), dbId: 2 },
    ],
  }
  load([
    live('2026-07-01', '2026-07-15T12:00:00Z', { activeApplications: active }),
    live('2026-08-01', '2026-08-15', { businessEntity: { id: 1, guid: entity, dbId: 1 } }),
  ])
  workspace.manifest('')
  expect(await adopt(workspace)).toMatchObject({ changes: [], unreadable: [], leftOut: [] })
  const { files } = await workspace.export()
  const { text = '' } = files.find(({ file }) => file === 'substitutions.yaml') ?? {}
  expect(text).toContain('    from: "2026-07-01"\n    to: 2026-07-15T14:00:00+02:00\n')
  expect(text).toContain('{ process: Approval, database: main }')
})

it('of the example hold on the installation of the quickstart', async () => {
  const { apiApplications: _, ...quickstart } = parse(readFileSync('examples/quickstart/tenant.yaml', 'utf8')) as Tenant
  workspace.emulator.load(quickstart)
  workspace.manifest(readFileSync('src/kinds/substitution/example.yaml', 'utf8'))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
  expect(await workspace.changes()).toEqual([])
})

it('are seen by policies', async () => {
  workspace.write(
    'policies/rules.yaml',
    stringify({
      policies: [
        {
          name: 'tasks-alone',
          for: ['substitution'],
          expression: 'object.type == "TaskDelegation" && object.applications.all(a, a.about == "Purchasing")',
          message: 'Only tasks are handed on.',
        },
      ],
    }),
  )
  declare({ ...whole, type: 'WorkingOnBehalf', applications: ['Purchasing'] })
  await expect(workspace.plan()).rejects.toMatchObject({
    problems: [{ message: expect.stringContaining('Only tasks') }],
  })
})
