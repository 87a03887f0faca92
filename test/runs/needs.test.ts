// Plans without the variables and files of fields that are never compared: the same plan, with a list of what it lacks.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AuthorError, OperatorError } from '../../src/errors/index.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const manifest = (server = 's') => `database: main
connections:
  - name: ERP
    type: SQL
    sql:
      common: { server: ${server}, database: d, integratedAuthentication: false, user: "DOM\\\\\${env:LOGIN}", password: "\${env:PASSWORD}" }
      test: { server: t, integratedAuthentication: false, user: u, password: "\${file:mounted.txt}" }
`
const secrets = { LOGIN: 'erp', PASSWORD: 'password-that-nobody-may-see' }
const without = ['LOGIN', 'PASSWORD']

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant, env: secrets })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load(sampleTenant)
  workspace.manifest(manifest())
  workspace.write('manifests/mounted.txt', 'mounted\n')
  await workspace.control('DELETE', '/requests')
})

const failureOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => undefined,
    (reason: unknown) => reason,
  )

describe('a plan without what only an apply needs', () => {
  it('is the plan with it, of a create, of an update and of nothing, and lists what it lacks', async () => {
    for (const [text, actions] of [
      [manifest(), ['create']],
      [manifest('other'), ['update']],
      [manifest('other'), []],
    ] as const) {
      workspace.manifest(text)
      const whole = (await workspace.plan()).document
      const lacking = (await workspace.plan({ without })).document
      expect(lacking.changes.map(({ action }) => action)).toEqual(actions)
      expect(lacking).toMatchObject({ digest: whole.digest, needs: without })
      expect(whole.needs).toEqual([])
      expect({ ...lacking, needs: [] }).toEqual(whole)
      expect(documentValidator(closedPlanSchema)(JSON.parse(JSON.stringify(lacking)))).toBe(true)
      await workspace.apply()
    }
  })

  it('is none where the file of a field that is compared is missing, and needs no file of a credential', async () => {
    workspace.manifest(manifest().replace('mounted.txt', 'not-here.txt'))
    expect((await workspace.plan({ without: [] })).document.needs).toEqual(['not-here.txt'])
    expect(await failureOf(workspace.plan())).toMatchObject({ problems: [{ code: 'SVC1202' }] })
    workspace.manifest(`${manifest()}constants: [{ name: C, common: "\${file:not-here.txt}" }]\n`)
    expect(await failureOf(workspace.plan({ without }))).toMatchObject({ problems: [{ code: 'SVC1202' }] })
  })

  it('is none where a field that is compared names it as well', async () => {
    workspace.manifest(`${manifest()}constants: [{ name: C, common: "\${env:PASSWORD}" }]\n`)
    expect(await failureOf(workspace.plan({ without }))).toMatchObject({
      problems: [{ code: 'SVC1201', place: { line: 8 } }],
    })
  })

  it('applies when it was saved, where all is there, and otherwise says where each is named', async () => {
    const text = await savedText(workspace, { without })
    expect(parsed(text).needs).toEqual(without)
    const { LOGIN: _, ...env } = workspace.env
    const error = await failureOf(applySaved(workspace, text, { env: { ...env, PASSWORD: '' } }))
    expect(error).toBeInstanceOf(AuthorError)
    expect((error as AuthorError).problems.map(({ code, place }) => [code, place?.line])).toEqual([
      ['SVC1201', 6],
      ['SVC1201', 6],
    ])
    expect(writesOf(workspace.emulator)).toEqual([])
    expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged' })
    expect(writesOf(workspace.emulator)).toHaveLength(1)
  })

  it('is not applied as it stands: nothing is sent in the place of a credential', async () => {
    const error = await failureOf(workspace.apply({ without }))
    expect(error).toBeInstanceOf(OperatorError)
    expect(error).toMatchObject({ code: 'SVC1201', message: expect.stringContaining('LOGIN, PASSWORD') })
    expect(writesOf(workspace.emulator)).toEqual([])
  })
})
