// Programs and files that tell whether git ran or wrote them, and a server that keeps what git sends to it.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitEnvironment } from '../../harness/repository.ts'

export interface Trap {
  /** A folder of its own, outside of all repositories. */
  readonly dir: string
  /** A program that anything may start. */
  readonly script: string
  /** True if it ran since the last call. */
  ran(): boolean
  close(): void
}

export function openTrap(): Trap {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-trap-'))
  const [script, mark] = [join(dir, 'script.sh'), join(dir, 'RAN')]
  writeFileSync(
    script,
    `#!/bin/sh
echo ran >> ${mark}
exit 1
`,
  )
  chmodSync(script, 0o755)
  return {
    dir,
    script,
    ran() {
      const hasRun = existsSync(mark)
      rmSync(mark, { force: true })
      return hasRun
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** Whose settings of git have a credential helper: gives the variables of their environment. */
export function userWithHelper(dir: string): Readonly<Record<string, string>> {
  const helper = join(dir, 'helper.sh')
  writeFileSync(helper, '#!/bin/sh\ntest "$1" = get && printf "username=anna\\npassword=s3cr3t-word\\n"\n')
  chmodSync(helper, 0o755)
  const config = join(dir, 'gitconfig')
  writeFileSync(config, `[credential]\n\thelper = ${helper}\n`)
  return { HOME: dir, GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: '1' }
}

/** The same command by git itself, which may fail. The server must be able to answer meanwhile. */
export async function plainGit(
  dir: string,
  user: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<void> {
  const env = { ...gitEnvironment, ...user, GIT_TERMINAL_PROMPT: '0' }
  await new Promise<void>((done) => {
    execFile('git', args, { cwd: dir, env, timeout: 30_000 }, () => done())
  })
}

export interface Listener {
  readonly url: string
  /** Requests since the last call: `GET /path`, with any credentials. */
  seen(): readonly string[]
  close(): void
}

/** Takes everything as a proxy or a server does, asks for credentials, and hands out a cookie. */
export async function openListener(): Promise<Listener> {
  let seen: string[] = []
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers
    seen.push(`${request.method} ${request.url} ${Buffer.from(authorization.split(' ')[1] ?? '', 'base64')}`.trimEnd())
    const headers = { 'www-authenticate': 'Basic realm="git"', 'set-cookie': 'trap=1; path=/' }
    // A signed-in client gets a repository without refs.
    response.writeHead(authorization === '' ? 401 : 200, headers).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: () => {
      const all = seen
      seen = []
      return all
    },
    close: () => server.close(),
  }
}
