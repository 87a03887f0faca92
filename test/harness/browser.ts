// The browser of the tests: the one that a package brings along, or elsewhere the machine's own Chrome.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
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

/** Of the package itself, so that another version has its own. */
const kept = join(import.meta.dirname, '../../node_modules/@sparticuz/chromium/unpacked')

/** Once for all runs, since it takes 2 s; whole or not at all, since others may look for it meanwhile. */
async function unpacked(): Promise<string> {
  if (!existsSync(kept)) {
    const { default: packed } = await import('@sparticuz/chromium')
    const { TMPDIR } = process.env
    const partial = mkdtempSync(`${kept}-`)
    process.env.TMPDIR = partial
    try {
      await packed.executablePath()
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = TMPDIR
    }
    // Another worker may have been first.
    if (existsSync(kept)) rmSync(partial, { recursive: true })
    else renameSync(partial, kept)
  }
  return join(kept, 'chromium')
}
