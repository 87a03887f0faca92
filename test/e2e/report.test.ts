// What the built command says of an apply: who was not taken away and why, what was done, and no more lines than help.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const tenant = {
  users: [{ svcId: 'kim lee' }, { svcId: 'jan@example.com' }],
  groups: [{ svcId: 'finance@example.com', name: 'Finance', members: ['kim lee', 'jan@example.com'] }],
}

let workspace: Workspace
const run = (...args: string[]) =>
  runCommand(args, workspace.dir, { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' })

beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
})
afterAll(() => workspace.close())
beforeEach(() => workspace.control('PUT', '/state', tenant))

const swap = `groups: [{ svcId: finance@example.com, name: Finances, members: [kim.lee, jan@example.com] }]
`

it('says who was not taken away, and because of which addition', async () => {
  workspace.manifest(swap)
  const { code, stdout } = await run('apply', '--yes')
  expect(code).toBe(3)
  expect(stdout).toContain('✗ add kim.lee to members of group/finance@example.com')
  const because = 'not taken away, because step 2 failed: add kim.lee to members of'
  expect(stdout.replace(/\s+/g, ' ')).toContain(`○ ${because} group/finance@example.com`)
  expect(stdout).toContain('remove kim lee from members of group/finance@example.com')
  const members = (workspace.emulator.state().groups ?? []).map(({ members }) => members)
  expect(members).toEqual([['kim lee', 'jan@example.com']])
  const markdown = await run('apply', '--yes', '--format', 'markdown')
  expect(markdown.stdout).toContain('not taken away, because step')
  const json = JSON.parse((await run('apply', '--yes', '--format', 'json')).stdout)
  expect(json.steps).toMatchObject([
    { verb: 'add', elements: [{ svcId: 'kim.lee' }], outcome: 'failed' },
    { verb: 'remove', elements: [{ svcId: 'kim lee' }], outcome: 'skipped', because: json.steps[0].id },
  ])
})
