// Elements: found by number or address, exclusive over what is theirs, and what comes from the process stays.
import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import type { Problem } from '../../src/errors/index.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { documentValidator, planSchema } from '../harness/plan-schema.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'
import { writeLine, writesOf } from '../harness/write-log.ts'
import { brief } from '../manifests/manifest-fixture.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const process = {
  name: 'P',
  privileges: [
    { svcId: 'anna', level: 'Administrator' },
    { svcId: 'staff', level: 'Start' },
  ],
  elements: [
    {
      id: 7,
      privileges: [
        { svcId: 'anna', level: 'ReadOnly' },
        { svcId: 'jan', level: 'Administrator' },
        { svcId: 'jan', level: 'ReadOnly' },
      ],
    },
    { id: 8 },
    { id: 5, privileges: [{ svcId: 'anna', level: 'Administrator' }] },
  ],
}
const tenant = {
  users: ['anna', 'jan', 'nina'].map((svcId) => ({ svcId, name: svcId })),
  groups: [{ svcId: 'staff', name: 'staff' }],
  databases: [
    { id: 1, applications: [{ name: 'A', processes: [process] }] },
    { id: 2, applications: [] },
  ],
} as unknown as Tenant

async function open(elements: string, options: WorkspaceOptions = {}): Promise<void> {
  workspace = await openWorkspace({ tenant, ...options })
  workspace.manifest(`database: main\nelements:\n${elements}`)
}
const base = '/db/1/elements/7/admin/privileges'
const writes = () => writesOf(workspace.emulator).map(writeLine)
const text = (options = {}) => ({ colour: false, width: 100, ...options })
const urlReads = () => workspace.emulator.requests().filter(({ path }) => String(path).endsWith('/urlMetadata'))
const problemsOf = async (): Promise<string[]> => {
  const found = await workspace.plan().then(
    ({ plan }) => plan.problems,
    (error: { readonly problems: readonly Problem[] }) => error.problems,
  )
  return brief(found).map((line) => line.replace(/\S*main\.yaml:/, ''))
}

it('are exclusive over their own levels, and show what comes from the process, which stays', async () => {
  await open(
    '  - { element: 7, privileges: { ReadOnly: [nina, jan] } }\n' +
      'users: [{ svcId: anna }, { svcId: jan }, { svcId: nina }]',
  )
  const { document } = await workspace.plan()
  const validate = documentValidator(planSchema)
  expect([validate(document), validate.errors]).toEqual([true, null])
  expect(document.unlistedLevels?.inherited).toEqual({
    entries: 2,
    objects: 1,
    listed: [
      { address: 'element/main/7', level: 'Administrator', accounts: [{ svcId: 'anna' }] },
      { address: 'element/main/7', level: 'Start', accounts: [{ svcId: 'staff' }] },
    ],
  })
  expect(renderPlanText(document, text()).replaceAll(/\s+/g, ' ')).toContain(
    'Inherited, and left alone: 2 entries of 1 object.',
  )
  expect(renderPlanText(document, text({ verbose: true }))).toContain('element/main/7 Administrator, inherited anna\n')
  expect(renderPlanMarkdown(document)).toContain('`element/main/7` Administrator, inherited `anna`')
  expect(document.access?.lost.map(({ subject, level }) => `${subject} ${level}`)).toEqual([
    'jan Administrator',
    'anna ReadOnly',
  ])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
  expect(writes().sort()).toEqual([
    // A removal takes all that he has: what stays is given anew.
    `DELETE ${base}?svcId=anna`,
    `DELETE ${base}?svcId=jan`,
    `POST ${base} {"user":{"svcId":"jan"},"level":"ReadOnly"}`,
    `POST ${base} {"user":{"svcId":"nina"},"level":"ReadOnly"}`,
  ])
  expect(await workspace.changes()).toEqual([])
})

it('never ask for what only the process can take: it is no difference, whatever is declared', async () => {
  await open('  - { element: 8, privileges: {} }\n  - { element: 7, privileges: {} }')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(writesOf(workspace.emulator).map(({ path, status }) => `${path} ${status}`)).toEqual([
    `${base} 200`,
    `${base} 200`,
  ])
  expect(await workspace.changes()).toEqual([])
})

it('that lose what the process gives as well take access from nobody', async () => {
  await open('  - { element: 5, privileges: {} }\nusers: [{ svcId: anna }]')
  const { document } = await workspace.plan()
  expect(document.changes.map(({ address }) => address)).toEqual(['element/main/5'])
  expect(document.access).toMatchObject({ lost: [], unknown: [] })
})

it('that are only added to lose nothing, nor what somebody else gave beside what has ended', async () => {
  await open(`  - element: 7
    privileges: { ModifyWithoutDeleting: [anna], Administrator: [{ svcId: jan, until: 2025-12-01 }] }
    manage: { privileges: additive }`)
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(writes()).toEqual([`POST ${base} {"user":{"svcId":"anna"},"level":"ModifyWithoutDeleting"}`])
})

it('are one whether they are named by number or by address, and each address is asked for once', async () => {
  await open(`  - { element: /db/1/app/1/element/7, privileges: { ReadOnly: [jan] }, manage: { privileges: additive } }
  - { element: 7, privileges: { ReadOnly: [nina] }, manage: { privileges: additive } }
  - { element: /db/1/app/1/element/7, privileges: { ReadOnly: [anna] }, manage: { privileges: additive } }`)
  const { document } = await workspace.plan()
  expect(document.changes.map(({ address }) => address)).toEqual(['element/main/7'])
  expect(urlReads()).toHaveLength(1)
  const own = workspace.emulator.url
  workspace.manifest(`database: main\nelements:\n  - { element: "${own}/db/1/app/1/element/8", privileges: {} }\n`)
  expect(await workspace.changes()).toEqual([])
})

it('say where what cannot be is written, and what to do', async () => {
  await open(`  - { element: 9 , privileges: {} }
  - { element: /db/1/app/1, privileges: {} }
  - { element: /db/2/element/7, privileges: {} }
  - { element: https://other.example.com/db/1/element/7, privileges: {} }
  - { element: Invoice, privileges: {} }
  - { element: 8, privileges: { Modify: [anna] } }
  - { element: "07", privileges: {} }`)
  expect(brief(workspace.open().problems).map((line) => line.replace(/\S*main\.yaml:/, ''))).toEqual([
    expect.stringMatching(
      /^SVC1362 6:\d+ The address is of another installation: `other.example.com`, and the target `test` is `127/,
    ),
    'SVC1361 7:7 `Invoice` is neither the number of an element nor an address',
    expect.stringContaining('SVC1101 8:'),
    'SVC1361 9:7 `07` is neither the number of an element nor an address',
  ])
  workspace.manifest(`database: main
elements:
  - { element: /db/1/app/1, privileges: {} }
  - { element: /db/2/element/7, privileges: {} }
  - { element: /db/1/app/77/element/7, privileges: {} }
`)
  expect(await problemsOf()).toEqual([
    'SVC1363 3:16 The platform knows no element at `/db/1/app/1`',
    'SVC1363 4:16 `/db/2/element/7` leads into the database 2, and is declared in main',
    'SVC1363 5:16 The platform knows no element at `/db/1/app/77/element/7`',
  ])
  // An element that is gone, by its number or by the address that it had.
  workspace.manifest(
    'database: main\nelements:\n  - { element: 9, privileges: {} }\n  - { element: 8, privileges: {} }\n',
  )
  expect(await problemsOf()).toEqual(['SVC1360 3:16 The platform has no element 9: it was deleted, or never was'])
  await workspace.control('POST', '/edits', { deleteElement: { id: 8 } })
  workspace.manifest('database: main\nelements:\n  - { element: /db/1/element/8, privileges: {} }\n')
  expect(await problemsOf()).toEqual(['SVC1360 3:16 The platform has no element 8: it was deleted, or never was'])
})

it('that declare what is inherited are given it once more, with a warning', async () => {
  await open('  - { element: 8, privileges: { Administrator: [Anna] } }')
  expect(await problemsOf()).toEqual([
    'warning SVC1364 3:49 Anna (Administrator) is inherited already; the plan grants it again, on this object alone',
  ])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(await problemsOf()).toEqual([])
  // Nor where hers is taken with another level, and given anew.
  workspace.manifest('elements: [{ element: 8, privileges: { Administrator: [anna], ReadOnly: [anna] } }]')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  workspace.manifest('elements: [{ element: 8, privileges: { Administrator: [anna] } }]')
  expect(await problemsOf()).toEqual([])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
})

it('are the same in API 5.0, by number and by address', async () => {
  const elements =
    '  - { element: 7, privileges: { ReadOnly: [nina] } }\n' +
    '  - { element: /db/1/app/1/element/8, privileges: { Administrator: [jan] } }'
  await open(elements, { target: '    apiVersion: "5.0"' })
  expect(await problemsOf()).toEqual([])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect((await workspace.plan()).document.counts.steps).toBe(0)
  expect(new Set(workspace.emulator.requests().map(({ api }) => api))).not.toContain('6.0')
})

it('are carried by a saved plan, by the address as by the number', async () => {
  await open('  - { element: /db/1/app/1/element/7, privileges: { ReadOnly: [nina] } }')
  const saved = await savedText(workspace)
  expect(await applySaved(workspace, saved)).toMatchObject({ outcome: 'converged' })
  await expect(applySaved(workspace, saved)).rejects.toMatchObject({ code: 'SVC2107' })
})

it('lose what the manifests gave them and list no more, and are nobody’s business when they are gone', async () => {
  const declared = (rest: string) => `database: main\nelements: [${rest}]\n`
  await open('[]')
  const given = '{ element: 7, privileges: { ReadOnly: [jan] }, manage: { privileges: additive } }'
  workspace.baseManifest(declared(`${given}, { element: /db/1/element/5, privileges: { Administrator: [anna] } }`))
  workspace.manifest(declared('{ element: 8, privileges: {} }'))
  const { document } = await workspace.plan({ base: 'folder' })
  expect(document.noLongerDeclared).toMatchObject([
    { address: 'element/main/5', becomes: 'removed' },
    // A removal would take what somebody else gave him, too.
    { address: 'element/main/7', becomes: 'kept' },
  ])
  await workspace.control('POST', '/edits', [{ deleteElement: { id: 5 } }, { deleteElement: { id: 7 } }])
  const gone = await workspace.plan({ base: 'folder' })
  expect(gone.document).toMatchObject({ changes: [], unreadable: [], warnings: [] })
})

it('of the example hold on the installation of the quickstart', async () => {
  await open('  []')
  const { apiApplications: _, ...quickstart } = parse(readFileSync('examples/quickstart/tenant.yaml', 'utf8')) as Tenant
  workspace.emulator.load(quickstart)
  workspace.manifest(readFileSync('src/kinds/element/example.yaml', 'utf8'))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 3 } })
  expect(await workspace.changes()).toEqual([])
})

it('are exported by their own address, and asked for by no other', async () => {
  await open('  - { element: 7, privileges: {} }')
  const all = await workspace.export()
  expect(all.files.map(({ text }) => text).join()).not.toContain('elements:')
  const { files, leftOut } = await workspace.export({ only: ['element/main/7', 'element/main/9'] })
  expect(leftOut.map(({ address }) => address)).toEqual(['element/main/9'])
  expect(files.map(({ text }) => text).join()).toContain('elements:')
  workspace.manifest(files.map(({ text }) => text).join('---\n'))
  expect(await workspace.changes()).toEqual([])
})
