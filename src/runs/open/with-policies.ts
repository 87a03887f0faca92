// The policies of a project, and who has roles that the platform does not tell: loaded where a run asks.
import type { Change } from '@svcsync/core/compare/change.ts'
import type { Allowance } from '@svcsync/core/guards/allowances.ts'
import type { Guard } from '@svcsync/core/guards/guard.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { firstFew } from '@svcsync/core/model/near-misses.ts'
import { calendarDay } from '@svcsync/core/model/time-bounds.ts'
import { compareProblems, type Problem } from '@svcsync/errors/index.ts'
import type { FileTree } from '@svcsync/files/file-tree.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import type {
  checkAccessChange,
  checkChanges,
  LoadedPolicies,
  PolicyContext,
  PolicyTestResult,
} from '@svcsync/policies/index.ts'
import { readGlobalPrivileges } from '@svcsync/project/global-privileges.ts'
import { findPolicyFiles, hasErrors, type OpenedProject, type ReadProject } from './open-project.ts'
import type { OpenedTarget } from './open-target.ts'

export async function withPolicies<T extends ReadProject>(opened: T): Promise<T> {
  if (opened.policies !== undefined) return opened
  return addPolicies(opened, await readPolicies(opened))
}

export async function readPolicies(
  { policyFiles: files, displayBase, project }: Pick<ReadProject, 'policyFiles' | 'displayBase' | 'project'>,
  previous?: LoadedPolicies,
  tree?: FileTree,
): Promise<LoadedPolicies | undefined> {
  if (files.length === 0) return undefined
  const { loadPolicies } = await import('@svcsync/policies/index.ts')
  return loadPolicies({ files, kinds: project.kinds, projectDir: project.dir, displayBase, tree }, previous)
}

/** Nothing where something is wrong in the policies: what is half read would be judged wrongly. */
export async function testedPolicies(
  loaded: LoadedPolicies | undefined,
  kinds: readonly Kind[],
): Promise<PolicyTestResult | undefined> {
  if (loaded === undefined || hasErrors(loaded.problems)) return undefined
  const { testPolicies } = await import('@svcsync/policies/index.ts')
  return testPolicies(loaded.tests, loaded.policies, kinds)
}

export function addPolicies<T extends ReadProject>(opened: T, loaded: LoadedPolicies | undefined): T {
  if (loaded === undefined) return { ...opened, policies: [] }
  return {
    ...opened,
    policies: loaded.policies,
    problems: [...opened.problems, ...loaded.problems].sort(compareProblems),
    sources: new Map([...opened.sources, ...loaded.sources]),
  }
}

export async function withTargetPolicies<T extends OpenedTarget>(opened: T): Promise<T> {
  if (opened.policies !== undefined) return opened
  const found = findPolicyFiles(opened.project)
  if (hasErrors(found.problems)) throw new UnusableFiles(found.problems, opened.sources)
  const loaded = await readPolicies({ ...opened, policyFiles: found.files })
  if (loaded !== undefined && hasErrors(loaded.problems))
    throw new UnusableFiles(loaded.problems, new Map([...opened.sources, ...loaded.sources]))
  return { ...opened, policies: loaded?.policies ?? [] }
}

export async function problemsOfDesired(
  opened: OpenedProject,
  desired: readonly Desired[],
): Promise<readonly Problem[]> {
  const { policies = [] } = opened
  if (!policies.some(({ on }) => on === 'desired')) return []
  const { checkDesired } = await import('@svcsync/policies/index.ts')
  return checkDesired(policies, desired, await contextOf(opened))
}

export async function problemsOfFiles(opened: OpenedProject, desired: readonly Desired[]): Promise<readonly Problem[]> {
  return [...(await problemsOfDesired(opened, desired)), ...(await problemsOfExceptions(opened))]
}

async function problemsOfExceptions(opened: OpenedProject): Promise<readonly Problem[]> {
  const { policies = [], exceptions, assembly, project } = opened
  if (exceptions.exceptions.length === 0 || !policies.some(({ on }) => on === 'exception')) return []
  const { checkExceptions } = await import('@svcsync/policies/index.ts')
  const context = { ...(await contextOf(opened)), nowMs: assembly.time.nowMs }
  return checkExceptions(policies, exceptions.exceptions, project.kinds, context)
}

export async function problemsOfDeclaredAccess(opened: OpenedProject): Promise<readonly Problem[]> {
  const { policies = [] } = opened
  if (!policies.some(({ on }) => on === 'access')) return []
  const [{ checkAccess }, { declaredForPolicies }] = await Promise.all([
    import('@svcsync/policies/index.ts'),
    import('./standing-entries.ts'),
  ])
  return checkAccess(policies, declaredForPolicies(opened), await contextOf(opened))
}

/** Runs the policies on access over standing access, and over the plan's changes to it. `notSeen`: unreadable parts. */
export async function judgeStandingAccess(
  opened: OpenedProject,
  standing: () => Parameters<typeof checkAccessChange>[1] & { readonly notSeen: readonly string[] },
  allowances: readonly Allowance[],
): Promise<ReturnType<typeof checkAccessChange>> {
  const { policies = [] } = opened
  if (!policies.some(({ on }) => on === 'access')) return { verdicts: [], problems: [] }
  const rules = await import('@svcsync/policies/index.ts')
  const { notSeen, ...entries } = standing()
  const { verdicts, problems } = rules.checkAccessChange(policies, entries, await contextOf(opened), allowances)
  return { verdicts, problems: [...problems, ...unreadAccessProblems(notSeen, policies)] }
}

function unreadAccessProblems(notSeen: readonly string[], policies: LoadedPolicies['policies']): Problem[] {
  const [first, ...others] = policies.filter(({ on }) => on === 'access')
  if (notSeen.length === 0 || first === undefined) return []
  return [
    {
      code: 'SVC1345',
      severity: 'warning',
      message: `Policies on access did not see everything: svcsync could not read ${firstFew(notSeen, 3)}`,
      hint: 'Give the application the access that `svcsync doctor` names, or plan without `--only`.',
      place: first.place,
      related: others.map(({ place }) => ({ message: 'and this policy', place })),
    },
  ]
}

export async function judgeByPolicies(
  opened: OpenedProject,
  changes: readonly Change[],
  allowances: readonly Allowance[],
  access: PolicyContext['access'],
): Promise<ReturnType<typeof checkChanges>> {
  const { policies = [] } = opened
  if (!policies.some(({ on }) => on === 'change')) return { verdicts: [], problems: [] }
  const rules = await import('@svcsync/policies/index.ts')
  return rules.checkChanges(policies, changes, { ...(await contextOf(opened)), access }, allowances)
}

/** The names under which `--allow` knows the policies that can refuse a plan. */
export function policyGuards({ policies = [] }: Pick<ReadProject, 'policies'>): readonly Guard['name'][] {
  return policies
    .filter(({ on, level }) => (on === 'change' || on === 'access') && level === 'deny')
    .map(({ name }) => `policy/${name}` as const)
}

async function contextOf({ project, desired, assembly }: OpenedProject): Promise<PolicyContext> {
  const { accountKinds } = await import('@svcsync/policies/index.ts')
  const { name, baseUrl } = project.target
  const { nowMs, timeZone } = assembly.time
  // Covers all declarations, whatever `--only` selects.
  return { accounts: accountKinds(desired), target: { name, baseUrl }, today: calendarDay(nowMs, timeZone) }
}

/** Mistakes in the file are reported with those in the manifests. */
export function withGlobalPrivileges<Project extends ReadProject>(
  read: Project,
): { readonly opened: Project } & Pick<ReturnType<typeof readGlobalPrivileges>, 'global'> {
  const { project, assembly, displayBase } = read
  const { source, problems, global } = readGlobalPrivileges(project, assembly.time.nowMs, displayBase)
  const sources = source === undefined ? read.sources : new Map([...read.sources, [source.file, source] as const])
  return { opened: { ...read, problems: [...read.problems, ...problems].sort(compareProblems), sources }, global }
}
