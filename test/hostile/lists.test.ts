// A platform whose lists do not end, or are none: the built command ends with a sentence and the right code, within its
// memory.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { json, startRawServer } from './raw-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The list of users by page, and the users found when read alone; everything else is missing. */
async function plan(users: (page: number) => unknown, env: Record<string, string> = {}, alone: readonly string[] = []) {
  const server = await startRawServer(({ method, path }, socket) => {
    const { pathname, searchParams } = new URL(path, 'http://x')
    const svcId = searchParams.get('svcId') ?? ''
    if (pathname.endsWith('/admin/user') && alone.includes(svcId)) socket.write(json(JSON.stringify(user(svcId))))
    else if (method !== 'GET') socket.write(json('{}', '', '500 No'))
    else if (!pathname.endsWith('/admin/users'))
      socket.write(json('{"type":"ResourceNotFound","description":"Not there"}', '', '404 Not Found'))
    else socket.write(json(JSON.stringify(users(Number(searchParams.get('page'))))))
  })
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
  closing.push(server.close, () => rmSync(dir, { recursive: true }))
  const target = `{ baseUrl: "${server.url}", clientId: a, clientSecret: "\${env:SECRET}" }`
  writeFileSync(
    join(dir, 'svcsync.yaml'),
    `version: 1\nmanifests: [m]\ntarget: t\ntargets: { t: ${target} }\n` +
      'settings: { pageSize: 200, retry: { attempts: 2, maxDelay: 20ms } }\n',
  )
  mkdirSync(join(dir, 'm'))
  writeFileSync(join(dir, 'm/a.yaml'), 'users:\n  - { svcId: a@x }\n  - { svcId: b@x }\n  - { svcId: c@x }\n')
  const args = ['plan', '--format', 'json', '--detailed-exitcode', '--concurrency', '4']
  const result = await runCommand(args, dir, { SECRET: 's3cret', ...env })
  return { ...result, server }
}

const user = (svcId: string) => ({
  svcId,
  name: svcId,
  email: '',
  phoneNumber: null,
  managerSvcId: null,
  jobTitle: null,
  status: 'Synchronized',
})

describe('a list that never ends', () => {
  it('ends with one sentence before the memory does', async () => {
    const page = (number: number) => ({
      users: Array.from({ length: 200 }, (_, index) => user(`u${number * 200 + index}${'x'.repeat(500)}`)),
    })
    const { code, stderr, server } = await plan(page, { NODE_OPTIONS: '--max-old-space-size=96' })
    expect(stderr).toContain('SVC3068')
    expect(stderr.split('\n').length).toBeLessThan(8)
    expect(stderr).not.toMatch(/heap out of memory|\bat \w+ \(/)
    expect(code).toBe(1)
    expect(server.requests.length).toBeLessThan(2600)
  })

  it('is read once where its pages repeat', async () => {
    const all = ['a@x', 'b@x', 'c@x'].map(user)
    const { code, server } = await plan(() => ({ users: all, total: 1e9, totalPages: -1 }))
    expect(code).not.toBe(1)
    expect(server.requests.length).toBeLessThan(20)
  })
})

it('a page that is shorter than the one before it is not the end: nobody on the next passes for absent', async () => {
  const pages = [['a@x', 'x1@x', 'x2@x'], ['b@x', 'x3@x'], ['c@x']].map((ids) => ids.map(user))
  const { stdout } = await plan((page) => ({ users: pages[page] ?? [], total: 3 }))
  const { changes } = JSON.parse(stdout)
  expect(changes.filter(({ action }: { action: string }) => action === 'create')).toEqual([])
})

it('does not create whom a list lost that moved up while it was read', async () => {
  const before = ['x1@x', 'x2@x', 'a@x', 'b@x', 'x3@x'].map(user)
  const pageOf = (users: readonly unknown[], page: number) => users.slice(page * 2, page * 2 + 2)
  // The first one goes while the first page is on its way: `a@x` is on that page then.
  const shifting = (page: number) => ({ users: pageOf(page === 0 ? before : before.slice(1), page) })
  const { code, stdout, server } = await plan(shifting, {}, ['a@x', 'b@x'])
  const { changes } = JSON.parse(stdout)
  expect(changes.map(({ action, address }: Record<string, string>) => `${action} ${address}`)).toEqual([
    'create user/c@x',
  ])
  expect(code).toBe(2)
  expect(
    server.requests
      .filter(({ path }) => path.includes('svcId='))
      .map(({ path }) => path.split('svcId=')[1])
      .sort(),
  ).toEqual(['a%40x', 'c%40x'])
})

it.each([
  ['without its key', { people: [] }],
  ['that is null', { users: null }],
  ['of a text', { users: 'none' }],
  ['of an object', { users: { 0: user('a@x') } }],
  ['of null', { users: [null, null] }],
  ['of lists', { users: [[user('a@x')]] }],
])('a list %s does not pass for empty', async (_, answer) => {
  const { code, stdout, stderr } = await plan(() => answer)
  expect(code, stderr).not.toBe(0)
  const { changes = [], unreadable = [] } = JSON.parse(stdout)
  expect(changes.filter(({ action }: { action: string }) => action === 'create')).toEqual([])
  expect(unreadable).toHaveLength(3)
})
