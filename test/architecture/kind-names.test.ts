// Nothing but its folder, the emulator and the files that are generated knows a kind by its name.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'

/** Words that are names of kinds, and mean something else where they stand. */
const otherMeanings: Readonly<Record<string, string>> = {
  user: 'of an account, what `provides` of a kind says; of commander, where arguments come from',
  elements: 'what a collection holds',
  group: 'of an account, what `provides` of a kind says',
  application: 'as which svcsync signs in; a check of doctor; the outermost of what is found by name',
  applications: 'a key of `expect` in the project file',
  connection: 'a check of doctor',
  groups: 'elements that are shown together',
  process: 'the module of Node',
  substitution: 'why somebody can do something: by standing in for another one',
}

const names = new Set(
  kinds.flatMap(({ name, segment, sections }) => [name, segment, ...sections.map(({ key }) => key)]),
)
const apart = /^(?:kinds|emulator)\/|\/generated\//

it('names of kinds stand in no literal elsewhere, but for those that mean something else', () => {
  const found: string[] = []
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || apart.test(file)) continue
    const text = readFileSync(join('src', file), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    for (const [, word = ''] of text.matchAll(/['"`]([\w-]+)['"`]/g))
      if (names.has(word) && otherMeanings[word] === undefined) found.push(`${file}: ${word}`)
  }
  expect(found).toEqual([])
})

it('words with another meaning are names of kinds, or are taken off the list', () => {
  for (const word of Object.keys(otherMeanings)) expect(names).toContain(word)
})
