// Runs a program to its end as a process of its own, and says how long the whole of it took.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ProcessRun {
  /** From just before the start to the end. */
  readonly wallMs: number
  /** Largest resident size; undefined unless it was asked for. */
  readonly peakMb: number | undefined
  /** Processor time; likewise. */
  readonly cpuMs: number | undefined
  readonly stdout: string
}

export interface ProcessOptions {
  readonly cwd?: string | undefined
  /** Another one than node. */
  readonly program?: string
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Path of a script that writes its peak memory to the file named by `BENCH_PEAK_FILE` when it ends. */
  readonly peakHook?: string | undefined
  readonly timeoutMs?: number | undefined
  /** Discards the output. */
  readonly isUnread?: boolean
}

/** Rejects when the program cannot be started, ends with another code than 0, or takes too long. */
export async function runNode(args: readonly string[], options: ProcessOptions = {}): Promise<ProcessRun> {
  const { peakHook, timeoutMs = 120_000, isUnread = false } = options
  const folder = peakHook === undefined ? undefined : mkdtempSync(join(tmpdir(), 'svcsync-bench-'))
  const peakFile = folder === undefined ? undefined : join(folder, 'peak')
  const hook = peakHook === undefined ? [] : ['--require', peakHook]
  try {
    const startedMs = performance.now()
    const child = spawn(options.program ?? process.execPath, [...hook, ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env, ...(peakFile !== undefined && { BENCH_PEAK_FILE: peakFile }) },
      stdio: ['ignore', isUnread ? 'ignore' : 'pipe', 'pipe'],
      timeout: timeoutMs,
    })
    const output = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text
    })
    const { code, wallMs } = await new Promise<{ code: number | string; wallMs: number }>((resolve, reject) => {
      let wallMs = 0
      child.once('error', reject)
      child.once('exit', () => {
        wallMs = performance.now() - startedMs
      })
      child.once('close', (code, signal) => resolve({ code: code ?? String(signal), wallMs }))
    })
    if (code !== 0) {
      const said = `${output.stdout.slice(-2000)}\n${output.stderr.slice(-2000)}`.trim()
      throw new Error(`node ${args.join(' ')} ended with ${code}\n${said}`)
    }
    const [peakMb, cpuMs] = peakFile === undefined ? [] : readFileSync(peakFile, 'utf8').split(' ').map(Number)
    return { wallMs, peakMb, cpuMs, stdout: output.stdout }
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}
