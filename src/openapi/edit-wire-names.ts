// Puts names into the wireNames of a target, and leaves every other byte of the project file as it is.
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { canonicalJson, type Json } from '../core/model/json.ts'
import { escapeReferences, inlineText, yamlText } from '../core/model/yaml-text.ts'

interface Edit {
  readonly at: number
  readonly end: number
  readonly text: string
}

/** Undefined: the file is written in a way that cannot be added to, such as in braces or by aliases. */
export function editWireNames(
  text: string,
  target: string,
  names: Readonly<Record<string, string>>,
): string | undefined {
  const document = parseDocument(text, { logLevel: 'silent' })
  const settings = document.getIn(['targets', target])
  if (document.errors.length > 0 || !isMap(settings) || settings.flow) return undefined
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const [edits, isWhole] = editsOf(text, settings, names, newline)
  const edited = [...edits]
    .sort((a, b) => b.at - a.at)
    .reduce((result, { at, end, text: put }) => result.slice(0, at) + put + result.slice(end), text)
  return isWhole && says(edited, document.toJS() as Json, target, names) ? edited : undefined
}

function editsOf(
  text: string,
  settings: YAMLMap,
  names: Readonly<Record<string, string>>,
  newline: string,
): readonly [readonly Edit[], boolean] {
  const pairs = settings.items
  const own = pairs.find(({ key }) => isScalar(key) && key.value === 'wireNames')
  const lines = (indent: string) => Object.entries(names).map(([name, real]) => `${indent}${wireNameLine(name, real)}`)
  if (own === undefined || (isScalar(own.value) && own.value.value === null)) {
    const last = own ?? pairs.filter(({ value }) => isScalar(value) && value.type !== 'BLOCK_LITERAL').at(-1)
    const indent = indentOf(text, pairs[0])
    const end = last && endOfLine(text, last)
    if (indent === undefined || end === undefined) return [[], false]
    const heading = own === undefined ? [`${indent}wireNames:`] : []
    // A value that is null may be written as `~`: then it is in the way, and the check says so.
    return [
      [{ at: end, end, text: [...heading, ...lines(`${indent}  `)].map((line) => newline + line).join('') }],
      true,
    ]
  }
  const table = own.value
  if (!isMap(table)) return [[], false]
  const edits: Edit[] = []
  const added: string[] = []
  const [first] = table.items
  for (const [name, real] of Object.entries(names)) {
    const pair = table.items.find(({ key }) => isScalar(key) && key.value === name)
    const value = pair?.value
    if (pair === undefined) added.push(wireNameLine(name, real))
    else if (!isScalar(value) || value.range == null) return [[], false]
    else if (value.value !== escapeReferences(real))
      edits.push({ at: value.range[0], end: value.range[1], text: yamlText(real) })
  }
  if (added.length === 0) return [edits, true]
  const last = table.items.at(-1)
  const indent = indentOf(text, first)
  if (table.flow === true && table.range != null) {
    const at = text.lastIndexOf('}', table.range[1])
    const before = last === undefined ? '' : ', '
    const end = last?.value && isScalar(last.value) ? (last.value.range?.[1] ?? at) : at
    return [[...edits, { at: end, end, text: `${before}${added.join(', ')}` }], true]
  }
  const end = last && endOfLine(text, last)
  if (indent === undefined || end === undefined) return [[], false]
  return [[...edits, { at: end, end, text: added.map((line) => `${newline}${indent}${line}`).join('') }], true]
}

/** Keys hold no references. */
export function wireNameLine(name: string, real: string): string {
  return `${inlineText(name)}: ${yamlText(real)}`
}

/** Undefined: it does not begin its line. */
function indentOf(text: string, pair: Pair | undefined): string | undefined {
  const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  if (start === undefined) return undefined
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  return before.trim() === '' ? before : undefined
}

/** Where the line of its value ends, with the comment behind it. */
function endOfLine(text: string, { key, value }: Pair): number | undefined {
  const range = (isScalar(value) ? value.range : undefined) ?? (isScalar(key) ? key.range : undefined)
  if (range == null) return undefined
  const end = text.indexOf('\n', range[1])
  return end < 0 ? text.length : text[end - 1] === '\r' ? end - 1 : end
}

/** The same as before, but for these names. */
function says(edited: string, before: Json, target: string, names: Readonly<Record<string, string>>): boolean {
  const document = parseDocument(edited, { logLevel: 'silent' })
  if (document.errors.length > 0) return false
  const wanted = structuredClone(before) as { targets: Record<string, { wireNames?: Record<string, string> | null }> }
  const settings = wanted.targets[target]
  if (settings === undefined) return false
  const written = Object.entries(names).map(([name, real]) => [name, escapeReferences(real)])
  settings.wireNames = { ...settings.wireNames, ...Object.fromEntries(written) }
  return canonicalJson(document.toJS() as Json) === canonicalJson(wanted as unknown as Json)
}
