// `svcsync access`: who can do what, as people, spreadsheets and programs get it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    tenant: {
      accounts: [
        { svcId: '=HYPERLINK("x")@corp', name: 'Formula', type: 'Other' },
        { svcId: 'auditors@corp', name: 'Auditors', type: 'AdGroup' },
        // Full-width: some spreadsheets take it for the other sign.
        { svcId: '＝SUM@corp', name: 'Sum', type: 'Other' },
      ],
      users: [{ svcId: 'anna@example.com', name: 'Anna' }],
      groups: [
        { svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com'] },
        // No manifest declares it, and through it she administers.
        { svcId: 'hidden@example.com', name: 'Hidden', members: ['clerks@example.com'] },
        // A directory group without access of its own.
        { svcId: 'readers@example.com', name: 'Readers', members: ['auditors@corp'] },
      ],
      databases: [
        {
          id: 1,
          applications: [
            {
              name: 'Purchasing',
              privileges: [
                { svcId: 'hidden@example.com', level: 'Administrator' },
                { svcId: '=HYPERLINK("x")@corp', level: 'ReadOnly' },
              ],
              processes: [
                { name: 'Orders', privileges: [{ svcId: 'clerks@example.com', level: 'Start' }] },
                { name: 'Returns', privileges: [{ svcId: 'readers@example.com', level: 'ReadOnly' }] },
                // A program that separates by semicolons begins a cell in the middle of it.
                { name: 'Sums; =1+1;', privileges: [{ svcId: '＝SUM@corp', level: 'Start' }] },
              ],
            },
          ],
        },
      ],
    },
  })
  workspace.manifest('groups:\n  - { svcId: clerks@example.com, members: [] }\n')
})
afterAll(() => workspace.close())

const access = (...args: string[]) => runCommand(['access', ...args], workspace.dir, { ...workspace.env })

it('says what somebody can do through groups that no manifest declares, and what the next apply ends', async () => {
  const { code, stdout, stderr } = await access('explain', 'ANNA@example.com')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(`Access to test · ${workspace.emulator.url} · API 6.0 · database main = 1

Now, and not declared; an apply takes it away
  • anna@example.com  Administrator on application/main/Purchasing, through clerks@example.com ›
        hidden@example.com
      Start on process/main/Purchasing/Orders, through clerks@example.com

May be groups whose members svcsync cannot see: =HYPERLINK("x")@corp, auditors@corp, ＝SUM@corp.
Hold no licence: anna@example.com.
Not read: substitutions, since no manifest declares one.
Outside the API: system administrators, business administrators and auditors of the whole
installation. Nobody has reviewed them: list them in a file, and name it in \`globalPrivileges\` of
the project file.
The API lists no element privileges: svcsync read only those that a manifest declares.
`)
  const lacking = await access('explain', '=HYPERLINK("x")@corp', 'process/**')
  expect(lacking.stdout).toContain(
    '`=HYPERLINK("x")@corp` can do nothing on `process/**` now, as far as svcsync could read.',
  )
  expect(lacking.stdout).toContain(
    'Held there by others\n  • clerks@example.com   Start     process/main/Purchasing/Orders  directly\n',
  )
})

it('says who can do what on an object, as data too', async () => {
  const { rows, unread } = JSON.parse((await access('of', 'application/main/Purchasing', '--format', 'json')).stdout)
  expect(unread).toEqual([])
  expect(rows.map(({ subject, level, via }: Record<string, unknown>) => [subject, level, via])).toEqual([
    ['=HYPERLINK("x")@corp', 'ReadOnly', []],
    ['anna@example.com', 'Administrator', ['clerks@example.com', 'hidden@example.com']],
  ])
})

it('answers who has one level by a line for each account, on what is asked for, groups too', async () => {
  const level = (glob: string, of: string) => access('of', glob, '--level', of)
  const administrators = (await level('application/*/Purchasing', 'Administrator')).stdout
  expect(administrators).toMatch(/^Administrator of application\/main\/Purchasing \(test, read [\d-]+ [\d:]+ UTC\)\n/)
  expect(administrators).toContain(
    '  anna@example.com  through clerks@example.com › hidden@example.com  not declared\n',
  )
  expect((await level('process/**/Orders', 'Start')).stdout).toContain(
    'Above it, Administrator of application/main/Purchasing: anna@example.com',
  )
  expect((await level('group/clerks@example.com', 'owner')).stdout).toContain(
    'owner of group/clerks@example.com (test, read',
  )
  const slip = await level('group/clerks@example.com', 'Owner')
  expect([slip.code, slip.stdout]).toEqual([1, ''])
})

it('says of one level that somebody lacks it, and not that nobody can do anything', async () => {
  const { stdout } = await access('explain', '=HYPERLINK("x")@corp', '--level', 'Administrator')
  expect(stdout).toContain('`=HYPERLINK("x")@corp` does not have the level `Administrator` now, as far as')
  expect((await access('list', '--level', 'Modify')).stdout).toContain('Nobody has the level `Modify` now, as far as')
})

it('shows whoever may have a level that the platform does not tell', async () => {
  workspace.emulator.setBehaviour({ privilegeLevel: 'omitted' })
  try {
    const address = 'application/main/Purchasing'
    const { stdout } = await access('of', address, '--level', 'Administrator')
    expect(stdout).toContain('  anna@example.com (level not told)  ')
    const { rows } = JSON.parse((await access('list', '--level', 'Administrator', '--format', 'json')).stdout)
    const told = rows.filter((row: Record<string, unknown>) => row.address === address)
    expect(told.map(({ subject, level }: Record<string, unknown>) => [subject, level])).toEqual([
      ['=HYPERLINK("x")@corp', null],
      ['anna@example.com', null],
    ])
    const above = (await access('of', 'process/**/Orders', '--level', 'Start')).stdout
    expect(above).toContain(`Above it, Administrator of ${address}: anna@example.com (level not told),\n`)
    expect((await access('list', '--level', 'owner', '--format', 'json')).stdout).toContain('"rows": []')
  } finally {
    workspace.emulator.setBehaviour({ privilegeLevel: 'returned' })
  }
})

it('lists it for a spreadsheet, in which nothing is taken for a formula', async () => {
  const { code, stdout, stderr } = await access('list', '--format', 'csv')
  expect([code, stderr]).toEqual([0, 'Not read: substitutions, since no manifest declares one.\n'])
  expect(stdout).toBe(
    [
      'account,level,object,company,through,kind,now,after apply,declared,declared through,declared ' +
        'at,accepted,since,may be a group,licensed,approved by,applied,approval claimed',
      `"'=HYPERLINK(""x"")@corp",ReadOnly,application/main/Purchasing,,,privilege,yes,yes,no,,,,,yes,,,,`,
      'anna@example.com,Administrator,application/main/Purchasing,,clerks@example.com ' +
        '> hidden@example.com,privilege,yes,no,no,,,,,no,no,,,',
      'anna@example.com,Start,process/main/Purchasing/Orders,,clerks@example.com,privilege,yes,no,no,,,,,no,no,,,',
      'auditors@corp,ReadOnly,process/main/Purchasing/Returns,,readers@example.com,privilege,yes,yes,no,,,,,yes,,,,',
      '\'＝SUM@corp,Start,"process/main/Purchasing/Sums;\' =1+1;",,,privilege,yes,yes,no,,,,,yes,,,,',
      ',"system administrators, business administrators, ' +
        'auditors",the whole installation,,,outside the API,unknown,,,,,,,,,,,',
      ',,undeclared element privileges,,,outside the API,unknown,,,,,,,,,,,',
      ',,who stands in for whom,,,not read,unknown,,,,,,,,,,,',
      '',
    ].join('\r\n'),
  )
  const table = (await access('list', '--format', 'markdown')).stdout
  expect(table).toContain('**Start** on `process/main/Purchasing/Orders`')
})

it('gives no list where a part cannot be read, and tells of one object what it could', async () => {
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/db/1/processes/*/admin/privileges' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  try {
    const list = await access('list', '--format', 'csv')
    expect([list.code, list.stdout]).toEqual([1, ''])
    expect(list.stderr).toContain('SVC2282')
    expect(list.stderr).toContain('process/main/Purchasing/Orders')
    const one = await access('of', 'application/main/Purchasing')
    expect(one.code).toBe(1)
    expect(one.stdout).toContain('Administrator  application/main/Purchasing')
    const orders = 'process/main/Purchasing/Orders'
    expect(one.stdout).toContain(`Not read, so access to these is unknown:\n\n! ${orders}\n`)
    // Tables say it as well.
    const [table, lines] = await Promise.all(
      ['csv', 'jsonl'].map((format) => access('of', 'application/main/Purchasing', '--format', format)),
    )
    expect(table?.stdout).toMatch(new RegExp(`^,,${orders},,.* 403 .*,not read,unknown,`, 'm'))
    expect(JSON.parse(lines?.stdout.trim().split('\n').at(-1) ?? '').unread).toMatchObject([
      { address: orders },
      { address: 'process/main/Purchasing/Returns' },
      { address: 'process/main/Purchasing/Sums; =1+1;' },
    ])
    const comment = await access('of', 'application/main/Purchasing', '--format', 'markdown')
    expect(comment.stdout).toMatch(
      /\nOutside the API: .*\n\nThe API lists [\s\S]*\nNot read, so access to these is unknown:\n\n- `process/,
    )
  } finally {
    workspace.emulator.clearFaults()
  }
})

it('says of a directory account that no list names any more that it can do nothing', async () => {
  expect((await access('explain', 'ewa@corp.example.com')).stderr).toContain('SVC2280')
  const file = join(workspace.dir, 'svcsync.yaml')
  const before = readFileSync(file, 'utf8')
  workspace.write('svcsync.yaml', `${before}\naccounts: { external: ["*@corp.example.com"] }\n`)
  try {
    const { code, stdout, stderr } = await access('explain', 'Ewa@corp.example.com')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('`Ewa@corp.example.com` can do nothing now, as far as svcsync could read.')
    expect((await access('explain', 'ewa@crp.example.com')).code).toBe(1)
  } finally {
    workspace.write('svcsync.yaml', before)
  }
})
