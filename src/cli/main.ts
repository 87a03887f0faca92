#!/usr/bin/env node
// The command `svcsync`. The only file that ends the process.
import { argv, exit, stderr, stdout } from 'node:process'
import { version } from './version.ts'

/**
 * A reader that went away (`svcsync plan | head`) is no error of ours, and no reason to break off an apply: the command goes
 * on, unheard, and ends with its own code. A result that could not be written for another reason is an error.
 */
let isUnwritten = false
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stream === stdout && error.code !== 'EPIPE') isUnwritten = true
  })
}

/** Read from disk while the arguments are looked at: they decide, and these are merely likely. */
const likely: Readonly<Record<string, () => Promise<unknown>>> = {
  apply: () => import('./commands/apply.ts'),
  drift: () => import('./commands/plan.ts'),
  plan: () => import('./commands/plan.ts'),
  validate: () => import('./commands/validate.ts'),
}

async function main(): Promise<number> {
  likely[argv[2] ?? '']?.().catch(() => undefined)
  const { argumentsFor, buildProgram } = await import('./program.ts')
  let code = 0
  const program = buildProgram((result) => {
    code = result
  })
  try {
    await program.parseAsync(argumentsFor(program, argv.slice(2)), { from: 'user' })
    return code
  } catch (error) {
    const verbose = argv.includes('-v') || argv.includes('--verbose')
    const color = !argv.includes('--no-color')
    const json = argv.some(
      (arg, index) => arg === '--format=json' || (arg === '--format' && argv[index + 1] === 'json'),
    )
    return (await import('./report-error.ts')).reportError(error, { verbose, json, color })
  }
}

if (argv.length === 3 && argv[2] === '--version') {
  stdout.write(`${version}\n`)
} else {
  main().then(
    (code) => {
      // Pending output must not be cut: the process ends by itself, or when both streams have taken everything.
      stdout.write('', () => stderr.write('', () => exit(isUnwritten && code === 0 ? 1 : code)))
    },
    (error: unknown) => {
      stderr.write(`svcsync: ${String(error)}\n`, () => exit(1))
    },
  )
}
