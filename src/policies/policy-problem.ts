// A finding as a problem: placed at the object, and naming the policy.
import type { Place, Problem } from '../errors/index.ts'
import type { Finding, Subject } from './evaluate.ts'

/** `place`: where the object is declared. What cannot be evaluated counts as if it did not hold. */
export function policyProblem<S extends Subject>(finding: Finding<S>, place: Place | undefined): Problem {
  const { policy, subject, message, fault } = finding
  const denies = policy.level === 'deny'
  const severity = denies ? 'error' : 'warning'
  const common = { severity, address: subject.address, ...(place && { place }) } as const
  if (fault !== undefined) {
    return {
      ...common,
      code: 'SVC1804',
      message: `The policy \`${policy.name}\` could not be evaluated: ${fault.message}`,
      ...(fault.hint !== undefined && { hint: fault.hint }),
      related: [{ message: 'in this expression', place: fault.expression.placeAt(fault.index) }],
    }
  }
  return {
    ...common,
    code: denies ? 'SVC1801' : 'SVC1802',
    message: `${message} (policy \`${policy.name}\`)`,
    ...(policy.description !== undefined && { hint: policy.description }),
    related: [{ message: 'the policy', place: policy.place }],
  }
}
