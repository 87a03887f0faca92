// The browser of the tests: the one that a package brings along, or elsewhere the machine's own Chrome.
import process from 'node:process'
import { type Browser, chromium } from 'playwright-core'

/** Containers lack what a sandbox and shared memory want. What the package advises is for one page in one process. */
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']

/** Rejects where there is none: see CONTRIBUTING. Whoever opens it closes it. */
export async function openBrowser(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return chromium.launch({ channel: 'chrome' })
  const { default: packed } = await import('@sparticuz/chromium')
  return chromium.launch({ executablePath: await packed.executablePath(), args })
}
