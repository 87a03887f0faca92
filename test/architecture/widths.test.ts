// No line is wider than 120 columns, in code or in prose: what cannot be broken is known by its shape.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseAst } from 'vitest/node'

const widest = 120

const filesOf = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/generated/'))

const linesOf = (text: string): readonly { readonly at: number; readonly line: string }[] =>
  text.split('\n').map((line, index) => ({ at: index + 1, line }))

const isWide = (line: string): boolean => [...line].length > widest

/** Lines of texts in another language, which have their own layout, and of regular expressions. */
function fixedLines(file: string, text: string): ReadonlySet<number> {
  const fixed = new Set<number>()
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length
  JSON.stringify(parseAst(text, { lang: 'ts' }, file), (_, node) => {
    const [first, last] = node?.type === 'TemplateLiteral' ? [lineAt(node.start), lineAt(node.end)] : [0, 0]
    if (first < last) for (let line = first; line <= last; line++) fixed.add(line)
    if (node?.regex !== undefined) fixed.add(lineAt(node.start))
    return typeof node === 'bigint' ? String(node) : node
  })
  return fixed
}

/** A word that is as long as half of a line, such as an address, has no place to break. */
const hasPlaceToBreak = (line: string): boolean => !/\S{60}/.test(line)

it('code has no wide line', () => {
  const wide = filesOf('src/**.ts', 'scripts/**.ts', 'test/**.ts').flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const found = linesOf(text).filter(({ line }) => isWide(line) && hasPlaceToBreak(line))
    if (found.length === 0) return []
    const fixed = fixedLines(file, text)
    return found.flatMap(({ at }) => (fixed.has(at) ? [] : [`${file}:${at}`]))
  })
  expect(wide).toEqual([])
})

it('prose has no wide line, apart from the addresses of its links', () => {
  const wide = filesOf('*.md').flatMap((file) => {
    const [own = ''] = readFileSync(file, 'utf8').split('<!--generated-->')
    const prose = own.replaceAll(/^( *)```.*?^\1```/gms, (code) => code.replaceAll(/.+/g, ''))
    return linesOf(prose)
      .filter(({ line }) => !/^ *\|/.test(line) && isWide(line.replaceAll(/\]\([^)]*\)/g, ']')))
      .map(({ at }) => `${file}:${at}`)
  })
  expect(wide).toEqual([])
})
