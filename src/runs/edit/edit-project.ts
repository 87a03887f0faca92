// Edits of manifests as one: every target is assembled again, and its changes are held to what was asked.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { cutLines, firstFew } from '@svcsync/core/model/near-misses.ts'
import { editText, type TextEdit } from '@svcsync/editor/edit-text.ts'
import { exceptionEdits } from '@svcsync/editor/exception-edits.ts'
import { changedFacts, type DeclaredFact } from '@svcsync/editor/facts.ts'
import type { SourceEdit } from '@svcsync/editor/uses.ts'
import { formatPlace, OperatorError, type Problem } from '@svcsync/errors/index.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import type { FileText } from '@svcsync/files/write-together.ts'
import { unifiedDiff } from '@svcsync/format/unified-diff.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { baselineFile, exceptionsFile } from '@svcsync/project/exceptions.ts'
import { type ProjectForEdit, reopenProject } from './open-for-edit.ts'

interface EditedFile extends FileText {
  readonly before: Uint8Array
  /** As shown in places. */
  readonly file: string
  /** Unified, with line feeds. */
  readonly diff: string
}

export interface EditedProject {
  readonly before: ProjectForEdit
  readonly after: ProjectForEdit
  readonly files: readonly EditedFile[]
  readonly texts: ReadonlyMap<string, TextSource>
  readonly changes: ReadonlyMap<string, ReturnType<typeof changedFacts>>
}

export class UnfitEdits extends OperatorError {
  readonly edits: ReadonlySet<TextEdit>

  constructor(findings: readonly string[], edits: Iterable<TextEdit>) {
    super('SVC2301', 'The manifests cannot be edited so: nothing is written', {
      findings: [...new Set(findings)],
      hint: 'Edit these places by hand, and run the command again.',
    })
    this.edits = new Set(edits)
  }
}

/** Throws an OperatorError that names every place where the edit cannot be made as it was asked. */
export function editProject(
  before: ProjectForEdit,
  edits: readonly SourceEdit[],
  isAsked: (fact: DeclaredFact, which: 'gone' | 'added', target: string) => boolean,
): EditedProject {
  const files = editedFiles(before, edits)
  const texts = new Map(files.map(({ from, file, text }) => [from, new TextSource(file, text)]))
  const after = reopenOrRefuse(before, texts)
  const changes = new Map<string, ReturnType<typeof changedFacts>>()
  const unasked = new Map<string, string[]>()
  for (const [index, old] of before.targets.entries()) {
    const target = old.project.targetName
    const now = after.targets[index] as (typeof after.targets)[number]
    const changed = changedFacts(old, now)
    changes.set(target, changed)
    for (const which of ['gone', 'added'] as const) {
      for (const fact of changed[which].filter((each) => !isAsked(each, which, target))) {
        const line = `${fact.address}: ${which === 'gone' ? '-' : '+'} ${fact.shown}`
        unasked.set(line, [...(unasked.get(line) ?? []), target])
      }
    }
  }
  if (unasked.size > 0) throw sideEffectError(before, edits, unasked)
  return { before, after, files, texts, changes }
}

export function editedFiles(
  before: ProjectForEdit,
  edits: readonly SourceEdit[],
): (EditedFile & { readonly from: string; readonly text: string })[] {
  const paths = pathsOf(before)
  const unfit: string[] = []
  const unfitEdits: TextEdit[] = []
  const files = [...groupBy(edits, ({ source }) => source.file)].flatMap(([file, own]) => {
    const path = paths.get(file)
    const { source } = own[0] as SourceEdit
    const read = before.targets.flatMap(({ sources }) => sources.get(file) ?? [])[0]
    if (path === undefined || read === undefined) throw outside(file)
    const { text } = read
    const real = realpathSync(path)
    if (!liesWithin(realpathSync(before.targets[0].project.dir), real)) throw outside(file)
    const result = editText(text, distinct(own.map(({ edit }) => edit)))
    if ('unfit' in result) {
      unfitEdits.push(...result.unfit.flatMap(({ edit }) => edit ?? []))
      unfit.push(...result.unfit.map((each) => `${formatPlace(source.placeAt(each.at))}  ${unfitReasons[each.why]}`))
      return []
    }
    if (result.text === text) return []
    const mark = markOf(path)
    const after = Buffer.from(`${mark}${result.text}`)
    const diff = unifiedDiff(file, read, result.text)
    // A file that somebody has changed since is not overwritten: the edit belongs to the text that was read.
    return [
      {
        path: real,
        from: path,
        file,
        before: Buffer.from(`${mark}${text}`),
        after,
        diff,
        text: result.text,
      },
    ]
  })
  if (unfit.length > 0) throw new UnfitEdits(unfit, unfitEdits)
  return files
}

/** The byte order mark with which the file begins; empty: it has none. */
export function markOf(path: string): string {
  const bytes = readFileSync(path)
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? '\ufeff' : ''
}

const unfitReasons = {
  reference: 'holds a reference: svcsync writes no value where a variable or a secret is named',
  shape: 'is written in a way that svcsync does not edit',
}

/** Two uses may be one entry. */
function distinct(edits: readonly TextEdit[]): TextEdit[] {
  return [...new Map(edits.map((edit) => [JSON.stringify(edit), edit])).values()]
}

function pathsOf({ targets, parsed }: ProjectForEdit): ReadonlyMap<string, string> {
  const manifests = targets.flatMap(({ manifests: { files } }) =>
    files.map(({ source, path }) => [source.file, path] as const),
  )
  return new Map([...(parsed.source === undefined ? [] : [[parsed.source.file, parsed.path] as const]), ...manifests])
}

function outside(file: string): OperatorError {
  return new OperatorError('SVC2301', `\`${file}\` is outside the project: it is not edited`, {
    hint: 'Edit it by hand, and run the command again.',
  })
}

function reopenOrRefuse(before: ProjectForEdit, texts: ReadonlyMap<string, TextSource>): ProjectForEdit {
  try {
    return reopenProject(before, texts)
  } catch (error) {
    if (!(error instanceof UnusableFiles)) throw error
    const errors = error.problems.filter(({ severity }) => severity === 'error')
    throw new OperatorError('SVC2301', 'After the edit the manifests would be wrong: nothing is written', {
      findings: errors.map(shownProblem),
      hint: 'Edit these places by hand, and run the command again.',
    })
  }
}

function shownProblem({ code, message, place, targets }: Problem): string {
  const where = targets === undefined ? '' : ` (${targets.join(', ')})`
  return `${place === undefined ? '' : `${formatPlace(place)}  `}${code} ${message}${where}`
}

const mostShown = 10

function sideEffectError(
  before: ProjectForEdit,
  edits: readonly SourceEdit[],
  unasked: ReadonlyMap<string, readonly string[]>,
): OperatorError {
  const all = before.targets.length
  const lines = [...unasked].map(([line, targets]) =>
    targets.length === all ? line : `${line} (${targets.join(', ')})`,
  )
  const places = [...new Set(edits.map(({ source, edit }) => formatPlace(source.placeAt(edit.at))))]
  return new OperatorError('SVC2301', 'The edit would change more than was asked: nothing is written', {
    findings: cutLines(lines, mostShown),
    hint:
      `An anchor, a set or a variable shares the value at ${firstFew(places, 5)}. ` +
      'Write it out at the one place, or edit it by hand.',
  })
}

export function exceptionFiles({ targets }: ProjectForEdit): string[] {
  const files = targets.flatMap(({ project }) => [exceptionsFile(project), baselineFile(project)])
  return [...new Set(files)].filter((path) => existsSync(path))
}

/** `login`: the new one; undefined: what is about the person goes. */
export function withExceptions(
  edited: EditedProject,
  isPerson: (svcId: string) => boolean,
  login: string | undefined,
): EditedProject {
  const { cwd } = edited.before.options
  const more = exceptionFiles(edited.before).flatMap((path): EditedProject['files'] => {
    const bytes = readFileSync(path)
    const text = bytes.toString().replace(/^\ufeff/, '')
    const result = editText(text, exceptionEdits(text, isPerson, login))
    if ('unfit' in result || result.text === text) return []
    const file = relative(cwd, path)
    const mark = bytes.length > Buffer.byteLength(text) ? '\ufeff' : ''
    const diff = unifiedDiff(file, new TextSource(file, text), result.text)
    return [{ path: realpathSync(path), file, diff, before: bytes, after: Buffer.from(`${mark}${result.text}`) }]
  })
  return more.length === 0 ? edited : { ...edited, files: [...edited.files, ...more] }
}
