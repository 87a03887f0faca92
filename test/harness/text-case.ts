// A case as one text file: what is run on which files, and everything that the command says. The test rewrites the file
// with what it found, so that a case is read, and reviewed, in one piece.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import type { JsonObject } from '../../src/core/model/json.ts'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { type CommandResult, runCommand, startCommand } from './command.ts'
import { git } from './repository.ts'
import { openDoors } from './text-case-doors.ts'

/**
 * The form of a case:
 *
 *     One or several lines about the case.
 *     $ svcsync plan --out p.json    an earlier command, which ends with 0 unless it is interrupted
 *     $ NAME=value svcsync validate  the command of the case: the last of these lines
 *     $ svcsync apply --yes # killed at PATCH   killed when the platform gets such a request
 *     $ svcsync apply --yes # interrupted twice at GET
 *     $ svcsync plan > /dev/full     stdout goes there
 *     $ node program.mjs             a program that uses `svcsync` as the library
 *     $ git init                     git, without the machine's configuration
 *     -- manifests/a.yaml --         a file; after its name `(latin1)`: the encoding; `(none)`: no such file;
 *                                    `(later)`: written after the earlier commands
 *     -- tenant.yaml --              the emulator's state; its address replaces https://svc.example.com in the project
 *     -- faults.yaml --              the faults of the emulator
 *     -- edits.yaml --               edits by somebody else after the earlier commands
 *     == exit code 1                 the result, with `== stdout` and `== stderr` below
 *
 * In commands, `{port}` is the platform's port; the doors of text-case-doors.ts lead nowhere.
 */
export interface TextCase {
  /** Everything above what was found. */
  readonly input: string
  readonly commands: readonly CaseCommand[]
  readonly files: readonly CaseFile[]
}

interface CaseCommand {
  readonly program: 'svcsync' | 'node' | 'git'
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly stdout: string | undefined
  readonly end: { readonly how: 'killed' | 'interrupted twice'; readonly method: string } | undefined
}

interface CaseFile {
  readonly name: string
  readonly text: string
  readonly encoding: BufferEncoding
  readonly when: 'first' | 'later' | 'never'
}

const project = `version: 1
manifests: [manifests]
target: test
targets:
  test:
    baseUrl: https://svc.example.com
    clientId: svcsync
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
    databases: { main: 1 }
settings:
  retry: { attempts: 1 }
`

export function parseTextCase(text: string): TextCase {
  const [input = ''] = text.split(/^== /m)
  const [head = '', ...parts] = input.split(/^-- (?=.* --$)/m)
  const commands = [...head.matchAll(/^\$ (.*)$/gm)].map(([, line]) => parseCommand(line ?? ''))
  if (commands.length === 0) throw new TypeError('a case has a line like `$ svcsync validate`')
  const files = parts.map((part): CaseFile => {
    const end = part.indexOf('\n')
    const [name = '', how] = part.slice(0, end).replace(/ --$/, '').split(' ')
    return {
      name,
      text: part.slice(end + 1),
      encoding: how === '(latin1)' ? 'latin1' : 'utf8',
      when: how === '(none)' ? 'never' : how === '(later)' ? 'later' : 'first',
    }
  })
  return { input: input.trimEnd(), commands, files }
}

function parseCommand(line: string): CaseCommand {
  const [, whole = '', how, method = ''] = /^(.*?)(?: # (killed|interrupted twice) at ([A-Z]+))?$/.exec(line) ?? []
  const [, command = '', stdout] = /^(.*?)(?: > (\S+))?$/.exec(whole) ?? []
  const words = command.split(' ')
  const start = words.findIndex((word) => ['svcsync', 'node', 'git'].includes(word))
  if (start < 0) throw new TypeError(`no command: ${line}`)
  return {
    program: words[start] as CaseCommand['program'],
    env: Object.fromEntries(words.slice(0, start).map((word) => splitOnce(word, '='))),
    args: words.slice(start + 1),
    stdout,
    end: how === undefined ? undefined : { how: how as 'killed', method },
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Runs a case in a folder of its own; gives its file as it should be. */
export async function runTextCase({ input, commands, files }: TextCase): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-case-'))
  const content = (name: string): unknown => {
    const file = files.find((other) => other.name === name)
    return file && parse(file.text)
  }
  const tenant = content('tenant.yaml')
  const emulator = tenant === undefined ? undefined : await startEmulator({ tenant: tenant as object })
  const doors = await openDoors(input)
  const addressed = (text: string): string =>
    emulator === undefined ? text : text.replaceAll('https://svc.example.com', emulator.url)
  const write = (when: CaseFile['when']): void => {
    for (const { name, text, encoding } of files.filter((file) => file.when === when)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), name === 'svcsync.yaml' ? addressed(text) : text, encoding)
    }
  }
  try {
    if (!files.some(({ name }) => name === 'svcsync.yaml')) writeFileSync(join(dir, 'svcsync.yaml'), addressed(project))
    mkdirSync(join(dir, 'manifests'))
    mkdirSync(join(dir, 'node_modules'))
    symlinkSync(resolve(import.meta.dirname, '../..'), join(dir, 'node_modules/svcsync'))
    write('first')
    for (const fault of (content('faults.yaml') ?? []) as Parameters<Emulator['addFault']>[0][])
      emulator?.addFault(fault)
    const run = (command: CaseCommand) => runIn(dir, command, emulator, doors.replace)
    for (const command of commands.slice(0, -1)) {
      const before = await run(command)
      if (before.code !== 0 && command.end === undefined)
        throw new TypeError(`what comes before ended with ${before.code}: ${before.stderr}`)
    }
    write('later')
    emulator?.edit(...((content('edits.yaml') ?? []) as JsonObject[]))
    const found = await run(commands.at(-1) as CaseCommand)
    const streams = (['stdout', 'stderr'] as const).flatMap((name) =>
      found[name] === '' ? [] : [`== ${name}\n${withoutChance(found[name], dir).trimEnd()}\n`],
    )
    return [`${input}\n== exit code ${found.code}\n`, ...streams].join('')
  } finally {
    await Promise.all([emulator?.close(), doors.close()])
    rmSync(dir, { recursive: true, force: true })
  }
}

async function runIn(
  dir: string,
  { program, args, env, stdout, end }: CaseCommand,
  emulator: Emulator | undefined,
  fill: (text: string) => string,
): Promise<CommandResult> {
  if (program === 'git') return { code: 0, stdout: git(dir, ...args), stderr: '' }
  const filled = (text: string): string => fill(text).replaceAll('{port}', String(emulator?.port))
  const given = args.map(filled)
  const environment = {
    SVCSYNC_CLIENT_SECRET: 'svcsync-secret',
    ...(emulator && { SVCSYNC_BASE_URL: emulator.url }),
    ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
  }
  // An aborted command, and redirected output, are about the process.
  const isPlain = program === 'svcsync' && args[0] !== 'emulator' && stdout === undefined && end === undefined
  if (isPlain) return runCommand(given, dir, environment)
  const form = { program: program === 'node' ? 'none' : 'svcsync', stdout } as const
  const running = startCommand(given, dir, environment, form)
  const { child } = running
  // The emulator runs until it is told to end.
  if (args[0] === 'emulator') {
    const end = () => child.kill('SIGTERM')
    void running.shows('until it is interrupted').then(end, end)
  }
  if (end !== undefined && emulator !== undefined) {
    const isIt = (request: JsonObject): boolean =>
      request.method === end.method && !String(request.path).includes('token')
    await running.until(() => emulator.requests().some(isIt))
    if (end.how === 'killed') child.kill('SIGKILL')
    else {
      child.kill('SIGINT')
      await running.shows('nterrupt')
      child.kill('SIGINT')
    }
  }
  return running.ended
}

/** Removes the differences between runs. */
function withoutChance(text: string, dir: string): string {
  return (
    text
      .replaceAll(dir, 'DIR')
      .replaceAll(/(127\.0\.0\.1:|localhost:|--port )\d{4,}/g, '$1PORT')
      .replaceAll(/error id [\da-f-]{36}/g, 'error id GUID')
      .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'MOMENT')
      .replaceAll(/; \d[\d.,]* m?s$/gm, '; TIME')
      .replaceAll(/(steps? done) \(\d[\d.,]* m?s\)/g, '$1 (TIME)')
      // They cover the address of the platform.
      .replaceAll(/\([0-9a-f]{7}\)/g, '(COMMIT)')
      .replaceAll(/(digest|--expect) [0-9a-f]{16}/gi, '$1 DIGEST')
  )
}
