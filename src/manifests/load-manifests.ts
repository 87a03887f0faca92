// Manifest files → declarations and problems: the only way in.

import { type AccountSet, addSet } from '@svcsync/core/model/account-sets.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { append } from '@svcsync/core/model/group-by.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { distinctProblems, type Problem } from '@svcsync/errors/index.ts'
import type { FileTree } from '@svcsync/files/file-tree.ts'
import { liesWithin, shownPath } from '@svcsync/files/paths.ts'
import { loadFile } from './load-file.ts'
import { manifestShapeOf } from './manifest-shape.ts'
import { isSource, readText } from './read-text.ts'
import type { WalkSettings } from './reading.ts'
import { Resolver } from './resolver.ts'
import type { TextSource } from './text-source.ts'

type ResolverOptions = ConstructorParameters<typeof Resolver>[0]
type LoadedFile = ReturnType<typeof loadFile>

export interface LoadOptions extends ResolverOptions {
  /** Absolute paths, as `findManifestFiles` gives them. */
  readonly files: readonly string[]
  readonly kinds: readonly Kind[]
  /** The zone of dates without an offset. Absent: UTC. */
  readonly timeZone?: string | undefined
  /** Places show paths relative to this folder: the working folder. */
  readonly displayBase: string
  /** By absolute path: loads that share this read each file once, and judge the same text. */
  readonly texts?: Map<string, TextSource | Problem> | undefined
  /** Default: what is on the disk. */
  readonly tree?: FileTree | undefined
  /** Called with the length of each text before it is parsed. */
  readonly onText?: ((characters: number) => void) | undefined
  readonly checkRoom?: WalkSettings['checkRoom']
}

interface LoadResult {
  /** In the order of files and of items; sound where `problems` holds no error, else as much as could be read. */
  readonly declarations: readonly Declaration[]
  readonly problems: readonly Problem[]
  readonly sets: ReadonlyMap<string, AccountSet>
  /** By file as shown in places: what `codeFrame` needs. */
  readonly sources: ReadonlyMap<string, TextSource>
  /** See Withheld, in order. */
  readonly needs: readonly string[]
  readonly notAsked: readonly string[]
  /** True if fields have no value for that reason. */
  readonly gaps: boolean
  readonly files: readonly LoadedFile[]
  /** The settings that every file was read with. The environment is not kept. */
  readonly basis: Pick<LoadOptions, 'kinds' | 'projectDir' | 'displayBase' | 'timeZone'>
}

/** Visits of events through aliases, in one load: hundreds of thousands of values, which no honest manifest needs. */
const aliasBudget = 1_000_000

/** `previous`: a file that says what it said, and whose references lead to the same values, is not parsed again. */
export function loadManifests(options: LoadOptions, ...previous: readonly (LoadResult | undefined)[]): LoadResult {
  const shape = manifestShapeOf(options.kinds)
  const resolver = new Resolver(options)
  const withholds = options.withhold !== undefined
  const budget = { left: aliasBudget }
  const { timeZone, checkRoom } = options
  const settings = { root: 'a manifest', resolver, homes: shape.homes, budget, timeZone, checkRoom } as const
  const known = knownFiles(options, previous)
  const unreadable: Problem[] = []
  const files: LoadedFile[] = []
  for (const path of options.files) {
    const source = options.texts?.get(path) ?? readText(path, shownPath(path, options.displayBase), options.tree)
    options.texts?.set(path, source)
    if (!isSource(source)) {
      unreadable.push(source)
      continue
    }
    options.onText?.(source.text.length)
    source.isQuotable = liesWithin(options.projectDir, path)
    const earlier = known.get(path)?.find((each) => stillHolds(each, source, resolver, budget.left, withholds))
    if (earlier !== undefined) {
      budget.left -= earlier.visits.count
      files.push(earlier)
    } else {
      files.push(loadFile(source, path, shape, settings, withholds))
    }
  }
  const { kinds, projectDir, displayBase } = options
  const namesIn = (part: 'needs' | 'notAsked') =>
    [...new Set(files.flatMap(({ withheld }) => [...withheld[part]]))].sort()
  const gaps = files.some(({ withheld }) => withheld.fields > 0)
  const basis = { kinds, projectDir, displayBase, timeZone }
  return { ...gather(files, unreadable), needs: namesIn('needs'), notAsked: namesIn('notAsked'), gaps, files, basis }
}

/** Files of earlier loads by path, where those were of the same project seen in the same way. */
function knownFiles(
  options: LoadOptions,
  previous: readonly (LoadResult | undefined)[],
): ReadonlyMap<string, readonly LoadedFile[]> {
  const known = new Map<string, LoadedFile[]>()
  for (const load of previous) {
    const basis = load?.basis
    const same =
      basis !== undefined &&
      basis.projectDir === options.projectDir &&
      basis.displayBase === options.displayBase &&
      basis.timeZone === options.timeZone &&
      basis.kinds.length === options.kinds.length &&
      basis.kinds.every((kind, index) => kind === options.kinds[index])
    for (const file of same ? (load?.files ?? []) : []) {
      if (!known.get(file.path)?.includes(file)) append(known, file.path, file)
    }
  }
  return known
}

function stillHolds(
  earlier: LoadedFile,
  source: TextSource,
  resolver: Resolver,
  visitsLeft: number,
  withholds: boolean,
): boolean {
  return (
    earlier.source.text === source.text &&
    // If nothing may be missing, an empty credential is an error.
    (earlier.withholds === withholds || !earlier.lookups.leadToNothing) &&
    !earlier.visits.exceeded &&
    earlier.visits.count <= visitsLeft &&
    earlier.lookups.holdWith(resolver)
  )
}

function gather(
  files: readonly LoadedFile[],
  unreadable: readonly Problem[],
): Pick<LoadResult, 'declarations' | 'sets' | 'problems' | 'sources'> {
  const declarations: Declaration[] = []
  const problems = [...unreadable]
  const sets = new Map<string, AccountSet>()
  for (const file of files) {
    for (const declaration of file.declarations) declarations.push(declaration)
    for (const problem of file.problems) problems.push(problem)
    for (const set of file.sets) addSet(sets, set, problems)
  }
  const sources = new Map(files.map(({ source }) => [source.file, source]))
  return { declarations, sets, problems: distinctProblems(problems), sources }
}
