// The report of the built command: accounts that stay and the reason, the changes, and no more lines than help.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { openRewording } from '../harness/rewording.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const tenant = {
  users: [{ svcId: 'kim lee' }, { svcId: 'jan@example.com' }],
  groups: [{ svcId: 'finance@example.com', name: 'Finance', members: ['kim lee', 'jan@example.com'] }],
}

let workspace: Workspace
const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const run = (...args: string[]) => runCommand(args, workspace.dir, credentials)

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

const many = Array.from({ length: 500 }, (_, index) => `new${String(index).padStart(3, '0')}@example.com`)

it('prints a short plan where nobody is asked, and then what was done, by object', async () => {
  workspace.manifest(`users:
${many.map((svcId) => `  - { svcId: ${svcId}, name: New, email: ${svcId} }`).join('\n')}
groups: [{ svcId: finance@example.com, name: Finances, members: [jan@example.com, ${many.join(', ')}] }]
`)
  const { code, stdout } = await run('apply', '--yes')
  expect(code).toBe(0)
  const [plan = '', report = ''] = stdout.split(/^Apply to test/m)
  expect(plan).toContain('-kim lee')
  expect(plan).toContain('500 objects, listed after the apply')
  expect(plan).not.toContain('+ new499')
  expect(report).toContain('Done: 1 updated, 500 created\n')
  expect(report).toContain('~ group/finance@example.com')
  expect(report).toMatch(/name +Finance → Finances/)
  expect(report).toContain('… and 490 more, --verbose for all')
  expect(report).toContain('… and 490 more objects; --verbose lists them')
  expect(stdout.split('\n').length).toBeLessThan(60)
})

it('names what was done beside what failed, and only that', async () => {
  workspace.manifest(`${swap}users: [{ svcId: ewa@example.com }]\n`)
  const { code, stdout } = await run('apply', '--yes', '--quiet')
  expect(code).toBe(3)
  expect(stdout).toMatch(/^Apply to test/)
  const done = stdout.slice(stdout.indexOf('Done: '))
  expect(done).toContain('Done: 1 updated, 1 created')
  expect(done).toMatch(/name +Finance → Finances/)
  expect(done).toContain('+ user/ewa@example.com')
  expect(done).not.toContain('kim')
  await workspace.control('PUT', '/state', tenant)
  const markdown = await run('apply', '--yes', '--format', 'markdown')
  expect(markdown.stderr).toContain(
    '\nCorrect what failed, then plan and apply again: the rest is a new plan with a new digest',
  )
  expect(markdown.stdout).toContain('#### Done: 1 updated, 1 created')
  expect(markdown.stdout).toContain('- `group/finance@example.com`: name `Finance` → `Finances` ')
  await workspace.control('PUT', '/state', tenant)
  const json = JSON.parse((await run('apply', '--yes', '--format', 'json')).stdout)
  expect(json.changed).toMatchObject([
    { address: 'group/finance@example.com', differences: [{ path: 'name', after: 'Finances' }] },
    { address: 'user/ewa@example.com', action: 'create' },
  ])
})

it('shows the whole plan when asked, and where it is refused', async () => {
  workspace.manifest(swap)
  expect((await run('apply', '--yes', '--verbose')).stdout).toContain('+kim.lee')
  const { code, stdout } = await run('apply', '--yes', '--expect', '0123456789abcdef')
  expect(code).toBe(4)
  expect(stdout).toContain('+kim.lee')
})

it('says one line at an interrupt, also when quiet', async () => {
  workspace.manifest(many.reduce((text, svcId) => `${text}  - { svcId: ${svcId} }\n`, 'users:\n'))
  await workspace.control('PATCH', '/settings', { latencyMs: 20 })
  try {
    const running = startCommand(['apply', '--yes', '--quiet', '--concurrency', '1'], workspace.dir, credentials)
    await running.until(() => (workspace.emulator.state().users ?? []).length >= 5)
    running.child.kill('SIGINT')
    const { code, stderr } = await running.ended
    expect(code).toBe(130)
    expect(stderr).toBe('Interrupted: running steps end, no other starts. Interrupt again to stop now.\n')
  } finally {
    await workspace.control('PATCH', '/settings', { latencyMs: 0 })
  }
})

it('shows the line of the override that a value comes from, and names with slashes whole', async () => {
  const other = await openWorkspace({
    tenant: { groups: [{ svcId: 'Dział Ślusarski/ÄÖ', name: 'Old' }] },
    target: '    overrides: [overrides]',
  })
  try {
    other.manifest('groups: [{ svcId: Dział Ślusarski/ÄÖ, name: New }]\n')
    other.write('overrides/main.yaml', 'groups:\n  - svcId: Dział Ślusarski/ÄÖ\n    name: Newest\n')
    const plan = (...args: string[]) => runCommand(['plan', ...args], other.dir, credentials)
    const { stdout } = await plan()
    expect(stdout).toMatch(/^ {2}~ group\/Dział Ślusarski\/ÄÖ .*manifests\/main\.yaml:1:\d+$/m)
    expect(stdout).toMatch(/name +Old → Newest {2}overrides\/main\.yaml:3:\d+$/m)
    expect((await plan('--format', 'markdown')).stdout).toMatch(
      /name `Old` → `Newest` \(`overrides\/main\.yaml:3:\d+`\)/,
    )
  } finally {
    await other.close()
  }
})

it('tells with --verbose, once, what the platform tells and svcsync does not know: no plan differs', async () => {
  const wire = await openRewording(workspace.emulator.url)
  try {
    workspace.manifest('users: [{ svcId: kim lee, name: Kim }, { svcId: jan@example.com, name: Jan }]\n')
    const plan = (...args: string[]) => run('plan', '--base-url', wire.url, '--auth-url', wire.url, ...args)
    const plain = await plan('--verbose')
    wire.reword = (_, answer) =>
      JSON.parse(JSON.stringify(answer).replaceAll('"jobTitle":', '"cost\\u001bCentre":7,"jobTitle":'))
    const verbose = await plan('--verbose')
    const told = /^The platform tells .*\n/gm
    expect(verbose.stderr.match(told)).toEqual([
      'The platform tells `cost\\u{1b}Centre` of users, which svcsync does not know: ' +
        'it is compared and sent where `extra` holds it.\n',
    ])
    expect(verbose.stdout).toBe(plain.stdout)
    expect(plain.stderr).not.toMatch(told)
    expect((await plan()).stderr).not.toMatch(told)
  } finally {
    await wire.close()
  }
})
