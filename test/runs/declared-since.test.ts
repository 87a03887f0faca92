// Since when somebody can do something as declared, from a real history: lists in one line, files that move, and gaps.
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { accessRun } from '../../src/runs/access/access-run.ts'
import { commitAt } from '../../src/runs/access/commit-at.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { declaredSince } from '../../src/runs/open/declared-since.ts'
import { openBase } from '../../src/runs/open/open-base.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const people = ['anna', 'jan', 'maria', 'piotr'].map((name) => `${name}@example.com`)
const tenant: Tenant = {
  users: people.map((svcId) => ({ svcId, name: svcId })),
  groups: [
    { svcId: 'finance@example.com', name: 'F', members: ['anna@example.com', 'jan@example.com', 'piotr@example.com'] },
  ],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          privileges: [{ svcId: 'finance@example.com', level: 'ReadOnly' }],
          processes: [{ name: 'Orders', privileges: [{ svcId: 'finance@example.com', level: 'Start' }] }],
        },
      ],
    },
  ],
}
const finance = (...members: string[]): string =>
  `groups:\n  - { svcId: finance@example.com, members: [${members.map((each) => `${each}@example.com`).join(', ')}] }\n`
const application = `database: main
applications: [{ application: Purchasing, privileges: { ReadOnly: [finance@example.com] } }]
`
const process = `database: main
processes: [{ process: Orders, privileges: { Start: [{ set: starters }] } }]
sets: { starters: [finance@example.com] }
`

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
})
afterAll(() => workspace.close())

const git = (day: number | string, author: string, ...args: string[]): string => {
  const at = `2026-${typeof day === 'string' ? day : `03-${String(day).padStart(2, '0')}`}T10:00:00Z`
  const env = {
    PATH: globalThis.process.env.PATH,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_COMMITTER_DATE: at,
    GIT_AUTHOR_DATE: at,
  }
  const who = ['-c', `user.name=${author}`, '-c', 'user.email=a@example.com']
  return String(execFileSync('git', [...who, ...args], { cwd: workspace.dir, stdio: 'pipe', env })).trim()
}
const commit = (day: number | string, author: string): string => {
  git(day, author, 'add', '-A')
  git(day, author, 'commit', '-q', '--allow-empty', '-m', `Day ${day}`)
  return git(day, author, 'rev-parse', 'HEAD')
}

const ask = async (at?: string) => (await answer(at)).rows
const unseen = async (at: string) => (await answer(at)).perhapsGroups
const answer = async (at?: string) => {
  const opened = workspace.open()
  const client = connect(opened.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
  try {
    const options = { cwd: workspace.dir, env: {}, kinds, needCredentials: false, nowMs: Date.now() }
    const asked = at === undefined ? undefined : commitAt(at, opened)
    const base = asked && openBase(asked, opened, options)
    const createdAt = '2026-11-01T00:00:00Z'
    const planned = await planRun(opened, client, { only: [], version: 'test', createdAt, base })
    const settings = { sinceOf: () => declaredSince(opened, asked?.ref), at: asked }
    return await accessRun(opened, client, planned, {}, settings)
  } finally {
    await client.close()
  }
}
const said = (rows: Awaited<ReturnType<typeof ask>>): string[] =>
  rows.map(({ subject, level, since }) => `${subject} ${level} ${since?.date.slice(0, 10)} ${since?.author}`)

it('is the commit that completed the chain, through one-line lists, moves and renames, and after a gap', async () => {
  git(1, 'Kim', 'init', '-q')
  rmSync(join(workspace.dir, 'manifests/main.yaml'), { force: true })
  workspace.write('manifests/finance.yaml', finance('anna', 'jan'))
  workspace.write('manifests/application.yaml', application)
  const first = commit(2, 'Kim')
  // Another person in the same line.
  workspace.write('manifests/finance.yaml', finance('anna', 'jan', 'piotr'))
  commit(3, 'Lee')
  mkdirSync(join(workspace.dir, 'manifests/teams'))
  renameSync(join(workspace.dir, 'manifests/finance.yaml'), join(workspace.dir, 'manifests/teams/money.yaml'))
  commit(4, 'Lee')
  workspace.write('manifests/teams/money.yaml', finance('anna', 'piotr'))
  commit(5, 'Lee')
  // Into another file, written in another form, and the other gone.
  rmSync(join(workspace.dir, 'manifests/teams'), { recursive: true })
  const list = ['piotr', 'jan', 'anna'].map((each) => `      - ${each}@example.com\n`).join('')
  workspace.write('manifests/all.yaml', `groups:\n  - svcId: finance@example.com\n    members:\n${list}`)
  commit(6, 'Moe')
  workspace.write('manifests/process.yaml', process)
  commit(7, 'Kim')
  expect(said(await ask())).toEqual([
    'anna@example.com ReadOnly 2026-03-02 Kim',
    'anna@example.com Start 2026-03-07 Kim',
    'jan@example.com ReadOnly 2026-03-06 Moe',
    'jan@example.com Start 2026-03-07 Kim',
    'piotr@example.com ReadOnly 2026-03-03 Lee',
    'piotr@example.com Start 2026-03-07 Kim',
  ])
  // An uncommitted line is in no commit.
  workspace.write('manifests/all.yaml', finance('anna', 'jan', 'piotr', 'maria'))
  expect(said(await ask()).filter((each) => each.startsWith('maria'))).toEqual([
    'maria@example.com ReadOnly undefined undefined',
    'maria@example.com Start undefined undefined',
  ])
  git(8, 'Kim', 'checkout', '-q', '--', '.')
  // Access as declared then.
  const past = async (at: string) => (await ask(at)).map(({ subject, level }) => `${subject} ${level}`)
  expect(await past('2026-03-05')).toEqual(['anna@example.com ReadOnly', 'piotr@example.com ReadOnly'])
  expect(await past(first)).toEqual(['anna@example.com ReadOnly', 'jan@example.com ReadOnly'])
  expect(() => commitAt('2026-03-01', workspace.open())).toThrow('No commit of the history')
})

const timed = (to = '2026-10-01'): string => `database: main
groups:
  - svcId: finance@example.com
    members: [anna@example.com, { svcId: jan@example.com, from: 2026-05-01 }, { svcId: maria@example.com, until: 2026-04-30 }]
applications: [{ application: Purchasing, privileges: { ReadOnly: [finance@example.com] } }]
substitutions:
  - { person: anna@example.com, substitute: piotr@example.com, type: TaskDelegation, from: 2026-06-01, to: ${to} }
`

it('counts what has a time of its own from then on, and looking back when it was in force', async () => {
  rmSync(join(workspace.dir, 'manifests'), { recursive: true })
  workspace.write('manifests/timed.yaml', timed())
  commit(10, 'Kim')
  const past = async (at: string) => {
    const rows = await ask(at)
    return rows.map(({ subject, since }) => `${subject} ${since?.date.slice(8, 10)} ${since?.begins?.slice(0, 10)}`)
  }
  const [anna, jan] = ['anna@example.com 02 undefined', 'jan@example.com 10 2026-05-01']
  expect(await past('HEAD')).toEqual([anna, 'maria@example.com 10 undefined'])
  const piotr = 'piotr@example.com 10 2026-06-01'
  const later = (month: number): string => commit(`0${month}-20`, 'Kim')
  expect(await past(later(5))).toEqual([anna, jan])
  expect(await past(later(7))).toEqual([anna, jan, piotr])
  // Any change of a substitution makes another one.
  workspace.write('manifests/timed.yaml', timed('2026-12-31'))
  expect(await past(later(8))).toEqual([anna, jan, 'piotr@example.com 20 undefined'])
  workspace.write('manifests/timed.yaml', timed('2026-08-31'))
  expect(await past(later(9))).toEqual([anna, jan])
  // So does any change of an entry's time: there may have been a gap.
  workspace.write('manifests/timed.yaml', timed('2026-08-31').replace('2026-04-30', '2026-12-31'))
  expect(await past(later(9))).toEqual([anna, jan, 'maria@example.com 20 undefined'])
})

it('looks back at what is gone from manifests and platform, and not at what is yet to come', async () => {
  rmSync(join(workspace.dir, 'manifests'), { recursive: true })
  workspace.write(
    'manifests/ghosts.yaml',
    `database: main
groups: [{ svcId: ghosts@example.com, name: Ghosts, members: [maria@example.com] }]
processes: [{ process: Orders, privileges: { Modify: [ghosts@example.com, strangers@example.com] } }]
`,
  )
  const then = commit('10-20', 'Kim')
  workspace.write(
    'manifests/ghosts.yaml',
    'groups: [{ svcId: new@example.com, name: New, owners: [anna@example.com] }]\n',
  )
  commit('10-21', 'Kim')
  const past = await ask(then)
  expect(past.map(({ subject, level, via }) => `${subject} ${level} ${via}`)).toEqual([
    'maria@example.com Modify ghosts@example.com',
    'strangers@example.com Modify ',
  ])
  // A group whose members nobody declared then, and that is declared today, and not there yet.
  workspace.write('manifests/late.yaml', 'groups: [{ svcId: strangers@example.com, name: S, members: [] }]\n')
  commit('10-22', 'Kim')
  expect(await unseen(then)).toEqual(['strangers@example.com'])
})
