// The docs stay short enough to be read: a page that grows makes another one shorter.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Pages about decisions are not counted: they only grow. */
const most = { docs: 30_000, readme: 1_200 }

/** A word has a letter or a digit: the bars of a table are none. */
const wordsOf = (path: string): number =>
  readFileSync(join(root, path), 'utf8')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length

test('all pages together keep to the budget', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/adr/'))
  const total = pages.reduce((sum, page) => sum + wordsOf(page), 0)
  expect(total, 'shorten a page, or let one link to another').toBeLessThanOrEqual(most.docs)
})

test('the README keeps to its own', () => {
  expect(wordsOf('README.md')).toBeLessThanOrEqual(most.readme)
})
