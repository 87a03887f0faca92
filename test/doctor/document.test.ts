// `doctor --openapi`: a problem for each declared kind, and the whole document on request.
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { checkDocument } from '../../src/cli/commands/platform/doctor.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

async function open(manifest: string, change: (text: string) => string, target = ''): Promise<void> {
  workspace = await openWorkspace({ tenant: { databases: [{ id: 1, applications: [] }] } as never, target })
  workspace.manifest(manifest)
  workspace.write('openapi.json', change(JSON.stringify(interfaceDocument('6.0'))))
}
const held = (whole = false) => checkDocument(join(workspace.dir, 'openapi.json'), workspace.open(), { whole })

const connections = `database: main
connections:
  - { name: Erp, type: SQL, sql: { common: { server: s, database: d, integratedAuthentication: true } } }
  - { name: Docs, type: DocPortal, docportal: { common: { url: u, credentials: Svc App } } }
`
/** A later release: no \`integratedAuthentication\`, and another word beside one that is gone. */
const later = (text: string) =>
  text
    .replaceAll(/"integratedAuthentication":\{[^}]*\},?/g, '')
    .replaceAll(/,\}/g, '}')
    .replaceAll(/"integratedAuthentication",|,"integratedAuthentication"/g, '')
    .replaceAll('"Svc App"', '"Managed identity","Certificate"')

it('is a problem where it lacks a field or a word that a manifest declares', async () => {
  await open(connections, later)
  const check = await held()
  expect(check).toMatchObject({
    result: 'problem',
    code: 'SVC3080',
    found: expect.stringContaining('Data connections.'),
  })
  const details = check.details?.join('\n')
  expect(details).toContain(
    'Data connections: `sql.common` of POST /db/{dbId}/admin/connections has no `integratedAuthentication`',
  )
  expect(details).toContain(
    'Data connections: `docportal.common.credentials` of POST /db/{dbId}/admin/connections does not have `Svc App`',
  )
  expect(check.details?.filter((line) => line.includes('`dev`') || line.includes('.dev`'))).toEqual([])
  expect(check.details?.at(-1)).toMatch(
    /^\d+ other things? differs? that nothing declared here asks for: `--verbose` lists them$/,
  )
})

it('is well where nothing that is declared is missing, and lists the rest where it is asked for', async () => {
  await open('groups: [{ svcId: g, name: G }]', later)
  expect(await held()).toMatchObject({ result: 'ok', found: expect.stringMatching(/: `--verbose` lists them\.$/) })
  const whole = await held(true)
  expect(whole.result).toBe('ok')
  expect(whole.details?.join('\n')).toContain('Data connections, not declared here: `sql.common` of POST')
})

it('takes the names of the target where the document leaves them open', async () => {
  const words = (text: string) => text.replaceAll('"SvcSelf"', '"OneSelf"').replaceAll('"CrmSuiteB"', '"Dynamo"')
  const declared = `database: main
connections: [{ name: Crm, type: REST, rest: { common: { baseUrl: b, authentication: CrmSuiteB } } }]
`
  await open(declared, words)
  expect(await held()).toMatchObject({
    result: 'problem',
    details: expect.arrayContaining([expect.stringContaining('`CrmSuiteB` is not aligned')]),
  })
  await workspace.close()
  await open('groups: [{ svcId: g, name: G }]', words)
  expect(await held()).toMatchObject({ result: 'ok' })
  await workspace.close()
  await open(declared, words, '    wireNames: { SvcSelf: OneSelf, CrmSuiteB: Dynamo }')
  expect(await held(true)).toEqual({
    check: 'interface',
    result: 'ok',
    found: expect.stringMatching(/with all that svcsync asks for\.$/),
  })
})
