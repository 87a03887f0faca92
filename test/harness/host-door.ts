// A door to the warm command for shells: `svcsync` of a script that bash plays, without a process of its own, which
// costs several times what the command does.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { runInHost } from './command.ts'
import { isThorough } from './thorough.ts'

const command = resolve(import.meta.dirname, '../../dist/svcsync.cjs')

/** After the last zero byte of the environment. */
const end = '\0\u001e\0'

export interface HostDoor {
  /** The body of a script or function of bash that is `svcsync`. */
  readonly script: string
  close(): void
}

/**
 * A script sends the folder, whether both of its streams go to one place, the number of arguments, the arguments, the
 * environment and a mark, each with a zero byte behind it. It gets the exit code in a line, what is for stderr with a
 * zero byte behind it, and what is for stdout.
 */
export async function openHostDoor(): Promise<HostDoor> {
  const own = `"${process.execPath}" "${command}" "$@"`
  // Git's own bash writes paths its own way.
  if (isThorough || process.platform === 'win32') return { script: own, close: () => undefined }
  const server = createServer((socket) => {
    let heard = ''
    // The shell may be killed before the answer.
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', async (text: string) => {
      heard += text
      if (!heard.endsWith(end)) return
      const [cwd = '', streams = '', count = '', ...rest] = heard.slice(0, -end.length).split('\0')
      const env = rest.slice(Number(count)).map((line): [string, string] => {
        const [name = '', ...value] = line.split('=')
        return [name, value.join('=')]
      })
      const asked = { args: rest.slice(0, Number(count)), cwd, env: Object.fromEntries(env) }
      const { code, stdout, stderr, both } = await runInHost(asked)
      socket.end(streams === 'one' ? `${code}\n\0${both}` : `${code}\n${stderr}\0${stdout}`)
    })
  })
  const script = `if [ "$1" = emulator ]; then ${own}; return; fi
local code said streams=two
[ /dev/fd/1 -ef /dev/fd/2 ] && streams=one
exec 3<>/dev/tcp/127.0.0.1/${await listen(server)}
{ printf '%s\\0' "$PWD" "$streams" "$#" "$@"; env -0; printf '\\036\\0'; } >&3
read -r code <&3; IFS= read -r -d '' said <&3; printf %s "$said" >&2; cat <&3; exec 3>&-
return "$code"`
  return { script, close: () => server.close() }
}

/** A folder for PATH, with `svcsync` and `npx`, which runs svcsync whatever its own options are. */
export function putTools(folder: string, { script }: HostDoor): string {
  mkdirSync(folder, { recursive: true })
  const put = (name: string, lines: string): void => {
    writeFileSync(join(folder, name), `#!/bin/bash\n${lines}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  put('svcsync', `svcsync() {\n${script}\n}\nsvcsync "$@"`)
  put('npx', `until [ "$1" = svcsync ]; do shift; done\nshift\nexec '${join(folder, 'svcsync')}' "$@"`)
  return folder
}

export function listen(server: Server): Promise<string> {
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(String((server.address() as AddressInfo).port)))
  })
}
