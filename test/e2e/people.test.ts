// The commands that edit manifests, as their users run them: the built command on the emulator, with files that cannot be written.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const anna = 'anna@example.com'
const manifest = `# everybody
users:
  - { svcId: anna@example.com, name: Anna, email: anna@example.com } # leaves
  - { svcId: jan@example.com, name: Jan, email: jan@example.com, managerSvcId: anna@example.com }
groups:
  - svcId: team@example.com
    name: Team
    members: [anna@example.com, jan@example.com]
    owners: [anna@example.com]
licenses:
  - { svcId: anna@example.com, licenses: [{ type: PowerUser }] }
applications:
  - application: Purchasing
    privileges: { Administrator: [anna@example.com, team@example.com] }
substitutions:
  - { person: jan@example.com, substitute: anna@example.com, type: TaskDelegation, from: 2100-01-01, to: 2100-02-01 }
`

let workspace: Workspace

beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: { users: [], databases: [{ id: 1, applications: [{ name: 'Purchasing' }] }], licenses: {} },
  })
  workspace.manifest(manifest)
})
afterEach(() => workspace.close())

const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
const text = (file = 'manifests/main.yaml') => readFileSync(join(workspace.dir, file), 'utf8')

it('leaves nothing of a person on the platform', async () => {
  expect((await run('apply', '--yes')).code).toBe(0)
  const { code, stdout, stderr } = await run('leave', 'Anna@Example.com', '--successor', 'jan@example.com')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Edited\n  manifests/main.yaml  +')
  expect(stdout).toMatch(/Access\n {2}\+ jan@example\.com gains/)
  expect(text()).toMatch(/^# everybody\nusers:\n {2}- \{ svcId: anna@example.com, absent: true \} # leaves\n/)
  const applied = await run('apply', '--yes', '--allow', 'deletions=5', '--allow', 'removals=20')
  expect(applied.code, applied.stderr + applied.stdout).toBe(0)
  expect(JSON.stringify((await workspace.export()).files)).not.toContain('anna@example.com')
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0)
  const again = await run('leave', anna)
  expect(again.stdout).toContain('The manifests say so already')
})

it('shows a difference, and writes nothing, with --dry-run', async () => {
  const { code, stdout } = await run('leave', anna, '--successor', 'jan@example.com', '--dry-run')
  expect({ code, text: text() }).toEqual({ code: 0, text: manifest })
  expect(stdout).toContain('\n+    owners: [jan@example.com]\n')
})

const before = {
  'manifests/main.yaml': manifest,
  'manifests/more.yaml': `memberships:\n  - group: all@example.com\n    members: [anna@example.com]\n`,
}
const leaving = ['leave', anna, '--successor', 'jan@example.com', '--offline']

function expectUntouched(): void {
  for (const [file, content] of Object.entries(before)) expect(text(file)).toBe(content)
  const names = readdirSync(join(workspace.dir, 'manifests'))
  expect([...names, ...readdirSync(workspace.dir)].filter((name) => /tmp|edit/.test(name))).toEqual([])
}

it('writes none of two files where one is read-only', async () => {
  workspace.write('manifests/more.yaml', before['manifests/more.yaml'])
  chmodSync(join(workspace.dir, 'manifests/more.yaml'), 0o444)
  const { code, stderr } = await run(...leaving)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'error SVC2303  `manifests/more.yaml` cannot be written: the system does not let svcsync\n  hint: No file was changed. Mend that, and run the command again.\n',
  })
  expectUntouched()
})

it.skipIf(!existsSync('/bin/sh'))('writes none of two files where there is no room', async () => {
  workspace.write('manifests/main.yaml', `${manifest}# ${'x'.repeat(20_000)}\n`)
  const line = `ulimit -f 8; exec '${process.execPath}' '${resolve('dist/svcsync.cjs')}' ${leaving.join(' ')}`
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: workspace.dir,
    env: { ...workspace.env, PATH: process.env.PATH },
  })
  let stderr = ''
  child.stdout.resume()
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  expect(await new Promise((done) => child.on('close', done))).toBe(1)
  expect(stderr).toMatch(/SVC2303 {2}`manifests\/main\.yaml` cannot be written: it is larger/)
  expect(text()).toBe(`${manifest}# ${'x'.repeat(20_000)}\n`)
})

it('refuses a file that was changed while the platform was asked', async () => {
  workspace.emulator.addFault({ match: { path: '*/admin/*' }, effect: { kind: 'delay', delayMs: 2000 } })
  const command = startCommand(leaving.slice(0, -1), workspace.dir, { ...workspace.env })
  await command.until(() => workspace.emulator.requests().some(({ path }) => String(path).includes('/admin/')))
  workspace.write('manifests/main.yaml', `${manifest}# somebody else\n`)
  const { code, stderr } = await command.ended
  expect({ code, stderr }).toMatchObject({ code: 1 })
  expect(stderr).toContain('SVC2303  `manifests/main.yaml` was changed while the edit was made: nothing is written')
  expect(text()).toBe(`${manifest}# somebody else\n`)
})
