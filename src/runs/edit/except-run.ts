// Writes exceptions into their file: new ones behind the others, end and reason of those that are there.
import { realpathSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { type Exception, exceptedKey, isAccessException } from '@svcsync/core/model/exception.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { offsetAt, offsetOf } from '@svcsync/core/model/source.ts'
import { editText, type TextEdit } from '@svcsync/editor/edit-text.ts'
import { formatPlace, inCode, OperatorError } from '@svcsync/errors/index.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import type { FileText } from '@svcsync/files/write-together.ts'
import { formatText } from '@svcsync/format/format-text.ts'
import { unifiedDiff } from '@svcsync/format/unified-diff.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import {
  accessKeys,
  exceptionKeys,
  exceptionsFile,
  exceptionsShapeOf,
  readExceptions,
} from '@svcsync/project/exceptions.ts'
import type { ReadProject } from '../open/open-project.ts'
import { markOf } from './edit-project.ts'
import { writeFiles } from './write-edits.ts'

type ReadExceptions = ReturnType<typeof readExceptions>

type WantedException = DistributiveOmit<Exception, 'place' | 'placeOf' | 'offset' | 'untilMs'>
type DistributiveOmit<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never

interface ExceptionsEdit {
  /** As people see it. */
  readonly file: string
  readonly diff: string
  /** Goes when the file is written: what it says is in the file. */
  readonly moved: { readonly path: string; readonly file: string; readonly exceptions: number } | undefined
  readonly read: ReadExceptions
  readonly written: FileText
}

const firstText = `# Accepted differences from the manifests, with their ends and reasons: see \`svcsync accept\`.

exceptions:
`

const byHand = 'Write the exceptions by hand.'

/** Writes nothing. Throws an OperatorError for an unfit file. `wanted` empty: the entries of a baseline move. */
export function exceptionsEdit(
  opened: Pick<ReadProject, 'project' | 'assembly' | 'displayBase' | 'exceptions' | 'parsed'>,
  wanted: readonly WantedException[],
): ExceptionsEdit {
  const { project, assembly, displayBase, exceptions: before, parsed } = opened
  const path = exceptionsFile(project)
  const file = relative(displayBase, path)
  const real = before.file === undefined ? path : realpathSync(path)
  if (!liesWithin(realpathSync(project.dir), before.file === undefined ? project.dir : real))
    throw unwritable(file, 'it is a link that leads out of the project', 'Put the file itself there.')
  const { text, moved } = startOf(before, file, project.kinds)
  const start = new TextSource(file, text)
  const targets = isJsonObject(parsed.root?.targets) ? Object.keys(parsed.root.targets) : []
  const read = (source: TextSource): ReadExceptions =>
    readExceptions({
      ...{ project, displayBase, targets, normalise: assembly.normalise, texts: new Map([[path, source]]) },
    })
  const edited = withExceptions(start, read(start), wanted, { normalise: assembly.normalise, kinds: project.kinds })
  const source = new TextSource(file, edited)
  const after = read(source)
  requireAsked(read(start), after, wanted, { file, normalise: assembly.normalise })
  const mark = before.file === undefined ? '' : markOf(real)
  const own = before.file === undefined ? undefined : Buffer.from(`${mark}${before.file.source.text}`)
  return {
    ...{ file, moved, read: after },
    diff: unifiedDiff(file, before.file?.source ?? new TextSource(file, ''), edited),
    written: { path: real, before: own, after: Buffer.from(`${mark}${edited}`) },
  }
}

/** All of it or nothing: the baseline goes when what it says is written. */
export function writeExceptions(
  { project, displayBase }: Pick<ReadProject, 'project' | 'displayBase'>,
  edit: ExceptionsEdit,
): void {
  writeFiles(realpathSync(project.dir), displayBase, [edit.written])
  if (edit.moved !== undefined) rmSync(edit.moved.path, { force: true })
}

/** The text that new exceptions come into: with what the baseline says. */
function startOf(
  { file, baseline, all }: ReadExceptions,
  shown: string,
  kinds: readonly Kind[],
): Pick<ExceptionsEdit, 'moved'> & { readonly text: string } {
  if (file !== undefined && file.root === undefined)
    throw unwritable(shown, 'it is no file of exceptions', 'Mend it first.')
  const text = file?.source.text
  if (baseline === undefined) return { text: text ?? firstText, moved: undefined }
  const items = itemsOf(baseline.root)
  const moved = { path: baseline.path, file: baseline.source.file, exceptions: items.length }
  if (baseline.root === undefined)
    throw unwritable(moved.file, 'it is no access baseline', 'Mend it first, or remove it.')
  if (file === undefined) {
    const edits = items.map((item): TextEdit => {
      return { edit: 'set-entry', at: offsetAt(baseline.source, item, []), value: movedItem(item) }
    })
    return { text: editOrThrow(baseline.source, edits), moved }
  }
  // A move that was interrupted has already written some items.
  const left = new Set(all.flatMap(({ place, offset }) => (place.file === moved.file ? [offset] : [])))
  const rest = items.filter((item) => left.has(offsetAt(baseline.source, item, [])))
  return { text: withItems(file, rest.map(movedItem), kinds), moved }
}

const itemsOf = (root: JsonObject | undefined): JsonObject[] =>
  Array.isArray(root?.exceptions) ? root.exceptions.filter(isJsonObject) : []

function movedItem(item: JsonObject): JsonObject {
  const access = Object.fromEntries(accessKeys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])))
  const rest = Object.entries(item).filter(([key]) => !accessKeys.includes(key as (typeof accessKeys)[number]))
  return { access, ...Object.fromEntries(rest) }
}

function withExceptions(
  start: TextSource,
  { all, file }: ReadExceptions,
  wanted: readonly WantedException[],
  { normalise, kinds }: { readonly normalise: (svcId: string) => string; readonly kinds: readonly Kind[] },
): string {
  if (file === undefined) return start.text
  const known = new Map(all.map((each) => [fullKey(each, normalise), each]))
  const renewals = wanted.flatMap((each): TextEdit[] => {
    const same = known.get(fullKey(each, normalise))
    const terms = same === undefined ? [] : (['until', 'reason'] as const)
    return terms.map((key) => ({ edit: 'set-field', at: same?.offset ?? 0, key, value: each[key] }))
  })
  const items = wanted.filter((each) => !known.has(fullKey(each, normalise))).map(itemOf)
  return withItems(file, items, kinds, renewals)
}

/** Adds items after the existing ones. An empty file is laid out anew: nothing tells its layout. */
function withItems(
  { source, root }: NonNullable<ReadExceptions['file']>,
  items: readonly JsonObject[],
  kinds: readonly Kind[],
  others: readonly TextEdit[] = [],
): string {
  if (items.length === 0) return editOrThrow(source, others)
  const list = root?.exceptions
  if (Array.isArray(list) && list.length > 0) {
    const at = offsetOf(source, list, 0) ?? 0
    return editOrThrow(source, [...others, ...items.map((value): TextEdit => ({ edit: 'add-entry', at, value }))])
  }
  const at = offsetOf(source, root, 0) ?? 0
  const text = editOrThrow(source, [{ edit: 'set-field', at, key: 'exceptions', value: items }])
  const laidOut = formatText(text, exceptionsShapeOf(kinds))
  if ('refused' in laidOut) throw unwritable(source.file, `it ${laidOut.refused}`, byHand)
  return laidOut.text
}

function fullKey(each: Exception | WantedException, normalise: (svcId: string) => string): string {
  return `${exceptedKey(each as Exception, normalise)} ${each.target ?? ''}`
}

function itemOf(each: WantedException): JsonObject {
  const own = each as Readonly<Record<string, Json | undefined>>
  const pick = (keys: readonly string[]) =>
    Object.fromEntries(keys.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key] as Json]])))
  if (!isAccessException(each as Exception)) return pick(exceptionKeys)
  return { access: pick(accessKeys), ...pick(['target', 'until', 'reason']) }
}

function editOrThrow(source: TextSource, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return source.text
  const result = editText(source.text, edits)
  if ('text' in result) return result.text
  const at = source.placeAt(result.unfit[0]?.at ?? 0)
  throw unwritable(source.file, `svcsync cannot edit the form at ${formatPlace(at)}`, byHand)
}

/** After each edit the file is read again: what changed is what was asked. */
function requireAsked(
  before: ReadExceptions,
  after: ReadExceptions,
  wanted: readonly WantedException[],
  { file, normalise }: { readonly file: string; readonly normalise: (svcId: string) => string },
): void {
  const said = (each: Exception | WantedException): string =>
    JSON.stringify([fullKey(each, normalise), each.until, each.reason])
  const asked = new Map(before.all.map((each) => [fullKey(each, normalise), said(each)]))
  for (const each of wanted) asked.set(fullKey(each, normalise), said(each))
  const found = after.all.map(said)
  const isAsked = found.length === asked.size && found.every((each) => [...asked.values()].includes(each))
  const flaw = after.problems.find(({ severity }) => severity === 'error')
  if (isAsked && flaw === undefined) return
  throw unwritable(file, flaw?.message ?? 'more than was asked would change', byHand)
}

function unwritable(file: string, why: string, hint: string): OperatorError {
  return new OperatorError('SVC2295', `${inCode(file)} cannot be written: ${why}`, { hint })
}
