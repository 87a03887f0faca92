// Files of `--results`: the result of each target, written as soon as the target has ended, and read again.

import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cwd } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { namesDevice } from '@svcsync/core/model/device-name.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type JsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import { inCode, OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { disk } from '@svcsync/files/file-tree.ts'
import { isUnread, largestDocument, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { putInPlace } from '@svcsync/files/write-atomically.ts'
import type { NamedTarget } from '@svcsync/project/select-targets.ts'
import type { TargetRecord } from '@svcsync/render/report/targets-summary.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'

type ResultsFolder = {
  readonly dir: string
  readonly shown: string
  /** Names of all targets of the run: what has no file has no result. */
  readonly targets: readonly string[]
  readonly commit: string | null
  /** Digest of the project file, the manifests, policies and exceptions, also of what no commit has. */
  readonly manifests: string
  /** Options that say what the run is about, as they are written: `--only "user/**"`. */
  readonly scope: string
}

interface ResultOfTarget extends Pick<TargetRecord, 'name' | 'exitCode' | 'sentence' | 'result'> {
  readonly command: string
  readonly file: string
  /** The targets of every shard. */
  readonly targets: readonly string[]
  readonly commit: string | null
  readonly manifests: string | null
  readonly scope: string
}

/** Why an apply did not move the ledger; undefined: it did, there is none, or what was due alone was wanted. */
export const whyLedgerStays = ({ ledger, due }: JsonObject): string | undefined =>
  due !== true && isJsonObject(ledger) && typeof ledger.reason === 'string' ? ledger.reason : undefined

/** A name that every system takes, and that is not hidden. */
export function fileOfTarget(name: string): string {
  const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  const safe = encodeURIComponent(name).replace(/\*|^\./g, escaped)
  return `${namesDevice(safe) ? `${escaped(safe)}${safe.slice(1)}` : safe}.json`
}

/** Throws an OperatorError where a file of one of the targets is there, or the folder cannot be written to. */
export function prepareResults(folder: Omit<ResultsFolder, 'dir'>, chosen: readonly NamedTarget[]): ResultsFolder {
  const { shown } = folder
  const dir = resolve(cwd(), shown)
  try {
    mkdirSync(dir, { recursive: true })
  } catch (error) {
    const why = whyUnwritable(String((error as { readonly code?: unknown }).code))
    throw new OperatorError('SVC2042', `The folder \`${shown}\` cannot be made: ${why}`, {
      hint: 'Name another folder with `--results`.',
    })
  }
  const there = chosen.map(({ name }) => fileOfTarget(name)).find((file) => disk.exists(join(dir, file)))
  if (there === undefined) return { ...folder, dir }
  throw new OperatorError('SVC2323', `The folder \`${shown}\` holds results of another run: \`${there}\``, {
    hint: 'Nothing was begun. Name an empty folder: old results must not pass for new ones.',
  })
}

export function verdictAs({
  severity,
  sentence,
  isRefused,
}: Pick<TargetRecord, 'severity' | 'sentence' | 'isRefused'>) {
  return { severity, sentence, ...(isRefused && { refused: true }) }
}

export function writeResult(folder: ResultsFolder, command: string, end: TargetRecord): void {
  const { severity, sentence, isRefused, ...result } = end
  const { dir, targets, commit, manifests, scope } = folder
  const verdict = verdictAs({ severity, sentence, isRefused })
  const whole = { formatVersion: '1.0', command, ...result, verdict, commit, manifests, scope, targets }
  putInPlace(join(dir, fileOfTarget(result.name)), `${safeJson(whole)}\n`, 0o600)
}

export const isFolder = (path: string): boolean =>
  statSync(resolve(cwd(), path), { throwIfNoEntry: false })?.isDirectory() === true

/** Replaces a folder by its JSON files; an empty shard has none. Throws an OperatorError if all are empty. */
export function expandFolders(paths: readonly string[]): readonly string[] {
  const all = paths.flatMap((path) => {
    if (!isFolder(path)) return [path]
    const files = readdirSync(resolve(cwd(), path)).filter((file) => /^[^.].*\.json$/.test(file))
    return files.sort().map((file) => join(path, file))
  })
  if (all.length > 0) return all
  throw new OperatorError('SVC2818', `The folder \`${paths[0]}\` holds no results`, {
    hint: 'Name a folder that `--results` has written.',
  })
}

export function resultOfTarget(data: JsonObject, file: string): ResultOfTarget | undefined {
  const { name, command, exitCode, verdict, result, targets, commit, manifests, scope } = data
  const isOne = typeof name === 'string' && typeof command === 'string' && Array.isArray(targets)
  if (!isOne || !(isJsonObject(result) || result === null)) return undefined
  return {
    ...{ file, name, command, result },
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    sentence: isJsonObject(verdict) && typeof verdict.sentence === 'string' ? verdict.sentence : 'no verdict',
    targets: targets.filter((each) => typeof each === 'string'),
    commit: typeof commit === 'string' ? commit : null,
    manifests: typeof manifests === 'string' ? manifests : null,
    scope: typeof scope === 'string' ? scope : '',
  }
}

/** Throws an OperatorError where they are not of one run: an old result would pass for a new one. */
export function refuseMixed(all: readonly ResultOfTarget[]): void {
  const [first] = all
  if (first === undefined) return
  const runOf = ({ command, targets, commit, manifests, scope }: ResultOfTarget): string =>
    JSON.stringify([command, commit, manifests, scope, [...targets].sort()])
  const other = all.find((each) => runOf(each) !== runOf(first))
  if (other === undefined) return
  throw new OperatorError('SVC2323', `\`${first.file}\` and \`${other.file}\` are results of different runs`, {
    hint: 'Give each run a folder of its own: `--results DIR`.',
  })
}

export const resumeOf = ({ shown, scope }: Pick<ResultsFolder, 'shown' | 'scope'>): string =>
  ['svcsync apply --resume', shellWord(shown), ...(scope === '' ? [] : [scope]), '--yes'].join(' ')

/** The run in a folder, to be resumed. Throws an OperatorError if there is none, or one of another command. */
export function readRun(shown: string, command: string, now: Pick<ResultsFolder, 'commit' | 'manifests' | 'scope'>) {
  const { commit, manifests, scope } = now
  const other = (message: string, hint: string) =>
    new OperatorError('SVC2323', message, { hint: `Nothing was begun. ${hint}` })
  const results = expandFolders([shown]).map((file) => {
    const text = readBoundedText(resolve(cwd(), file), largestDocument)
    const data = isUnread(text) ? undefined : parseJson(text)
    const result = isJsonObject(data) ? resultOfTarget(data, file) : undefined
    if (result !== undefined) return result
    throw other(`\`${file}\` is no result of a run over targets`, 'Name a folder that `--results` alone has written.')
  })
  refuseMixed(results)
  const [first] = results as [ResultOfTarget]
  if (first.command !== command)
    throw other(
      `The folder \`${shown}\` holds results of \`${first.command}\``,
      `Name the folder of an \`${command}\` over these targets.`,
    )
  if (first.commit !== commit) {
    const name = (id: string | null): string => (id === null ? 'no commit' : `\`${id.slice(0, 7)}\``)
    throw other(
      `The folder \`${shown}\` holds results of ${name(first.commit)}, and ${name(commit)} is checked out`,
      'Run it anew with an empty folder: these results belong to the other commit.',
    )
  }
  if (first.scope !== scope) {
    const name = (options: string): string => (options === '' ? 'without options of that sort' : `with \`${options}\``)
    throw other(
      `The folder \`${shown}\` holds results of a run ${name(first.scope)}, and this one is ${name(scope)}`,
      `Run \`${resumeOf({ shown, scope: first.scope })}\`.`,
    )
  }
  if (first.manifests !== manifests)
    throw other(
      `The files of the project are not those of the results in \`${shown}\``,
      'Undo the edits, or run it anew with an empty folder: these results belong to the other files.',
    )
  const isDone = ({ exitCode, result }: ResultOfTarget): boolean =>
    exitCode === 0 && (result === null || whyLedgerStays(result) === undefined)
  const done = new Set(results.filter(isDone).map(({ name }) => name))
  return { dir: resolve(cwd(), shown), shown, targets: first.targets, commit, manifests, scope, done }
}

/** Names targets that did not begin, and those without a file: their shard did not run, or ended before them. */
export function describeMissingResults(all: readonly ResultOfTarget[]): readonly string[] {
  const there = new Set(all.map(({ name }) => name))
  const missing = new Set(all.flatMap(({ targets }) => targets).filter((name) => !there.has(name)))
  const notBegun = groupBy(
    all.filter(({ exitCode }) => exitCode === null),
    ({ sentence }) => sentence,
  )
  const named = (names: readonly string[], what: string): string => {
    const shown = cutLines(names.map(inCode), 20)
    return `${formatCount(names.length, 'target')} ${what}: ${shown.join(', ')}`
  }
  return [
    ...[...notBegun].map(([why, of]) =>
      named(
        of.map(({ name }) => name),
        why,
      ),
    ),
    ...(missing.size > 0
      ? [`${named([...missing], 'without a result')}. A job ended early, or no shard has them`]
      : []),
  ]
}
