// Puts every guard to a plan: all answer, and then what any of them refuses ends the run.
import { RefusedError } from '@svcsync/errors/index.ts'
import type { Change } from '../compare/change.ts'
import { quoted } from '../model/near-misses.ts'
import { type Allowance, isAllowed } from './allowances.ts'
import type { Facts, Finding, Guard, Verdict } from './guard.ts'
import { guards } from './guards.ts'
import { shellOption } from './shell-option.ts'

/** True if a change deletes something, or takes something from somebody. */
export function takesAway({ action, collections }: Change): boolean {
  return action === 'delete' || collections.some(({ removed }) => removed.length > 0)
}

/** Guards about removals are skipped if nothing is taken away. */
function needsOf({ on, needs }: Guard, changes: Facts['changes'] | undefined): Guard['needs'] | readonly [] {
  return on === 'removals' && changes?.some(takesAway) === false ? [] : needs
}

export function neededFacts(changes: Facts['changes']): ReadonlySet<keyof Facts> {
  return new Set(guards.flatMap((guard) => [...needsOf(guard, changes)]))
}

/** The verdicts of all guards with something to say, in their own order. A missing fact refuses the plan. */
export function judgeGuards(
  facts: Partial<Facts>,
  allowances: readonly Allowance[],
  asked: readonly Guard[] = guards,
): readonly Verdict[] {
  return asked.flatMap((guard) => {
    const needs = needsOf(guard, facts.changes)
    if (needs.some((name) => facts[name] === null)) return []
    const missing = needs.filter((name) => facts[name] === undefined)
    const known = facts as Parameters<Guard['find']>[0]
    const findings = missing.length > 0 ? [defectFinding(missing)] : needs.length > 0 ? guard.find(known) : []
    return findings.length === 0 ? [passed(guard)] : findings.map((finding) => judge(guard, finding, allowances))
  })
}

function defectFinding(missing: readonly string[]): Finding {
  const sentence = `svcsync did not ask it, because it lacked ${quoted(missing, ' and ')}: this is a defect of svcsync.`
  return { sentence, numbers: {}, addresses: [] }
}

export function refusals(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.filter(({ verdict }) => verdict === 'refused')
}

function passed({ name, truth }: Guard): Verdict {
  return { guard: name, verdict: 'passed', sentence: truth, numbers: {}, addresses: [] }
}

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

/** All reasons together, and the options that allow them. `needed`: options without which that run would fail. */
export function refuseByGuards(verdicts: readonly Verdict[], needed: readonly string[] = []): void {
  const refused = refusals(verdicts)
  if (refused.length === 0) return
  const options = [...new Set(refused.flatMap(({ allow }) => (allow === undefined ? [] : [shellOption(allow)])))]
  const guards = [...new Set(refused.map(({ guard }) => guard))]
  throw new RefusedError('SVC2070', `Refused by ${guards.join(', ')}: nothing was written`, {
    reasons: refused.map(({ guard, sentence }) => `${guard}: ${sentence}`),
    ...(options.length > 0 && {
      hint: 'To allow all of this, run again with',
      options: [...options, ...needed].join(' '),
    }),
  })
}
