// Every host that svcsync speaks to, through a proxy that opens tunnels (test/platform/proxy.test.ts has NO_PROXY),
// with an authority that only NODE_EXTRA_CA_CERTS names.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createProxy, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { azure } from '../forge/pretended-azure.ts'
import { type PretendedForge, pretendForge, token } from '../forge/pretended-forge.ts'
import { gitHub } from '../forge/pretended-github.ts'
import { gitLab } from '../forge/pretended-gitlab.ts'
import { createAuthority } from '../harness/certificates.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const hosts = ['platform.test', 'auth.test', 'github.test', 'gitlab.test', 'azure.test', 'hooks.test'] as const
const authority = createAuthority('The authority of a company')
let workspace: Workspace
let forges: Record<'github.test' | 'gitlab.test' | 'azure.test', PretendedForge>
/** The destination of each name behind the proxy. */
let behind: Readonly<Record<string, string>>
let tunnels: string[] = []
/** The proxy lets nobody through to them. */
let closed: readonly string[] = []
let env: Record<string, string>

const inside = createServer(authority.issue(hosts), (request: IncomingMessage, response: ServerResponse) => {
  const { method, headers, url } = request
  const to = new URL(url ?? '/', behind[headers.host ?? ''])
  const onward = forward(to, { method, headers: { ...headers, host: to.host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(response)
  })
  // A broken connection there breaks here.
  onward.on('error', () => response.destroy())
  request.pipe(onward)
})
const told: string[] = []
const hooks = createProxy((request, response) => {
  told.push(`${request.method} ${request.url}`)
  request.resume().on('end', () => response.end('ok'))
})
async function listening(server: typeof hooks): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const proxy = createProxy().on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
  tunnels.push(url)
  if (closed.includes(url)) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  inside.emit('connection', socket)
})

beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'settings: { retry: { maxDelay: 5ms } }' })
  workspace.manifest('users:\n  - { svcId: eva@example.com, name: Eva }\n')
  forges = {
    'github.test': await pretendForge(gitHub(100)),
    'gitlab.test': await pretendForge(gitLab(100)),
    'azure.test': await pretendForge(azure()),
  }
  const urls = Object.entries(forges).map(([host, { url }]) => [host, url] as const)
  const { url } = workspace.emulator
  behind = Object.fromEntries([
    ...urls,
    ['platform.test', url],
    ['auth.test', url],
    ['hooks.test', await listening(hooks)],
  ])
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  const project = join(workspace.dir, 'svcsync.yaml')
  const text = readFileSync(project, 'utf8')
  writeFileSync(project, text.replace(url, 'https://platform.test\n    authUrl: https://auth.test'))
  const certificates = join(workspace.dir, 'authority.pem')
  writeFileSync(certificates, authority.cert)
  const { port } = proxy.address() as AddressInfo
  env = { ...workspace.env, HTTPS_PROXY: `http://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: certificates }
})
afterAll(async () => {
  proxy.close()
  proxy.closeAllConnections()
  inside.closeAllConnections()
  hooks.close()
  for (const forge of Object.values(forges)) await forge.close()
  await workspace.close()
})
beforeEach(() => {
  tunnels = []
  closed = []
})

const run = (args: readonly string[], more: Record<string, string> = {}) =>
  runCommand(args, workspace.dir, { ...env, ...more })

it('reaches the platform, and who issues its tokens', async () => {
  const planned = await run(['plan', '--format', 'json'])
  expect(planned).toMatchObject({ code: 0, stderr: '' })
  writeFileSync(join(workspace.dir, 'plan.json'), planned.stdout)
  expect([...new Set(tunnels)].sort()).toEqual(['auth.test:443', 'platform.test:443'])
  expect((await run(['plan'], { NODE_EXTRA_CA_CERTS: '' })).stderr).toContain('No trusted connection to auth.test')
  closed = ['auth.test:443']
  expect((await run(['plan'])).stderr).toContain('The proxy opened no way to auth.test')
})

const jobs = {
  'github.test': {
    GITHUB_TOKEN: token,
    GITHUB_REPOSITORY: 'org/config',
    GITHUB_REF: 'refs/pull/7/merge',
    GITHUB_API_URL: 'https://github.test',
  },
  'gitlab.test': {
    GITLAB_TOKEN: token,
    CI_API_V4_URL: 'https://gitlab.test/api/v4',
    CI_PROJECT_ID: '42',
    CI_MERGE_REQUEST_IID: '7',
  },
  'azure.test': {
    SYSTEM_ACCESSTOKEN: token,
    SYSTEM_COLLECTIONURI: 'https://azure.test/org/',
    SYSTEM_TEAMPROJECTID: 'project-id',
    BUILD_REPOSITORY_ID: 'repo-id',
    SYSTEM_PULLREQUEST_PULLREQUESTID: '7',
  },
} as const

it.each([
  ['github', 'github.test'],
  ['gitlab', 'gitlab.test'],
  ['azure', 'azure.test'],
] as const)('posts to %s', async (service, host) => {
  const post = () => run(['report', 'plan.json', '--to', service], jobs[host])
  const posted = await post()
  expect(posted.stderr).toContain(': made.')
  expect(posted.code).toBe(0)
  expect(forges[host].comments).toHaveLength(1)
  expect(new Set(tunnels)).toEqual(new Set([`${host}:443`]))
  closed = [`${host}:443`]
  const kept = await post()
  expect(kept).toMatchObject({ code: 0, stdout: posted.stdout })
  expect(kept.stderr).toContain(`The comment could not be posted: The proxy opened no way to ${host}`)
})

it('keeps an issue, and tells a webhook', async () => {
  const project = join(workspace.dir, 'svcsync.yaml')
  writeFileSync(project, `${readFileSync(project, 'utf8')}notify: { team: { url: "\${env:TEAM}" } }\n`)
  const drift = () =>
    run(['drift', '--to', 'github', '--notify', 'team'], { ...jobs['github.test'], TEAM: 'https://hooks.test/a?b=1' })
  closed = ['github.test:443']
  const alone = await drift()
  expect(alone.code).toBe(2)
  expect(alone.stderr).toContain('The issue could not be posted: The proxy opened no way to github.test')
  closed = []
  expect((await drift()).stderr).toContain(': opened.\nNotified: team.\n')
  expect(told).toEqual(['POST /a?b=1'])
  expect([...new Set(tunnels)].sort()).toEqual([
    'auth.test:443',
    'github.test:443',
    'hooks.test:443',
    'platform.test:443',
  ])
})
