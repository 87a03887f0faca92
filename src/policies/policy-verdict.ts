// Findings about changes as verdicts, so that a policy stands beside the guards and is allowed in the same way.
import type { Allowance } from '../core/guards/allowances.ts'
import type { Verdict } from '../core/guards/guard.ts'
import { judge } from '../core/guards/judge-guards.ts'
import type { Finding, Subject } from './evaluate.ts'
import type { Policy } from './policy.ts'

/** One verdict where the policy holds, else one for each change that it denies: `--allow policy/NAME=ADDRESS`. */
export function policyVerdicts(
  policy: Policy,
  findings: readonly Finding<Subject>[],
  allowances: readonly Allowance[],
): readonly Verdict[] {
  const guard = `policy/${policy.name}` as const
  const own = findings.filter((finding) => finding.policy === policy)
  if (own.length === 0) {
    return [{ guard, verdict: 'passed', sentence: 'No change breaks this policy.', numbers: {}, addresses: [] }]
  }
  return own.map(({ subject: { address }, message, fault }) => {
    const what = fault === undefined ? message : `the policy could not be evaluated: ${fault.message}`
    const why = fault === undefined && policy.description !== undefined ? ` ${withStop(policy.description)}` : ''
    const sentence = `${withStop(`\`${address}\`: ${what}`)}${why}`
    return judge({ name: guard }, { sentence, numbers: {}, addresses: [address], allow: address }, allowances)
  })
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
