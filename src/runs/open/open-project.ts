// Opens a project: finds its file, reads it and its manifests, and gathers everything that is wrong with them.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { accountEnds } from '@svcsync/core/assemble/account-ends.ts'
import { overridesIn, overridesOfNothing } from '@svcsync/core/assemble/apply-overrides.ts'
import { asWrittenDirectory } from '@svcsync/core/assemble/as-written-directory.ts'
import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import {
  findGroupCycles,
  findItemsOfGroups,
  findKnownExtra,
  findSharedNames,
  reviewByKind,
  reviewObject,
} from '@svcsync/core/assemble/check-desired.ts'
import { divideByScope } from '@svcsync/core/assemble/scope.ts'
import { findForeignPages, findNotOffered } from '@svcsync/core/assemble/select-declarations.ts'
import { addSet } from '@svcsync/core/model/account-sets.ts'
import { normaliserOf } from '@svcsync/core/model/address.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { AssemblySettings, Desired } from '@svcsync/core/model/desired.ts'
import { isJsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { plainText } from '@svcsync/core/model/sensitive.ts'
import { compareProblems, OperatorError, type Problem } from '@svcsync/errors/index.ts'
import type { FileTree } from '@svcsync/files/file-tree.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { editNote } from '@svcsync/files/write-together.ts'
import { findManifestFiles } from '@svcsync/manifests/find-manifest-files.ts'
import { type LoadOptions, loadManifests } from '@svcsync/manifests/load-manifests.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { createRoomCheck } from '@svcsync/platform/memory-budget.ts'
import type { Policy } from '@svcsync/policies/index.ts'
import { baselineFile, exceptionsFile, readExceptions } from '@svcsync/project/exceptions.ts'
import { findProject, findProjectFiles } from '@svcsync/project/find-project.ts'
import { readTargetOf } from '@svcsync/project/load-project.ts'
import { type ParsedProject, parseProject } from '@svcsync/project/parse-project.ts'
import type { Project } from '@svcsync/project/project.ts'
import type { readAddresses } from '@svcsync/project/read-addresses.ts'

type ReadExceptions = ReturnType<typeof readExceptions>

export interface OpenOptions {
  /** Path of the project file; undefined: looked for upwards from `cwd`. */
  readonly project?: string | undefined
  readonly target?: string | undefined
  /** `--var`: win over the target's variables. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  readonly concurrency?: number | undefined
  /** `--base-url` and `--auth-url`, instead of the target's. */
  readonly addresses?: ReturnType<typeof readAddresses> | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly kinds: readonly Kind[]
  /** False: only what needs no platform will be done, so that missing credentials are no problem. */
  readonly needCredentials: boolean
  /** False: variables and files may be missing that only write-only fields name. Default: as `needCredentials`. */
  readonly needSecrets?: boolean | undefined
  readonly nowMs: number
  /** An earlier opening of the same project: unchanged files are not parsed again. The result is the same. */
  readonly previous?: OpenedProject | undefined
  /** For a run over several targets: files read for one target are not read again for the next. */
  readonly shared?: SharedReads | undefined
  readonly onText?: LoadOptions['onText']
}

/** Files are read once for all targets, so that an edit meanwhile cannot make targets disagree. */
export class SharedReads {
  readonly parsed: ParsedProject
  readonly texts: NonNullable<LoadOptions['texts']> = new Map()
  /** The first and the last target: most files say the same of all. */
  readonly #kept: ReadProject[] = []

  constructor(parsed: ParsedProject) {
    this.parsed = parsed
  }

  read(options: OpenOptions): ReadProject {
    const read = readParsed(this.parsed, options, { previous: this.#kept, texts: this.texts })
    if (this.#kept.length > 1) this.#kept.pop()
    this.#kept.push(read)
    return read
  }
}

interface ReadSettings {
  readonly ofAll?: 'chosen' | 'other' | undefined
  /** Earlier openings of the same project, also for other targets: unchanged parts are not parsed again. */
  readonly previous: readonly ReadProject[]
  readonly texts?: LoadOptions['texts']
  readonly base?: FileTree | undefined
  /** Overridden parts are read as the manifests of all targets have them. */
  readonly withoutOverrides?: true
  /** Only the project file, since the declarations of the plan come from elsewhere. */
  readonly alone?: true
}

export interface ReadProject {
  readonly project: Project
  /** Its file as it was read, for the next opening. */
  readonly parsed: ParsedProject
  readonly declarations: readonly Declaration[]
  /** In the same manifests, and outside of the `only` of the target. */
  readonly outside: readonly Declaration[]
  readonly assembly: AssemblySettings
  /** In order of place: of the files, each by itself. */
  readonly problems: readonly Problem[]
  readonly sources: ReadonlyMap<string, TextSource>
  /** Folders of `manifests` without a manifest. */
  readonly emptyFolders: readonly string[]
  readonly exceptions: ReadExceptions
  /** Its manifests as they were read, for the next opening. */
  readonly manifests: ReturnType<typeof loadManifests>
  readonly policyFiles: readonly string[]
  /** Undefined: they are not loaded yet (see withPolicies, withTargetPolicies). */
  readonly policies?: readonly Policy[]
  readonly displayBase: string
}

export interface OpenedProject extends ReadProject {
  /** In order of place, everything. Names that only the platform can know are not among them. */
  readonly problems: readonly Problem[]
  /** Put together with names as they are written. */
  readonly desired: readonly Desired[]
}

/** Other problems are in `problems`. */
export function openProject(options: OpenOptions): OpenedProject {
  return checkProject(readProject(options))
}

/** The first half of openProject, and throws the same: enough to know what access a run needs. */
export function readProject(options: OpenOptions): ReadProject {
  const { kinds, cwd, previous, shared } = options
  if (shared !== undefined) return shared.read(options)
  const file = projectFile(options.project, cwd)
  const parsed = parseProject(file, { kinds, displayBase: cwd }, previous?.parsed)
  return readParsed(parsed, options, { previous: previous === undefined ? [] : [previous] })
}

/** The project without its manifests. Throws the same. */
export function readProjectAlone(options: OpenOptions): ReadProject {
  const { kinds, cwd } = options
  return readParsed(parseProject(projectFile(options.project, cwd), { kinds, displayBase: cwd }), options, {
    previous: [],
    alone: true,
  })
}

const roomForProject = () => createRoomCheck('The project', 'Declare less in one project')

/** The same of a project file that is parsed already: for one target of it. */
export function readParsed(
  parsed: ParsedProject,
  options: Omit<OpenOptions, 'kinds'>,
  { ofAll, previous, texts, base, alone, withoutOverrides }: ReadSettings,
): ReadProject {
  const { env, cwd, needCredentials, needSecrets = needCredentials, target: named, onText } = options
  const overrides = { variables: options.variables, concurrency: options.concurrency, addresses: options.addresses }
  const read = readTargetOf(parsed, {
    ...{ env, needCredentials, target: named, ofAll, displayBase: cwd, overrides, base },
  })
  const { project } = read
  if (project === undefined) throw new UnusableFiles(read.problems, read.sources)
  const bare = alone
    ? { ...project, manifests: [], overrides: [], overridesOfOthers: [], manifestsOfOthers: [] }
    : withoutOverrides
      ? notOverridden(project)
      : project
  const found = findProjectFiles(bare, base)
  const rules = findPolicyFiles(project, base)
  // A folder of manifests may hold the one with policies.
  const apart = new Set([...rules.files, ...otherProjectFiles(parsed, project)])
  const files = [...found.files, ...found.overrides].filter((path) => !apart.has(path))
  base?.prepare?.(files)
  const { variables, svcIds } = project.target
  const { collections, privileges, timeZone, readFilesFrom } = project.settings
  const loaded = loadManifests(
    {
      files,
      timeZone,
      kinds: parsed.kinds,
      variables,
      unknownVariables: project.unknownVariables,
      withhold: needSecrets ? undefined : { anywhereIn: ofAll === 'other' ? found.overrides : [] },
      env,
      projectDir: project.dir,
      readFilesFrom,
      displayBase: cwd,
      ...{ texts, onText, checkRoom: roomForProject() },
      tree: base,
      asWritten: base !== undefined,
    },
    ...previous.map(({ manifests }) => manifests),
  )
  const sets = new Map(project.sets)
  // A set may be declared in a manifest or in the project file, not in both.
  const repeated: Problem[] = []
  for (const set of loaded.sets.values()) addSet(sets, set, repeated)
  const overriding = new Set(found.overrides.map((path) => shownPath(path, cwd)))
  const time = { nowMs: options.nowMs, timeZone }
  const putTogether = { normalise: normaliserOf(svcIds), overrides: overriding, time, checkRoom: roomForProject() }
  const ends = accountEnds(loaded.declarations, putTogether)
  const settings: AssemblySettings = { ...putTogether, collections, privileges, sets, ends }
  const directory = asWrittenDirectory(project.target.databases, parsed.kinds)
  const divided = divideByScope(loaded.declarations, scopeOf(project), directory, parsed.kinds)
  const excepted = alone
    ? noExceptions
    : readExceptions({
        ...{ project, displayBase: cwd, normalise: settings.normalise, tree: base, texts },
        targets: isJsonObject(parsed.root?.targets) ? Object.keys(parsed.root.targets) : [],
      })
  const foreign = findForeignPages(divided.own, project.target.baseUrl, project.target.name)
  const problems = [
    ...read.problems,
    ...(base === undefined && existsSync(join(project.dir, editNote))
      ? [interruptedEditProblem(shownPath(project.file, cwd))]
      : []),
    ...found.problems,
    // The policies and exceptions of another time do not count.
    ...(base === undefined ? [...rules.problems, ...excepted.problems] : []),
    ...loaded.problems,
    ...repeated,
    ...divided.problems,
    ...findNotOffered(divided.own, project.target.apiVersion),
    ...foreign.values(),
  ]
  return {
    project,
    parsed,
    // svcsync sends no request about objects of another installation.
    declarations: foreign.size === 0 ? divided.own : divided.own.filter((each) => !foreign.has(each)),
    outside: divided.outside,
    assembly: settings,
    problems: problems.sort(compareProblems),
    sources: new Map([...read.sources, ...loaded.sources, ...sourcesOf(excepted)]),
    exceptions: excepted,
    emptyFolders: found.emptyFolders,
    manifests: loaded,
    policyFiles: rules.files,
    displayBase: cwd,
  }
}

/** Files that a folder of manifests may hold, and that are none. */
function otherProjectFiles({ targetFiles }: ParsedProject, project: Project): readonly string[] {
  return [...targetFiles.map(({ path }) => path), exceptionsFile(project), baselineFile(project)]
}

const noExceptions: ReadExceptions = {
  ...{ exceptions: [], all: [], problems: [], file: undefined, baseline: undefined },
}

function sourcesOf({ file, baseline }: ReadExceptions): (readonly [string, TextSource])[] {
  return [file, baseline].flatMap((read) => (read === undefined ? [] : [[read.source.file, read.source] as const]))
}

/** The checks that need all declarations. */
export function checkProject(read: ReadProject): OpenedProject {
  const { project, declarations, assembly, manifests } = read
  const { databases, name: target, wireNames } = project.target
  const directory = asWrittenDirectory(databases, project.kinds, target)
  const { desired, problems } = assembleDesired(declarations, directory, assembly)
  // A missing database may be a misspelt one of the file.
  const file = shownPath(project.file, read.displayBase)
  const isFlawed = read.problems.some(({ severity, place }) => severity === 'error' && place?.file === file)
  const all = [
    ...read.problems,
    ...(isFlawed ? problems.filter(({ code }) => code !== 'SVC1302') : problems),
    ...findGroupCycles(desired),
    // A declaration that seems missing may be in an unreadable part.
    ...(hasErrors(manifests.problems) || manifests.gaps ? [] : reviewDesired(desired, overridesIn(assembly.overrides))),
    ...reviewByKind(desired, assembly.normalise),
    ...findSharedNames(desired),
    ...findItemsOfGroups(desired),
    ...findKnownExtra(desired, wireNames),
  ]
  return { ...read, problems: all.sort(compareProblems), desired }
}

/** Its own overrides are left out like those of other targets. */
function notOverridden(project: Project): Project {
  const own = project.overrides.map(({ pattern }) => plainText(pattern))
  return { ...project, overrides: [], overridesOfOthers: [...project.overridesOfOthers, ...own] }
}

/** The globs of the target; none: it has all. */
export function scopeOf({ target }: Pick<Project, 'target'>): readonly string[] {
  return (target.only ?? []).map(plainText)
}

export function findPolicyFiles(
  { dir, policies }: Pick<Project, 'dir' | 'policies'>,
  tree?: FileTree,
): ReturnType<typeof findManifestFiles> {
  const patterns = policies.map(({ pattern }) => pattern)
  const what = { noun: 'policy file', key: 'policies' }
  return findManifestFiles(dir, patterns, (index) => policies[index]?.place, what, tree)
}

/** The file that is named, or the one that is found from `cwd` upwards. */
export function projectFile(named: string | undefined, cwd: string): string {
  const file = named === undefined ? findProject(cwd) : resolve(cwd, named)
  if (file !== undefined) return file
  throw new OperatorError('SVC2001', 'There is no svcsync.yaml in this folder or above it', {
    hint: 'Change to the folder of the project, name its file with --project, or create one: `svcsync init`.',
  })
}

function interruptedEditProblem(file: string): Problem {
  return {
    code: 'SVC2304',
    severity: 'error',
    message: 'An edit of the manifests was broken off: some files are new, and others old',
    place: { file, line: 1, column: 1 },
    hint: 'Run the command that was broken off once more: it completes the edit.',
  }
}

function reviewDesired(desired: readonly Desired[], isOverride: ReturnType<typeof overridesIn>): Problem[] {
  const problems = [...overridesOfNothing(desired, isOverride)]
  for (const object of desired) {
    const findings = reviewObject(object)
    if (findings.length > 0) problems.push(...findings)
  }
  return problems
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error')
}
