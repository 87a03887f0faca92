// If answers leave a name in doubt, the installation's document settles it: nothing is skipped after `wire-names
// --write`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const users = ['jan', 'ewa', 'ola'].map((name) => ({ svcId: `${name}@example.com`, name }))
const entries = users.map(({ svcId, name }) => `  - { svcId: ${svcId}, name: ${name} the second }\n`)
const manifest = `users:\n${entries.join('')}`

describe.each(['6.0', '5.0'] as const)('API %s', { timeout: 120_000 }, (apiVersion) => {
  let workspace: Workspace
  beforeEach(async () => {
    const behaviour = { absentFields: 'nullsOmitted', newFields: 'told' }
    workspace = await openWorkspace({
      tenant: { users, behaviour } as never,
      target: `    apiVersion: "${apiVersion}"`,
    })
    workspace.manifest(manifest)
    // A later release has a field that could be the manager, of which nobody knows that it is another one.
    const told = users.map((user) => ({ ...user, status: 'Synchronized', managerAddedId: 'x' }))
    const effect = { kind: 'text', status: 200, contentType: 'application/json', body: JSON.stringify({ users: told }) }
    workspace.emulator.addFault({ match: { method: 'GET', path: '/admin/users' }, count: null, effect } as never)
  })
  afterEach(() => workspace.close())

  const address = () => `${workspace.emulator.url}/openapi/${apiVersion}.json`
  const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
  const file = () => readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  const answers = (stdout: string) =>
    (JSON.parse(stdout) as { checks: { check: string }[] }).checks.find(({ check }) => check === 'answers')

  it('skips nobody after wire-names --write', async () => {
    const before = await run('plan')
    expect(before.stdout.replaceAll(/\s+/g, ' ')).toContain('3 updates would send it, and are skipped')
    const blind = await run('doctor', '--format', 'json')
    expect(answers(blind.stdout)).toMatchObject({ result: 'problem', code: 'SVC1350' })
    const told = await run('doctor', '--format', 'json', '--openapi', address())
    expect(answers(told.stdout)).toMatchObject({
      result: 'warning',
      todo: expect.stringContaining('`wireNames: { managerSvcId: managerSvcId }`'),
    })
    expect(told.code).toBe(0)

    const shown = await run('wire-names', address())
    expect(shown.stdout).toMatch(/renames nothing\.\n\d+ names are the same/)
    expect(shown.stderr).toContain('Nothing was written. `--write` adds them to `wireNames`')
    expect(await run('wire-names', address(), '--write')).toMatchObject({ code: 0 })
    expect(file()).toContain('managerSvcId: managerSvcId')
    expect((await run('wire-names', address(), '--write')).stdout).toContain('nothing to write: all are there')
    const doctor = await run('doctor', '--format', 'json', '--openapi', address())
    expect(answers(doctor.stdout)).toMatchObject({ result: 'ok' })
    expect((await run('plan')).stdout).not.toContain('SVC1350')
    workspace.emulator.clearFaults()
    const applied = await run('apply', '--yes', '--format', 'json')
    expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: 'converged', counts: { done: 3, skipped: 0 } })
    expect(applied.code).toBe(0)
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0)
  })

  it('skips nobody in a project of init --from-live --openapi', async () => {
    const env = { ...workspace.env, SVCSYNC_BASE_URL: workspace.emulator.url }
    const made = await runCommand(
      ['init', 'live', '--from-live', '--api-version', apiVersion, '--openapi', address()],
      workspace.dir,
      env,
    )
    expect(made.code).toBe(0)
    const text = readFileSync(join(workspace.dir, 'live/svcsync.yaml'), 'utf8')
    expect(text).toContain('managerSvcId: managerSvcId')
    workspace.emulator.clearFaults()
    const at = ['--project', 'live/svcsync.yaml']
    expect((await run('plan', '--detailed-exitcode', ...at)).code).toBe(0)
  })

  it('is not confirmed by a document that does not have the name', async () => {
    const document = JSON.stringify(interfaceDocument(apiVersion)).replaceAll('managerSvcId', 'managerRef')
    workspace.write('other.json', document)
    const told = await run('doctor', '--format', 'json', '--openapi', 'other.json')
    expect(answers(told.stdout)).toMatchObject({ result: 'problem', code: 'SVC1350' })
    await run('wire-names', 'other.json', '--write')
    expect(file()).not.toContain('managerSvcId: managerSvcId')
  })
})
