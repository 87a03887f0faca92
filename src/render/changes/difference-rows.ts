// A difference as rows to show, the same for every format. Here it is decided what may be seen of a masked value.
import { showElement } from '@svcsync/core/model/elements.ts'
import { canonicalJson, isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Element } from '@svcsync/core/model/kind.ts'
import type { CausedElement, DifferenceDocument } from '@svcsync/core/plan/plan-document.ts'
import { formatPlace, type Place } from '@svcsync/errors/index.ts'
import { structuredPatch } from 'diff'
import type { DifferenceRow, DisplayedValue } from '../blocks/difference.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { holdsUnprintable } from '../text/neutralise.ts'
import { entryGroups, setsWithout } from './entry-groups.ts'

type ValueRow = DifferenceRow<'value'>
type LinesRow = DifferenceRow<'lines'>
type EntriesRow = DifferenceRow<'entries'>

interface RowOptions {
  readonly creating: boolean
  /** Shows the declared state as "before" and the live state as "after", as readers of the platform see them. */
  readonly fromDeclared?: boolean
  readonly limit: number
  /** The place of the declaration: values from other files, such as overrides, show their own. */
  readonly place?: Place | undefined
}

/** For a row: made when it is printed; nothing where nothing differs. */
export const differencesOf = (differences: readonly DifferenceDocument[], options: Omit<RowOptions, 'limit'>) =>
  differences.length > 0 && { differences: (limit: number) => rowsOf(differences, { ...options, limit }) }

export function rowsOf(differences: readonly DifferenceDocument[], options: RowOptions): DifferenceRow[] {
  return differences.flatMap((difference) => {
    const isList = difference.added !== undefined || difference.removed !== undefined
    const rows = isList ? listRows(difference, options) : valueRows(difference, options)
    const turned = options.fromDeclared === true ? rows.map((row) => fromPlatformSide(row, options.creating)) : rows
    const { place } = difference
    const isElsewhere = place !== undefined && options.place !== undefined && place.file !== options.place.file
    return isElsewhere ? turned.map((row) => ({ ...row, at: formatPlace(place) })) : turned
  })
}

/** An addition by healing is missing now, and a removal is there now. Long texts were compared that way round. */
function fromPlatformSide(row: DifferenceRow, isMissing: boolean): DifferenceRow {
  if (row.form === 'value')
    return isMissing ? row : { ...row, before: row.after, after: row.before ?? { text: '(hidden)', remark: true } }
  if (row.form === 'lines') return row
  const groups = row.groups.map((group) => ({ ...group, sign: group.sign === '+' ? ('-' as const) : ('+' as const) }))
  return { ...row, added: row.removed, removed: row.added, groups, notIn: [] }
}

function valueRows(difference: DifferenceDocument, options: RowOptions): (ValueRow | LinesRow)[] {
  if (difference.rotates) return [rotationRow(difference)]
  // Masked values end here: no code below can show them.
  const before = difference.masked ? undefined : difference.before
  return pairLeaves(difference.path, before, difference.after).map(([path, from, to]): ValueRow | LinesRow => {
    if (difference.masked || referenceOf(to) !== undefined) return maskedRow(path, to, options)
    const whole = options.limit === Number.POSITIVE_INFINITY
    if (options.creating && !(whole && isMultiLine(to)))
      return { form: 'value', label: path, after: createdValue(path, to, options.limit) }
    if (isMultiLine(from) || isMultiLine(to)) {
      const [first, second] = options.fromDeclared === true ? [to, from] : [from, to]
      return { form: 'lines', label: path, diff: diffLines(textOf(first), textOf(second)) }
    }
    const [shownBefore, shownAfter] = showPair(from, to, path, options.limit)
    return { form: 'value', label: path, before: shownBefore, after: shownAfter }
  })
}

function rotationRow({ path, before, after }: DifferenceDocument): ValueRow {
  const values = [before, after].flatMap((value) => (value === undefined ? [] : [String(value)]))
  const text = `rotated${values.length === 0 ? '' : `: ${values.join(' → ')}`}, credentials are sent`
  return { form: 'value', label: path.slice(0, path.lastIndexOf('.')), after: { text } }
}

function maskedRow(path: string, after: Json | undefined, { creating, limit }: RowOptions): ValueRow {
  const reference = referenceOf(after)
  const shown: DisplayedValue =
    after === undefined
      ? { text: '(hidden)', remark: true }
      : reference !== undefined || typeof after === 'string'
        ? { text: reference ?? String(after) }
        : showSide(after, path, limit)
  return {
    form: 'value',
    label: path,
    ...(creating ? {} : { before: { text: '(hidden)', remark: true } }),
    after: shown,
  }
}

function createdValue(path: string, value: Json | undefined, limit: number): DisplayedValue {
  if (typeof value !== 'string' || !value.includes('\n')) return showSide(value, path, limit)
  const lines = value.split('\n')
  return { text: `${showString(lines[0] as string, limit)} … (${formatCount(lines.length, 'line')})` }
}

/** Objects are shown by their fields; what is on one side only is a leaf of that side. */
function pairLeaves(
  path: string,
  before: Json | undefined,
  after: Json | undefined,
): [string, Json | undefined, Json | undefined][] {
  if (!isBranch(after) || !(before === undefined || before === null || isBranch(before))) return [[path, before, after]]
  const from = isBranch(before) ? before : {}
  const keys = [...new Set([...Object.keys(after), ...Object.keys(from)])]
  return keys.flatMap((key) => pairLeaves(`${path}.${key}`, from[key], after[key]))
}

function isBranch(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return isJsonObject(value) && Object.keys(value).length > 0 && referenceOf(value) === undefined
}

const isMultiLine = (value: Json | undefined): boolean => typeof value === 'string' && value.includes('\n')

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Shows an element that only changes its settings setting by setting. */
function listRows(difference: DifferenceDocument, options: RowOptions): DifferenceRow[] {
  const { path, added = [] } = difference
  if (added.every(({ before }) => before === undefined)) return elementRows(difference)
  const values = added.flatMap((element) => {
    const { before, settings = {}, item, about } = element
    if (before === undefined) return []
    const fields = pairLeaves(`${path}.${item}${about === undefined ? '' : ` (${about.name})`}`, before, settings)
    return fields.flatMap(([field, from, to]) => {
      return canonicalJson(from ?? null) === canonicalJson(to ?? null)
        ? []
        : valueRows(
            { path: field, ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) },
            options,
          )
    })
  })
  return [...elementRows({ ...difference, added: newEntries(added) }), ...values]
}

/** An element that only changes its settings is not new. */
export const newEntries = (added: readonly CausedElement[] = []): readonly CausedElement[] =>
  added.filter(({ before }) => before === undefined)

function elementRows(difference: DifferenceDocument): EntriesRow[] {
  const { path, added = [], removed = [] } = difference
  const levels = [...new Set([...added, ...removed].map(({ level }) => level))].sort()
  return levels.map((level): EntriesRow => {
    const groups = entryGroups(difference, level)
    const own = (sign: '+' | '-', elements: readonly Element[]) => {
      const grouped = new Set(
        groups.flatMap((group) => (group.sign === sign ? group.entries : [])).map(({ text }) => text),
      )
      const texts = elements.flatMap((element) => (element.level === level ? showElement(element, 'level') : []))
      return grouped.size === 0 ? texts : texts.filter((text) => !grouped.has(text))
    }
    const [plus, minus] = [own('+', added), own('-', removed)]
    const notIn = minus.length > 0 ? setsWithout(difference, level) : []
    return { form: 'entries', label: level ?? path, added: plus, removed: minus, notIn, groups }
  })
}

// A limit on work and not on time: equal input gives equal output on every machine.
const maxEditLength = 1500
const shownWhenTooDifferent = 5

function diffLines(before: string, after: string): readonly LinesRow['diff'][number][] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, maxEditLength })
  if (patch === undefined) return bothSides(before, after)
  return patch.hunks.flatMap((hunk) => {
    const lines = hunk.lines.map(parseLine)
    return hunk.newStart <= 1 ? lines : [{ mark: '@', text: `@@ line ${hunk.newStart} @@` }, ...lines]
  })
}

function parseLine(line: string): LinesRow['diff'][number] {
  const mark = line[0]
  if (mark === '+' || mark === '-' || mark === ' ') return { mark, text: showTabs(line.slice(1)) }
  return { mark: '@', text: '(no line break at the end)' }
}

function bothSides(before: string, after: string): LinesRow['diff'][number][] {
  const side = (mark: '+' | '-', text: string): LinesRow['diff'][number][] => {
    const lines = text.split('\n')
    const rest = lines.length - shownWhenTooDifferent
    const shown: LinesRow['diff'][number][] = lines
      .slice(0, shownWhenTooDifferent)
      .map((line) => ({ mark, text: showTabs(line) }))
    return rest > 0 ? [...shown, { mark: '@', text: `… ${formatCount(rest, 'more line')}` }] : shown
  }
  return [...side('-', before), ...side('+', after)]
}

/** Makes tabs visible, since a difference may consist of tabs only. */
const showTabs = (text: string): string => text.replaceAll('\t', '⇥   ')

const environments: ReadonlySet<string> = new Set(['dev', 'test', 'prod'])

/** `null` in the fields of an environment means that it takes the common value again. */
const isEnvironment = (path: string): boolean => environments.has(path.slice(path.lastIndexOf('.') + 1))

/** `absent`: the text for a missing value without a source. */
function showSide(value: Json | undefined, path: string, limit: number, absent = '(cleared)'): DisplayedValue {
  if (value !== undefined && value !== null) return { text: showValue(value, limit) }
  return { text: isEnvironment(path) ? '(inherits)' : absent, remark: true }
}

/** Both sides of a difference; where they are long, the part in which they differ is in sight. */
export function showPair(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  limit: number,
): [DisplayedValue, DisplayedValue] {
  if (typeof before === 'string' && typeof after === 'string' && Math.max(before.length, after.length) > limit) {
    const common = commonStart(before, after)
    const start = common > limit / 2 ? common - Math.floor(limit / 4) : 0
    return [{ text: showString(before, limit, start) }, { text: showString(after, limit, start) }]
  }
  return [showSide(before, path, limit, '(not set)'), showSide(after, path, limit)]
}

/** A plan holds a sensitive value as an object with nothing but its reference. */
function referenceOf(value: Json | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined
  const { reference } = value
  return typeof reference === 'string' && Object.keys(value).length === 1 ? reference : undefined
}

function showValue(value: Exclude<Json, null>, limit: number): string {
  if (typeof value === 'string') return showString(value, limit)
  const reference = referenceOf(value)
  if (reference !== undefined) return reference
  return typeof value === 'object' ? cut(showObject(value), limit) : String(value)
}

/** As YAML writes it on one line, with blanks to wrap at: the settings of an environment that inherits again. */
function showObject(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(showObject).join(', ')}]`
  if (!isJsonObject(value))
    return typeof value === 'string' ? showString(value, Number.POSITIVE_INFINITY) : String(value)
  const entries = Object.entries(value).filter(([, part]) => part !== undefined && part !== null)
  return `{ ${entries.map(([key, part]) => `${key}: ${showObject(part as Json)}`).join(', ')} }`
}

export function showString(text: string, limit: number, start = 0): string {
  const shown = cut(text, limit, start)
  const written = isAmbiguous(text) ? quote(shown) : shown
  return written.replace(blankRuns, (run, blank: string) => `\\u{${blank.charCodeAt(0).toString(16)}}×${run.length}`)
}

/** Long runs of blanks push the text behind them out of sight. */
const blankRuns = /(\p{Zs})\1{7,}/gu

function isAmbiguous(text: string): boolean {
  return (
    text === '' ||
    text !== text.trim() ||
    /^(?:true|false|null|yes|no|~|[-+.]?\d[\d.,_eE+-]*|0x[\da-f]+)$/i.test(text) ||
    /^["'([{]|\$\{|→/.test(text) ||
    holdsUnprintable(text) ||
    text.search(blankRuns) >= 0
  )
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

function cut(text: string, limit: number, start = 0): string {
  if (start === 0 && text.length <= limit) return text
  const from = characterStart(text, start)
  const end = from + limit
  const length = ` (${formatNumber(text.length)} characters)`
  if (end >= text.length) return `…${text.slice(from)}${length}`
  // It shows the end, too, which may be decisive, such as the host after an `@`.
  const head = text.slice(from, characterStart(text, end - shownTail))
  return `${from > 0 ? '…' : ''}${head}…${text.slice(characterStart(text, text.length - shownTail))}${length}`
}

/** Characters shown of the end of a shortened value. */
const shownTail = 40

/** The index, or the one before it, where it would take a character apart. */
function characterStart(text: string, index: number): number {
  const isInsidePair = index > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1))
  return isInsidePair ? index - 1 : index
}

function commonStart(a: string, b: string): number {
  let index = 0
  while (index < a.length && a[index] === b[index]) index++
  return index
}
