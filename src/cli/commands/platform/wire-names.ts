// `svcsync wire-names`: what an installation calls the names of the interface, from its own OpenAPI document.

import { realpathSync } from 'node:fs'
import { cwd, env } from 'node:process'
import { standInNames } from '@svcsync/core/model/doubts.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { wireNameRule } from '@svcsync/core/model/wire-name.ts'
import { interfaceDocument } from '@svcsync/emulator/index.ts'
import { inCode, OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { writeAtomically } from '@svcsync/files/write-atomically.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { alignNames, namesIn } from '@svcsync/openapi/align-names.ts'
import { editWireNames, wireNameLine } from '@svcsync/openapi/edit-wire-names.ts'
import { loadDocument, shownSource } from '@svcsync/openapi/load-document.ts'
import { type Interface, readInterface } from '@svcsync/openapi/read-interface.ts'
import { findProject } from '@svcsync/project/find-project.ts'
import { readTargetOf } from '@svcsync/project/load-project.ts'
import { type ParsedProject, parseProject } from '@svcsync/project/parse-project.ts'
import type { Project } from '@svcsync/project/project.ts'
import { type Block, name, note, type Row, section, table, words } from '@svcsync/render/blocks/block.ts'
import { printText } from '@svcsync/render/printers/text.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { hasErrors, projectFile } from '@svcsync/runs/open/open-project.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { noteProject } from '../../terminal/notes.ts'
import { version } from '../../version.ts'
import type { wireNames } from '../platform.ts'

type WireNamesOptions = Values<typeof wireNames>

type GivenNames = Readonly<Record<string, string>>

export async function wireNamesCommand(
  options: WireNamesOptions,
  console: Console,
  { document: source }: { document?: string },
) {
  const project = projectOf(options)
  if (project !== undefined) noteProject(project.file, options, console)
  const api = options.apiVersion ?? project?.target.apiVersion ?? '6.0'
  const found = source === undefined ? alignGiven(api, options.name) : await findNames(source, api, options)
  const table = wholeTableOf(found.alignment)
  const written = options.write === true && project !== undefined ? writeInto(project, table) : undefined
  const now = project?.target.wireNames ?? {}
  const result = { document: source && shownSource(source), apiVersion: api, ...found, now, written }
  await console.result(options.format === 'json' ? asJson(result) : printText(blocksOf(result), console))
  if (written === undefined && options.write !== true && project !== undefined && differs(table, now))
    console.note(`\nNothing was written. \`--write\` adds them to \`wireNames\` of the target ${project.target.name}.`)
  return found.alignment.open.some(isUncertain) ? exitCodes.error : exitCodes.done
}

interface DocumentNames {
  readonly ours: Interface
  readonly theirs: Interface
  readonly alignment: ReturnType<typeof alignNames>
  readonly operations: { readonly known: number; readonly found: number }
}

/** Rejects with an OperatorError for a document of something else, or a name that the interface does not have. */
export async function findNames(
  source: string,
  api: '5.0' | '6.0',
  { caFile, name = {} }: { readonly caFile?: string | undefined; readonly name?: GivenNames | undefined },
): Promise<DocumentNames> {
  const ours = interfaceWith(api, name)
  const theirs = readInterface(await loadDocument(source, { caFile, env, version }), api)
  const keys = [...ours.operations.keys()]
  const found = keys.filter((key) => theirs.operations.has(key)).length
  if (found === 0)
    throw new OperatorError('SVC2174', `${shownSource(source)} describes nothing of API ${api} that svcsync knows`, {
      hint: 'Check that it is the document of the workflow platform, and of the version in `apiVersion` of the target.',
    })
  return { ours, theirs, alignment: alignDocument(ours, theirs, name), operations: { known: keys.length, found } }
}

function alignGiven(api: '5.0' | '6.0', name: GivenNames | undefined): Pick<DocumentNames, 'alignment'> {
  if (name === undefined)
    throw new OperatorError('SVC2170', '`wire-names` needs a document or `--name`', {
      hint: 'Write `svcsync wire-names DOCUMENT`, or `svcsync wire-names --name DOCUMENTED=REAL --write`.',
    })
  const ours = interfaceWith(api, name)
  return { alignment: alignDocument(ours, { operations: new Map(), ambiguous: new Set() }, name) }
}

/** Rejects with an OperatorError where a name that is given can be none there: a key with blanks in it. */
function alignDocument(ours: Interface, theirs: Interface, given: GivenNames): DocumentNames['alignment'] {
  const alignment = alignNames(ours, theirs, given)
  const unfit = alignment.open.find(({ name, reason }) => reason === 'unusable' && Object.hasOwn(given, name))
  if (unfit === undefined) return alignment
  throw new OperatorError('SVC2176', `${inCode(given[unfit.name])} cannot be what \`${unfit.name}\` is called there`, {
    hint: `Write \`DOCUMENTED=REAL\`. ${wireNameRule}`,
  })
}

function interfaceWith(api: '5.0' | '6.0', given: GivenNames): Interface {
  const ours = readInterface(interfaceDocument(api), api)
  const documented = namesIn(ours)
  const unknown = Object.keys(given).find((name) => !documented.has(name))
  if (unknown === undefined) return ours
  throw new OperatorError('SVC2176', `The interface has no name \`${unknown}\` that an installation could rename`, {
    hint: suggestion(unknown, documented) ?? 'Write the documented name before the `=`, such as `svcId`.',
  })
}

export const tableOf = ({ names }: DocumentNames['alignment']): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map(({ name, real }) => [name, real]))

/** Names that answers can leave in doubt, and the document has as they are. A key and a word share one line. */
export function confirmedBy({ names, same, open }: DocumentNames['alignment']): readonly string[] {
  const doubtable = new Set(kinds.flatMap(standInNames))
  const others = new Set([...names, ...open].map(({ name }) => name))
  return [...new Set(same)].filter((name) => doubtable.has(name) && !others.has(name)).sort()
}

/** The entries of `wireNames`: a name that maps to itself is no longer in doubt. */
export function wholeTableOf(alignment: DocumentNames['alignment']): Readonly<Record<string, string>> {
  return { ...tableOf(alignment), ...Object.fromEntries(confirmedBy(alignment).map((name) => [name, name])) }
}

export const isUncertain = ({ reason }: DocumentNames['alignment']['open'][number]): boolean => reason !== 'missing'

type LocatedProject = Project & { readonly writtenAt: ReturnType<typeof whereWritten> }

function projectOf({ project: named, target, write }: WireNamesOptions): LocatedProject | undefined {
  const folder = cwd()
  if (named === undefined && target === undefined && write !== true && findProject(folder) === undefined)
    return undefined
  const parsed = parseProject(projectFile(named, folder), { kinds, displayBase: folder })
  const read = readTargetOf(parsed, { env, needCredentials: false, target, displayBase: folder, overrides: {} })
  const { project, problems, sources } = read
  if (project === undefined || hasErrors(problems)) throw new UnusableFiles(problems, sources)
  return { ...project, writtenAt: whereWritten(parsed, project.target.name) }
}

/** `at`: path of the target in its file. */
function whereWritten({ path, elsewhere, targetFiles }: ParsedProject, target: string) {
  const within = targetFiles.find(({ source }) => source === elsewhere.get(target)?.source)
  return within === undefined
    ? { file: path, at: ['targets', target] as const }
    : { file: within.path, at: [target] as const }
}

const differs = (table: Readonly<Record<string, string>>, now: WireNamesResult['now']): boolean =>
  Object.entries(table).some(([name, real]) => now[name] !== real)

function writeInto({ target, writtenAt: { file, at } }: LocatedProject, table: Readonly<Record<string, string>>) {
  const before = target.wireNames
  const names = Object.entries(table).filter(([name, real]) => before[name] !== real)
  const added = names.filter(([name]) => !Object.hasOwn(before, name)).length
  const changed = names.length - added
  if (names.length === 0) return { file, added, changed }
  const text = readBoundedText(file, 16)
  const edited = isUnread(text) ? undefined : editWireNames(text, at, Object.fromEntries(names))
  if (edited === undefined) {
    const lines = names.map(([name, real]) => wireNameLine(name, real)).join(', ')
    const what = `The target ${target.name} in ${file} cannot be edited: its form is not supported`
    throw new OperatorError('SVC2175', what, {
      hint: `Nothing was written. Add this to the target by hand: wireNames: { ${lines} }`,
    })
  }
  try {
    writeAtomically(realpathSync(file), edited)
  } catch (cause) {
    const reason = String((cause as { readonly code?: unknown }).code)
    throw new OperatorError('SVC2175', `${file} cannot be written: ${whyUnwritable(reason)}`, {
      hint: 'Nothing was written. Without `--write`, svcsync prints the names.',
      cause,
    })
  }
  return { file, added, changed }
}

interface WireNamesResult extends Pick<DocumentNames, 'alignment'> {
  readonly document: string | undefined
  readonly operations?: DocumentNames['operations']
  readonly apiVersion: string
  readonly now: Project['target']['wireNames']
  readonly written: ReturnType<typeof writeInto> | undefined
}

function asJson({ document, apiVersion, operations, alignment, written }: WireNamesResult): string {
  const kind = ({ isWord }: { readonly isWord: boolean }) => (isWord ? 'word' : 'key')
  return safeJson({
    formatVersion: '1.0',
    document: document ?? null,
    apiVersion,
    operations: operations ?? null,
    names: alignment.names.map(({ name, real, evidence, ...each }) => ({ name, real, kind: kind(each), evidence })),
    same: alignment.same.length,
    notAligned: alignment.open.map(({ name, reason, where, candidates, ...each }) => {
      return { name, kind: kind(each), reason, where, candidates }
    }),
    wireNames: wholeTableOf(alignment),
    written: written ?? null,
  })
}

function blocksOf({ document, apiVersion, operations, alignment, now, written }: WireNamesResult): Block[] {
  const { names, same, open } = alignment
  const confirmed = confirmedBy(alignment)
  const goes = byCount(confirmed.length, 'goes', 'go')
  const sayWritten =
    confirmed.length === 0
      ? ''
      : `. ${confirmed.length} of them ${goes} into \`wireNames\` unchanged, because answers may leave them out`
  const known = operations && `${operations.found} of ${operations.known} operations that svcsync knows`
  const more = names.length === 0 ? '' : ' more'
  const sum = `${formatCount(same.length, 'name')}${more} ${byCount(same.length, 'is', 'are')} the same${sayWritten}.`
  const called = names.map(({ name: ours, real, evidence }): Row => {
    const says = now[ours] === real ? 'so' : `\`${now[ours]}\``
    const also = now[ours] === undefined ? '' : `; the target says ${says}`
    return { cells: [[name(ours)], [name(real, 'good')], [words(`${evidence.join('; ')}${also}`, 'faint')]] }
  })
  const openRows = (isWanted: (each: (typeof open)[number]) => boolean): Row[] =>
    open.filter(isWanted).map((each) => {
      const why = isUncertain(each) ? `${openTexts[each.reason](quoted(each.candidates))} (${each.where})` : each.where
      return { cells: [[name(each.name)], [words(why, 'faint')]] }
    })
  const all = { weight: 'loss' } as const
  const title = 'Not aligned: it could be one of several, contradicts itself, or is no name'
  return [
    ...(known === undefined ? [] : [note(`${document}, API ${apiVersion}: ${known} are in it.`)]),
    ...(names.length === 0
      ? [note('The installation renames nothing.', 'good')]
      : section('Called otherwise there', 'strong', table(called, all))),
    ...(known === undefined ? [] : [note(sum, 'faint')]),
    ...section(title, 'error', table(openRows(isUncertain), all)),
    ...section(
      'Not in the document',
      'warning',
      table(
        openRows((each) => !isUncertain(each)),
        all,
      ),
    ),
    ...(written === undefined
      ? []
      : [note(`${written.file}: ${describeWritten(written, names.length + confirmed.length)}.`, 'good')]),
  ]
}

function describeWritten({ added, changed }: NonNullable<WireNamesResult['written']>, known: number): string {
  if (added + changed > 0) return `${added} added, ${changed} changed`
  return known === 0 ? 'nothing to write' : 'nothing to write: all are there'
}

const openTexts: Readonly<Record<DocumentNames['alignment']['open'][number]['reason'], (real: string) => string>> = {
  missing: () => 'is not there',
  ambiguous: (real) => `could be ${real}`,
  contradictory: (real) => `is ${real} in one place, and not so in another`,
  unusable: (real) => `is ${real} there, which is no valid name`,
}
