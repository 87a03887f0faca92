// What the demonstration looks for in its output are words that the commands still use: those of the pages, whose output
// is played. Running it here would take longer than all other tests of documents together.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

it('the demonstration looks for nothing that no command says any more', () => {
  const demo = read('scripts/demo.ts')
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map(read)
    .join('\n')
  const looked = [...demo.matchAll(/says: \[(.+?)\] \}/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/\/(.+?)\//g)].map(([, words = '']) => words),
  )
  expect(looked.length).toBeGreaterThan(5)
  const edited = demo.slice(demo.indexOf('const edits'), demo.indexOf('function act'))
  const gone = looked.filter(
    (words) => !edited.includes(words) && !new RegExp(words.replaceAll(/[\d,]*\d/g, '[\\d,]+')).test(pages),
  )
  expect(gone).toEqual([])
})
