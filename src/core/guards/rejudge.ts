// Joins the verdicts of a saved plan with those of now: a refusal of either refuses.
import { type Allowance, isAllowed } from './allowances.ts'
import type { Verdict } from './guard.ts'

/** Fresh verdicts, then those that only the file has; every other guard passes. The command says what is allowed. */
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
      (verdict) => verdict.guard === name && verdict.verdict !== 'passed' && !same.has(keyOf(verdict)),
    )
    const all = [...found.map((verdict) => withRemark(verdict, recorded)), ...kept]
    const passed = [...fresh, ...known].find(({ guard, verdict }) => guard === name && verdict === 'passed')
    return all.length > 0 || passed === undefined ? all : [passed]
  })
}

/** A refusal that is new since the plan was made says so: its reviewers have not seen it. */
function withRemark(verdict: Verdict, recorded: readonly Verdict[]): Verdict {
  const isKnown = recorded.some((each) => each.verdict !== 'passed' && keyOf(each) === keyOf(verdict))
  if (verdict.verdict !== 'refused' || isKnown) return verdict
  return { ...verdict, sentence: `${verdict.sentence} The saved plan does not contain this.` }
}

function keyOf({ guard, allow, sentence }: Verdict): string {
  return `${guard} ${allow ?? sentence}`
}

export function allowVerdicts(verdicts: readonly Verdict[], allowances: readonly Allowance[]): readonly Verdict[] {
  return verdicts.map((verdict) => {
    if (verdict.verdict === 'passed') return verdict
    return { ...verdict, verdict: isAllowed(verdict.allow, allowances) ? 'allowed' : 'refused' }
  })
}
