// docs/problems.md lists every code that the source can show, and no other.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { problemCodes } from '../../src/core/model/problem-codes.ts'
import { failureCodes } from '../../src/errors/index.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/problems.md'), 'utf8')
const documented = [...page.matchAll(/^\| (SVC\d{4}) \|/gm)].map((match) => match[1] as string)

/** Comments hold codes as examples. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1')
}

const used = new Set<string>([...Object.keys(problemCodes), ...Object.values(failureCodes)])
for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.ts')) continue
  const text = withoutComments(readFileSync(join(root, 'src', name), 'utf8'))
  for (const [code] of text.matchAll(/SVC\d{4}/g)) used.add(code)
}

test('every code of the source is documented', () => {
  expect([...used].filter((code) => !documented.includes(code))).toEqual([])
})

test('every documented code exists, once and in order', () => {
  expect(documented.filter((code) => !used.has(code))).toEqual([])
  expect(documented).toEqual([...new Set(documented)].sort())
})
