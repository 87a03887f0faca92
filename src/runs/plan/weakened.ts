// What the project guards less than the base of a plan did: settings, policies, accepted exceptions and lists.
import { type AccessException, exceptionKey } from '@svcsync/core/access/accepted-access.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { Weakened } from '@svcsync/core/plan/plan-document.ts'
import { findWeakerLists } from '@svcsync/core/plan/weaker-lists.ts'
import { inCode } from '@svcsync/errors/index.ts'
import { findWeakerSettings } from '@svcsync/project/weaker-settings.ts'
import type { Base } from '../open/open-base.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { baselineOf } from '../open/with-baseline.ts'
import { readPolicies } from '../open/with-policies.ts'

interface Compared extends Pick<Plan, 'noLongerDeclared'> {
  /** With what the base says of them. */
  readonly desired: readonly Desired[]
}

/** Settings first: what is looser because of one of them is not said again of each list. */
export async function findWeakened(
  base: Base | undefined,
  opened: OpenedProject,
  kinds: readonly Kind[],
  { desired, noLongerDeclared }: Compared,
): Promise<Weakened[]> {
  // Where nothing was declared for the target, the project of then is that of now.
  if (base === undefined || base.read.project === opened.project) return []
  const { commit } = base
  const settings = findWeakerSettings(base.read, opened, commit, kinds)
  const names = new Set(settings.map(({ name = '' }) => name))
  return [
    ...settings,
    ...(await weakerPolicies(base, opened, kinds)),
    ...newExceptions(base, opened, kinds),
    ...findWeakerLists(desired, { noLongerDeclared, commit, settings: names }),
  ]
}

/** What did not pass as a policy then has refused nothing. */
async function weakerPolicies(
  { read, tree, commit }: Base,
  { policies = [] }: OpenedProject,
  kinds: readonly Kind[],
): Promise<Weakened[]> {
  if (tree === undefined || read.policyFiles.length === 0) return []
  const before = await readPolicies(read, kinds, undefined, tree)
  const { findWeakerPolicies } = await import('@svcsync/policies/index.ts')
  return findWeakerPolicies(before?.policies ?? [], policies, commit)
}

function newExceptions({ read, tree, commit }: Base, opened: OpenedProject, kinds: readonly Kind[]): Weakened[] {
  const { exceptions } = baselineOf(opened, kinds)
  if (exceptions.length === 0) return []
  const { normalise } = opened.assembly
  const keyOf = (each: AccessException): string => JSON.stringify([exceptionKey(each, normalise), each.company ?? null])
  const known = tree === undefined ? [] : baselineOf(read, kinds, tree).exceptions
  const before = new Map(known.map((each) => [keyOf(each), each]))
  return exceptions.flatMap((each): Weakened[] => {
    const { person, level, object, until, untilMs, place } = each
    const earlier = before.get(keyOf(each))
    if (earlier !== undefined && untilMs <= earlier.untilMs) return []
    const verb = earlier === undefined ? 'is accepted' : `is accepted longer than until ${earlier.until}`
    const what = `${inCode(level)} of ${inCode(person)} on ${inCode(object)}`
    const was = earlier && { was: { commit, ...earlier.place } }
    return [{ what: 'exception', address: object, sentence: `${what} ${verb}: until ${until}`, place, ...was }]
  })
}
