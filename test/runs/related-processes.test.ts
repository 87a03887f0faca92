// A process that is lent to a second application: one object, at the application that owns it, whichever it is found
// by.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openRewording } from '../harness/rewording.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const users = ['jan', 'ewa'].map((name) => ({ svcId: `${name}@example.com`, name }))
const approval = {
  name: 'Approval',
  constants: [{ name: 'Limit', common: '1' }],
  privileges: [{ svcId: 'jan@example.com', level: 'Administrator' }],
  formTypes: [{ name: 'Invoice' }],
  workflows: [{ name: 'Main', formTypes: ['Invoice'] }],
}
// The one that borrows comes first, and has a process of its own.
const databases = [
  {
    id: 1,
    applications: [
      { name: 'Borrowing', relatedProcesses: ['Approval'], processes: [{ name: 'Own' }] },
      { name: 'Owning', processes: [approval] },
    ],
  },
]

let workspace: Workspace
const open = async (apiVersion = '6.0') => {
  workspace = await openWorkspace({ tenant: { users, databases } as never, target: `    apiVersion: "${apiVersion}"` })
}
afterEach(() => workspace.close())

const address = 'process/main/Owning/Approval'
const processes = (...items: string[]) =>
  workspace.manifest(`database: main\nprocesses:\n${items.map((item) => `  - { ${item} }\n`).join('')}`)

it.each(['', ', application: Borrowing', ', application: Owning'])(
  'is found at its owner (%s)',
  async (application) => {
    await open()
    processes(`process: Approval${application}, privileges: { Start: [ewa@example.com] }`)
    const { planned, report } = await workspace.run()
    expect(planned.document.changes.map((change) => change.address)).toEqual([address])
    expect(report).toMatchObject({ outcome: 'converged' })
    expect(await workspace.changes()).toEqual([])
  },
)

it('takes what both applications say of it together', async () => {
  await open()
  processes(
    'process: Approval, application: Borrowing, constants: [{ name: Limit, common: "2" }]',
    'process: Approval, application: Owning, privileges: { Start: [ewa@example.com] }',
  )
  expect(await workspace.changes()).toEqual([`update ${address}`, `update ${address}/constant/Limit`])
})

it.each(['6.0', '5.0'])('is an error with both places where it is declared twice (%s)', async (apiVersion) => {
  await open(apiVersion)
  for (const said of ['privileges: { Start: [ewa@example.com] }', 'constants: [{ name: Limit, common: "2" }]']) {
    processes(`process: Approval, application: Borrowing, ${said}`, `process: Approval, application: Owning, ${said}`)
    await expect(workspace.plan()).rejects.toMatchObject({
      problems: [{ code: 'SVC1301', place: { line: 4 }, related: [{ place: { line: 3 } }] }],
    })
  }
})

it.each(['6.0', '5.0'])('is exported and counted once, and what was exported is as it is (%s)', async (version) => {
  await open(version)
  const { files, leftOut } = await workspace.export({ extent: 'complete' })
  expect(leftOut).toEqual([])
  for (const { file, text } of files) if (file.endsWith('.yaml')) workspace.write(`manifests/${file}`, text)
  const declared = files.map(({ text }) => text).join('\n')
  expect(declared.match(/process: Approval/g)).toHaveLength(1)
  // 5.0 does not tell who lends it.
  expect(declared).toContain(`application: ${version === '6.0' ? 'Owning' : 'Borrowing'}`)
  const { document } = await workspace.plan({ unmanaged: { everywhere: true } })
  expect(document.changes).toEqual([])
  if (version === '6.0') expect(document.unmanaged?.process).toMatchObject({ live: 2, declared: 2 })
})

it('stays where it is found while the list of its owner cannot be read', async () => {
  await open()
  const owner = workspace.emulator.state().databases?.[0]?.applications?.[1]?.guid
  workspace.emulator.addFault({
    match: { path: `*/applications/${owner}/processes` },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  processes('process: Approval, application: Borrowing, privileges: { Start: [ewa@example.com] }')
  expect(await workspace.changes()).toEqual(['update process/main/Borrowing/Approval'])
})

it.each(['6.0', '5.0'])('is counted once among what no manifest declares, also in %s', async (apiVersion) => {
  await open(apiVersion)
  const counted = async () => (await workspace.plan({ unmanaged: { everywhere: true } })).document.unmanaged?.process
  workspace.manifest('database: main')
  expect(await counted()).toMatchObject({ live: 2, declared: 0, addresses: { length: 2 } })
  processes('process: Approval, application: Owning, privileges: {}')
  expect(await counted()).toMatchObject({ live: 2, declared: 1, addresses: ['process/main/Borrowing/Own'] })
})

it('is told to be left out of an export where no application that is listed owns it', async () => {
  await open()
  const wire = await openRewording(workspace.emulator.url)
  try {
    wire.reword = (path, answer) => {
      const { applications } = answer as { applications?: { name: string }[] }
      return /\/applications$/.test(path) && applications !== undefined
        ? { applications: applications.filter(({ name }) => name === 'Borrowing') as never }
        : answer
    }
    const file = join(workspace.dir, 'svcsync.yaml')
    workspace.write('svcsync.yaml', readFileSync(file, 'utf8').replace(workspace.emulator.url, wire.url))
    const { leftOut } = await workspace.export()
    expect(leftOut).toMatchObject([{ reason: 'Approval is lent by an application that is not listed' }])
  } finally {
    await wire.close()
  }
})

it('is told to be left out also where another database has a process of its guid', async () => {
  const copied = { ...approval, guid: 'b0000000-0000-4000-8000-000000000001' }
  const [here] = databases as [(typeof databases)[number]]
  const [borrowing, owning] = here.applications
  workspace = await openWorkspace({
    tenant: {
      users,
      databases: [
        { ...here, applications: [borrowing, { ...owning, processes: [copied] }] },
        { id: 2, applications: [{ name: 'Owning', processes: [copied] }] },
      ],
    } as never,
  })
  const file = join(workspace.dir, 'svcsync.yaml')
  workspace.write('svcsync.yaml', readFileSync(file, 'utf8').replace('{ main: 1 }', '{ main: 1, other: 2 }'))
  const owner = workspace.emulator.state().databases?.[0]?.applications?.[1]?.guid
  const match = { path: `/db/1/applications/${owner}/processes` }
  workspace.emulator.addFault({ match, count: null, effect: { kind: 'status', status: 403 } })
  const { leftOut } = await workspace.export()
  expect(leftOut.map(({ reason }) => reason)).toEqual([
    'Approval is lent by an application that is not listed',
    expect.stringContaining('403'),
  ])
})
