// The entries for policies on access, including the parts that the plain model lacks.
import { declaredEntries, type StandingEntry, standingEntries } from '@svcsync/core/access/standing-entries.ts'
import { changeOf } from '@svcsync/core/compare/change.ts'
import { dayOfGrant } from '@svcsync/core/plan/access-report.ts'
import type { Policy } from '@svcsync/policies/index.ts'
import { declaredSince } from './declared-since.ts'
import type { OpenedProject, ReadProject } from './open-project.ts'

/** The parts that the plain model of access lacks. Undefined: no policy asks about standing access. */
export function standingAccessNeeds({ policies = [] }: Pick<ReadProject, 'policies'>) {
  const own = policies.filter(({ on }) => on === 'access')
  if (own.length === 0) return undefined
  const names = (field: RegExp): boolean => own.some((policy) => textsOf(policy).some((text) => field.test(text)))
  return { since: names(/\bsince\b/), licences: names(/\blicensed\b/) }
}

const textsOf = ({ when, expression, messageExpression }: Policy): readonly string[] =>
  [when, expression, messageExpression].flatMap((each) => each?.text ?? [])

/** The entries of the model; the date of their declaration is looked up when a policy asks. */
export function entriesForPolicies(
  opened: OpenedProject,
  graph: Parameters<typeof standingEntries>[0],
  changes: Parameters<typeof standingEntries>[1],
  licensed: Parameters<typeof standingEntries>[2]['licensed'],
): ReturnType<typeof standingEntries> {
  return standingEntries(graph, changes, { ...aboutOf(opened), licensed })
}

/** From the manifests alone: what nobody declared is not there. */
export function declaredForPolicies(opened: OpenedProject): readonly StandingEntry[] {
  const changes = opened.desired.filter(({ absent }) => !absent).map((object) => changeOf(object, undefined))
  return declaredEntries(changes, { ...aboutOf(opened), nowMs: opened.assembly.time.nowMs })
}

function aboutOf(opened: OpenedProject) {
  const sinceOf = standingAccessNeeds(opened)?.since ? declaredSince(opened) : undefined
  return {
    normalise: opened.assembly.normalise,
    ...(sinceOf && {
      sinceOf: (lines: Parameters<typeof sinceOf>[0]) => {
        const since = sinceOf(lines)
        return since === null ? undefined : dayOfGrant(since)
      },
    }),
  }
}
