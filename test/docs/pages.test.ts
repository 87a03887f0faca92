// Pages that show commands: each is played from its beginning to its end, and prints what the page says.
// UPDATE_DOCS=1 writes what was printed into the page: look at the difference before you commit it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { editText, matches, openSession, readPage, shortened } from './page-session.ts'

const root = resolve(import.meta.dirname, '../..')

/** Pages, the folder in which their reader begins, and the section that is played where it is not the whole. */
const pages: readonly { readonly page: string; readonly folder: string; readonly section?: string }[] = [
  { page: 'README.md', folder: '.', section: 'A tour' },
  { page: 'docs/daily-tasks.md', folder: 'examples/quickstart' },
  { page: 'docs/installations.md', folder: 'examples/quickstart' },
  { page: 'docs/ledger.md', folder: 'examples/quickstart' },
  { page: 'docs/several-targets.md', folder: 'examples/quickstart', section: 'From test to production' },
  { page: 'docs/plan-json.md', folder: 'examples/quickstart' },
  { page: 'docs/for-assistants.md', folder: 'examples/quickstart' },
  { page: 'docs/access.md', folder: 'examples/quickstart' },
  { page: 'docs/new-installation.md', folder: 'examples/quickstart' },
]

describe.each(pages)('$page', ({ page, folder, section }) => {
  it('prints what it shows', { timeout: 240_000 }, async () => {
    const path = join(root, page)
    const lines = readFileSync(path, 'utf8').split('\n')
    const session = await openSession(folder)
    let grown = 0
    try {
      for (const step of readPage(lines.join('\n'), section)) {
        if (step.kind === 'edit') {
          session.edit(step)
          continue
        }
        const printed = await session.run(step)
        if (matches(step.output, printed)) continue
        const where = `${page}:${step.line}: ${step.command}`
        if (process.env.UPDATE_DOCS === undefined) expect(printed.join('\n'), where).toBe(step.output.join('\n'))
        const written = shortened(step.output, printed)
        lines.splice(step.line + step.command.split('\n').length - 1 + grown, step.output.length, ...written)
        grown += written.length - step.output.length
      }
    } finally {
      await session.close()
    }
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, lines.join('\n'))
  })
})

describe('the player of pages', () => {
  it('takes … for any lines, and times and digests for equal', () => {
    expect(matches(['a', '…', 'took 3 ms'], ['a', 'b', 'c', 'took 1.2 s'])).toBe(true)
    expect(matches(['a', '…', 'd'], ['a', 'b', 'c'])).toBe(false)
    expect(matches(['a'], ['a', 'b'])).toBe(false)
  })

  it('keeps … where a page is written anew', () => {
    expect(shortened(['a', '…', 'd'], ['a', 'b', 'new', 'c', 'd', 'e'])).toEqual(['a', '…', 'd', 'e'])
    expect(shortened(['a', '…', 'd', 'e'], ['a', 'b', 'd', 'x'])).toEqual(['a', '…', 'd', 'x'])
    expect(shortened(['a', 'b'], ['a', 'c'])).toEqual(['a', 'c'])
  })

  it('refuses an edit of lines that are not there, or there twice', () => {
    expect(editText('a\nb\nc\n', [' b', '-c', '+d'])).toBe('a\nb\nd\n')
    expect(() => editText('a\nb\n', ['-c'])).toThrow('0 times')
    expect(() => editText('a\nb\na\n', ['-a'])).toThrow('2 times')
  })
})

it('shows one digest of the tour on every page', () => {
  const digestsOf = (page: string) => {
    const shown = readFileSync(join(root, page), 'utf8').matchAll(/(?:Digest|--expect) ([0-9a-f]{16})\b/g)
    return [...new Set([...shown].map(([, digest]) => digest))]
  }
  expect(digestsOf('docs/saved-plans.md')).toEqual(digestsOf('README.md'))
})

it('says of policies all that they can be for', () => {
  const page = readFileSync(join(root, 'docs/policies.md'), 'utf8')
  const [listed = ''] = /^\| `for` .*$/m.exec(page) ?? []
  expect(kinds.map(({ name }) => name).filter((name) => !listed.includes(`\`${name}\``))).toEqual([])
})

it('names a commit as it did when it was applied', () => {
  const played = readPage(readFileSync(join(root, 'docs/ledger.md'), 'utf8'), undefined)
  const shown = played.flatMap((step) => (step.kind === 'run' ? step.output : [])).join('\n')
  const named = [...shown.matchAll(/(?:applied|since) {1,2}([0-9a-f]{7})/g)].map(([, commit]) => commit)
  const applied = [...shown.matchAll(/ is at ([0-9a-f]{7})[0-9a-f]* now/g)].map(([, commit]) => commit)
  expect(named.filter((commit) => !applied.includes(commit))).toEqual([])
})
