// Settings that checkouts of pipelines write into `.git/config`: a ledger works with them, on a real server that asks
// for the credentials.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../../harness/git-remote.ts'
import { git } from '../../harness/repository.ts'
import { openWorkspace, type Workspace } from '../../harness/workspace.ts'

const flat = (text: string) => text.replace(/\s+/g, ' ')
const token = Buffer.from('x-access-token:job-token').toString('base64')

let workspace: Workspace
let remote: GitRemote
let server: Server
let host: string
let config: string
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  workspace.manifest('groups: [{ svcId: a@example.com, name: a }]\n')
  workspace.emulator.load({ users: [], groups: [] })
  remote = openGitRemote()
  git(remote.path, 'config', 'http.receivepack', 'true')
  remote.adopt(workspace.dir)
  commitAll(workspace.dir, 'First')
  server = createServer(serveGit).listen(0, '127.0.0.1')
  await once(server, 'listening')
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  git(workspace.dir, 'remote', 'set-url', 'origin', `http://${host}/company/access.git`)
  config = readFileSync(join(workspace.dir, '.git/config'), 'utf8')
})
afterAll(async () => {
  await workspace.close()
  remote.close()
  server.close()
})

/** As a web server runs `git http-backend`; whoever brings no token is asked for one. */
const serveGit: RequestListener = (request, response) => {
  const isKnown = [`basic ${token}`, 'bearer job-token'].includes(
    (request.headers.authorization ?? '').replace(/^\w+/, (scheme) => scheme.toLowerCase()),
  )
  if (!isKnown) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  const { pathname, search } = new URL(request.url ?? '', 'http://localhost')
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: dirname(remote.path),
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: pathname.replace('/company/access.git', '/remote.git'),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      REMOTE_USER: 'job',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const answer = Buffer.concat(chunks)
    const end = answer.indexOf('\r\n\r\n')
    const headers = answer
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string])
    const status = Number(headers.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200)
    response.writeHead(status, Object.fromEntries(headers)).end(answer.subarray(end + 4))
  })
}

interface Checkout {
  readonly what: string
  /** Lines of `.git/config`, and of a file beside the repository. */
  config(temp: string): string
  included?(): string
  readonly env?: (temp: string) => Readonly<Record<string, string>>
  /** The key of the refusal, if it is refused. */
  readonly refused?: string
}

const extraheader = () => `[http "http://${host}/"]\n\textraheader = AUTHORIZATION: basic ${token}\n`

const checkouts: readonly Checkout[] = [
  {
    what: 'GitHub: actions/checkout v4 and v5, with submodules and large files',
    config: () => `[gc]\n\tauto = 0\n${extraheader()}[url "http://${host}/"]\n\tinsteadOf = git@git.invalid:
[submodule "lib"]\n\tactive = true\n\turl = http://${host}/company/lib.git
[lfs]\n\trepositoryformatversion = 0
[lfs "http://${host}/company/access.git/info/lfs"]\n\taccess = basic
[filter "lfs"]\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n\tclean = git-lfs clean -- %f
[extensions]\n\tworktreeConfig = true\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n`,
  },
  {
    what: 'GitHub: actions/checkout v6, credentials in a file of their own',
    config: (temp) => {
      const dir = join(workspace.dir, '.git')
      return `[gc]\n\tauto = 0\n[includeIf "gitdir:${dir}"]\n\tpath = ${temp}/credentials.config
[includeIf "gitdir:${dir}/worktrees/*"]\n\tpath = ${temp}/credentials.config
[includeIf "gitdir:/github/workspace/.git"]\n\tpath = /github/runner_temp/credentials.config
[includeIf "gitdir:/github/workspace/.git/worktrees/*"]\n\tpath = /github/runner_temp/credentials.config\n`
    },
    included: extraheader,
  },
  {
    what: 'GitHub: actions/checkout with a key for ssh, as the variable says, too',
    config: (temp) => `${extraheader()}[core]\n\tsshCommand = \\"${temp}/ssh\\" -i \\"$RUNNER_TEMP/key\\"\n`,
    env: (temp) => ({ GIT_SSH_COMMAND: `"${temp}/ssh" -i "$RUNNER_TEMP/key"` }),
  },
  {
    what: 'GitHub: actions/checkout with a key for ssh, without it',
    config: (temp) => `${extraheader()}[core]\n\tsshCommand = \\"${temp}/ssh\\" -i \\"$RUNNER_TEMP/key\\"\n`,
    refused: 'core.sshcommand',
  },
  {
    what: 'GitLab: its template, and a file with the token in an address',
    config: (
      temp,
    ) => `[init]\n\tdefaultBranch = none\n[fetch]\n\trecurseSubmodules = false\n[credential]\n\tinteractive = never
[gc]\n\tautoDetach = false\n[include]\n\tpath = ${temp}/credentials.config\n[lfs]\n\trepositoryformatversion = 0\n`,
    included: () => `[http]\n\textraHeader = X-Gitaly-Correlation-ID: 01ABC\n[transfer]\n\tbundleURI = true
[http "http://${host}"]\n\tsslCAInfo = /builds/company.tmp/CI_SERVER_TLS_CA_FILE
[url "http://x-access-token:job-token@${host}/company/access.git"]\n\tinsteadOf = http://${host}/company/access.git
[url "http://x-access-token:job-token@${host}/"]\n\tinsteadOf = git@git.invalid:\n`,
    env: () => ({ CI_SERVER_TLS_CA_FILE: '/builds/company.tmp/CI_SERVER_TLS_CA_FILE' }),
  },
  {
    what: 'GitLab: a helper for the token (FF_GIT_URLS_WITHOUT_TOKENS)',
    config: (temp) => `[include]\n\tpath = ${temp}/credentials.config\n`,
    included: () => helper(),
    refused: `credential.http://HOST.helper`,
  },
  {
    what: 'GitLab: a helper for the token that the settings of the job name, too',
    config: (temp) => `[include]\n\tpath = ${temp}/credentials.config\n`,
    included: () => helper(),
    env: (temp) => ({ GIT_CONFIG_GLOBAL: join(temp, 'credentials.config') }),
  },
  {
    what: 'Azure Pipelines: persistCredentials',
    config:
      () => `[gc]\n\tauto = 0\n[http "http://${host}/company/access.git"]\n\textraheader = AUTHORIZATION: bearer job-token
[http]\n\tversion = HTTP/1.1\n[core]\n\tlongpaths = true\n`,
  },
  {
    what: 'Azure Pipelines: persistCredentials behind a proxy',
    config: () => `${extraheader()}[http]\n\tproxy = http://127.0.0.1:1\n\tsslVerify = false\n`,
    refused: 'http.proxy, http.sslverify',
  },
]

const helper = (): string =>
  `[credential "http://${host}"]\n\tusername = x-access-token\n` +
  '\thelper = "!f(){ test \\"$1\\" = get && echo password=job-token; } ; f"\n'

describe('a ledger in the checkout of a pipeline', () => {
  it.each(checkouts)('$what', async ({ config: lines, included, env, refused }) => {
    const temp = join(remote.path, '../temp')
    rmSync(temp, { recursive: true, force: true })
    mkdirSync(temp)
    writeFileSync(join(temp, 'ssh'), '#!/bin/sh\nexit 1\n')
    chmodSync(join(temp, 'ssh'), 0o755)
    if (included !== undefined) writeFileSync(join(temp, 'credentials.config'), included())
    writeFileSync(join(workspace.dir, '.git/config'), config + lines(temp))
    for (const name of git(remote.path, 'for-each-ref', '--format=%(refname)', 'refs/svcsync').split('\n'))
      if (name !== '') git(remote.path, 'update-ref', '-d', name)
    const applied = await runCommand(['apply', '--yes'], workspace.dir, {
      ...{ SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere', RUNNER_TEMP: temp },
      ...env?.(temp),
    })
    expect(applied.stdout + applied.stderr).not.toMatch(/job-token|eC1hY2Nlc3MtdG9rZW4/)
    if (refused === undefined) {
      expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('now.') })
    } else {
      expect(flat(applied.stderr)).toContain(
        `SVC2233 The repository's own settings change how git speaks to remotes: ${refused.replace('HOST', host)}`,
      )
      expect(applied.code).toBe(1)
    }
  })
})
