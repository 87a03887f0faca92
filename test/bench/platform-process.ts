// The embedded platform as a process of its own, started from the built command.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface LoggedRequest {
  /** When it arrived, as ISO 8601. */
  readonly time: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly carriedOut: boolean | null
}

export interface PlatformProcess {
  readonly url: string
  /** Speaks to the control endpoint. */
  control<T>(method: string, path: string, body?: unknown): Promise<T>
  setLatency(latencyMs: number): Promise<unknown>
  /** The requests since the log was emptied. */
  requests(): Promise<readonly LoggedRequest[]>
  emptyLog(): Promise<unknown>
  close(): Promise<void>
}

/** Rejects when it gives no address within ten seconds. */
export async function startPlatform(command: string, args: readonly string[]): Promise<PlatformProcess> {
  const child = spawn(process.execPath, [command, 'emulator', '--quiet', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await addressOf(child)
  const control = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/_control${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`control ${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  return {
    url,
    control,
    setLatency: (latencyMs) => control('PATCH', '/settings', { latencyMs }),
    requests: async () => (await control<{ requests: LoggedRequest[] }>('GET', '/requests')).requests,
    emptyLog: () => control('DELETE', '/requests'),
    close: async () => {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const first = once(lines, 'line', { signal: AbortSignal.timeout(10_000) }) as Promise<[string]>
  try {
    const [line] = await Promise.race([
      first,
      once(child, 'exit').then(([code]) => {
        throw new Error(`the emulator ended with ${code}`)
      }),
    ])
    return line
  } catch (error) {
    child.kill('SIGTERM')
    throw error
  }
}
