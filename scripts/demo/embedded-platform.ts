// The embedded platform for the demonstration: the built command as a child process on any free port.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DemoFailure } from './check.ts'

export interface EmbeddedPlatform {
  readonly url: string
  /** Changes things behind the back of svcsync, as administrators do in the portal. */
  edit(edits: readonly object[]): Promise<void>
  close(): Promise<void>
}

/** Rejects when it gives no address within ten seconds. */
export async function startEmbeddedPlatform(command: string, args: readonly string[]): Promise<EmbeddedPlatform> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), 10_000)
  child.once('exit', () => controller.abort())
  try {
    const [url] = (await once(createInterface({ input: child.stdout }), 'line', { signal: controller.signal })) as [
      string,
    ]
    return { url, edit: (edits) => edit(url, edits), close }
  } catch {
    await close()
    throw new DemoFailure('the embedded platform did not start')
  } finally {
    clearTimeout(timer)
  }
}

async function edit(url: string, edits: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/_control/edits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(edits),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new DemoFailure(`the edits were refused: ${await response.text()}`)
}
