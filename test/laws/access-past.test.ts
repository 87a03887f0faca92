// The law of a day in the past: `--at` says what the manifests of then gave on that day, whatever is declared, live,
// today. The truth is worked out from the manifests alone.
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { accessRun } from '../../src/runs/access/access-run.ts'
import { commitAt } from '../../src/runs/access/commit-at.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { openBase } from '../../src/runs/open/open-base.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { tryLaw } from './law-runs.ts'

const users = ['u0', 'u1', 'u2', 'u3'].map((name) => `${name}@example.com`)
const groups = ['g0', 'g1', 'g2'].map((name) => `${name}@example.com`)
const levels = ['ReadOnly', 'Administrator']

interface Timed {
  readonly svcId: string
  readonly from?: string
  readonly until?: string
}
interface Declared {
  readonly groups: readonly { readonly svcId: string; readonly members: readonly Timed[] }[]
  readonly privileges: Readonly<Record<string, readonly Timed[]>>
  readonly substitutions: readonly {
    readonly person: string
    readonly substitute: string
    readonly type: string
    readonly from: string
    readonly to: string
  }[]
}

const timed = (names: readonly string[]): fc.Arbitrary<readonly Timed[]> => {
  const svcId = fc.constantFrom(...names)
  const from = fc.constantFrom('2026-02-01', '2026-05-01', '2026-08-01')
  const until = fc.constantFrom('2026-02-15', '2026-05-15', '2026-12-15')
  const entry = fc.oneof(fc.record({ svcId }), fc.record({ svcId, from }), fc.record({ svcId, until }))
  return fc.uniqueArray<Timed, string>(entry, { maxLength: 3, selector: (each) => each.svcId })
}
const everybody = [...users, ...groups]
const declared: fc.Arbitrary<Declared> = fc.record({
  groups: fc
    .subarray(groups)
    .chain((some) =>
      fc.tuple(
        ...some.map((svcId) =>
          timed(everybody.filter((each) => each !== svcId)).map((members) => ({ svcId, members })),
        ),
      ),
    ),
  privileges: fc.dictionary(fc.constantFrom(...levels), timed(everybody), { maxKeys: 2 }),
  substitutions: fc
    .uniqueArray(fc.constantFrom(...users), { minLength: 2, maxLength: 2 })
    .chain(([person = '', substitute = '']) =>
      fc
        .constantFrom('2026-05-10', '2026-12-31')
        .map((to) => [{ person, substitute, type: 'TaskDelegation', from: '2026-04-01', to }]),
    ),
})

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    tenant: {
      users: users.map((svcId) => ({ svcId, name: svcId })),
      groups: [{ svcId: 'g0@example.com', name: 'G', members: ['u0@example.com'] }],
      databases: [
        { id: 1, applications: [{ name: 'Sales', privileges: [{ svcId: 'u3@example.com', level: 'ReadOnly' }] }] },
      ],
    },
  })
})
afterAll(() => workspace.close())

function git(day: string, ...args: string[]): void {
  const who = ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com']
  const date = `${day}T12:00:00Z`
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  }
  execFileSync('git', [...who, ...args], { cwd: workspace.dir, stdio: 'pipe', env })
}

function commit(day: string, { groups: own, privileges, substitutions }: Declared): void {
  const named = own.map((each) => ({ name: each.svcId, ...each }))
  const applications = [{ application: 'Sales', privileges }]
  workspace.manifest(JSON.stringify({ database: 'main', groups: named, applications, substitutions }))
  git(day, 'add', '-A')
  git(day, 'commit', '-qm', day, '--allow-empty')
}

const isIn = ({ from = '0', until = '9' }: Omit<Timed, 'svcId'>, day: string): boolean => from <= day && day <= until

function truth({ groups: own, privileges, substitutions }: Declared, day: string) {
  const upwards = (account: string): ReadonlySet<string> => {
    const found = new Set([account])
    // The set grows while it is walked through.
    for (const each of found)
      for (const { svcId, members } of own)
        if (members.some((member) => member.svcId === each && isIn(member, day))) found.add(svcId)
    return found
  }
  const held = (account: string): string[] =>
    Object.entries(privileges).flatMap(([level, all]) =>
      all.some((each) => isIn(each, day) && upwards(account).has(each.svcId)) ? [level] : [],
    )
  const rights = new Map(users.map((user) => [user, new Set(held(user))]))
  for (const { person, substitute, from, to } of substitutions)
    if (isIn({ from, until: to }, day)) for (const level of rights.get(person) ?? []) rights.get(substitute)?.add(level)
  const unseen = groups.filter((group) => own.every(({ svcId }) => svcId !== group) && held(group).length > 0)
  return {
    rights: users.flatMap((user) => [...(rights.get(user) ?? [])].sort().map((level) => `${user} ${level}`)),
    unseen,
  }
}

async function told(day: string) {
  const opened = workspace.open()
  const client = connect(opened.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
  try {
    const at = commitAt(day, opened)
    const base = openBase(at, opened, { cwd: workspace.dir, env: {}, kinds, needCredentials: false, nowMs: Date.now() })
    const createdAt = '2026-11-01T00:00:00Z'
    const planned = await planRun(opened, client, { only: [], version: 'test', createdAt, base })
    const { rows, perhapsGroups } = await accessRun(opened, client, planned, {}, { at })
    const own = rows.filter(({ subject }) => users.includes(subject ?? ''))
    return { rights: own.map(({ subject, level }) => `${subject} ${level}`).sort(), unseen: perhapsGroups }
  } finally {
    await client.close()
  }
}

it('says what was in force on that day', async () => {
  let seen = 0
  await tryLaw(
    fc.asyncProperty(declared, declared, async (first, second) => {
      git('2026-01-01', 'init', '-q', '--initial-branch=main')
      git('2026-01-01', 'update-ref', '-d', 'HEAD')
      commit('2026-01-10', first)
      commit('2026-06-10', second)
      for (const [day, side] of [
        ['2026-02-10', first],
        ['2026-05-20', first],
        ['2026-06-10', second],
      ] as const) {
        const wanted = truth(side, day)
        seen += wanted.rights.length
        expect({ day, ...(await told(day)) }).toEqual({ day, ...wanted })
      }
    }),
    0.5,
  )
  expect(seen).toBeGreaterThan(0)
})
