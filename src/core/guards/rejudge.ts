// The verdicts of a saved plan held against those that the guards give now: what either refuses is refused.
import { type Allowance, allows } from './allowances.ts'
import type { Guard, Verdict } from './guard.ts'

/** These look at manifests, which a saved plan does without: what they said when it was made stands. */
const aboutManifests: ReadonlySet<string> = new Set<Guard['name']>(['unread', 'disappeared'])

/** What the verdicts of a saved plan allow. The value is what the guard asked for, and not what `--allow` said: no more than needed. */
export function recordedAllowances(recorded: readonly Verdict[]): readonly Allowance[] {
  return recorded.flatMap(({ guard, verdict, allow }) =>
    verdict === 'allowed' && allow !== undefined ? [{ guard, value: allow.slice(guard.length + 1) }] : [],
  )
}

/**
 * One list of both, in the order of the guards: what was found now; what only the file refuses, or allows where it cannot be
 * found again; and else that the guard holds. `fresh` were judged with what the file allows and with `given`.
 */
export function rejudge(
  recorded: readonly Verdict[],
  fresh: readonly Verdict[],
  given: readonly Allowance[],
): readonly Verdict[] {
  const known = allowVerdicts(recorded, given)
  const names = [...new Set([...fresh, ...known].map(({ guard }) => guard))]
  return names.flatMap((name) => {
    const found = fresh.filter(({ guard, verdict }) => guard === name && verdict !== 'passed')
    const same = new Set(found.map(keyOf))
    const kept = known.filter(
      (verdict) =>
        verdict.guard === name &&
        (verdict.verdict === 'refused' || (verdict.verdict === 'allowed' && aboutManifests.has(name))) &&
        !same.has(keyOf(verdict)),
    )
    const all = [...found.map((verdict) => remarked(verdict, recorded)), ...kept]
    const passed = [...fresh, ...known].find(({ guard, verdict }) => guard === name && verdict === 'passed')
    return all.length > 0 || passed === undefined ? all : [passed]
  })
}

/** What is refused now and was not when the plan was made says so: its reviewers have not seen it. */
function remarked(verdict: Verdict, recorded: readonly Verdict[]): Verdict {
  const isKnown = recorded.some((each) => each.verdict !== 'passed' && keyOf(each) === keyOf(verdict))
  if (verdict.verdict !== 'refused' || isKnown) return verdict
  return { ...verdict, sentence: `${verdict.sentence} The saved plan does not say so.` }
}

function keyOf({ guard, allow, sentence }: Verdict): string {
  return `${guard} ${allow ?? sentence}`
}

/** Verdicts with what is allowed now besides what was allowed to the plan. */
export function allowVerdicts(verdicts: readonly Verdict[], allowances: readonly Allowance[]): readonly Verdict[] {
  return verdicts.map((verdict) => {
    const { guard, allow } = verdict
    if (verdict.verdict !== 'refused' || allow === undefined) return verdict
    const wanted = allow.slice(guard.length + 1)
    const isAllowed = allowances.some(
      (allowance) =>
        allows(allowance, guard, wanted) || (/^\d+$/.test(wanted) && allows(allowance, guard, Number(wanted))),
    )
    return isAllowed ? { ...verdict, verdict: 'allowed' } : verdict
  })
}
