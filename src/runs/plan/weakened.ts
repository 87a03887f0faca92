// Finds the protections that are looser than at the base: settings, policies, accepted exceptions and lists.
import type { Desired } from '@svcsync/core/model/desired.ts'
import { exceptedKey, isAccessException, showException } from '@svcsync/core/model/exception.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { WeakenedProtection } from '@svcsync/core/plan/plan-document.ts'
import { findWeakerLists } from '@svcsync/core/plan/weaker-lists.ts'
import { inCode } from '@svcsync/errors/index.ts'
import { findWeakerSettings } from '@svcsync/project/weaker-settings.ts'
import type { Base } from '../open/open-base.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { readPolicies } from '../open/with-policies.ts'

/** Settings first: what is looser because of one of them is not said again of each list. */
export async function findWeakened(
  base: Base | undefined,
  opened: OpenedProject,
  { desired, noLongerDeclared }: Pick<Plan, 'noLongerDeclared'> & { readonly desired: readonly Desired[] },
): Promise<WeakenedProtection[]> {
  // A target without former declarations has today's project file as its base.
  if (base === undefined || base.read.project === opened.project) return []
  const { commit } = base
  const settings = findWeakerSettings(base.read, opened, commit)
  const names = new Set(settings.map(({ name = '' }) => name))
  return [
    ...settings,
    ...(await weakerPolicies(base, opened)),
    ...newExceptions(base, opened),
    ...findWeakerLists(desired, { noLongerDeclared, commit, settings: names }),
  ]
}

/** An invalid policy of the past refused nothing. */
async function weakerPolicies(
  { read, tree, commit }: Base,
  { policies = [] }: OpenedProject,
): Promise<WeakenedProtection[]> {
  if (tree === undefined || read.policyFiles.length === 0) return []
  const before = await readPolicies(read, undefined, tree)
  const { findWeakerPolicies } = await import('@svcsync/policies/index.ts')
  return findWeakerPolicies(before?.policies ?? [], policies, commit)
}

function newExceptions({ read, commit }: Base, opened: OpenedProject): WeakenedProtection[] {
  const { normalise } = opened.assembly
  const before = new Map(read.exceptions.exceptions.map((each) => [exceptedKey(each, normalise), each]))
  return opened.exceptions.exceptions.flatMap((each): WeakenedProtection[] => {
    const { until, untilMs, place } = each
    const earlier = before.get(exceptedKey(each, normalise))
    if (earlier !== undefined && untilMs <= earlier.untilMs) return []
    const isAccess = isAccessException(each)
    const done = isAccess ? 'accepted' : 'excepted'
    const verb = earlier === undefined ? `is ${done}` : `is ${done} longer than until ${earlier.until}`
    const what = isAccess
      ? `${inCode(each.level)} of ${inCode(each.person)} on ${inCode(each.object)}`
      : inCode(showException(each))
    const address = isAccess ? each.object : each.address
    const was = earlier && { was: { commit, ...earlier.place } }
    return [{ what: 'exception', address, sentence: `${what} ${verb}: until ${until}`, place, ...was }]
  })
}
