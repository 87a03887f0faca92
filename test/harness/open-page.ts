// A page in the browser of the tests. Apart from the browser itself, which scripts start as well: those know no test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

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
