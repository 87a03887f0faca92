// Plays a page of the docs as its reader would: its commands in one shell, its diffs as edits, in a folder of its own.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { diffArrays } from 'diff'
import { listen, openHostDoor } from '../harness/host-door.ts'

const root = resolve(import.meta.dirname, '../..')
/** Git's own bash, which writes paths its own way. */
const isWindows = process.platform === 'win32'

/** A step of a page: a command with its output, or a change of a file. Lines count from 1. */
export type PageStep =
  | { readonly kind: 'run'; readonly line: number; readonly command: string; readonly output: readonly string[] }
  | { readonly kind: 'edit'; readonly line: number; readonly file: string; readonly changes: readonly string[] }

/**
 * The steps of a page, in order: of `console` blocks each line after `$ ` with the lines below it (a `\\` at the end
 * carries it on), and each `diff` block, whose first line is `--- FILE`, or `+++ FILE` for a new one. `section`: its
 * heading; only that.
 */
export function readPage(text: string, section: string | undefined): readonly PageStep[] {
  const steps: PageStep[] = []
  let language: string | undefined
  let isOutside = section !== undefined
  text.split('\n').forEach((written, index) => {
    const line = index + 1
    const fence = /^```(\w*)/.exec(written)
    if (fence !== null) {
      language = language === undefined ? (fence[1] as string) : undefined
      return
    }
    if (language === undefined && written.startsWith('## '))
      isOutside = section !== undefined && written !== `## ${section}`
    if (isOutside) return
    if (language === 'console') addConsoleLine(steps, line, written)
    else if (language === 'diff') addDiffLine(steps, line, written)
  })
  return steps
}

function addConsoleLine(steps: PageStep[], line: number, written: string): void {
  const last = steps.at(-1)
  if (written.startsWith('$ ')) steps.push({ kind: 'run', line, command: written.slice(2), output: [] })
  else if (last?.kind === 'run' && last.command.endsWith('\\')) {
    steps[steps.length - 1] = { ...last, command: `${last.command}\n${written}` }
  } else if (last?.kind === 'run') steps[steps.length - 1] = { ...last, output: [...last.output, written] }
}

function addDiffLine(steps: PageStep[], line: number, written: string): void {
  const last = steps.at(-1)
  const header = /^(?:---|\+\+\+) (\S+)$/.exec(written)
  if (header !== null) steps.push({ kind: 'edit', line, file: header[1] as string, changes: [] })
  else if (last?.kind === 'edit') steps[steps.length - 1] = { ...last, changes: [...last.changes, written] }
}

/** The text after an edit. Throws where the lines that it keeps or takes away do not stand there exactly once. */
export function editText(text: string, changes: readonly string[]): string {
  const without = (sign: string) => changes.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1))
  const [before, after] = [without('+').join('\n'), without('-').join('\n')]
  if (before === '') return `${after}\n`
  const parts = `\n${text}`.split(`\n${before}\n`)
  if (parts.length !== 2) throw new TypeError(`these lines stand ${parts.length - 1} times:\n${before}`)
  return parts.join(`\n${after}\n`).slice(1)
}

/** Removes the differences between runs (times, digests, commits) and versions: how many guards there are. */
function normalise(line: string): string {
  return line
    .replace(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, 'N s')
    .replace(/\b[0-9a-f]{7,64}\b/g, 'HEX')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, 'TIME')
    .replace(/\b(All|Guards:) \d+( guards)? pass\b/g, '$1 N$2 pass')
    .trimEnd()
}

/** True if the lines match the page, in which `…` alone matches any number of lines. */
export function matches(shown: readonly string[], printed: readonly string[]): boolean {
  const actual = printed.map(normalise)
  const fits = (expected: readonly string[], from: number): boolean => {
    const [first, ...rest] = expected
    if (first === undefined) return from === actual.length
    if (first !== '…') return actual[from] === first && fits(rest, from + 1)
    for (let next = from; next <= actual.length; next++) if (fits(rest, next)) return true
    return false
  }
  return fits(shown.map(normalise), 0)
}

/** The output without the parts that the page omits by `…`: their changes do not concern the page. */
export function shortened(shown: readonly string[], printed: readonly string[]): readonly string[] {
  const said = (line: string): string => (line === '…' ? '\0' : normalise(line))
  const result: string[] = []
  // Lines of one gap: those that the page shows otherwise, and those that came, stand for each other unless it leaves
  // some out.
  let [isElided, came]: [boolean, string[]] = [false, []]
  const close = (): void => {
    result.push(...(isElided ? ['…'] : came))
    isElided = false
    came = []
  }
  let [from, at] = [0, 0]
  for (const { added, removed, value } of diffArrays(shown.map(said), printed.map(normalise))) {
    const [before, after] = [shown.slice(from, from + value.length), printed.slice(at, at + value.length)]
    if (!added) from += value.length
    if (!removed) at += value.length
    if (removed) isElided ||= before.includes('…')
    else if (added) came.push(...after)
    else {
      close()
      // Lines that differ only in times and digests stay unchanged.
      result.push(...before)
    }
  }
  close()
  return result
}

export interface Session {
  /** The command's output, on both streams. */
  run(step: PageStep & { kind: 'run' }): Promise<readonly string[]>
  edit(step: PageStep & { kind: 'edit' }): void
  close(): Promise<void>
}

/** The ports that pages show, and that the session replaces by free ones. */
const shownPorts = ['4010', '4011']
const end = '\u001e'

/**
 * A shell in a copy of the examples, with `svcsync` (and `npx svcsync`) as the built command. `npm` and `alias` do
 * nothing: pages show them for readers who have not built it.
 */
export async function openSession(folder: string): Promise<Session> {
  const dir = realpathSync.native(mkdtempSync(join(tmpdir(), 'svcsync-page-')))
  for (const part of ['examples', 'schemas']) cpSync(join(root, part), join(dir, part), { recursive: true })
  let cwd = join(dir, folder)
  const ports = await Promise.all(shownPorts.map(freePort))
  const toFree = exchange(shownPorts, ports)
  const toShown = exchange(ports, shownPorts)
  const project = join(dir, 'examples/quickstart/svcsync.yaml')
  writeFileSync(project, toFree(readFileSync(project, 'utf8')))
  const shell: ChildProcess = spawn('bash', ['--noprofile', '--norc', '-s'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: dir, LC_ALL: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: !isWindows,
  })
  const script = shell.stdin as Writable
  let printed = ''
  shell.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const door = await openHostDoor()
  script.write(`exec 2>&1; code=0
svcsync() {
${door.script}
}
npx() { while [ "$1" != svcsync ]; do shift; done; npm_command=exec "$@"; }
jq() { "${process.execPath}" "${join(root, 'test/docs/jq.mjs')}" "$@"; }
npm() { :; }; alias() { :; }; curl() { command curl --silent "$@"; }
git config --global user.name Anna; git config --global user.email anna.nowak@example.com
git config --global init.defaultBranch main
`)
  const ended = once(shell, 'close')
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) {
      const more = await Promise.race([
        once(shell.stdout as NodeJS.ReadableStream, 'data'),
        ended.then(() => undefined),
      ])
      if (more === undefined && !isThere()) throw new TypeError(`the shell ended: ${printed}`)
    }
  }
  return {
    async run({ command, output }) {
      printed = ''
      const background = command.endsWith(' &')
      script.write(
        `(exit $code)\n{ ${toFree(command)}\n` +
          `} </dev/null; code=$?; printf '${end}%s\\n' "$(pwd${isWindows ? ' -W' : ''})"\n`,
      )
      await until(() => printed.includes(end) && printed.endsWith('\n'))
      if (background) await until(() => printed.split('\n').length > output.length + 1)
      const [before = '', after = ''] = printed.split(end)
      const [folder = '', ...late] = after.split('\n')
      cwd = folder
      const lines = toShown(`${before}${late.join('\n')}`)
        .replaceAll(`${dir.replaceAll('\\', '/')}/`, '')
        .split('\n')
      if (lines.at(-1) === '') lines.pop()
      // The shell's messages about its own jobs, and the progress that an apply prints where it takes a second or more.
      return lines.filter((line) => !/^\[\d\][+-]|^[━─]{20} /.test(line))
    },
    edit({ file, changes }) {
      const path = join(cwd, file)
      const isNew = changes.every((line) => line.startsWith('+'))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, editText(isNew ? '' : readFileSync(path, 'utf8'), changes.map(toFree)))
    },
    async close() {
      // The shell leads the group in which its emulators run: none of them stays behind, however the page has ended.
      script.destroy()
      if (shell.pid !== undefined && shell.exitCode === null) endGroup(shell.pid)
      await ended
      door.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function endGroup(pid: number): void {
  if (isWindows) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'])
  else process.kill(-pid, 'SIGKILL')
}

function exchange(from: readonly string[], to: readonly string[]): (text: string) => string {
  const pattern = new RegExp(`\\b(?:${from.join('|')})\\b`, 'g')
  return (text) => text.replace(pattern, (port) => to[from.indexOf(port)] ?? port)
}

async function freePort(): Promise<string> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  return port
}
