// Answers that are within the limit, and together more than the memory: the built command ends with a report, not with
// the engine.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())

const users = Array.from({ length: 12 }, (_, index) => `  - { svcId: u${index}@example.com, name: U }`).join('\n')
const env = { NODE_OPTIONS: '--max-old-space-size=160' }

/** The platform, and from its third write on 40 MB behind each answer of that method. */
async function openFront(method: 'POST' | 'GET', padding: string) {
  let writes = 0
  const forward = async (request: IncomingMessage, body: Buffer): Promise<Response> => {
    const { authorization = '', accept = '*/*', 'content-type': type = 'application/json' } = request.headers
    const headers = { accept, 'content-type': type, ...(authorization !== '' && { authorization }) }
    const isRead = request.method === 'GET'
    return fetch(`${workspace.emulator.url}${request.url}`, {
      method: `${request.method}`,
      headers,
      ...(!isRead && { body }),
    })
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const isToken = request.url?.endsWith('/token')
      if (request.method === 'POST' && !isToken) writes++
      const answer = await forward(request, Buffer.concat(chunks))
      const isHuge = writes > 2 && request.method === method && !isToken
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(isHuge ? `{"users":[${padding.repeat(40_000_000 / padding.length)}{}]}` : await answer.text())
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

it.each([
  ['POST', '{},', 0],
  ['GET', '{},', 3],
] as const)('%s', async (method, padding, expected) => {
  workspace.emulator.load({})
  await workspace.control('DELETE', '/requests')
  const front = await openFront(method, padding)
  workspace.manifest(`users:\n${users}\n`)
  const settings = 'settings: { retry: { attempts: 2, maxDelay: 10ms }, sync: { timeout: 300ms } }'
  const target = `{ baseUrl: "${front.url}", clientId: svcsync, clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}" }`
  workspace.write(
    'svcsync.yaml',
    `version: 1\nmanifests: [manifests]\ntarget: t\ntargets: { t: ${target} }\n${settings}\n`,
  )
  try {
    const args = ['apply', '--yes', '--format', 'json', '--concurrency', '4']
    const { code, stdout, stderr } = await runCommand(args, workspace.dir, { ...workspace.env, ...env })
    expect(stderr).not.toMatch(/heap|\bat \w+ \(/)
    expect(code, stderr).toBe(expected)
    const { counts } = JSON.parse(stdout) as { counts: { done: number; failed: number; unknown: number } }
    const carriedOut = writesOf(workspace.emulator).filter((write) => write.carriedOut).length
    expect(counts.done).toBeLessThanOrEqual(carriedOut)
    expect(counts.done + counts.failed + counts.unknown).toBeGreaterThanOrEqual(carriedOut)
  } finally {
    front.close()
  }
})

it('access that does not fit is refused as a page, counted by drift, and written in parts otherwise', async () => {
  const own = await openWorkspace()
  const all = 'all@example.com'
  const members = Array.from({ length: 500 }, (_, index) => `u${index}@example.com`)
  const privileges = [{ svcId: all, level: 'Start' }]
  const processes = Array.from({ length: 400 }, (_, index) => ({ name: `P${index}`, privileges }))
  const applications = [{ name: 'A', privileges: [], processes }]
  own.emulator.load({
    users: members.map((svcId) => ({ svcId, name: svcId })),
    groups: [{ svcId: all, name: 'All', members }],
    databases: [{ id: 1, applications }],
  } as unknown as Tenant)
  own.manifest('')
  const within = (megabytes: number, ...args: string[]) =>
    runCommand(args, own.dir, { ...own.env, NODE_OPTIONS: `--max-old-space-size=${megabytes}` })
  const list = (megabytes: number, format: string) => within(megabytes, 'access', 'list', '--format', format)
  const [whole, text, jsonl] = [await list(48, 'markdown'), await list(70, 'text'), await list(70, 'jsonl')]
  const drift = await within(200, 'drift', '--access')
  const tiny = await within(47, 'plan')
  const lines = Array.from({ length: 80_000 }, (_, at) => `  - { svcId: u${at}@example.com, name: U }\n`)
  own.manifest(`users:\n${lines.join('')}`)
  const project = await within(64, 'validate')
  await own.close()
  // It holds the first thousand levels, and counts the others.
  expect([drift.code, drift.stderr]).toEqual([2, ''])
  expect(drift.stdout).toContain('… and 199,000 more levels undeclared: only counted')
  expect([tiny.code, tiny.stdout]).toEqual([1, ''])
  expect(tiny.stderr).toMatch(/^error SVC3068 {2}svcsync needs 48 MB of memory or more, and Node may use 47 MB\n/)
  expect([text.code, text.stdout.match(/^Now, and not declared/gm)?.length]).toEqual([0, 100])
  expect(text.stdout.match(/^Hold no licence/gm)).toHaveLength(1)
  expect([whole.code, whole.stdout]).toEqual([1, ''])
  expect(whole.stderr).toContain('error SVC3068  The list of access does not fit into the')
  expect([project.code, project.stdout]).toEqual([1, ''])
  expect(project.stderr).toMatch(/^error SVC3068 {2}The project does not fit into the 64 MB of memory/)
  expect(jsonl.code).toBe(0)
  const rows = jsonl.stdout.trimEnd().split('\n')
  // Roles outside the interface come last.
  expect(JSON.parse(rows.pop() as string)).toMatchObject({ outside: { reviewed: null } })
  expect(rows).toHaveLength(500 * 400)
  expect(JSON.parse(rows[1] as string)).toMatchObject({ subject: 'u0@example.com', via: [all], declared: false })
})
