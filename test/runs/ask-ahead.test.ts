// What is asked while manifests are still being parsed: the same requests, the same access and the same words as without it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/index.ts'
import { AuthorError, SvcsyncError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { type OpenOptions, readProject } from '../../src/runs/open/open-project.ts'
import { readAskingAhead } from '../../src/runs/plan/ask-ahead.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const count = 240
const groupName = (index: number): string => `group-${index}@example.com`
const userName = (index: number): string => `user-${index}@example.com`

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({ settings: 'settings: { retry: { attempts: 2, maxDelay: 10ms } }\n' })
  workspace.write(
    'manifests/users.yaml',
    `users:\n${lines(count, (index) => `  - svcId: ${userName(index)}\n    name: U\n`)}`,
  )
  for (let file = 0; file < 12; file++) workspace.write(`manifests/groups-${file}.yaml`, groupsOf(file))
})
afterEach(() => workspace.close())

const lines = (length: number, line: (index: number) => string): string =>
  Array.from({ length }, (_, i) => line(i)).join('')

/** Twenty groups, in a file that takes a moment to be parsed. */
const groupsOf = (file: number): string =>
  `groups:\n${lines(20, (index) => {
    const members = lines(8, (member) => `      - ${userName((index * 8 + member) % count)}\n`)
    return `  - svcId: ${groupName(file * 20 + index)}\n    name: Group ${index}\n    members:\n${members}`
  })}`

interface Logged {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>> | null
}

async function planned(isAhead: boolean, without: readonly string[] = []) {
  await workspace.control('DELETE', '/requests')
  const env = Object.fromEntries(Object.entries(workspace.env).filter(([name]) => !without.includes(name)))
  const { dir } = workspace
  const options: OpenOptions = {
    cwd: dir,
    env,
    kinds,
    needCredentials: true,
    nowMs: Date.parse('2026-01-01T00:00:00Z'),
  }
  const connected = (project: Parameters<typeof connect>[0]) => connect(project, { version: 'test', env: {} })
  const { read, client } = isAhead
    ? await readAskingAhead({ ...options }, connected)
    : { read: readProject(options), client: undefined }
  const used = client ?? connected(read.project)
  const run = planRun(read, used, { kinds, only: [], version: 'test', createdAt: '2026-01-01T00:00:00.000Z' })
  const outcome = await run.then(
    ({ document }) => JSON.parse(JSON.stringify(document)) as unknown,
    (error: unknown) => outcomeOf(error),
  )
  await used.close()
  const log = (await workspace.control('GET', '/requests')) as { readonly requests: readonly Logged[] }
  const requests = log.requests.map(({ method, path, query, body }) =>
    [method, path, JSON.stringify(query), method === 'POST' ? JSON.stringify(body) : ''].join(' ').trim(),
  )
  return { outcome, requests, isAhead: client !== undefined }
}

/** As it is shown, but for the number by which the platform knows this very answer. */
const outcomeOf = (error: unknown): unknown => {
  if (!(error instanceof SvcsyncError)) return error
  const { code, message, hint, actor } = error
  return { code, message, hint, actor, problems: error instanceof AuthorError ? error.problems : [] }
}

const isSingle = (request: string): boolean => request.includes('/admin/group ')
const isUsers = (request: string): boolean => request.includes('/admin/users ')

/** Both ways, and that the second asked before it knew everything. */
async function bothWays(): Promise<
  readonly [Awaited<ReturnType<typeof planned>>, Awaited<ReturnType<typeof planned>>]
> {
  const plain = await planned(false)
  const ahead = await planned(true)
  expect(ahead.isAhead).toBe(true)
  return [plain, ahead]
}

it('asks for what is read anyway, each once, and for some of it before all is known', async () => {
  await workspace.apply()
  const [plain, ahead] = await bothWays()
  expect(ahead.outcome).toEqual(plain.outcome)
  expect([...ahead.requests].sort()).toEqual([...plain.requests].sort())
  expect(ahead.requests.findIndex(isSingle)).toBeLessThan(ahead.requests.findIndex(isUsers))
  expect(plain.requests.findIndex(isSingle)).toBeGreaterThan(plain.requests.findIndex(isUsers))
})

it('asks for nothing that a list does not name', async () => {
  const [plain, ahead] = await bothWays()
  expect(ahead.outcome).toEqual(plain.outcome)
  expect([...ahead.requests].sort()).toEqual([...plain.requests].sort())
  expect(ahead.requests.filter(isSingle).length).toBeLessThan(2)
})

it('asks as the platform writes it', async () => {
  const users = Array.from({ length: count }, (_, index) => ({ svcId: userName(index), name: 'U' }))
  const groups = Array.from({ length: 50 }, (_, index) => ({ svcId: groupName(index).toUpperCase(), name: 'G' }))
  await workspace.control('PUT', '/state', { users, groups })
  const [plain, ahead] = await bothWays()
  expect(ahead.outcome).toEqual(plain.outcome)
  expect([...ahead.requests].sort()).toEqual([...plain.requests].sort())
})

it('finds the same wrong in the manifests', async () => {
  await workspace.apply()
  workspace.write(
    'manifests/zzz.yaml',
    'groups:\n  - svcId: x@example.com\n    nmae: X\n  - svcId: y@example.com\n    members: [nobody\n',
  )
  const [plain, ahead] = await bothWays()
  expect(ahead.outcome).toEqual(plain.outcome)
})

const faults: readonly (readonly [string, Fault])[] = [
  [
    'a list that is refused',
    { match: { path: '/admin/groups' }, count: null, effect: { kind: 'status', status: 403 } },
  ],
  [
    'objects that are refused',
    { match: { path: '/admin/group' }, count: null, effect: { kind: 'status', status: 403 } },
  ],
  ['one object that fails', { match: { query: groupName(3) }, count: null, effect: { kind: 'status', status: 500 } }],
  ['a list that is no JSON', { match: { path: '/admin/groups' }, count: null, effect: { kind: 'text', body: '<p>' } }],
  [
    'answers about another object',
    {
      match: { query: groupName(5) },
      count: null,
      effect: { kind: 'misroute', as: `/admin/group?svcId=${groupName(6)}` },
    },
  ],
  ['a refused token', { match: { path: '/api/oauth2/token' }, count: null, effect: { kind: 'status', status: 401 } }],
]
it.each(faults)('says the same of %s', async (_, fault) => {
  await workspace.apply()
  await workspace.control('POST', '/faults', fault)
  const plain = await planned(false)
  const ahead = await planned(true)
  expect(ahead.isAhead).toBe(true)
  expect(ahead.outcome).toEqual(plain.outcome)
  const tokens = (requests: readonly string[]) => requests.filter((request) => request.includes('/token'))
  expect(tokens(ahead.requests)).toEqual(tokens(plain.requests))
})

it('says the same of scopes that are missing, and tries them once', async () => {
  const applications = [
    { name: 'svcsync', clientId: 'svcsync', clientSecret: 'svcsync-secret', scopes: ['Admin.Users.Read.All'] },
  ]
  await workspace.control('PUT', '/state', { apiApplications: applications })
  const [plain, ahead] = await bothWays()
  expect(ahead.outcome).toEqual(plain.outcome)
  expect(ahead.requests).toEqual(plain.requests)
})

it('says the same of another installation', async () => {
  await workspace.apply()
  const project = join(workspace.dir, 'svcsync.yaml')
  const target = 'databases: { main: 1 }'
  const expecting = `${target}\n    expect: { installation: { signsInAs: [somebody@example.com] } }`
  writeFileSync(project, readFileSync(project, 'utf8').replace(target, expecting))
  const [plain, ahead] = await bothWays()
  expect(ahead.outcome).toEqual(plain.outcome)
  expect(ahead.outcome).toMatchObject({ code: 'SVC2153' })
})

it('asks nothing ahead where the project file is not sound, or where it is a small one', async () => {
  const { isAhead, requests } = await planned(true, ['SVCSYNC_CLIENT_SECRET']).catch(() => ({
    isAhead: false,
    requests: [],
  }))
  expect([isAhead, requests]).toEqual([false, []])
  for (let file = 0; file < 12; file++) workspace.write(`manifests/groups-${file}.yaml`, '')
  expect((await planned(true)).isAhead).toBe(false)
})
