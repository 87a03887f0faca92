// Holds what one target, commit or folder declares against another. Asks no platform, and no environment.

import { declaredEntries } from '@svcsync/core/access/standing-entries.ts'
import { asWrittenDirectory } from '@svcsync/core/assemble/as-written-directory.ts'
import { writtenAddresses } from '@svcsync/core/assemble/scope.ts'
import { changeOf } from '@svcsync/core/compare/change.ts'
import { compareDeclared, type DeclaredDifference, divideDifferences } from '@svcsync/core/compare/compare-declared.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { withoutPasswords } from '@svcsync/core/model/written-password.ts'
import { accessBetween, type Diff } from '@svcsync/core/plan/diff.ts'
import { AuthorError, OperatorError } from '@svcsync/errors/index.ts'
import { disk } from '@svcsync/files/file-tree.ts'
import { type ParsedProject, parseProject } from '@svcsync/project/parse-project.ts'
import { namedTargets } from '@svcsync/project/select-targets.ts'
import { openBase } from './open-base.ts'
import { checkProject, hasErrors, type OpenOptions, projectFile, type ReadProject, readParsed } from './open-project.ts'
import { sha256 } from './sha256.ts'

interface DiffSide {
  readonly read: ReadProject
  readonly desired: readonly Desired[]
}

/** Two targets, or two commits and folders of the target that the options choose. */
export function diffRun(first: string, second: string, options: OpenOptions): Diff {
  const { kinds, cwd } = options
  const parsed = parseProject(projectFile(options.project, cwd), { kinds, displayBase: cwd })
  const targets = namedTargets(parsed.root).map(({ name }) => name)
  const areTargets = [first, second].map((each) => targets.includes(each))
  if (areTargets[0] !== areTargets[1]) {
    const [target, other] = areTargets[0] ? [first, second] : [second, first]
    throw new OperatorError('SVC2325', `\`${target}\` is a target, and \`${other}\` is none`, {
      hint:
        'Compare two targets, or two commits or folders. ' +
        `The targets are ${targets.map((each) => `\`${each}\``).join(', ')}.`,
    })
  }
  if (!areTargets[0]) {
    const bare = { ...options, env: {}, needCredentials: false, needSecrets: false }
    const now = readParsed(parsed, bare, { previous: [] })
    const [one, other] = [first, second].map((ref) => sideOf(openBase({ ref }, now, bare).read))
    const differences = compareDeclared((one as DiffSide).desired, (other as DiffSide).desired)
    return {
      first,
      second,
      of: 'states',
      differences,
      explained: [],
      access: accessOf(one as DiffSide, other as DiffSide).map((entry) => ({ ...entry, isExplained: false })),
      variables: variablesOf(one as DiffSide, other as DiffSide),
      notCompared: [],
    }
  }
  const [one, other] = [declaredBy(first, parsed, options), declaredBy(second, parsed, options)]
  const [oneAlone, otherAlone] = [one, other].map(({ read: { project } }) =>
    declaredBy(project.targetName, parsed, options, asNames(project.target.variables)),
  ) as [DiffSide, DiffSide]
  const all = compareDeclared(one.desired, other.desired)
  const { shared, own } = divideDifferences(all, compareDeclared(oneAlone.desired, otherAlone.desired))
  const isLeftOut = excludedBySelection(one, other)
  return {
    ...{ first, second, of: 'targets' },
    differences: shared.filter((each) => !isLeftOut(each)),
    explained: [...own, ...shared.filter(isLeftOut)],
    access: accessExplained(accessOf(one, other), accessOf(oneAlone, otherAlone), isLeftOut),
    variables: variablesOf(one, other),
    notCompared: [],
  }
}

/** The declarations of a target, with references as written. `alone`: without overrides, and with these variables. */
export function declaredBy(
  target: string,
  parsed: ParsedProject,
  options: OpenOptions,
  alone?: Record<string, string>,
): DiffSide {
  // No request goes there: the address of a target may be known only in the job that applies.
  const addresses = { baseUrl: 'https://diff.invalid' }
  const bare = { ...options, env: {}, needCredentials: false, needSecrets: false, target, addresses }
  const withoutOverrides = alone !== undefined && { withoutOverrides: true as const }
  const settings = { previous: [], base: disk, ...withoutOverrides }
  return sideOf(readParsed(parsed, { ...bare, variables: alone ?? {} }, settings))
}

export function accessOf(one: DiffSide, other: DiffSide): ReturnType<typeof accessBetween> {
  const [first, second] = [one, other].map(({ read: { assembly }, desired }) => {
    const changes = desired.filter(({ absent }) => !absent).map((object) => changeOf(object, undefined))
    const { normalise, time } = assembly
    return declaredEntries(changes, { normalise, nowMs: time.nowMs }).map(({ entry }) => entry)
  })
  return accessBetween(first ?? [], second ?? [], other.read.assembly.normalise)
}

/** `alone`: without overrides and variables. */
function accessExplained(
  all: ReturnType<typeof accessBetween>,
  alone: ReturnType<typeof accessBetween>,
  isLeftOut: (difference: Pick<DeclaredDifference, 'address' | 'on'>) => boolean,
): Diff['access'] {
  const keyOf = ({ on, subject, level, address, company }: (typeof all)[number]): string =>
    JSON.stringify([on, subject, level, address, company])
  const known = new Set(alone.map(keyOf))
  return all.map((entry) => {
    const way = [entry.address, ...entry.via.map((svcId) => `group/${svcId}`)]
    const isOutside = way.some((address) =>
      isLeftOut({ address: address as DeclaredDifference['address'], on: entry.on }),
    )
    return { ...entry, isExplained: isOutside || !known.has(keyOf(entry)) }
  })
}

/** Each installation has its own number for a database: here a name is what counts. */
export function byNamesOfDatabases(read: ReadProject): ReadProject {
  const { project } = read
  const names = Object.keys(project.target.databases)
  const databases = Object.fromEntries(names.map((name) => [name, numberOf(name)]))
  return { ...read, project: { ...project, target: { ...project.target, databases } } }
}

/** Equal names get equal numbers, and different names almost always different ones. */
function numberOf(name: string): number {
  return Number.parseInt(sha256([name]).slice(-12), 16)
}

function sideOf(given: ReadProject): DiffSide {
  const read = byNamesOfDatabases(given)
  const opened = checkProject(read)
  // The address of a page names its installation, and this run sends no request.
  const problems = opened.problems.filter(({ code }) => code !== 'SVC1362')
  if (hasErrors(problems)) throw new AuthorError(problems.filter(({ severity }) => severity === 'error'))
  return { read, desired: opened.desired }
}

/** Replaces each variable by its name, so that remaining differences have another reason. */
function asNames(variables: ReadProject['project']['target']['variables']): Record<string, string> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, `\${var:${name}}`]))
}

/** True if the side without the object excludes it by its `only`. */
function excludedBySelection(
  one: DiffSide,
  other: DiffSide,
): (difference: Pick<DeclaredDifference, 'address' | 'on'>) => boolean {
  const [byFirst, bySecond] = [one, other].map(({ read }) => {
    const { kinds, target } = read.project
    const directory = asWrittenDirectory(target.databases, kinds)
    return new Set(read.outside.map(writtenAddresses(directory)))
  }) as unknown as [ReadonlySet<string | undefined>, ReadonlySet<string | undefined>]
  return ({ address, on }) => (on === 'first' && bySecond.has(address)) || (on === 'second' && byFirst.has(address))
}

function variablesOf(one: DiffSide, other: DiffSide): Diff['variables'] {
  const [first, second] = [one, other].map(({ read }) => read.project.target.variables) as [
    ReadProject['project']['target']['variables'],
    ReadProject['project']['target']['variables'],
  ]
  const shown = (variables: typeof first, name: string): string | null =>
    Object.hasOwn(variables, name) ? String(variables[name]) : null
  return [...new Set([...Object.keys(first), ...Object.keys(second)])]
    .sort()
    .map((name) => ({ name, first: shown(first, name), second: shown(second, name) }))
    .filter((each) => each.first !== each.second)
    .map(({ name, ...sides }) => ({ name, first: withoutPassword(sides.first), second: withoutPassword(sides.second) }))
}

const withoutPassword = (value: string | null): string | null => value && withoutPasswords(value)
