// Policies in the built command: what each command shows of them, and with which exit code.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const denies = (on: string): string => `policies:
  - name: no-guests
    description: Guests are let in by others.
    for: [user]
    on: ${on}
    expression: |
      !object.svcId
        .endsWith("@guests.example.com")
    message: A guest is declared
`

let workspace: Workspace
const run = (...args: readonly string[]) => runCommand(args, workspace.dir, credentials)
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())
beforeEach(async () => {
  rmSync(join(workspace.dir, 'policies'), { recursive: true, force: true })
  workspace.manifest('users:\n  - { svcId: eva@guests.example.com, name: Eva }\n')
  await workspace.control('PUT', '/state', {})
})

describe('an object that a policy denies', () => {
  beforeEach(() => workspace.write('policies/guests.yaml', denies('desired')))

  it('is an error of validate, in every format', async () => {
    const said = 'A guest is declared (policy `no-guests`)'
    const text = await run('validate')
    expect(text).toMatchObject({ code: 1, stderr: '' })
    expect(text.stdout).toContain(`manifests/main.yaml:2:5\n  error SVC1801  ${said}`)
    expect(text.stdout).toContain('policies/guests.yaml:2:11  the policy')
    for (const format of ['json', 'github', 'gitlab', 'azure', 'sarif', 'junit']) {
      const { code, stdout } = await run('validate', '--format', format)
      expect({ format, code }).toEqual({ format, code: 1 })
      expect(stdout).toContain('SVC1801')
      expect(stdout).toContain(said)
    }
  })

  it('is an error of plan and apply, before any write', async () => {
    for (const args of [['plan'], ['drift'], ['apply', '--yes']]) {
      const { code, stdout, stderr } = await run(...args)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('error SVC1801  A guest is declared')
    }
    expect(writesOf(workspace.emulator)).toEqual([])
  })
})

describe('a change that a policy denies', () => {
  const option = '--allow policy/no-guests=user/eva@guests.example.com'
  beforeEach(() => workspace.write('policies/guests.yaml', denies('change')))

  it('is shown by plan, and nothing to validate', async () => {
    expect(await run('validate')).toMatchObject({ code: 0 })
    const text = await run('plan')
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toContain('policy/no-guests  `user/eva@guests.example.com`: A guest is declared.')
    expect(text.stdout).toContain(option)
    expect((await run('plan', '--format', 'markdown')).stdout).toContain(option)
    const { guards } = JSON.parse((await run('plan', '--format', 'json')).stdout)
    expect(guards.at(-1)).toMatchObject({ guard: 'policy/no-guests', verdict: 'refused' })
  })

  it('is refused by apply, with 4, unless it is allowed', async () => {
    const refused = await run('apply', '--yes')
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain(option)
    expect(writesOf(workspace.emulator)).toEqual([])
    const mistaken = await run('apply', '--yes', '--allow', 'policy/no-guest=user/eva@guests.example.com')
    expect(mistaken.code).toBe(1)
    expect(mistaken.stderr).toContain('Did you mean `policy/no-guests`?')
    expect(await run('apply', '--yes', ...option.split(' '))).toMatchObject({ code: 0 })
  })
})

it('an expression that is wrong is shown at its place in the file', async () => {
  workspace.write('policies/guests.yaml', denies('desired').replace('.endsWith', '.endWith'))
  const { code, stdout } = await run('validate')
  expect(code).toBe(1)
  expect(stdout).toContain('policies/guests.yaml:7:8\n  error SVC1803')
})

it('the engine is loaded by nothing but a project with policies', () => {
  const dist = resolve('dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => /\.c?js$/.test(name))
  const loads = (pattern: RegExp): string[] =>
    files.filter((name) => pattern.test(readFileSync(join(dist, name), 'utf8')))
  const [engine, ...others] = loads(/Exceeded maxAstNodes|maxAstNodes:/)
  expect({ engine, others }).toEqual({ engine: expect.stringMatching(/^chunks.policies-/), others: [] })
  // A module loaded by `import()` becomes `Promise.resolve().then(() => __toESM(require(…)))`.
  expect(
    loads(/(?:from|import)\s*"\.\/(?:chunks\/)?policies-|(?<!__toESM\()require\("\.\/(?:chunks\/)?policies-/),
  ).toEqual([])
  expect(loads(/=>__toESM\(require\("\.\/(?:chunks\/)?policies-/).length).toBeGreaterThan(0)
})

it('says that there are no policies to test', async () => {
  expect(await run('policies', 'test')).toMatchObject({ code: 0, stdout: 'The project has no policies.\n' })
})

it('shows of the tests what the page about policies shows', async () => {
  const page = readFileSync('docs/policies.md', 'utf8')
  const yaml = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const [, shown = ''] = /```console\n\$ svcsync policies test\n([\s\S]*?)```/.exec(page) ?? []
  workspace.write('policies/accounts.yaml', yaml.find((text) => text.includes('policies:\n')) ?? '')
  workspace.write('policies/tests/accounts.yaml', yaml.find((text) => text.startsWith('tests:\n')) ?? '')
  const tested = await run('policies', 'test')
  expect(tested).toMatchObject({ code: 0, stderr: '' })
  expect(tested.stdout).toBe(shown)
  const json = JSON.parse((await run('policies', 'test', '--format', 'json')).stdout)
  expect(json).toMatchObject({
    counts: { errors: 0 },
    coverage: [{ policy: 'two-owners', tests: 1, holds: 1, breaks: 1 }],
  })
  workspace.write(
    'policies/tests/accounts.yaml',
    `${yaml.find((text) => text.startsWith('tests:\n'))}`.replace('finance@example.com]', 'sales@example.com]'),
  )
  expect((await run('policies', 'test')).code).toBe(1)
  expect((await run('validate')).stdout).toContain('error SVC1805')
  // They are no business of a plan.
  workspace.manifest('users: []\n')
  expect((await run('plan')).code).toBe(0)
})
