// `drift --access`: what somebody can do that nobody declared, in every form; and what is accepted for a time.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    tenant: {
      accounts: [{ svcId: 'auditors@corp', name: 'Auditors', type: 'AdGroup' }],
      users: [
        { svcId: 'anna@example.com', name: 'Anna' },
        { svcId: 'eve@example.com', name: 'Eve' },
      ],
      groups: [
        { svcId: 'admins@example.com', name: 'Admins', members: ['anna@example.com', 'eve@example.com'] },
        // No manifest speaks of it, and it was put into one that a manifest does speak of.
        { svcId: 'hidden@example.com', name: 'Hidden', members: ['eve@example.com'] },
        { svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com', 'hidden@example.com'] },
      ],
      // Nobody looks at it: no manifest declares one.
      substitutions: [
        {
          ...{ startDate: '2020-01-01', endDate: '2099-01-01', type: 'TaskDelegation' },
          ...{ originalPerson: { svcId: 'anna@example.com' }, substitutePerson: { svcId: 'eve@example.com' } },
        },
      ],
      databases: [
        {
          id: 1,
          applications: [
            {
              name: 'Purchasing',
              privileges: [{ svcId: 'admins@example.com', level: 'Administrator' }],
              processes: [
                {
                  name: 'Orders',
                  privileges: [
                    { svcId: 'clerks@example.com', level: 'Start' },
                    { svcId: 'eve@example.com', level: 'Modify' },
                    { svcId: 'auditors@corp', level: 'ReadOnly' },
                  ],
                },
                // Declared without a word about who can do what there.
                { name: 'Returns', privileges: [{ svcId: 'eve@example.com', level: 'Start' }] },
              ],
            },
          ],
        },
      ],
    },
  })
  workspace.manifest(`database: main
memberships:
  - { group: admins@example.com, members: [anna@example.com] }
  - { group: clerks@example.com, members: [anna@example.com] }
applications:
  - { application: Purchasing, privileges: { Administrator: [admins@example.com] } }
processes:
  - process: Orders
    application: Purchasing
    privileges: { Start: [clerks@example.com], ReadOnly: [auditors@corp] }
  - process: Returns
    application: Purchasing
    constants: []
`)
})
afterAll(() => workspace.close())

const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })

it('finds additions by hand to additive lists, and levels that no manifest lists, the most serious first', async () => {
  const plain = await run('drift', '--format', 'json')
  expect([plain.code, JSON.parse(plain.stdout).changes]).toEqual([0, []])
  const { code, stdout } = await run('drift', '--access')
  expect([code, stdout.slice(stdout.indexOf('Undeclared access'), stdout.indexOf('\n\nLeft alone'))]).toEqual([
    2,
    `Undeclared access
  + eve@example.com  Administrator on application Purchasing, through admins@example.com
      Modify on process Orders; Start on process Returns, directly
      Start on process Orders, through hidden@example.com › clerks@example.com
  ? May be groups whose members svcsync cannot see: auditors@corp.
  Not read: substitutions, since no manifest declares one.
  Outside the API: system administrators, business administrators and auditors of the whole
  installation. Nobody has reviewed them: list them in a file, and name it in \`globalPrivileges\` of
  the project file.
  The API lists no element privileges: svcsync read only those that a manifest declares.
  svcsync sent 4 more requests to look at everybody.
  Declare it, or accept all of it for a time (\`--person\` or \`--object\` chooses a part):
    svcsync access accept --all --reason REASON --until DATE`,
  ])
  expect(stdout).toContain('Drift: 0 created, 0 changed, 0 missing, 4 levels undeclared')
  const flowing = stdout.replaceAll(/\s+/g, ' ')
  expect(flowing).toContain('Not managed, read for access alone: 1 group, 2 users.')
  expect(flowing).toContain('Not managed: 1 substitution.')
  const json = JSON.parse((await run('drift', '--access', '--format', 'json')).stdout)
  expect(json.digest).toBe(JSON.parse(plain.stdout).digest)
  expect(json.access.lost.map(({ subject, level, via }: Record<string, unknown>) => [subject, level, via])).toEqual([
    ['eve@example.com', 'Administrator', ['admins@example.com']],
    ['eve@example.com', 'Modify', []],
    ['eve@example.com', 'Start', []],
    ['eve@example.com', 'Start', ['hidden@example.com', 'clerks@example.com']],
  ])
  for (const format of ['markdown', 'html']) {
    const { stdout: text } = await run('drift', '--access', '--format', format)
    expect(text).toMatch(/Administrator.*application Purchasing.*through .*admins@example\.com/s)
    expect(text).toContain('4 levels undeclared')
  }
})

it('is quiet about what was accepted, until that is over, and says what it accepts for nothing', async () => {
  workspace.write(
    'access-baseline.yaml',
    `# Ours.
exceptions:
  # Over.
  - { person: EVE@example.com, level: Modify, object: process/main/Purchasing/Orders, until: 2020-01-31, reason: Once }
  - { person: anna@example.com, level: Modify, object: process/main/Purchasing/Orders, until: 2099-01-31, reason: Idle }
`,
  )
  const over = await run('drift', '--access')
  expect(over.code).toBe(2)
  expect(over.stdout.replaceAll(/\s+/g, ' ')).toContain(
    '! Accepted until 2020-01-31, which is over: ' +
      'EVE@example.com Modify on process/main/Purchasing/Orders access-baseline.yaml:4:5',
  )
  expect(over.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Nobody can do this any more, so remove the exception: anna@example.com Modify',
  )
  const one = await run(
    ...['access', 'accept', '--person', 'eve@example.com', '--object', 'process/main/Purchasing/*'],
    ...['--until', '2099-12-31', '--reason', 'Migration: "the archive", ticket 4711'],
  )
  expect([one.code, one.stderr]).toEqual([0, ''])
  expect(one.stdout).toContain('3 levels accepted until 2099-12-31, in exceptions.yaml')
  expect(one.stdout).toContain('2 exceptions moved from access-baseline.yaml to exceptions.yaml: commit both.')
  expect(existsSync(join(workspace.dir, 'access-baseline.yaml'))).toBe(false)
  const reason = String.raw`reason: "Migration: \"the archive\", ticket 4711" }`
  expect(readFileSync(join(workspace.dir, 'exceptions.yaml'), 'utf8')).toBe(`# Ours.
exceptions:
  # Over.
  - { access: { person: EVE@example.com, level: Modify, object: process/main/Purchasing/Orders }, until: 2020-01-31, reason: Once }
  - { access: { person: anna@example.com, level: Modify, object: process/main/Purchasing/Orders }, until: 2099-01-31, reason: Idle }
  - { access: { person: eve@example.com, level: Modify, object: process/main/Purchasing/Orders }, target: test, until: 2099-12-31, ${reason}
  - { access: { person: eve@example.com, level: Start, object: process/main/Purchasing/Returns }, target: test, until: 2099-12-31, ${reason}
  - { access: { person: eve@example.com, level: Start, object: process/main/Purchasing/Orders }, target: test, until: 2099-12-31, ${reason}
`)
  const left = await run('drift', '--access')
  expect([left.code, left.stdout]).toEqual([2, expect.stringContaining('1 level undeclared')])
  const all = ['access', 'accept', '--all', '--until', '2099-12-31', '--reason', 'Known', '--format', 'json']
  const unnamed = await run(...all)
  expect([unnamed.code, unnamed.stderr]).toEqual([4, expect.stringContaining('SVC2307')])
  const rest = await run(...all, '--allow', 'exception-administrator=eve@example.com')
  expect([rest.code, JSON.parse(rest.stdout)]).toMatchObject([
    0,
    { file: 'exceptions.yaml', accepted: [{ subject: 'eve@example.com', level: 'Administrator' }] },
  ])
  const quiet = await run('drift', '--access')
  expect([quiet.code, quiet.stdout]).toEqual([0, expect.stringContaining('Nobody is seen to do')])
  expect((await run('fmt', '--check', 'exceptions.yaml')).code).toBe(0)
})

it('lists for a review its place and which commit declared or accepted it, and explains by the base, too', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', ...args], {
      cwd: workspace.dir,
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_COMMITTER_DATE: '2026-05-04T03:02:01Z' },
    })
  const main = readFileSync(join(workspace.dir, 'manifests/main.yaml'), 'utf8')
  workspace.write(
    'manifests/main.yaml',
    main.replace('members: [anna@example.com] }', 'members: [anna@example.com, eve@example.com] }'),
  )
  git('init', '--quiet')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'Eve administers')
  workspace.write('manifests/main.yaml', main)
  git('commit', '--quiet', '-a', '-m', 'She does not')

  const first = String(git('rev-parse', '--short=7', 'HEAD~1')).trim()
  const { stdout } = await run('access', 'list', '--format', 'csv')
  const lines = stdout.split('\r\n')
  expect(lines).toContain(
    'anna@example.com,Administrator,application/main/Purchasing,,admins@example.com,privilege,yes,yes,' +
      `yes,admins@example.com,manifests/main.yaml:3:44 > manifests/main.yaml:6:62,,2026-05-04 ${first} Kim,no,no,,,`,
  )
  expect(lines).toContain(
    'eve@example.com,Administrator,application/main/Purchasing,,admins@example.com,privilege,yes,yes,' +
      `no,,,until 2099-12-31: Known,,no,no,,,`,
  )
  const explained = await run('access', 'explain', 'eve@example.com', 'application/**', '--since', 'HEAD~1')
  expect(
    explained.stdout,
  ).toContain(`Now, and not declared, accepted until 2099-12-31; an apply takes it away; declared at the base
  • eve@example.com  Administrator  application/main/Purchasing  through admins@example.com
`)
  // Pending changes are no drift.
  const drift = JSON.parse((await run('drift', '--access', '--since', 'HEAD~1', '--format', 'json')).stdout)
  expect([drift.access.lost, drift.accessDrift.accepted]).toEqual([[], 3])
})

it('says with a base, too, who lacks what they should have', async () => {
  workspace.emulator.edit({ removeMembers: { group: 'admins@example.com', members: ['anna@example.com'] } })
  try {
    const { code, stdout } = await run('drift', '--access', '--since', 'HEAD')
    expect([code, stdout]).toEqual([2, expect.stringMatching(/⚠ 1 account lacks declared access/)])
    expect(stdout).toMatch(/- anna@example\.com {2}Administrator\s+application Purchasing/)
  } finally {
    workspace.emulator.edit({ addMembers: { group: 'admins@example.com', members: ['anna@example.com'] } })
  }
})

it('names what it could not read, and does not call that as declared', async () => {
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/admin/group', query: 'hidden' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  try {
    const { code, stdout } = await run('drift', '--access')
    expect(code).toBe(1)
    expect(stdout).toContain('? Not read: group/hidden@example.com (')
    expect(stdout).not.toContain('Nobody can do this any more')
    // Its members are unknown, but its access is known and not accepted.
    expect(stdout).toMatch(/\+ hidden@example\.com .* {2}through clerks@example\.com/)
  } finally {
    workspace.emulator.clearFaults()
  }
})

it('does not say that nobody can do what an exception leaves alone in the list itself', async () => {
  const privileges = [{ svcId: 'eve@example.com', level: 'ReadOnly' as const }]
  workspace.emulator.edit({ addPrivileges: { process: 'Orders', privileges } })
  const accepted = await run('access', 'accept', '--all', '--until', '2099-12-31', '--reason', 'Known')
  expect(accepted.stdout).toContain('eve@example.com  ReadOnly')
  const { stdout } = await run('drift', '--access')
  expect(stdout).toContain('Left alone by exceptions.yaml: 1 difference.')
  expect(stdout).not.toMatch(/remove the exception: eve@example\.com\s+ReadOnly/)
})
