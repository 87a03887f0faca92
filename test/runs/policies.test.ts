// Policies in whole runs: where they are found, what they are asked about, and that a policy that holds changes
// nothing.
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { AuthorError, OperatorError, RefusedError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { withPolicies } from '../../src/runs/open/with-policies.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const manifest = `users: [{ svcId: a@example.com, name: A }, { svcId: b@example.com, name: B }]
groups: [{ svcId: g@example.com, name: G, members: [a@example.com, b@example.com] }]
`
const policy = (fields: string): string => `policies:\n  - { name: it, message: no, ${fields} }\n`

let workspace: Workspace
let project: string
beforeAll(async () => {
  workspace = await openWorkspace()
  project = join(workspace.dir, 'svcsync.yaml')
})
afterAll(() => workspace.close())
beforeEach(async () => {
  rmSync(join(workspace.dir, 'policies'), { recursive: true, force: true })
  workspace.manifest(manifest)
  await workspace.control('PUT', '/state', {})
})

/** Codes and addresses of what a plan is refused for. */
async function denials(only: readonly string[] = []): Promise<readonly string[]> {
  try {
    await workspace.plan({ only })
    return []
  } catch (error) {
    if (!(error instanceof AuthorError)) throw error
    return error.problems.map(({ code, address, place }) => `${code} ${address ?? place?.file}`)
  }
}

it('that hold change nothing in a plan but the number of guards', async () => {
  const { document: without } = await workspace.plan()
  const all = `for: [${kinds.map(({ name }) => name).join(', ')}]`
  workspace.write('policies/a.yaml', policy(`${all}, expression: 'true'`))
  workspace.write('policies/deep/b.yml', policy(`${all}, on: change, expression: 'true'`).replace('it', 'it-too'))
  const { document } = await workspace.plan()
  expect(document.guards.slice(without.guards.length)).toMatchObject([{ guard: 'policy/it-too', verdict: 'passed' }])
  expect({ ...document, digest: '', guards: [] }).toEqual({ ...without, digest: '', guards: [] })
})

it('look at what is selected, and know the accounts that are not', async () => {
  workspace.write('policies/a.yaml', policy(`for: [user, group], expression: 'false'`))
  expect(await denials()).toEqual(
    ['a@example.com', 'b@example.com'].map((id) => `SVC1801 user/${id}`).concat('SVC1801 group/g@example.com'),
  )
  expect(await denials(['user/b*'])).toEqual(['SVC1801 user/b@example.com'])
  workspace.write('policies/a.yaml', policy(`for: [group], expression: 'object.members.all(m, m.account == "user")'`))
  expect(await denials(['group/*'])).toEqual([])
})

it('are found where the project file says, and are no manifests', async () => {
  const original = workspace.open().project
  expect(original.policies).toEqual([])
  workspace.write('policies/a.yaml', policy(`for: [user], expression: 'false'`))
  workspace.write('manifests/rules/b.yaml', policy(`for: [group], expression: 'false'`))
  const text = readFileSync(project, 'utf8')
  const files = async (lines: string): Promise<readonly string[]> => {
    workspace.write('svcsync.yaml', text.replace('manifests: [manifests]', lines))
    const { problems, policies = [] } = await withPolicies(workspace.open())
    return [...policies.map(({ place }) => place.file), ...problems.map(({ code, message }) => `${code} ${message}`)]
  }
  try {
    expect(await files('manifests: [manifests]\npolicies: [manifests/rules]')).toEqual(['manifests/rules/b.yaml'])
    expect(
      await files('manifests: ["manifests/**/*.yaml", policies]\npolicies: [manifests/r*/*.yaml, policies/a.yaml]'),
    ).toEqual(['manifests/rules/b.yaml', 'policies/a.yaml', 'SVC1301 There are two policies `it`'])
    expect(await files('manifests: [manifests/main.yaml]\npolicies: []')).toEqual([])
    expect(await files('manifests: [manifests/main.yaml]\npolicies: [nowhere]')).toEqual([
      'SVC1001 There is no file or folder `nowhere`',
    ])
    mkdirSync(join(workspace.dir, 'empty'), { recursive: true })
    expect(await files('manifests: [manifests/main.yaml]\npolicies: [empty]')).toEqual([
      'SVC1001 The folder `empty` holds no policy file',
    ])
  } finally {
    workspace.write('svcsync.yaml', text)
    rmSync(join(workspace.dir, 'manifests/rules'), { recursive: true })
  }
})

it('are not left out in silence where their folder leads nowhere', async () => {
  symlinkSync('nowhere', join(workspace.dir, 'policies'))
  expect(workspace.open().problems.map(({ message }) => message)).toContain('There is no file or folder `policies`')
})

it('are not asked about what is only half read', async () => {
  workspace.write('policies/a.yaml', policy(`for: [user], expression: 'false'`))
  workspace.manifest(`${manifest}constants: [{ nmae: x }]\n`)
  expect((await denials()).filter((line) => line.includes('SVC18'))).toEqual([])
  workspace.manifest(manifest)
  workspace.write('policies/b.yaml', policy('for: [user], expression: objct'))
  expect(await denials()).toEqual(['SVC1301 policies/b.yaml', 'SVC1803 policies/b.yaml'])
})

it('refuse an apply until what they deny is allowed by name', async () => {
  workspace.write('policies/a.yaml', policy(`for: [user], on: change, expression: 'action != "create"'`))
  const allow = ['policy/it=user/a@example.com', 'policy/it=user/b@example.com']
  await expect(workspace.apply({ guarded: true, allow: allow.slice(1) })).rejects.toThrow(RefusedError)
  await expect(workspace.apply({ guarded: true, allow: ['policy/its=user/a@example.com'] })).rejects.toThrow(
    OperatorError,
  )
  expect(writesOf(workspace.emulator)).toEqual([])
  expect((await workspace.apply({ guarded: true, allow })).outcome).toBe('converged')
  const { document } = await workspace.plan({ allow })
  expect(document.warnings.map(({ code }) => code)).toEqual(['SVC2072', 'SVC2072'])
})

it('say once that they cannot see who gains what on what was not read', async () => {
  const objects = 'database: main\nprocesses: [{ process: P, privileges: { Start: [g@example.com] } }]\n'
  workspace.write('manifests/process.yaml', objects)
  await workspace.control('PUT', '/state', {
    databases: [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P' }] }] }],
  })
  const gaining = `for: [user, group], on: change, expression: 'access.gained.size() < 100'`
  workspace.write('policies/a.yaml', policy(gaining))
  workspace.write('policies/b.yaml', policy(gaining).replace('it', 'too'))
  const said = async (only: readonly string[]) => {
    const { warnings } = (await workspace.plan({ only })).document
    return warnings.flatMap(({ code, message }) => (code === 'SVC1345' ? message : []))
  }
  expect(await said(['user/*', 'group/*'])).toEqual([expect.stringContaining('`it`, `too`')])
  expect(await said([])).toEqual([])
  workspace.write('policies/c.yaml', policy(gaining).replace('it', 'unknown').replace('gained', 'unknown'))
  expect(await said(['user/*', 'group/*'])).toEqual([])
  rmSync(join(workspace.dir, 'manifests/process.yaml'))
})
