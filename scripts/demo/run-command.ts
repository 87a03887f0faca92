// Runs the built command as a person would type it, and shows what it says.
import { spawn } from 'node:child_process'
import { DemoFailure, expectThat } from './check.ts'

export interface CommandSettings {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly colour: boolean
  /** Columns of the terminal; undefined where there is none. */
  readonly columns: number | undefined
}

export interface Expectation {
  readonly exitCode: number
  /** Patterns that the output must match. */
  readonly says: readonly RegExp[]
}

/** Lines shown of the beginning and of the end of a longer output. */
const headLines = 8
const tailLines = 8
const timeoutMs = 60_000

/** Rejects with a DemoFailure when the command ends otherwise than expected. */
export async function runCommand(
  settings: CommandSettings,
  args: readonly string[],
  expected: Expectation,
): Promise<void> {
  process.stdout.write(`${bold(settings, `$ svcsync ${args.join(' ')}`)}\n`)
  const startedMs = performance.now()
  const child = spawn(process.execPath, [settings.command, ...args], {
    cwd: settings.cwd,
    env: {
      ...process.env,
      ...(settings.columns !== undefined && { COLUMNS: String(settings.columns) }),
      ...(settings.colour && { FORCE_COLOR: '1' }),
      ...settings.env,
    },
    // Progress goes to the terminal as it comes; elsewhere it would only be noise.
    stdio: ['ignore', 'pipe', process.stderr.isTTY ? 'inherit' : 'pipe'],
    timeout: timeoutMs,
  })
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, signal) => resolve(exitCode ?? String(signal)))
  })
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  process.stdout.write(`${shortened(output)}\n${dim(settings, `exit code ${code}, ${seconds} s`)}\n\n`)
  const asExpected = code === expected.exitCode
  if (!asExpected && errors !== '') process.stderr.write(`${shortened(errors)}\n`)
  expectThat(asExpected, `svcsync ${args.join(' ')} ended with ${code} instead of ${expected.exitCode}`)
  const plain = withoutColours(output)
  const missing = expected.says.find((pattern) => !pattern.test(plain))
  if (missing !== undefined) throw new DemoFailure(`svcsync ${args.join(' ')} did not say ${missing}`)
}

function shortened(text: string): string {
  const lines = text.trimEnd().split('\n')
  const left = lines.length - headLines - tailLines
  if (left <= 1) return lines.join('\n')
  return [...lines.slice(0, headLines), `  … ${left.toLocaleString('en')} lines …`, ...lines.slice(-tailLines)].join(
    '\n',
  )
}

function withoutColours(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}

function bold({ colour }: CommandSettings, text: string): string {
  return colour ? `\u001b[1m${text}\u001b[22m` : text
}

function dim({ colour }: CommandSettings, text: string): string {
  return colour ? `\u001b[2m${text}\u001b[22m` : text
}
