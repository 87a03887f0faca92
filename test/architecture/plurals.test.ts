// One function knows what a plural is: what agrees with a number is asked of it, so that nobody reads "1 objects are".
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../src')

/** Words that look like a plural and are none. */
const others: Readonly<Record<string, string>> = {
  'doctor/variants-seen.ts': 'the number of a page',
  'errors/index.ts': 'the function itself',
  'forge/gitlab.ts': 'names of variables',
  'render/blocks/block.ts': 'every second part',
  'render/printers/html.ts': 'every second part',
  'render/printers/text.ts': 'the tone of a row',
}

/** A number decides about words, or stands in front of a noun that has only one form. */
const byHand = [
  /[\w.)]+ === 1\s*\?\s*['`[]/g,
  /[\w.]+ (?:> 1|!== 1)\s*\?\s*'[a-z]+'\s*:\s*'[a-z]+'/g,
  /\$\{[\w.]+\.(?:length|size)\} (?!of |more\b|pass\b|allowed\b|refuse|left\b|came\b|turned\b|wait\b)[a-z]/g,
]

it('asks one function for plurals', () => {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && !name.startsWith('emulator/') && others[name] === undefined)
    .flatMap((name) => {
      const text = readFileSync(join(root, name), 'utf8')
      return byHand.flatMap((form) => [...text.matchAll(form)].map(([each]) => `${name}: ${each}`))
    })
  expect(found).toEqual([])
})
