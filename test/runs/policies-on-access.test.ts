// Policies on access in whole runs: what stands is told and holds up nothing, what an apply would bring about is
// refused.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { RefusedError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { validateRun } from '../../src/runs/open/validate-run.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const tenant: Tenant = {
  users: ['anna', 'jan', 'maria'].map((name) => ({ svcId: `${name}@example.com`, name })),
  licenses: { available: { PowerUser: 3 }, assigned: [{ svcId: 'jan@example.com', licenses: ['PowerUser'] }] },
  groups: [
    { svcId: 'clerks@example.com', name: 'Clerks', members: ['jan@example.com'] },
    // Nobody declares it, nor that Maria is in it.
    { svcId: 'payers@example.com', name: 'Payers', members: ['maria@example.com'] },
  ],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          processes: [
            {
              name: 'Orders',
              privileges: [
                { svcId: 'clerks@example.com', level: 'Modify' },
                { svcId: 'payers@example.com', level: 'Start' },
              ],
            },
          ],
        },
      ],
    },
  ],
}
const declaring = (clerks: string, more = ''): string => `database: main
users:
  - { svcId: anna@example.com, name: anna }
  - { svcId: jan@example.com, name: jan }
  - { svcId: maria@example.com, name: maria }
groups:
  - { svcId: clerks@example.com, members: [${clerks}] }
processes:
  - process: Orders
    privileges: { Modify: [clerks@example.com], Start: [payers@example.com${more}] }
`
const apart = (more = ''): string => `policies:
  - name: apart
    for: [process]
    on: access
    expression: entry.level != "Modify" || !held.exists(h, h.level == "Start" && h.object == entry.object)
    message: A person approves and pays
${more}`

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
})
afterAll(() => workspace.close())
beforeEach(() => {
  workspace.emulator.load(tenant)
  workspace.write('policies/a.yaml', apart())
})

const standing = (problems: readonly { readonly code: string; readonly message: string }[]): string[] =>
  problems.flatMap(({ code, message }) => (code === 'SVC1807' ? message : []))
const ownGuards = (guards: readonly { readonly guard: string; readonly verdict: string }[]): string[] =>
  guards.flatMap(({ guard, verdict }) => (guard.startsWith('policy/') ? `${guard} ${verdict}` : []))

it('refuse an apply that would bring it about, through an undeclared group, too', async () => {
  workspace.manifest(declaring('jan@example.com, maria@example.com'))
  const { document } = await workspace.plan()
  expect(standing(document.warnings)).toEqual([])
  const verdict = document.guards.find(({ guard }) => guard === 'policy/apart')
  expect(verdict).toMatchObject({ verdict: 'refused', allow: 'policy/apart=maria@example.com' })
  expect(verdict?.sentence).toContain('`maria@example.com`, Modify on `process/main/Purchasing/Orders`')
  await expect(workspace.apply({ guarded: true })).rejects.toThrow(RefusedError)
  const allow = ['policy/apart=maria@example.com']
  expect((await workspace.apply({ guarded: true, allow })).outcome).toBe('converged')
})

it('tell what stands, where nobody is moved as well, and hold up nothing', async () => {
  const both = structuredClone(tenant) as { groups: { members: string[] }[] }
  both.groups[1]?.members.push('jan@example.com')
  workspace.emulator.load(both as unknown as Tenant)
  workspace.manifest(declaring('jan@example.com'))
  const { document } = await workspace.plan()
  expect(standing(document.warnings)).toEqual([
    '`jan@example.com`, Modify on `process/main/Purchasing/Orders`: A person approves and pays (policy `apart`)',
  ])
  // The place of the declaration.
  expect(document.warnings.find(({ code }) => code === 'SVC1807')?.place).toMatchObject({ line: 7 })
  expect(ownGuards(document.guards)).toEqual(['policy/apart passed'])
  // Each group that nobody declares was asked for, and the plan says how many requests that took.
  expect(document.access?.requests).toBeGreaterThan(0)
  workspace.manifest(declaring('jan@example.com, anna@example.com'))
  expect((await workspace.apply({ guarded: true })).outcome).toBe('converged')
  workspace.manifest(declaring('anna@example.com'))
  const ending = await workspace.plan()
  expect(standing(ending.document.warnings)[0]).toMatch(/; this plan ends it$/)
})

it('are findings of drift, which ends with 2 for one that denies, and with 0 for one that warns', async () => {
  const both = structuredClone(tenant) as { groups: { members: string[] }[] }
  both.groups[1]?.members.push('jan@example.com')
  workspace.emulator.load(both as unknown as Tenant)
  workspace.manifest(declaring('jan@example.com'))
  const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
  const denied = await run('drift', '--no-unmanaged')
  expect(denied.code).toBe(2)
  expect(denied.stdout).toContain('1 breach of policies on access')
  expect(denied.stdout).toContain('Access that breaks policies\n  ! SVC1807 ')
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0)
  // Denials come before warnings, whatever their order in the file.
  const also = apart('    level: warn\n').replace('name: apart', 'name: apart-too').replace('policies:\n', '')
  workspace.write('policies/a.yaml', `policies:\n${also}${apart().replace('policies:\n', '')}`)
  const text = (await run('drift', '--no-unmanaged')).stdout
  expect(text.indexOf('(policy `apart`)')).toBeLessThan(text.indexOf('(policy `apart-too`)'))
  expect(text.indexOf('(policy `apart`)')).toBeGreaterThan(0)
  workspace.write('policies/a.yaml', apart('    level: warn\n'))
  const warned = await run('drift', '--no-unmanaged')
  expect([warned.code, warned.stdout]).toEqual([0, expect.stringContaining('SVC1807')])
})

it('are asked by validate of what manifests say, with the place of the line', async () => {
  workspace.manifest(declaring('jan@example.com', ', jan@example.com'))
  const { problems } = await validateRun({
    ...{ cwd: workspace.dir, env: workspace.env, kinds, nowMs: Date.parse('2026-01-01') },
  })
  expect(problems.map(({ code, severity, place }) => [code, severity, place?.line])).toContainEqual([
    ...['SVC1801', 'error', 7],
  ])
})

it('read licences by one list where one asks for them, and see what the plan gives', async () => {
  const licensed = apart().replace(/expression: .*/, 'expression: "!has(entry.licensed) || entry.licensed"')
  workspace.write('policies/a.yaml', licensed)
  workspace.manifest(declaring('jan@example.com'))
  await workspace.control('DELETE', '/requests')
  const { document } = await workspace.plan()
  const log = (await workspace.control('GET', '/requests')) as { requests: { path: string }[] }
  expect(log.requests.filter(({ path }) => path.includes('/admin/license'))).toHaveLength(1)
  expect(standing(document.warnings)).toEqual([expect.stringContaining('`maria@example.com`, Start')])
  const given = 'licenses:\n  - { svcId: maria@example.com, licenses: [{ type: PowerUser }] }\n'
  workspace.manifest(`${declaring('jan@example.com, maria@example.com')}${given}`)
  const healed = (await workspace.plan()).document
  expect(standing(healed.warnings)[0]).toMatch(/; this plan ends it$/)
  expect(ownGuards(healed.guards)).toEqual(['policy/apart passed'])
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/admin/licenses' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  workspace.manifest(declaring('jan@example.com'))
  const { warnings } = (await workspace.plan()).document
  workspace.emulator.clearFaults()
  expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'SVC1345 Policies on access did not see everything: svcsync could not read `licences`',
  ])
})

it('name what could not be read, and see since when something is declared', async () => {
  const old = apart().replace(/expression: .*/, `expression: '!has(entry.since) || entry.since >= "2026-06-01"'`)
  workspace.write('policies/a.yaml', old)
  workspace.manifest(declaring('jan@example.com'))
  const git = (date: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', ...args], {
      cwd: workspace.dir,
      env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    })
  git('2026-05-04T12:00:00Z', 'init', '--quiet')
  git('2026-05-04T12:00:00Z', 'add', '-A')
  git('2026-05-04T12:00:00Z', 'commit', '--quiet', '-m', 'One')
  expect(standing((await workspace.plan()).document.warnings)).toEqual([
    expect.stringContaining('`jan@example.com`, Modify'),
  ])
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/admin/group', query: 'payers' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  const { document } = await workspace.plan()
  workspace.emulator.clearFaults()
  expect(document.warnings.map(({ code, message }) => (code === 'SVC1345' ? message : []))).toContainEqual(
    expect.stringContaining('group/payers@example.com'),
  )
})
