// By which groups somebody has something now, and by which it is declared: each line of `access` belongs to the way
// beside it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { printText } from '../../src/render/printers/text.ts'
import { accessListBlocks, renderAccessCsv } from '../../src/render/report/access-list.ts'
import { accessRun } from '../../src/runs/access/access-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { withPolicies } from '../../src/runs/open/with-policies.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  const groups = ['m0', 'm1'].map((name) => ({ svcId: `${name}@example.com`, name, members: ['anna@example.com'] }))
  const privileges = groups.map(({ svcId }) => ({ svcId, level: 'Start' as const }))
  workspace = await openWorkspace({
    tenant: {
      users: [{ svcId: 'anna@example.com', name: 'Anna' }],
      groups,
      databases: [
        {
          id: 1,
          businessEntities: [{ code: 'PL01', name: 'Poland' }],
          applications: [{ name: 'Purchasing', processes: [{ name: 'Orders', privileges }] }],
        },
      ],
    },
  })
})
afterAll(() => workspace.close())

async function explain(...groups: string[]) {
  workspace.manifest(`database: main
groups:
${groups.map((name) => `  - { svcId: ${name}@example.com, members: [anna@example.com] }\n`).join('')}processes:
  - { process: Orders, privileges: { Start: [${groups.map((name) => `${name}@example.com`).join(', ')}] } }
`)
  const { text, table } = await ask()
  const lines = text.split('\n').filter((line) => /through|declared at|, at /.test(line))
  const files = /[^ ,>]*(:\d+:\d+)/g
  return [...lines.map((line) => line.trim()), table[1] ?? ''].map((line) => line.replace(files, (_, at) => `M${at}`))
}

async function ask() {
  const opened = await withPolicies(workspace.open())
  const client = connect(opened.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
  try {
    const person = 'anna@example.com'
    const answer = await accessRun(opened, client, await workspace.plan(), { person }, {})
    const text = printText(accessListBlocks(answer, { nobody: '' }), { colour: false, width: 500, verbose: true })
    return { text, table: [...renderAccessCsv(answer)].join('').split('\r\n') }
  } finally {
    await client.close()
  }
}

it('shows the way of now where all of it is declared, and names another declared one beside its places', async () => {
  const row = 'anna@example.com,Start,process/main/Purchasing/Orders,,m0@example.com,privilege,yes,yes,yes'
  expect(await explain('m1')).toEqual([
    '• anna@example.com  Start  process/main/Purchasing/Orders  through m0@example.com',
    'declared through m1@example.com, at M:3:40 > M:5:46',
    // Removing her from one group leaves her the level by the other.
    '• anna@example.com  Start  process/main/Purchasing/Orders  through m1@example.com',
    `${row},m1@example.com,M:3:40 > M:5:46,,,no,no,,,`,
  ])
  // Of two declared ways, the live one is shown.
  expect(await explain('m1', 'm0')).toEqual([
    '• anna@example.com  Start  process/main/Purchasing/Orders  through m0@example.com',
    'declared at M:4:40 > M:6:62',
    '• anna@example.com  Start  process/main/Purchasing/Orders  through m1@example.com',
    `${row},m0@example.com,M:4:40 > M:6:62,,,no,no,,,`,
  ])
})

it('says that limited access stays where the same is given for all, and knows no untold limit', async () => {
  const told = async (who: string) => {
    workspace.manifest(`database: main
groups: [{ svcId: m0@example.com, members: [anna@example.com] }]
processes: [{ process: Orders, privileges: { Start: [${who}] } }]
`)
    const { text, table } = await ask()
    const rows = table.slice(1).filter((line) => line !== '' && !/outside the API|not read/.test(line))
    const cells = rows.map((line) => line.split(','))
    return { text, rows: cells.map(([, level, , company, , , ...is]) => [level, company, ...is.slice(0, 3)].join(' ')) }
  }
  const limited = '{ svcId: m0@example.com, company: PL01 }'
  // A list in which nothing is limited does not tell that apart.
  for (const who of ['', limited]) {
    workspace.manifest(`database: main\nprocesses: [{ process: Orders, privileges: { Start: [${who}] } }]\n`)
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  }
  expect((await told('m0@example.com')).rows).toEqual(['Start PL01 yes yes yes', 'Start  no yes yes'])
  workspace.emulator.setBehaviour({ privilegeCompany: 'omitted' })
  const perhaps = await told(limited)
  expect(perhaps.rows).toEqual(['Start unknown yes yes unknown'])
  expect(perhaps.text).toContain('Now, and perhaps declared; an apply leaves it\n')
  expect(perhaps.text).toContain('  Start (company not told)  process')
  // Declared for all: whatever it is limited to, that is declared.
  expect((await told('m0@example.com')).rows).toEqual(['Start  yes yes yes'])
})

it('says what begins and ends for her, and for groups that she is in', async () => {
  workspace.manifest(`database: main
groups:
  - { svcId: m0@example.com, members: [{ svcId: anna@example.com, until: 2100-02-01 }] }
  - { svcId: m1@example.com, members: [{ svcId: anna@example.com, from: 2100-01-01 }] }
processes: [{ process: Orders, privileges: { Start: [{ svcId: m0@example.com, from: 2100-03-01 }] } }]
`)
  const { text } = await ask()
  const told = text.slice(text.indexOf('With bounds'), text.indexOf('\n\n', text.indexOf('With bounds')))
  expect(told.replaceAll(/ +\S*:\d+:\d+$/gm, '')).toBe(`With bounds in time
  2100-01-01  begins  anna@example.com in members of group/m1@example.com
  2100-02-01  ends    anna@example.com in members of group/m0@example.com
  2100-03-01  begins  m0@example.com in Start of process/main/Purchasing/Orders`)
})
