// `svcsync fmt`: the canonical layout of manifests, written or checked.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { cwd, stderr } from 'node:process'
import { byCount, formatCount, OperatorError, type Problem } from '@svcsync/errors/index.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import { FormatCache } from '@svcsync/format/format-cache.ts'
import { type FormattedFile, formatFiles } from '@svcsync/format/format-files.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { findManifestFiles } from '@svcsync/manifests/find-manifest-files.ts'
import { policiesShapeOf } from '@svcsync/policies/policies-schema.ts'
import { exceptionsFile, exceptionsShapeOf } from '@svcsync/project/exceptions.ts'
import { findProject, findProjectFiles, projectFileNames } from '@svcsync/project/find-project.ts'
import type { Project } from '@svcsync/project/project.ts'
import { disarmLines, neutralise, safeJson } from '@svcsync/render/text/neutralise.ts'
import { withCommands } from '@svcsync/render/text/program-name.ts'
import { findPolicyFiles } from '@svcsync/runs/open/open-project.ts'
import { loadProjectAlone } from '@svcsync/runs/open/open-target.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { noteProject } from '../../terminal/notes.ts'
import { problemsText } from '../../terminal/problems-text.ts'
import { version } from '../../version.ts'
import type { fmt } from '../project.ts'

type FmtOptions = Values<typeof fmt>

export async function fmtCommand(options: FmtOptions, console: Console, { paths }: { paths: readonly string[] }) {
  const wanted = filesToFormat(paths, options, console)
  // A user who asks for the difference does not want the files changed.
  const check = options.check === true || options.diff === true
  const cache = options.cache === true ? openCache(wanted.project, console) : undefined
  const { files, manifests, named } = wanted
  const others = [
    { files: wanted.policies, shape: policiesShapeOf(kinds) },
    { files: wanted.exceptions, shape: exceptionsShapeOf(kinds) },
  ]
  const results = [
    ...formatFiles({
      ...{ files, manifests, named, others, kinds, projectDir: wanted.project?.dir ?? cwd(), displayBase: cwd() },
      ...{ write: !check, diff: options.diff === true, known: cache },
    }),
  ]
  if (cache !== undefined) saveCache(cache, options.verbose === true, console)
  // JSON has them with their files.
  const problems = [...wanted.problems, ...results.flatMap((result) => result.problems)]
  if (options.format === 'text' && problems.length > 0) {
    const sources = new Map(results.flatMap((result) => [...result.sources]))
    stderr.write(problemsText(problems, sources, console.errorForm))
  }
  await console.result(
    options.format === 'json'
      ? formattedAsJson(results, wanted.problems, check)
      : formattedAsText(results, { check, colour: console.colour }),
  )
  const failed = wanted.problems.some(({ severity }) => severity === 'error')
  const leftSome = results.some(({ outcome }) => outcome === 'left')
  const wouldChange = check && results.some(({ outcome }) => outcome === 'changed')
  return failed || leftSome || wouldChange ? exitCodes.error : exitCodes.done
}

function openCache(project: Project | undefined, console: Console): FormatCache | undefined {
  if (project !== undefined) return new FormatCache(project.dir, version, kinds)
  console.note('--cache is ignored: it needs a project.')
  return undefined
}

/** Without the cache, only the next run is slower. */
function saveCache(cache: FormatCache, verbose: boolean, console: Console): void {
  if (verbose) console.note(`The cache knew ${formatCount(cache.hits, 'file')}.`)
  try {
    cache.save()
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (typeof code !== 'string') throw error
    console.note(`The cache in .svcsync/cache cannot be written: the system says ${code}. The result is the same.`)
  }
}

/** Named files are formatted as they are. A folder, or no name, means the project's manifests and policies. */
function filesToFormat(paths: readonly string[], options: FmtOptions, console: Console) {
  const project = readProject(options)
  if (project !== undefined) noteProject(project.file, options, console)
  const { manifests, policies, exceptions, problems } = project === undefined ? nothing : filesOf(project)
  const of = { project, manifests, policies, exceptions, named: new Set(paths.map((path) => resolve(path))) }
  if (paths.length > 0) {
    const found = findManifestFiles(cwd(), paths)
    const isOwn = (file: string): boolean => [manifests, policies, exceptions].some((own) => own.has(file))
    const isWanted = (file: string): boolean =>
      of.named.has(file) || (project ? isOwn(file) : !projectFileNames.some((name) => file.endsWith(name)))
    const hint = 'Paths count from the working folder.'
    return { ...of, files: found.files.filter(isWanted), problems: found.problems.map((each) => ({ ...each, hint })) }
  }
  if (project === undefined)
    throw new OperatorError('SVC2001', 'There is no svcsync.yaml in this folder or above it', {
      hint: 'Change to the folder of the project, name its file with --project, or name the files to format.',
    })
  const all = [...manifests, ...policies, ...exceptions].sort()
  const files = all.filter((file) => liesWithin(project.dir, file))
  // The author of a pull request's project file names them: they are neither shown nor written.
  if (files.length < all.length) {
    const outside = all.length - files.length
    const what = byCount(
      outside,
      'One file is outside the project and is',
      `${outside} files are outside the project and are`,
    )
    console.note(withCommands(`${what} left alone: \`svcsync fmt FILE\` formats them.`))
  }
  return { ...of, files, problems }
}

const none: ReadonlySet<string> = new Set()
const nothing = { manifests: none, policies: none, exceptions: none, problems: [] }

/** Overrides of any target get the same layout. A folder of manifests may contain that of policies. */
function filesOf(project: Project) {
  const { files, overrides, others, elsewhere, problems } = findProjectFiles(project)
  const rules = findPolicyFiles(project)
  const policies = new Set(rules.files)
  const excepted = exceptionsFile(project)
  const exceptions = existsSync(excepted) ? new Set([excepted]) : none
  const isApart = (file: string): boolean => policies.has(file) || exceptions.has(file)
  const manifests = new Set([...files, ...overrides, ...others, ...elsewhere].filter((file) => !isApart(file)))
  return { manifests, policies, exceptions, problems: [...problems, ...rules.problems] }
}

/** Other mistakes in the project file do not matter to a formatter. */
function readProject(options: FmtOptions): Project | undefined {
  const file = options.project === undefined ? findProject(cwd()) : resolve(options.project)
  if (file === undefined) return undefined
  return loadProjectAlone(file, { kinds, target: options.target, displayBase: cwd() })
}

export function formattedAsText(
  results: readonly FormattedFile[],
  { check, colour }: { readonly check: boolean; readonly colour: boolean },
): string {
  const changed = results.filter(({ outcome }) => outcome === 'changed')
  const lines = changed.flatMap(({ file, diff }) => [
    neutralise(file),
    ...(diff === undefined ? [] : diffLines(diff, colour)),
  ])
  return disarmLines([...lines, summary(results, check)].join('\n'))
}

function summary(results: readonly FormattedFile[], check: boolean): string {
  const { changed, unchanged, left } = countsOf(results)
  const files = (count: number) => formatCount(count, 'file')
  const parts = [
    ...(changed > 0 ? [`${files(changed)} ${check ? 'would be formatted' : 'formatted'}`] : []),
    ...(unchanged > 0 ? [`${files(unchanged)} unchanged`] : []),
    ...(left > 0 ? [`${files(left)} left as ${byCount(left, 'it is', 'they are')}`] : []),
  ]
  return parts.length === 0 ? 'No manifests.' : `${parts.join(', ')}.`
}

function diffLines(diff: string, colour: boolean): string[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const text = neutralise(line)
      const code = { '+': 32, '-': 31, '@': 36 }[line[0] ?? '']
      return colour && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text
    })
}

export function formattedAsJson(
  results: readonly FormattedFile[],
  problems: readonly Problem[],
  check: boolean,
): string {
  return safeJson({
    formatVersion: '1.0',
    check,
    counts: countsOf(results),
    files: results.map(({ file, outcome, problems, diff }) => {
      return { file, outcome, ...(problems.length > 0 && { problems }), ...(diff !== undefined && { diff }) }
    }),
    problems,
  })
}

function countsOf(results: readonly FormattedFile[]): Record<FormattedFile['outcome'], number> {
  const counts = { changed: 0, unchanged: 0, left: 0 }
  for (const { outcome } of results) counts[outcome]++
  return counts
}
