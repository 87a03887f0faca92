// Adds names to the wireNames of a target, and keeps every other byte of the project file.
import { canonicalJson, type Json } from '@svcsync/core/model/json.ts'
import { escapeReferences, inlineText, yamlText } from '@svcsync/core/model/yaml-text.ts'
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'

interface TextEdit {
  readonly at: number
  readonly end: number
  readonly text: string
}

/** Undefined: the file is written in a way that cannot be added to, such as in braces or by aliases. */
export function editWireNames(text: string, target: TargetPath, names: Names): string | undefined {
  const document = parseDocument(text, { logLevel: 'silent' })
  const settings = document.getIn(target)
  if (document.errors.length > 0 || !isMap(settings) || settings.flow) return undefined
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const [edits, isWhole] = editsOf(text, settings, names, newline)
  const edited = [...edits]
    .sort((a, b) => b.at - a.at)
    .reduce((result, { at, end, text: put }) => result.slice(0, at) + put + result.slice(end), text)
  return isWhole && isUnchangedBut(edited, document.toJS() as Json, target, names) ? edited : undefined
}

type Rewrite = readonly [readonly TextEdit[], isWhole: boolean]
type Names = Readonly<Record<string, string>>
/** The path of the target in its file: a file of `targets: { from }` has it at the top. */
type TargetPath = readonly ['targets', string] | readonly [string]
const noEdits: Rewrite = [[], false]

function editsOf(text: string, settings: YAMLMap, names: Names, newline: string): Rewrite {
  const own = settings.items.find(({ key }) => isScalar(key) && key.value === 'wireNames')
  if (own !== undefined && isMap(own.value)) return editsWithin(text, own.value, names, newline)
  // A value that is null may be written as `~`: then it is in the way, and the check says so.
  const isEmpty = own === undefined || (isScalar(own.value) && own.value.value === null)
  return isEmpty ? newTable(text, settings, own, names, newline) : noEdits
}

/** After the last line of the settings, or after an existing heading. */
function newTable(text: string, { items }: YAMLMap, own: Pair | undefined, names: Names, newline: string): Rewrite {
  const last = own ?? items.filter(({ value }) => isScalar(value) && value.type !== 'BLOCK_LITERAL').at(-1)
  const indent = indentOf(text, items[0])
  const end = last && endOfLine(text, last)
  if (indent === undefined || end === undefined) return noEdits
  const heading = own === undefined ? [`${indent}wireNames:`] : []
  const lines = Object.entries(names).map(([name, real]) => `${indent}  ${wireNameLine(name, real)}`)
  return [[{ at: end, end, text: [...heading, ...lines].map((line) => newline + line).join('') }], true]
}

function editsWithin(text: string, table: YAMLMap, names: Names, newline: string): Rewrite {
  const edits: TextEdit[] = []
  const added: string[] = []
  for (const [name, real] of Object.entries(names)) {
    const pair = table.items.find(({ key }) => isScalar(key) && key.value === name)
    const value = pair?.value
    if (pair === undefined) added.push(wireNameLine(name, real))
    else if (!isScalar(value) || value.range == null) return noEdits
    else if (value.value !== escapeReferences(real))
      edits.push({ at: value.range[0], end: value.range[1], text: yamlText(real) })
  }
  if (added.length === 0) return [edits, true]
  const put = table.flow === true ? inBraces(text, table, added) : onLines(text, table, added, newline)
  return put === undefined ? noEdits : [[...edits, put], true]
}

function inBraces(text: string, { items, range }: YAMLMap, added: readonly string[]): TextEdit | undefined {
  if (range == null) return undefined
  const last = items.at(-1)?.value
  const at = (isScalar(last) ? last.range?.[1] : undefined) ?? text.lastIndexOf('}', range[1])
  return { at, end: at, text: `${items.length === 0 ? '' : ', '}${added.join(', ')}` }
}

function onLines(text: string, { items }: YAMLMap, added: readonly string[], newline: string): TextEdit | undefined {
  const [indent, last] = [indentOf(text, items[0]), items.at(-1)]
  const end = last && endOfLine(text, last)
  if (indent === undefined || end === undefined) return undefined
  return { at: end, end, text: added.map((line) => `${newline}${indent}${line}`).join('') }
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

/** The end of the line of its value, with the comment behind it. */
function endOfLine(text: string, { key, value }: Pair): number | undefined {
  const range = (isScalar(value) ? value.range : undefined) ?? (isScalar(key) ? key.range : undefined)
  if (range == null) return undefined
  const end = text.indexOf('\n', range[1])
  return end < 0 ? text.length : text[end - 1] === '\r' ? end - 1 : end
}

/** The same as before, but for these names. */
function isUnchangedBut(edited: string, before: Json, target: TargetPath, names: Names): boolean {
  const document = parseDocument(edited, { logLevel: 'silent' })
  if (document.errors.length > 0) return false
  type Targets = Record<string, { wireNames?: Record<string, string> | null }>
  const wanted = structuredClone(before) as Targets & { targets: Targets }
  const [first, name] = target
  const settings = name === undefined ? wanted[first] : wanted.targets[name]
  if (settings === undefined) return false
  const written = Object.entries(names).map(([name, real]) => [name, escapeReferences(real)])
  settings.wireNames = { ...settings.wireNames, ...Object.fromEntries(written) }
  return canonicalJson(document.toJS() as Json) === canonicalJson(wanted as unknown as Json)
}
