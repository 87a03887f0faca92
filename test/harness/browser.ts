// The browser of the tests: the one that a package brings along, or elsewhere the machine's own Chrome.
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type Browser, chromium } from 'playwright-core'

/**
 * Containers lack the requirements of a sandbox and shared memory. The package's advice is for one page in one process.
 */
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']

/** Rejects if there is none: see CONTRIBUTING. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return chromium.launch({ channel: 'chrome' })
  return chromium.launch({ executablePath: await unpacked(), args })
}

/** One worker unpacks it, and the others wait: nobody can start a file that is being written. */
async function unpacked(): Promise<string> {
  const { default: packed } = await import('@sparticuz/chromium')
  const lock = join(tmpdir(), 'chromium-is-unpacked')
  // A worker that was killed leaves its lock: nothing takes that long.
  for (let tries = 0; tries < 600; tries++) {
    try {
      mkdirSync(lock)
      break
    } catch {
      await new Promise((next) => setTimeout(next, 100))
    }
  }
  try {
    return await packed.executablePath()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}
