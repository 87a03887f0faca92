// A run that checks everything that can be checked without the platform: one target of a project, or all of them.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { externalAccounts, undeclaredUses } from '@svcsync/core/assemble/external-accounts.ts'
import { findIdleExceptions } from '@svcsync/core/assemble/idle-exceptions.ts'
import { identityOf } from '@svcsync/core/model/declaration.ts'
import { compareProblems, inCode, type Problem } from '@svcsync/errors/index.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { readBounded } from '@svcsync/files/read-bounded.ts'
import type { LoadOptions } from '@svcsync/manifests/load-manifests.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import type { LoadedPolicies } from '@svcsync/policies/index.ts'
import { findProjectFiles } from '@svcsync/project/find-project.ts'
import { type ParsedProject, parseProject, sourcesOf } from '@svcsync/project/parse-project.ts'
import { namedTargets, selectTargets } from '@svcsync/project/select-targets.ts'
import { joinProblems } from './join-problems.ts'
import {
  checkProject,
  hasErrors,
  type OpenedProject,
  type OpenOptions,
  projectFile,
  type ReadProject,
  readParsed,
} from './open-project.ts'
import {
  addPolicies,
  problemsOfDeclaredAccess,
  problemsOfFiles,
  readPolicies,
  testedPolicies,
  withGlobalPrivileges,
} from './with-policies.ts'

export interface ValidateRunOptions extends Omit<OpenOptions, 'needCredentials' | 'previous'> {
  /** An earlier validation of the same project: unchanged files are not parsed again. The result is the same. */
  readonly previous?: Validation | undefined
  readonly choice?: Parameters<typeof selectTargets>[1] | undefined
}

interface ValidatedTarget {
  readonly name: string
  readonly objects: number
  /** Missing names of targets other than the default one. */
  readonly notSet: readonly string[]
  readonly needs: readonly string[]
}

export interface Validation {
  /** In order of place. One that not all of `targets` have names those that do. */
  readonly problems: readonly Problem[]
  /** The targets that were checked. Empty: the project file is unusable. */
  readonly targets: readonly ValidatedTarget[]
  readonly complete: boolean
  /** Every file that was read, by its name as shown in places: the project file first. */
  readonly sources: ReadonlyMap<string, TextSource>
  readonly parsed: ParsedProject
  readonly opened: readonly OpenedProject[]
  /** The parsed files for a later run: `opened`, or the earlier ones if the project file is unusable. */
  readonly known: readonly OpenedProject[]
  readonly policies: LoadedPolicies | undefined
}

/** Validates every target, unless one is named. Mistakes in files are in `problems`. */
export async function validateRun(options: ValidateRunOptions): Promise<Validation> {
  const { kinds, cwd, previous } = options
  const file = projectFile(options.project, cwd)
  const parsed = parseProject(file, { kinds, displayBase: cwd }, previous?.parsed)
  const sources: Map<string, TextSource> = sourcesOf(parsed)

  const { names, complete } = targetsFor(parsed, options)
  const { opened, unusable } = openTargets(parsed, names, options)

  // They are the same for every target.
  const [first] = opened
  const policies = first && (await readPolicies(first, previous?.policies))
  const whole = opened.map((each) => withGlobalPrivileges(addPolicies(each, policies)).opened)
  for (const each of whole) for (const [name, source] of each.sources) sources.set(name, source)
  const stray = first === undefined ? [] : strayManifests(first, sources)
  const basic = whole.map(({ project, problems }) => ({ target: project.targetName, problems }))
  // Unreadable parts would lead to wrong judgements: a file that does not parse may declare anybody.
  const read = whole.filter(({ manifests }) => !hasErrors(manifests.problems) && !manifests.gaps)
  const uses = read.map((each) => {
    const idle = findIdleExceptions(each.desired, each.exceptions.exceptions, each.assembly.time.nowMs)
    return { target: each.project.targetName, problems: [...undeclared(each), ...idle] }
  })
  const sound = whole.filter(({ problems }) => !hasErrors(problems))
  const tested = policies?.tests.length ? await testedPolicies(policies, kinds) : undefined
  const judged = await Promise.all(
    sound.map(async (each) => ({
      target: each.project.targetName,
      problems: [...(await problemsOfDeclaredAccess(each)), ...(await problemsOfFiles(each, each.desired))],
    })),
  )
  return {
    problems: [
      ...unusable,
      ...joinProblems(basic),
      ...joinProblems(uses),
      ...joinProblems(judged),
      ...(tested?.problems ?? []),
      ...stray,
    ].sort(compareProblems),
    targets: whole.map(summaryOf),
    complete,
    sources,
    parsed,
    opened,
    known: opened.length > 0 ? opened : (previous?.known ?? []),
    policies: first === undefined ? previous?.policies : policies,
  }
}

/** The chosen targets; `names` undefined: the single requested one. */
function targetsFor({ root }: ParsedProject, { choice, target, env }: ValidateRunOptions) {
  const known = namedTargets(root)
  // Nothing can be chosen in a file of which nothing can be made.
  const chosen = choice && known.length > 0 ? selectTargets(known, choice) : known
  const isAsked = choice === undefined && (target !== undefined || Boolean(env.SVCSYNC_TARGET))
  const isSeveral = !isAsked && (choice !== undefined || chosen.length > 1)
  const names = isSeveral ? chosen.map(({ name }) => name) : undefined
  return { names, complete: (isSeveral || known.length === 1) && chosen.length === known.length }
}

/** `names`: of all targets; undefined: of the single requested one. */
function openTargets(
  parsed: ReturnType<typeof parseProject>,
  names: readonly string[] | undefined,
  options: ValidateRunOptions,
): { readonly opened: readonly OpenedProject[]; readonly unusable: readonly Problem[] } {
  // Targets share the texts, so that an edit meanwhile does not make them disagree.
  const texts: LoadOptions['texts'] = new Map()
  const opened: OpenedProject[] = []
  const unusable: Problem[] = []
  for (const target of names ?? [options.target]) {
    const ofAll = names && (target === parsed.root?.target ? 'chosen' : 'other')
    const before = [...(options.previous?.known ?? []), ...opened].reverse()
    try {
      const read = readParsed(
        parsed,
        { ...options, target, needCredentials: false, previous: undefined },
        { ofAll, previous: before, texts },
      )
      opened.push(checkProject(read))
    } catch (error) {
      if (!(error instanceof UnusableFiles)) throw error
      unusable.push(...error.problems)
    }
  }
  return { opened, unusable }
}

/** A plan asks the platform instead. */
function undeclared({ desired, outside, assembly: { normalise }, project }: OpenedProject): Problem[] {
  const isExternal = externalAccounts(project.externalAccounts, normalise)
  // A declaration for other targets in the same manifests is no slip.
  const elsewhere = new Set(
    outside.flatMap((each) => (each.kind.provides === undefined ? [] : normalise(identityOf(each)))),
  )
  return undeclaredUses(desired, (svcId) => isExternal(svcId) || elsewhere.has(normalise(svcId)))
}

function summaryOf({ project, desired, manifests }: OpenedProject): ValidatedTarget {
  const notSet = [...new Set([...project.notSet, ...manifests.notAsked])].sort()
  return { name: project.targetName, objects: desired.length, notSet, needs: manifests.needs }
}

const mostFiles = 200

/** `known`: files that were read, as shown in places. */
function strayManifests({ project, displayBase }: ReadProject, known: ReadonlyMap<string, unknown>): Problem[] {
  const found = findProjectFiles(project)
  const others = new Set([...found.others, ...found.elsewhere])
  const keys = new Set(['database', 'sets', ...project.kinds.flatMap(({ sections }) => sections.map(({ key }) => key))])
  const beside = namesIn(project.dir)
    .filter((name) => /^[^.].*\.ya?ml$/i.test(name))
    .map((name) => join(project.dir, name))
    .filter((path) => !known.has(shownPath(path, displayBase)) && !others.has(path))
  return beside
    .slice(0, mostFiles)
    .filter((path) => holdsSections(path, keys))
    .map((path) => ({
      code: 'SVC1001',
      severity: 'warning',
      message: `${inCode(shownPath(path, displayBase))} looks like a manifest, but is not read`,
      hint: 'Move it into a folder that `manifests` of the project file lists, or list it there.',
    }))
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch {
    return []
  }
}

/** Other files with such keys, such as the tenant of an emulator, have further keys. */
function holdsSections(path: string, keys: ReadonlySet<string>): boolean {
  const content = readBounded(path, 1)
  if (!Buffer.isBuffer(content)) return false
  const top = [...content.toString().matchAll(/^["']?([A-Za-z][\w-]*)["']?\s*:/gm)].map(([, key = '']) => key)
  return (
    top.some((key) => key !== 'database' && keys.has(key)) && top.every((key) => keys.has(key) || key.startsWith('x-'))
  )
}
