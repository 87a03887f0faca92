// Adds names to the wireNames of a target, and keeps every other byte of the project file.
import { canonicalJson, type Json } from '@svcsync/core/model/json.ts'
import { escapeReferences, inlineText, yamlText } from '@svcsync/core/model/yaml-text.ts'
import { editText } from '@svcsync/editor/edit-text.ts'
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'

type Names = Readonly<Record<string, string>>
/** The path of the target in its file: a file of `targets: { from }` has it at the top. */
type TargetPath = readonly ['targets', string] | readonly [string]

/** Undefined: the file is written in a way that cannot be added to, such as in braces or by aliases. */
export function editWireNames(text: string, target: TargetPath, names: Names): string | undefined {
  const document = parseDocument(text, { logLevel: 'silent' })
  const settings = document.getIn(target)
  if (document.errors.length > 0 || !isMap(settings) || settings.flow) return undefined
  const own = settings.items.find(({ key }) => isScalar(key) && key.value === 'wireNames')
  const edited = isMap(own?.value) ? withNames(text, own.value, names) : withTable(text, settings, own, names)
  return edited !== undefined && isUnchangedBut(edited, document.toJS() as Json, target, names) ? edited : undefined
}

function withNames(text: string, { range }: YAMLMap, names: Names): string | undefined {
  if (range == null) return undefined
  const edits = Object.entries(names).map(([key, value]) => ({ edit: 'set-field', at: range[0], key, value }) as const)
  const edited = editText(text, edits)
  return 'text' in edited ? edited.text : undefined
}

/** In lines, after the last line of the settings, or after an existing heading. */
function withTable(text: string, { items }: YAMLMap, own: Pair | undefined, names: Names): string | undefined {
  // A value that is null may be written as `~`: then it is in the way, and the check says so.
  if (own !== undefined && !(isScalar(own.value) && own.value.value === null)) return undefined
  const last = own ?? items.filter(({ value }) => isScalar(value) && value.type !== 'BLOCK_LITERAL').at(-1)
  const indent = indentOf(text, items[0])
  const end = last && endOfLine(text, last)
  if (indent === undefined || end === undefined) return undefined
  const heading = own === undefined ? [`${indent}wireNames:`] : []
  const lines = Object.entries(names).map(([name, real]) => `${indent}  ${wireNameLine(name, real)}`)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  return text.slice(0, end) + [...heading, ...lines].map((line) => newline + line).join('') + text.slice(end)
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
