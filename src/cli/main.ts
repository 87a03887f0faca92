#!/usr/bin/env node
// The command `svcsync`. The only file that ends the process.
import process, { argv, env, exit, stderr, stdout } from 'node:process'
import { keepCompiledCode } from './compiled-code.ts'
import { version } from './version.ts'

/** A reader that went away (`svcsync plan | head`) is no reason to end an apply; any other failed write is an error. */
let isUnwritten = false
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stream === stdout && error.code !== 'EPIPE') isUnwritten = true
  })
}

// Success is earned: where something is waited for that can never come, the process would end by itself, and with 0.
process.exitCode = 1

async function main(): Promise<number> {
  keepCompiledCode(process.env)
  const { argumentsFor, buildProgram } = await import('./program/program.ts')
  // Set by npm for all that it runs: `npx svcsync`, `npm exec`, scripts.
  const name = env.npm_command === undefined ? 'svcsync' : 'npx svcsync'
  ;(await import('@svcsync/render/text/as-called.ts')).callItself(name)
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
  stdout.write('', () => stderr.write('', () => exit(isUnwritten && code === 0 ? 1 : code)))
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
