// The browser of the tests: the one that a package brings along, or elsewhere the machine's own Chrome.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

/** Containers lack what a sandbox and shared memory want. What the package advises is for one page in one process. */
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']

/** Rejects where there is none: see CONTRIBUTING. Whoever opens it closes it. */
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

/** Checks whether everybody can use a page. */
export const axePath = createRequire(import.meta.url).resolve('axe-core')

/** Everything that a page may not do fails the test: ask for something, complain, open a dialog. */
export async function whilePageOpen<T>(
  browser: Browser,
  html: string,
  use: (page: Page) => Promise<T>,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-page-'))
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    const trouble: string[] = []
    const file = join(dir, 'page.html')
    writeFileSync(file, html)
    page.on('request', (request) => {
      if (request.url().replace(/#.*/, '') !== `file://${file}`) trouble.push(`asks for ${request.url()}`)
    })
    page.on('console', (message) => trouble.push(message.text()))
    page.on('pageerror', (error) => trouble.push(String(error)))
    page.on('dialog', (dialog) => trouble.push(dialog.message()))
    await page.goto(`file://${file}`)
    const result = await use(page)
    expect(trouble).toEqual([])
    return result
  } finally {
    await context.close()
    rmSync(dir, { recursive: true, force: true })
  }
}
