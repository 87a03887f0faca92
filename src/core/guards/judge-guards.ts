// Puts every guard to a plan, and what is allowed to what they find. All answer, whatever the first one says; then what any of them
// refuses ends the run.
import { RefusedError } from '../../errors/index.ts'
import type { Change } from '../compare/change.ts'
import { type Allowance, isAllowed } from './allowances.ts'
import type { Finding, Guard, GuardFacts, Verdict } from './guard.ts'
import { guards } from './guards.ts'
import { shellOption } from './shell-option.ts'

/** Whether anything is deleted or taken from anybody. */
export function takesAway({ action, collections }: Change): boolean {
  return action === 'delete' || collections.some(({ removed }) => removed.length > 0)
}

/** The verdicts of all guards that have something to say, in their own order. */
export function judgeGuards(
  facts: GuardFacts,
  settings: Parameters<Guard['find']>[1],
  allowances: readonly Allowance[],
): readonly Verdict[] {
  const takes = facts.changes.some(takesAway)
  return guards.flatMap((guard) => {
    const concerned = guard.concerns?.(facts)
    if (concerned === false) return []
    const findings = (concerned ?? takes) ? guard.find(facts, settings) : []
    return findings.length === 0 ? [passed(guard)] : findings.map((finding) => judge(guard, finding, allowances))
  })
}

/** What refuses a plan. */
export function refusals(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.filter(({ verdict }) => verdict === 'refused')
}

function passed({ name, truth }: Guard): Verdict {
  return { guard: name, verdict: 'passed', sentence: truth, numbers: {}, addresses: [] }
}

/** What becomes of a finding, by what is allowed. */
export function judge({ name }: Pick<Guard, 'name'>, finding: Finding, allowances: readonly Allowance[]): Verdict {
  const { sentence, numbers, addresses } = finding
  const allow = finding.allow === undefined ? undefined : `${name}=${finding.allow}`
  return {
    guard: name,
    verdict: isAllowed(allow, allowances) ? 'allowed' : 'refused',
    sentence,
    numbers,
    addresses,
    ...(allow !== undefined && { allow }),
  }
}

/** Throws a RefusedError where any verdict refuses: all reasons together, and the options that allow them. */
export function refuseByGuards(verdicts: readonly Verdict[]): void {
  const refused = refusals(verdicts)
  if (refused.length === 0) return
  const options = [...new Set(refused.flatMap(({ allow }) => (allow === undefined ? [] : [shellOption(allow)])))]
  const guards = [...new Set(refused.map(({ guard }) => guard))]
  throw new RefusedError('SVC2070', `Refused by ${guards.join(', ')}: nothing was written`, {
    reasons: refused.map(({ guard, sentence }) => `${guard}: ${sentence}`),
    ...(options.length > 0 && { hint: 'If all of this is meant, run again with', options: options.join(' ') }),
  })
}
