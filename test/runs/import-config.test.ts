// The configuration of an import: what of it is wrong, and what is sent for it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importConfigText } from '../../src/runs/import/import-config-text.ts'
import { useImports } from './import-fixture.ts'

const lab = useImports()
const { configured } = lab

it('that names nothing is refused: the import would be done, and nothing imported', async () => {
  for (const text of ['{}\n', 'database: main\n'])
    expect((await configured(text)).problems).toMatchObject([{ code: 'SVC2188', place: { line: 1 } }])
})

it('has names where guids are wanted, and null for what is not given', async () => {
  const { body, problems } = await configured(`importOnlySelectedApplications:
- appGuid: Sales
  importOnlySelectedProcesses: [{ processGuid: Invoices, deploymentMode: true }]
overwriteSelectedGlobalConstants: [Limit]
`)
  expect(problems).toEqual([])
  const [, sales] = lab.workspace.emulator.state().databases?.[0]?.applications ?? []
  expect(body).toMatchObject({
    importAllNewApplications: false,
    importOnlySelectedSvcGroups: null,
    importOnlySelectedApplications: [
      {
        appGuid: sales?.guid,
        importOnlySelectedPresentationsObjects: null,
        importOnlySelectedProcesses: [
          { processGuid: sales?.processes?.[0]?.guid, deploymentMode: true, deploymentModeMailRecipient: null },
        ],
      },
    ],
    overwriteSelectedGlobalConstants: [lab.workspace.emulator.state().databases?.[0]?.constants?.[0]?.guid],
  })
})

it('is taken as the page of the command shows it', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/commands/import.md'), 'utf8')
  const { body, problems } = await configured(/```yaml\n(.*?)```/s.exec(page)?.[1] ?? '')
  expect(problems).toEqual([])
  expect(body).toMatchObject({ importOnlySelectedApplications: [{ appGuid: expect.stringMatching(/^[\w-]{36}$/) }] })
})

it('is refused with all that is wrong, at its place', async () => {
  const before = lab.workspace.emulator.requests().length
  const { problems } = await configured(`importSvcGroup: true
overwriteSecuritySettings: maybe
importAllNewProcesses: true
importOnlySelectedApplications: [{ appGuid: Sales }]
`)
  expect(problems.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`)).toEqual([
    'SVC1101 1:1',
    'SVC1102 2:28',
    'SVC2188 3:24',
  ])
  expect(lab.workspace.emulator.requests().length).toBe(before)
  const missing = await configured('importOnlySelectedApplications: [{ importOnlySelectedProcesses: [{}] }]\n')
  expect(missing.problems.map(({ message }) => message)).toEqual([
    'The key `processGuid` is missing in this entry of `importOnlySelectedProcesses`',
    'The key `appGuid` is missing in this entry of `importOnlySelectedApplications`',
  ])
  const unknown =
    await configured(`importOnlySelectedApplications: [{ appGuid: Sale }, { appGuid: Purchasing, importOnlySelectedProcesses: [{ processGuid: Orders }] }]
overwriteSelectedGlobalConstants: [Limits]
overwriteSelectedDataSources: [By name]
`)
  expect(unknown.body).toBeUndefined()
  expect(unknown.problems.map(({ message }) => message)).toEqual([
    'The platform has no application `Sale`',
    'The platform has no process `Orders`',
    'The platform has no constant `Limits`',
    '`By name` is no guid, and the platform does not list data sources by name',
  ])
  expect(unknown.problems[0]?.hint).toBe('Did you mean `Sales`?')
  const untyped =
    await configured(`importOnlySelectedApplications: [{ appGuid: Sales, importOnlySelectedProcesses: [{ processGuid: Invoices, deploymentMode: Test }, { processGuid: Invoices, deploymentMode: null }] }]
`)
  expect(untyped.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'SVC1102 `deploymentMode` must be `true` or `false`, but is the text `Test`',
  ])
  const unlisted =
    await configured(`importOnlySelectedApplications: [{ appGuid: Sales, importOnlySelectedPresentationsObjects: [Report] }]
importOnlySelectedDictionaryElements: [{ dictionaryGuid: Countries, overwriteElements: true }]
importOnlySelectedDocTemplates: [{ docTemplateGuid: Invoice }]
`)
  expect(unlisted.problems.map(({ message }) => message)).toEqual([
    '`Report` is no guid, and the platform does not list objects that show data by name',
    '`Countries` is no guid, and the platform does not list dictionaries by name',
    '`Invoice` is no guid, and the platform does not list templates of documents by name',
  ])
  const anew = await configured(
    `importOnlySelectedApplications: [{ appGuid: ${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}, ` +
      'importOnlySelectedProcesses: [{ processGuid: Orders }] }]\n',
  )
  expect(anew.problems.map(({ message, hint }) => `${message}. ${hint}`)).toEqual([
    'The platform has no process `Orders`. Use the guid of objects that are new in the package, or that share a name.',
  ])
})

it('that `--init` writes leaves the choice among several databases to a person', () => {
  expect(importConfigText(['main', 'hr'])).toContain('\n# database: main | hr\n')
  expect(importConfigText(['main'])).toContain('\ndatabase: main\n')
  expect(importConfigText([])).toContain('\ndatabase: NAME\n')
})
