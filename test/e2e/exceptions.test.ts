// Exceptions, by the built command: a difference is left alone until a day, by plan, apply and a saved plan; what is
// wrong with them is told with its place; and `accept --until` writes them.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: {
      users: ['anna', 'ben', 'eve'].map((name) => ({ svcId: `${name}@example.com`, name })),
      groups: [{ svcId: 'staff@example.com', name: 'Staff', members: ['anna@example.com', 'eve@example.com'] }],
      databases: [
        {
          id: 1,
          constants: [{ name: 'ErpUrl', common: 'https://erp', test: 'https://by-hand' }],
          applications: [
            {
              name: 'Purchasing',
              privileges: ['anna', 'eve'].map((name) => ({ svcId: `${name}@example.com`, level: 'Administrator' })),
            },
          ],
        },
      ],
    },
  })
  workspace.manifest(manifest)
})
afterEach(() => workspace.close())

const manifest = `database: main
groups:
  - { svcId: staff@example.com, name: Staff, members: [anna@example.com, ben@example.com] }
constants:
  - { name: ErpUrl, common: https://erp, test: https://declared }
applications:
  - { application: Purchasing, privileges: { Administrator: [anna@example.com] } }
`
const constant = '  - { address: constant/main/ErpUrl, path: test, until: 2099-03-31, reason: Migration }\n'
const member =
  '  - { address: group/staff@example.com, path: members, entry: EVE@example.com, until: 2099-03-31, reason: Guest }\n'
const missing =
  '  - { address: group/staff@example.com, path: members, entry: ' +
  'ben@example.com, until: 2099-03-31, reason: On leave }\n'
const access =
  '  - { access: { person: eve@example.com, level: Administrator, object: ' +
  'application/main/Purchasing }, until: 2099-03-31, reason: Stands in }\n'

const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
const excepts = (...lines: string[]) => workspace.write('exceptions.yaml', `exceptions:\n${lines.join('')}`)
const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
const fileText = (name = 'exceptions.yaml'): string => readFileSync(join(workspace.dir, name), 'utf8')

describe('an exception', () => {
  it('of a field, of present or missing entries, and of access has drift, plan and apply skip them', async () => {
    excepts(constant, member, missing, access)
    const drift = await run('drift', '--no-unmanaged')
    expect([drift.code, drift.stderr]).toEqual([0, ''])
    expect(onOneLine(drift.stdout)).toContain(
      '3 objects are as declared, but for 4 differences that exceptions leave alone',
    )
    expect(onOneLine(drift.stdout)).toContain('Left alone by exceptions.yaml: 4 differences.')
    const verbose = onOneLine((await run('drift', '--no-unmanaged', '--verbose')).stdout)
    expect(verbose).toContain('constant/main/ErpUrl test until 2099-03-31: Migration')
    const before = JSON.stringify(workspace.emulator.state())
    expect((await run('apply', '--yes')).code).toBe(0)
    expect(JSON.stringify(workspace.emulator.state())).toBe(before)
    const { exceptions, counts } = JSON.parse((await run('plan', '--format', 'json')).stdout)
    expect([exceptions.left.length, counts.excepted, counts.update]).toEqual([4, 4, 0])
  })

  it('leaves alone nothing beside what it names', async () => {
    excepts(member)
    const { changes } = JSON.parse((await run('plan', '--format', 'json')).stdout)
    expect(changes.map(({ address }: { address: string }) => address)).toEqual([
      ...['application/main/Purchasing', 'constant/main/ErpUrl', 'group/staff@example.com'],
    ])
    expect((await run('apply', '--yes')).code).toBe(0)
    const { groups } = workspace.emulator.state() as { groups: { members: string[] }[] }
    expect(groups[0]?.members.sort()).toEqual(['anna@example.com', 'ben@example.com', 'eve@example.com'])
  })

  it('of an object leaves alone that it is missing, and says nothing of what is in it', async () => {
    workspace.manifest(`${manifest}users:\n  - { svcId: new@example.com, name: New, email: new@example.com }\n`)
    excepts(
      '  - { address: user/new@example.com, until: 2099-03-31, reason: Comes in April }\n',
      constant,
      access,
      member,
      missing,
    )
    const drift = await run('drift', '--no-unmanaged')
    expect([drift.code, onOneLine(drift.stdout)]).toEqual([0, expect.stringContaining('5 differences')])
    excepts('  - { address: group/staff@example.com, until: 2099-03-31, reason: All of it }\n', constant, access)
    const inside = await run('drift', '--no-unmanaged')
    expect([inside.code, onOneLine(inside.stdout)]).toEqual([2, expect.stringContaining('members')])
    expect(onOneLine(inside.stdout)).toContain('Leaves nothing alone, so remove the line: group/staff@example.com')
  })

  it('that is over is drift again, and named; so is one that ends within a week', async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    excepts(constant.replace('2099-03-31', '2020-01-31'), member.replace('2099-03-31', soon), missing, access)
    const { code, stdout } = await run('drift', '--no-unmanaged')
    expect(code).toBe(2)
    expect(onOneLine(stdout)).toContain('Excepted until 2020-01-31, which is over: constant/main/ErpUrl test')
    expect(onOneLine(stdout)).toContain(`Excepted until ${soon}, and drift after that: group/staff@example.com members`)
    const checked = await run('validate')
    expect(checked.stdout + checked.stderr).toContain('SVC1343')
  })
})

describe('an exception of access through a group', () => {
  const list = `database: main
groups:
  - { svcId: staff@example.com, name: Staff, members: [anna@example.com] }
applications:
  - { application: Purchasing, privileges: { Administrator: [anna@example.com, staff@example.com] } }
`
  beforeEach(() => {
    const [application, level] = ['Purchasing', 'Administrator']
    const holds = (svcId: string) => ({ application, privileges: [{ svcId, level }] })
    workspace.emulator.edit(
      { addPrivileges: holds('staff@example.com') },
      { removePrivileges: holds('eve@example.com') },
    )
    workspace.manifest(list)
  })
  const all = ['access', 'accept', '--all', '--until', '2099-03-31', '--reason', 'Known']
  const named = ['--allow', 'exception-administrator=eve@example.com']

  it('is refused while the next apply ends it, with the command that excepts the entry', async () => {
    const refused = await run(...all, ...named)
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(onOneLine(refused.stderr)).toContain(
      'SVC2294 The next apply ends 1 chosen level through groups: it removes undeclared entries of ' +
        '`group/staff@example.com` hint: Except the entries: ' +
        'svcsync accept --only group/staff@example.com --until 2099-03-31 --reason Known',
    )
    expect(existsSync(join(workspace.dir, 'exceptions.yaml'))).toBe(false)
    const first = ['accept', '--only', 'group/staff@example.com', '--until', '2099-03-31', '--reason', 'Known']
    expect((await run(...first, ...named)).code).toBe(0)
    expect((await run('apply', '--yes')).code).toBe(0)
    const { groups } = workspace.emulator.state() as { groups: { members: string[] }[] }
    expect(groups[0]?.members).toContain('eve@example.com')
    expect((await run('drift', '--access', '--no-unmanaged')).code).toBe(0)
  })

  it('that somebody wrote by hand is named by the plan that ends it', async () => {
    excepts(access)
    const { warnings } = JSON.parse((await run('plan', '--format', 'json')).stdout)
    expect(warnings).toMatchObject([
      {
        code: 'SVC1347',
        place: { file: 'exceptions.yaml', line: 2 },
        message:
          'The plan ends `Administrator of eve@example.com on application/main/Purchasing` ' +
          'in spite of the exception: it comes through `staff@example.com`',
      },
    ])
  })
})

describe('an exception in time', () => {
  it('is kept by a saved plan, whatever the file says when it is applied', async () => {
    excepts(member, constant)
    expect((await run('plan', '--out', 'plan.json')).code).toBe(0)
    excepts()
    workspace.write('exceptions.yaml', 'exceptions: []\n')
    const applied = await run('apply', 'plan.json', '--yes')
    expect([applied.code, applied.stderr]).toEqual([0, expect.not.stringContaining('error')])
    const state = workspace.emulator.state() as {
      groups: { members: string[] }[]
      databases: { constants: { test: string }[] }[]
    }
    expect(state.groups[0]?.members).toContain('eve@example.com')
    expect(state.databases[0]?.constants[0]?.test).toBe('https://by-hand')
  })

  it('holds for an apply that is resumed, and for no resume after it has changed', async () => {
    excepts(member, missing, constant)
    workspace.manifest(`${manifest}users: [{ svcId: zoe@example.com, name: Zoe }]\n`)
    const effect = { kind: 'status', status: 503 }
    await workspace.control('POST', '/faults', { match: { method: 'POST', path: '/admin/users' }, count: null, effect })
    const broken = await run('apply', '--yes', '--journal', 'apply.jsonl')
    expect(broken.code, broken.stdout + broken.stderr).toBe(3)
    workspace.emulator.clearFaults()
    const all = fileText()
    excepts(missing, constant)
    const changed = await run('apply', '--resume', 'apply.jsonl')
    expect([changed.code, changed.stderr]).toEqual([4, expect.stringContaining('SVC2125')])
    workspace.write('exceptions.yaml', all)
    const resumed = await run('apply', '--resume', 'apply.jsonl')
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('user/zoe@example.com')])
    const { groups } = workspace.emulator.state() as { groups: { members: string[] }[] }
    expect(groups[0]?.members).toEqual(['anna@example.com', 'eve@example.com'])
    const drift = await run('drift', '--no-unmanaged')
    expect([drift.code, onOneLine(drift.stdout)]).toEqual([0, expect.stringContaining('3 differences')])
  })

  it('gives way where the manifests moved since the base, and the plan says so', async () => {
    workspace.baseManifest(manifest.replace('https://declared', 'https://before'))
    excepts(constant, member, missing, access)
    const { stdout } = await run('plan', '--since', 'base')
    expect(onOneLine(stdout)).toContain('Excepted, but the manifests moved since, and win: constant/main/ErpUrl test')
    expect(stdout).toContain('https://declared')
  })

  it('hides no secret, and prints none', async () => {
    workspace.manifest(`${manifest}connections:
  - { name: ERP, type: SQL, sql: { common: { server: sql01, database: ERP, user: erp, password: "\${env:PASSWORD}" } } }
`)
    excepts('  - { address: connection/main/ERP, path: sql.common.password, until: 2099-03-31, reason: Old }\n')
    const { code, stderr } = await runCommand(['plan'], workspace.dir, { ...workspace.env, PASSWORD: 'hunter2' })
    expect([code, stderr]).toEqual([1, expect.stringContaining('SVC1346')])
    expect(stderr).not.toContain('hunter2')
  })
})

it('tells all that is wrong with exceptions at once, each with its place, and plans nothing', async () => {
  const until = 'until: 2099-03-31, reason: X }\n'
  excepts(
    constant,
    constant,
    `  - { address: constnt/main/ErpUrl, path: test, ${until}`,
    `  - { address: constant/main/ErpUrl, path: tset, ${until}`,
    `  - { address: group/staff@example.com, path: members, ${until}`,
    `  - { address: application/main/Purchasing, path: privileges, entry: eve@example.com, ${until}`,
    `  - { address: group/staff@example.com, entry: eve@example.com, ${until}`,
    `  - { address: group/staff@example.com, path: name, entry: eve@example.com, ${until}`,
    '  - { address: group/staff@example.com, until: tomorrow, reason: X, target: nowhere }\n',
    `  - { ${until}`,
  )
  const before = JSON.stringify(workspace.emulator.state())
  for (const command of ['validate', 'plan']) {
    const { code, stdout, stderr } = await run(command)
    const found = [...(stdout + stderr).matchAll(/exceptions\.yaml:(\d+):\d+\n/g)].map(([, line]) => Number(line))
    expect([command, code, [...new Set(found)].sort((a, b) => a - b)]).toEqual([
      command,
      1,
      [3, 4, 5, 6, 7, 8, 9, 10, 11],
    ])
  }
  expect(JSON.stringify(workspace.emulator.state())).toBe(before)
})

it('has `validate` name those that match nothing, and one in a file that is missing', async () => {
  excepts(
    '  - { address: constant/main/ErpUrls, path: test, until: 2099-03-31, reason: X }\n',
    '  - { address: constant/main/ErpUrl, path: prod, until: 2099-03-31, reason: X }\n',
  )
  const { code, stdout, stderr } = await run('validate')
  const text = stdout + stderr
  expect([code, text.match(/SVC1347/g)?.length]).toEqual([0, 2])
  expect(text).toContain('exceptions.yaml:2:16')
  workspace.write('svcsync.yaml', `${fileText('svcsync.yaml')}exceptions: elsewhere.yaml\n`)
  expect((await run('plan')).stderr).toContain('There is no file `elsewhere.yaml`')
})

it('lists what nobody declared with the share that is declared, and three ways; an exception excepts it', async () => {
  excepts(
    ...[constant, member, missing, access],
    '  - { address: user/eve@example.com, until: 2099-03-31, reason: By hand for the audit }\n',
  )
  workspace.manifest(`${manifest}users: [{ svcId: anna@example.com, name: anna }]\n`)
  const { stdout } = await run('drift', '--unmanaged')
  const text = onOneLine(stdout)
  expect(text).toContain('Declared: 1 of 3 users, 33 %.')
  expect(text).toContain('user/ben@example.com user/eve@example.com excepted')
  expect(text).toContain('To declare what nobody declared: svcsync export --missing')
  expect(text).toContain('- { address: user/ben@example.com, until: DATE, reason: REASON }')
  const { unmanaged } = JSON.parse((await run('drift', '--format', 'json')).stdout)
  expect(unmanaged.user).toMatchObject({
    ...{ live: 3, declared: 1, percent: 33, addresses: ['user/ben@example.com'], excepted: ['user/eve@example.com'] },
  })
  for (const format of ['markdown', 'html'])
    expect((await run('drift', '--format', format)).stdout).toContain('Declared: 1 of 3 users, 33 %.')
})

it('is limited by policies: how long, and for what', async () => {
  workspace.write(
    'policies/exceptions.yaml',
    `policies:
  - name: not-for-long
    for: [constant]
    on: exception
    expression: exception.days <= 31
    message: A constant differs for a month at most
  - name: no-administrator
    for: [application]
    on: exception
    level: warn
    expression: exception.person == "" || exception.level != "Administrator"
    message: Nobody is Administrator by an exception
`,
  )
  excepts(constant, access, member)
  for (const command of ['validate', 'plan']) {
    const { code, stdout, stderr } = await run(command)
    const text = onOneLine(stdout + stderr)
    expect([command, code]).toEqual([command, 1])
    expect(text).toContain('A constant differs for a month at most (policy `not-for-long`)')
    expect(text).toContain('SVC1802 Nobody is Administrator by an exception')
    expect(text).toContain('exceptions.yaml:2:5')
  }
  excepts(constant.replace('2099-03-31', new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)), member)
  expect((await run('plan')).code).toBe(0)
})

describe('accept --until', () => {
  const term = ['--until', '2099-12-31', '--reason', 'Known: ticket 4711']

  it('writes an exception for each difference of the selection, beside the others, and renews them', async () => {
    workspace.write('exceptions.yaml', `# Ours.\nexceptions:\n  # A guest.\n${member}`)
    const one = await run('accept', '--only', 'group/**', '--only', 'constant/**', ...term)
    expect([one.code, one.stderr]).toEqual([0, ''])
    expect(one.stdout).toContain('2 differences left alone until 2099-12-31, in exceptions.yaml')
    const added = 'target: test, until: 2099-12-31, reason: "Known: ticket 4711" }\n'
    expect(fileText()).toBe(`# Ours.
exceptions:
  # A guest.
${member}  - { address: constant/main/ErpUrl, path: test, ${added}  - { address: group/staff@example.com, path: members, entry: ben@example.com, ${added}`)
    expect((await run('drift', '--only', 'group/**', '--only', 'constant/**')).code).toBe(0)
    expect((await run('fmt', '--check', 'exceptions.yaml')).code).toBe(0)
  })

  it('wants an Administrator by name, and writes nothing without', async () => {
    const refused = await run('accept', ...term)
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('SVC2307')])
    expect(existsSync(join(workspace.dir, 'exceptions.yaml'))).toBe(false)
    expect((await run('accept', ...term, '--allow', 'exception-administrator=eve@example.com')).code).toBe(0)
    expect(fileText()).toContain('access: { person: eve@example.com, level: Administrator')
    const drift = await run('drift', '--no-unmanaged')
    expect([drift.code, onOneLine(drift.stdout)]).toEqual([0, expect.stringContaining('4 differences')])
  })

  it('shows and writes nothing with --dry-run, and refuses an end that is over or a missing reason', async () => {
    const dry = await run('accept', '--only', 'constant/**', ...term, '--dry-run')
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('+  - { address: constant/main/ErpUrl')])
    expect((await run('accept', '--until', '2020-01-01', '--reason', 'x')).stderr).toContain('is over')
    expect((await run('accept', '--until', '2099-01-01')).stderr).toContain('SVC2283')
    expect(existsSync(join(workspace.dir, 'exceptions.yaml'))).toBe(false)
  })

  it('writes nothing over what somebody changed while the platform was asked', async () => {
    workspace.emulator.addFault({ match: { path: '*/admin/*' }, effect: { kind: 'delay', delayMs: 1000 } })
    const command = startCommand(['accept', '--only', 'group/**', ...term], workspace.dir, { ...workspace.env })
    await command.until(() => workspace.emulator.requests().some(({ path }) => String(path).includes('/admin/')))
    excepts(constant)
    const { code, stderr } = await command.ended
    expect([code, stderr]).toEqual([1, expect.stringContaining('SVC2303  `exceptions.yaml` was changed while')])
    expect(fileText()).toBe(`exceptions:\n${constant}`)
  })

  it('changes nothing where the file cannot be edited', async () => {
    symlinkSync('/etc/hostname', join(workspace.dir, 'exceptions.yaml'))
    const link = await run('accept', '--only', 'constant/**', ...term)
    expect(link.code).toBe(1)
    const broken = 'exceptions: &all\n  ? { a: b }\n  : 1\n'
    workspace.write('other.yaml', broken)
    workspace.write('svcsync.yaml', `${fileText('svcsync.yaml')}exceptions: other.yaml\n`)
    expect((await run('accept', '--only', 'constant/**', ...term)).code).toBe(1)
    expect(fileText('other.yaml')).toBe(broken)
  })
})

describe('the file of exceptions is as it was or as it is to be,', () => {
  const term = ['--until', '2099-12-31', '--reason', 'Known']
  const before = `# Ours.\nexceptions:\n${member}`
  const ofDisk = ['openSync', 'writeFileSync', 'fsyncSync', 'renameSync']
  const noSpace = "throw Object.assign(new Error('full'), { code: 'ENOSPC' })"
  /** At the call of one of these functions that `at` says. */
  const acceptWhile = async (act: string, at: number) => {
    const preload = join(workspace.dir, 'svcsync-break.cjs')
    writeFileSync(
      preload,
      `const fs = require('node:fs')
let left = ${at}
for (const name of ${JSON.stringify(act === noSpace ? ofDisk : [...ofDisk, 'rmSync'])}) {
  const own = fs[name]
  fs[name] = (path, ...more) => {
    const writes = name !== 'openSync' || more[0] === 'wx'
    const isOurs = writes && (typeof path === 'number' ? path > 2 : /exceptions/.test(String(path)))
    if (isOurs && --left === 0) ${act}
    return own(path, ...more)
  }
}
require('node:module').syncBuiltinESMExports()
`,
    )
    const env = { ...workspace.env, NODE_OPTIONS: `--require ${preload}` }
    return runCommand(['accept', '--only', 'constant/**', ...term], workspace.dir, env)
  }

  it.each([
    ['wherever the command is killed', "process.kill(process.pid, 'SIGKILL')"],
    ['wherever the disk is full', noSpace],
  ])('%s', async (_, act) => {
    const ends = new Set<string>()
    for (let at = 1, isBroken = true; isBroken; at++) {
      workspace.write('exceptions.yaml', before)
      const { code, stderr } = await acceptWhile(act, at)
      isBroken = code !== 0
      const is = fileText() === before ? 'before' : 'after'
      ends.add(is)
      if (is === 'after') expect(fileText()).toContain('path: test, target: test, until: 2099-12-31, reason: Known }\n')
      expect(fileText()).toContain(before)
      if (isBroken && act === noSpace) expect([is, stderr]).toEqual(['before', expect.stringContaining('SVC2303')])
      const again = await run('accept', '--only', 'constant/**', ...term)
      expect([again.code, again.stderr]).toEqual([0, ''])
      expect((await run('drift', '--only', 'constant/**')).code).toBe(0)
    }
    expect([...ends]).toEqual(['before', 'after'])
  })
})

it('reads an access baseline with a warning, until `access accept` has moved it with its comments', async () => {
  const old = `# Ours.
exceptions:
  # Until Piotr is back.
  - { person: eve@example.com, level: Administrator, object: application/main/Purchasing, until: 2099-03-31, reason: X } # See 4711.
`
  workspace.write('access-baseline.yaml', old)
  const { stdout } = await run('plan', '--only', 'application/**')
  expect(onOneLine(stdout)).toContain('SVC1344')
  expect(onOneLine(stdout)).toContain('Left alone by access-baseline.yaml: 1 difference.')
  const moved = await run('access', 'accept')
  expect([moved.code, moved.stdout]).toEqual([
    ...[0, '1 exception moved from access-baseline.yaml to exceptions.yaml: commit both.\n'],
  ])
  expect(existsSync(join(workspace.dir, 'access-baseline.yaml'))).toBe(false)
  expect(fileText()).toBe(`# Ours.
exceptions:
  # Until Piotr is back.
  - { access: { person: eve@example.com, level: Administrator, object: application/main/Purchasing }, until: 2099-03-31, reason: X } # See 4711.
`)
  // A move that was broken off: both files are there.
  writeFileSync(join(workspace.dir, 'access-baseline.yaml'), old)
  const again = await run('plan', '--only', 'application/**')
  expect([again.code, onOneLine(again.stdout)]).toEqual([
    0,
    expect.stringContaining('Left alone by exceptions.yaml: 1'),
  ])
  const after = fileText()
  expect((await run('access', 'accept')).code).toBe(0)
  expect(fileText()).toBe(after)
})
