#!/usr/bin/env node
// The command `svcsync`. The only file that ends the process.
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import process, { argv, env, exit, stderr, stdout } from 'node:process'
import { version } from './version.ts'

// A reader that went away (`svcsync plan | head`) is no reason to end an apply.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined)

// Success is earned: where something is waited for that can never come, the process would end by itself, and with 0.
process.exitCode = 1

async function main(): Promise<number> {
  keepCompiledCode(process.env)
  const { argumentsFor, buildProgram, setProgramName } = await import('./program/program.ts')
  // Set by npm for all that it runs: `npx svcsync`, `npm exec`, scripts.
  const name = env.npm_command === undefined ? 'svcsync' : 'npx svcsync'
  setProgramName(name)
  let code = 1
  const args = argv.slice(2)
  const program = buildProgram((result) => {
    code = result
  }, args[0])
  try {
    await program.parseAsync(argumentsFor(program, args), { from: 'user' })
    return code
  } catch (error) {
    return report(error)
  }
}

async function report(error: unknown): Promise<number> {
  const verbose = argv.includes('-v') || argv.includes('--verbose')
  const color = !argv.includes('--no-color')
  const json = argv.some((arg, index) => arg === '--format=json' || (arg === '--format' && argv[index + 1] === 'json'))
  return (await import('./terminal/report-error.ts')).reportError(error, { verbose, json, color })
}

/** Pending output must not be cut: the process ends when both streams have taken everything. */
function end(code: number): void {
  stdout.write('', () => {
    // Its event may come after this. Results tell by themselves that they were not written; help and version do not.
    const error: NodeJS.ErrnoException | null = stdout.errored
    if (code !== 0 || error === null || error.code === 'EPIPE') stderr.write('', () => exit(code))
    else
      import('./program/exit-codes.ts')
        .then(({ UnwrittenError }) => report(new UnwrittenError(error)))
        .then(end, endWithoutReport)
  })
}

function endWithoutReport(error: unknown): void {
  stderr.write(`svcsync: ${String(error)}\n`, () => exit(1))
}

if (argv.length === 3 && argv[2] === '--version') {
  stdout.write(`${version}\n`, () => end(0))
} else {
  process.once('beforeExit', () => {
    import('./program/exit-codes.ts')
      .then(({ UnfinishedError }) => report(new UnfinishedError()))
      .then(end, endWithoutReport)
  })
  main().then(end, endWithoutReport)
}

/** Only in a safe folder: whoever could write there would run code with the user's credentials. */
function keepCompiledCode({ HOME = '', XDG_CACHE_HOME = '' }: NodeJS.ProcessEnv): void {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown }
  const user = process.getuid?.()
  if (enableCompileCache === undefined || user === undefined) return
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache')
  if (!isAbsolute(caches)) return
  try {
    const folder = realpathSync(ownFolder(caches))
    if (isOfOneUser(folder, user)) enableCompileCache(folder)
  } catch {
    // There is no home, or it takes no files.
  }
}

/** Creates only missing folders, and only inside an existing home. */
function ownFolder(caches: string): string {
  const own = join(caches, 'svcsync')
  const folder = join(own, 'code')
  for (const each of [caches, own, folder]) {
    try {
      mkdirSync(each, { mode: 0o700 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return folder
}

/** True for mode 0700, if nobody except root can replace the folder or one above it. `folder`: without links. */
function isOfOneUser(folder: string, user: number): boolean {
  const { uid, mode } = lstatSync(folder)
  if (uid !== user || (mode & 0o077) !== 0) return false
  for (let inner = folder, above = dirname(folder); above !== inner; inner = above, above = dirname(above)) {
    const { uid: owner, mode: open } = lstatSync(above)
    const isSticky = (open & 0o1000) !== 0
    if ((owner !== user && owner !== 0) || ((open & 0o022) !== 0 && !isSticky)) return false
  }
  return true
}
