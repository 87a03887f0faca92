// A case as one text file: what is run on which files, and everything that the command says. The test rewrites the file
// with what it found, so that a case is read, and reviewed, in one piece.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { type EmulatorOptions, startEmulator, type Tenant } from '../../src/emulator/index.ts'
import { startCommand } from './command.ts'

/**
 * The form of a case:
 *
 *     What it is about, in one line or several.
 *     $ NAME=value svcsync validate     `{port}` is that of the platform
 *     -- manifests/a.yaml --        a file; behind its name `(latin1)`: so encoded; `(none)`: not there
 *     -- tenant.yaml --             the platform is the emulator with this state
 *     -- faults.yaml --             what goes wrong there on order
 *     == exit code 1                what was found, and below it `== stdout` and `== stderr`
 */
export interface TextCase {
  /** Everything above what was found. */
  readonly input: string
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly files: readonly {
    readonly name: string
    readonly text: string
    readonly encoding: BufferEncoding
    readonly none: boolean
  }[]
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
  const words = /^\$ (.*)$/m.exec(head)?.[1]?.split(' ') ?? []
  const start = words.indexOf('svcsync')
  if (start < 0) throw new TypeError('a case has a line like `$ svcsync validate`')
  const files = parts.map((part) => {
    const end = part.indexOf('\n')
    const [name = '', how] = part.slice(0, end).replace(/ --$/, '').split(' ')
    return {
      name,
      text: part.slice(end + 1),
      encoding: how === '(latin1)' ? ('latin1' as const) : ('utf8' as const),
      none: how === '(none)',
    }
  })
  const env = Object.fromEntries(words.slice(0, start).map((word) => word.split('=') as [string, string]))
  return { input: input.trimEnd(), env, args: words.slice(start + 1), files }
}

/** Runs a case in a folder of its own; gives its file as it should be. */
export async function runTextCase(each: TextCase): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-case-'))
  const content = (name: string): unknown => {
    const file = each.files.find((other) => other.name === name)
    return file && parse(file.text)
  }
  const tenant = content('tenant.yaml') as Tenant | undefined
  const emulator = tenant && (await startEmulator({ tenant } satisfies EmulatorOptions))
  try {
    if (!each.files.some(({ name }) => name === 'svcsync.yaml')) writeFileSync(join(dir, 'svcsync.yaml'), project)
    mkdirSync(join(dir, 'manifests'))
    for (const { name, text, encoding, none } of each.files) {
      if (none) continue
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text, encoding)
    }
    for (const fault of (content('faults.yaml') ?? []) as Parameters<NonNullable<typeof emulator>['addFault']>[0][])
      emulator?.addFault(fault)
    const args = each.args.map((arg) => arg.replace('{port}', String(emulator?.port)))
    const running = startCommand(args, dir, {
      SVCSYNC_CLIENT_SECRET: 'svcsync-secret',
      ...(emulator && { SVCSYNC_BASE_URL: emulator.url }),
      ...each.env,
    })
    // The emulator runs until it is told to end.
    if (args[0] === 'emulator') void running.shows('until it is interrupted').then(() => running.child.kill('SIGTERM'))
    const found = await running.ended
    // What differs between runs.
    const same = (text: string): string =>
      text
        .replaceAll(dir, 'DIR')
        .replaceAll(/127\.0\.0\.1:\d{4,}/g, '127.0.0.1:PORT')
        .replaceAll(/error id [\w-]+/g, 'error id GUID')
        // It covers the address of the platform.
        .replaceAll(/(digest|--expect) [0-9a-f]{16}/gi, '$1 DIGEST')
    const streams = (['stdout', 'stderr'] as const).flatMap((name) =>
      found[name] === '' ? [] : [`== ${name}\n${same(found[name]).trimEnd()}\n`],
    )
    return [`${each.input}\n== exit code ${found.code}\n`, ...streams].join('')
  } finally {
    await emulator?.close()
    rmSync(dir, { recursive: true, force: true })
  }
}
