// Asks policies about objects, within a limit of time.
import { createContext, Script } from 'node:vm'
import type { Place, Problem } from '@svcsync/errors/index.ts'
import type { Policy } from './expression.ts'
import { faultOf } from './expression-fault.ts'

type ExpressionFault = ReturnType<typeof faultOf>

export interface PolicySubject {
  readonly kind: string
  readonly address: string
  /** The name in tests and allowances: the address, and the person for standing access. */
  readonly name: string
  /** The place of its declaration; undefined: none. */
  readonly place: Place | undefined
  /** Put together when the first policy asks. */
  readonly variables: () => Readonly<Record<string, unknown>>
}

/** A policy that does not hold, or of which nobody can say that it holds. */
export interface Violation {
  readonly policy: Policy
  readonly subject: PolicySubject
  readonly message: string
  readonly fault?: ExpressionFault & { readonly expression: Policy['expression'] }
}

/** For all policies together. One takes a few milliseconds over all objects: beyond this, something multiplies. */
export const timeLimitMs = 10_000

const maxMessageLength = 1000

/** In the order of policies and of objects. `limitMs`: for all together. */
export function evaluatePolicies(
  policies: readonly Policy[],
  subjects: readonly PolicySubject[],
  limitMs = timeLimitMs,
): readonly Violation[] {
  const findings: Violation[] = []
  // A stopped expression ends the time of all; the engine's clock may be a little ahead of this one.
  let endMs = performance.now() + limitMs
  for (const policy of policies) {
    const first = subjects.find(({ kind }) => policy.for.has(kind))
    if (first === undefined) continue
    let current = first
    const leftMs = Math.ceil(endMs - performance.now())
    const work = (): void => {
      for (const subject of subjects) {
        if (!policy.for.has(subject.kind)) continue
        current = subject
        const finding = findingOf(policy, subject)
        if (finding !== undefined) findings.push(finding)
      }
    }
    if (leftMs > 0 && withinTime(work, leftMs)) continue
    endMs = 0
    // One finding covers all objects after it, which were not checked.
    const over = `the ${limitMs / 1000} s are over that all policies have together`
    const message = leftMs > 0 ? `${over}, and it was not done` : `${over}, and it was not asked`
    const fault = { expression: policy.expression, index: 0, message }
    findings.push({ policy, subject: current, message: policy.message, fault })
  }
  return findings
}

function findingOf(policy: Policy, subject: PolicySubject): Violation | undefined {
  // Outside: what goes wrong here would be our own fault and no policy's.
  const variables = subject.variables()
  let expression = policy.when ?? policy.expression
  try {
    if (policy.when !== undefined) {
      const applies = policy.when.evaluate(variables)
      if (typeof applies !== 'boolean') return faultFinding(policy, subject, expression, notBooleanFault(applies))
      if (!applies) return undefined
      expression = policy.expression
    }
    const holds = policy.expression.evaluate(variables)
    if (typeof holds !== 'boolean') return faultFinding(policy, subject, expression, notBooleanFault(holds))
    return holds ? undefined : { policy, subject, message: messageOf(policy, variables) }
  } catch (error) {
    return faultFinding(policy, subject, expression, faultOf(error))
  }
}

function faultFinding(
  policy: Policy,
  subject: PolicySubject,
  expression: Policy['expression'],
  fault: ExpressionFault,
): Violation {
  return { policy, subject, message: policy.message, fault: { ...fault, expression } }
}

function notBooleanFault(value: unknown): ExpressionFault {
  const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
  return { message: `it gives ${what}, but must give true or false`, index: 0 }
}

function messageOf({ message, messageExpression }: Policy, variables: Readonly<Record<string, unknown>>): string {
  if (messageExpression === undefined) return message
  try {
    const text = messageExpression.evaluate(variables)
    if (typeof text !== 'string' || text.trim() === '') return message
    return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text
  } catch {
    return message
  }
}

export const formatViolation = ({ message, fault }: Violation): string =>
  fault === undefined ? message : `the policy could not be evaluated: ${fault.message}`

/** `denied`, `warned`: the codes of a policy that denies, and of one that warns. */
export function problemOf(
  { policy, subject, fault }: Violation,
  message: string,
  denied: Problem['code'],
  warned: Problem['code'],
): Problem {
  const { address, place } = subject
  const denies = policy.level === 'deny'
  const hint = fault === undefined ? policy.description : fault.hint
  const inExpression = fault && { message: 'in this expression', place: fault.expression.placeAt(fault.index) }
  return {
    severity: denies ? 'error' : 'warning',
    code: fault === undefined ? (denies ? denied : warned) : 'SVC1804',
    ...{ address, message },
    ...(place && { place }),
    ...(hint !== undefined && { hint }),
    related: [inExpression ?? { message: 'the policy', place: policy.place }],
  }
}

const script = new Script('run()')

/** False: stopped. Only a limit given to the engine beforehand can stop code that never pauses. */
function withinTime(run: () => void, limitMs: number): boolean {
  try {
    script.runInContext(createContext({ run }), { timeout: limitMs })
    return true
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  }
}
