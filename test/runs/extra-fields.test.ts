// `extra`: fields that svcsync does not know are passed on, compared where the platform tells them, and never lost.
import { afterEach, describe, expect, it } from 'vitest'
import type { BehaviourChanges } from '../../src/emulator/index.ts'
import type { AuthorError } from '../../src/errors/index.ts'
import { adopt } from '../harness/adopt.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

let workspace: Workspace
const open = async (undocumentedFields: BehaviourChanges['undocumentedFields'], apiVersion = '6.0', target = '') => {
  const databases = [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P' }] }] }]
  workspace = await openWorkspace({
    tenant: { behaviour: { undocumentedFields }, databases } as never,
    env: { SECRET: 'what nobody may see' },
    target: `    apiVersion: "${apiVersion}"\n${target}`,
  })
}
afterEach(() => workspace.close())

const manifest = (text: string) => workspace.manifest(`database: main\n${text}\n`)
const bodies = () => writesOf(workspace.emulator).map(({ body }) => body)

const sql = (extra: string) => `sql: { common: { server: s, database: d, integratedAuthentication: true, ${extra} } }`
/** An object of each kind with such a field, and one that svcsync knows. */
const objects: Readonly<Record<string, (extra: string, known: string) => string>> = {
  user: (extra, known) => `users: [{ svcId: ola@example.com, name: ${known}, ${extra} }]`,
  group: (extra, known) => `groups: [{ svcId: staff@example.com, name: ${known}, ${extra} }]`,
  constant: (extra, known) => `constants: [{ name: Url, common: ${known}, ${extra} }]`,
  'process-constant': (extra, known) =>
    `processes: [{ process: P, constants: [{ name: Url, common: ${known}, ${extra} }] }]`,
  connection: (extra, known) =>
    `connections: [{ name: Erp, type: SQL, ${sql(`server: ${known}`).replace('server: s, ', '')}, ${extra} }]`,
  environment: (extra, known) =>
    `connections: [{ name: Erp, type: SQL, ${sql(`server: ${known}, ${extra}`).replace('server: s, ', '')} }]`,
}
const everyKind = Object.entries(objects).flatMap(([kind, say]) => ['6.0', '5.0'].map((api) => ({ kind, say, api })))

describe.each(everyKind)('a field of a $kind in $api that svcsync does not know', ({ kind, say, api }) => {
  const path = kind === 'environment' ? 'sql.common.extra' : 'extra'

  it('is written, compared and changed', async () => {
    await open('told', api)
    manifest(say('extra: { costCentre: A-12, tags: [a, 1], place: { floor: 2.5, open: true } }', 'x'))
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
    expect(await workspace.changes()).toEqual([])
    manifest(say('extra: { costCentre: B-1, tags: [a, 1], place: { floor: 3 } }', 'x'))
    const { planned, report } = await workspace.run()
    expect(planned.document.changes[0]?.differences).toMatchObject([
      { path: `${path}.costCentre`, before: 'A-12', after: 'B-1' },
      { path: `${path}.place.floor`, before: 2.5, after: 3 },
    ])
    expect(report).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
    // Exported is what svcsync knows.
    const { texts, changes } = await adopt(workspace)
    expect(changes).toEqual([])
    expect(JSON.stringify(texts)).not.toContain('costCentre')
  })

  it('is not comparable where the platform does not tell it, and goes along with what is', async () => {
    if (kind === 'environment') return
    await open('untold', api)
    manifest(say('extra: { costCentre: A-12 }', 'x'))
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
    manifest(say('extra: { costCentre: B-1 }', 'x'))
    const { document } = await workspace.plan()
    expect(document.changes).toEqual([])
    expect(JSON.stringify(document)).toContain('extra.costCentre')
    manifest(say('extra: { costCentre: B-1 }', 'y'))
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    expect(bodies().at(-1)).toMatchObject({ costCentre: 'B-1' })
  })

  it('keeps its secrets', async () => {
    await open('told', api)
    manifest(say('extra: { key: "${env:SECRET}", keys: ["${env:SECRET}", b] }', 'x'))
    const { planned, report } = await workspace.run()
    expect(report).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
    manifest(say('extra: { key: "${env:SECRET}!", keys: ["${env:SECRET}", c] }', 'x'))
    const { document, preconditions } = await workspace.plan()
    const shown = JSON.stringify([planned.document, report, document, preconditions])
    expect(shown).not.toContain('what nobody may see')
    expect(document.changes[0]?.differences).toMatchObject([
      { path: `${path}.key`, after: '${env:SECRET}!', masked: true },
      { path: `${path}.keys`, after: '${env:SECRET}', masked: true },
    ])
  })
})

it('is in a saved plan as everything else: with its references, and without their values', async () => {
  await open('told')
  manifest(
    'users: [{ svcId: ola@example.com, extra: { key: "${env:SECRET}", keys: ["${env:SECRET}"], region: North } }]',
  )
  const text = await savedText(workspace)
  expect(text).not.toContain('what nobody may see')
  expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged' })
  expect(await workspace.changes()).toEqual([])
  manifest('users: [{ svcId: ola@example.com, extra: { key: x, keys: ["${env:SECRET}", y], region: South } }]')
  const second = await savedText(workspace)
  expect(await applySaved(workspace, second)).toMatchObject({ outcome: 'converged' })
})

it('refuses a saved plan where somebody has changed it since, and names it', async () => {
  await open('told')
  const says = (floor: number, region = '') =>
    manifest(`users: [{ svcId: ola@example.com, extra: { place: { floor: ${floor} }${region} } }]`)
  says(1)
  await workspace.apply()
  says(2, ', region: North')
  const text = await savedText(workspace)
  says(7)
  await workspace.apply()
  const written = writesOf(workspace.emulator).length
  const refusal: unknown = await applySaved(workspace, text).catch((error: unknown) => error)
  const discrepancies = [{ subject: 'user/ola@example.com', path: 'extra.place.floor', planned: 1, found: 7 }]
  expect(refusal).toMatchObject({ code: 'SVC2107', discrepancies })
  expect(writesOf(workspace.emulator)).toHaveLength(written)
})

it.each([
  ['A-12', 'declared'],
  ['B-1', 'live'],
])('where the base says %s, a difference is of what is %s', async (before, cause) => {
  await open('told')
  const says = (value: string) => `users: [{ svcId: ola@example.com, extra: { costCentre: ${value}, tags: [a] } }]`
  manifest(says('A-12'))
  await workspace.apply()
  workspace.baseManifest(`database: main\n${says(before)}\n`)
  manifest(says('B-1'))
  const { document } = await workspace.plan({ base: 'folder' })
  expect(document.changes[0]?.differences).toMatchObject([{ path: 'extra.costCentre', cause }])
})

it('sends back nothing of what nobody declares', async () => {
  await open('told')
  manifest('users: [{ svcId: ola@example.com, extra: { costCentre: A-12, region: North } }]')
  await workspace.apply()
  manifest('users: [{ svcId: ola@example.com, name: Ola, extra: { region: North } }]')
  await workspace.apply()
  expect(bodies().at(-1)).toEqual({
    ...{ name: 'Ola', email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
    region: 'North',
  })
})

it('ends the warning that a setting of an environment is not sent along', async () => {
  await open('told')
  const connection = (server: string, extra: string) =>
    manifest(
      'connections: [{ name: Erp, type: SQL, sql: { common: { server: ' +
        `${server}, database: d, integratedAuthentication: true${extra} } } }]`,
    )
  connection('s', ', extra: { isolation: Snapshot }')
  await workspace.apply()
  const warnings = async () => (await workspace.plan()).document.warnings.map(({ code }) => code)
  connection('t', '')
  expect(await warnings()).toEqual(['SVC1323'])
  connection('t', ', extra: { isolation: Snapshot }')
  expect(await warnings()).toEqual([])
})

it('is put together by overrides, key by key', async () => {
  await open('told', '6.0', '    overrides: [overrides]')
  manifest('users: [{ svcId: ola@example.com, extra: { costCentre: A-12, region: North } }]')
  workspace.write('overrides/test.yaml', 'users: [{ svcId: ola@example.com, extra: { region: South } }]')
  await workspace.apply()
  expect(bodies()).toEqual([{ svcId: 'ola@example.com', costCentre: 'A-12', region: 'South' }])
})

it('is seen by policies', async () => {
  await open('told')
  const rule = 'for: [user], expression: "!has(object.extra) || object.extra.costCentre <= 5", message: too much'
  workspace.write('policies/all.yaml', `policies: [{ name: costs, ${rule} }]\n`)
  manifest('users: [{ svcId: ola@example.com, extra: { costCentre: 7 } }]')
  await expect(workspace.plan()).rejects.toMatchObject({ problems: [{ message: expect.stringContaining('too much') }] })
})

it.each([
  ['extra: { email: x }', '`extra` holds `email`, a field that svcsync manages', 'Move it out of `extra`, as `email`.'],
  ['extra: { fonNo: x }', '`extra` holds `phoneNumber`, which this installation calls `fonNo`', 'as `phoneNumber`'],
  ['extra: { guid: x }', '`extra` holds `guid`, which the platform sets', 'Remove it.'],
  ['extra: { a: [{ reference: x }] }', '`extra` holds a key `reference`', 'Saved plans'],
])('%s is refused', async (extra, message, hint) => {
  await open('told', '6.0', '    wireNames: { phoneNumber: fonNo }')
  manifest(`users:\n  - { svcId: ola@example.com, ${extra} }`)
  const [problem] = await workspace.plan().then(
    () => [],
    (error: AuthorError) => error.problems,
  )
  expect(problem).toMatchObject({ code: 'SVC1330', severity: 'error', place: { line: 3 } })
  expect(problem?.message).toContain(message)
  expect(problem?.hint).toContain(hint)
})

it('passes on what is called like a word of the interface as it stands, whatever the target calls that', async () => {
  await open('told', '6.0', '    wireNames: { Modify: Change, SQL: SqlServer, svcId: svcId }')
  const own = 'mode: Modify, SQL: SQL, place: { type: SQL, of: [{ level: Modify, SQL: Change }] }'
  manifest(`users: [{ svcId: ola@example.com, extra: { ${own} } }]`)
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
  const sent = { mode: 'Modify', SQL: 'SQL', place: { type: 'SQL', of: [{ level: 'Modify', SQL: 'Change' }] } }
  expect(bodies()).toMatchObject([sent])
  expect(await workspace.changes()).toEqual([])
  manifest(`users: [{ svcId: ola@example.com, extra: { ${own.replace('mode: Modify', 'mode: Change')} } }]`)
  const { planned, report } = await workspace.run()
  const differences = [{ path: 'extra.mode', before: 'Modify', after: 'Change' }]
  expect(planned.document.changes).toMatchObject([{ differences }])
  expect(report).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
  expect(bodies().at(-1)).toMatchObject({ ...sent, mode: 'Change' })
})

it('translates the word of a connection beside such a field, and the field not', async () => {
  await open('told', '6.0', '    wireNames: { SqlLogin: ByLogin }')
  const text = (extra: string) =>
    'connections: [{ name: Erp, type: SQL, sql: { common: { server: ' +
    `s, database: d, connectionType: SqlLogin, ${extra} } } }]`
  manifest(text('extra: { connection: SqlLogin }'))
  await workspace.apply().catch(() => undefined)
  expect(bodies()).toMatchObject([{ sql: { common: { connectionType: 'ByLogin', connection: 'SqlLogin' } } }])
})
