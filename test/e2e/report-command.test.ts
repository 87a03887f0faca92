// `svcsync report` of what other commands printed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
  workspace.manifest('users:\n  - { svcId: eva@example.com, name: Eva }\n  - { svcId: jan@example.com, name: Jan }\n')
})
afterAll(() => workspace.close())
const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })

it('puts a plan, a drift and an apply together, in three forms', async () => {
  const save = async (file: string, ...args: string[]) => {
    const { stdout } = await run(...args, '--format', 'json')
    writeFileSync(join(workspace.dir, file), stdout)
  }
  await save('plan.json', 'plan')
  await save('again.json', 'plan')
  await save('drift.json', 'drift')
  await save('apply.json', 'apply', '--yes')
  const files = ['plan.json', 'again.json', 'drift.json', 'apply.json']
  const comment = await run('report', ...files)
  expect(comment).toMatchObject({ code: 0, stderr: '' })
  expect(comment.stdout).toMatch(/^<!-- svcsync:report -->\n\n### svcsync: 1 target\n/)
  expect(comment.stdout).toContain('#### plan for `test`: 2 to create, 0 to update, 0 to delete\n')
  expect(comment.stdout).toContain('#### drift for `test`: 0 created, 0 changed, 2 missing')
  expect(comment.stdout).toContain('#### apply for `test`: The Svc platform is as declared')
  const page = await run('report', ...files, '--format', 'html')
  expect(page.stdout.match(/<h1>/g)).toHaveLength(3)
  const json = JSON.parse((await run('report', ...files, '--format', 'json')).stdout)
  expect(
    json.groups.map(({ command, outcome }: { command: string; outcome: string | null }) => [command, outcome]),
  ).toEqual([
    ['plan', null],
    ['drift', null],
    ['apply', 'converged'],
  ])
})
