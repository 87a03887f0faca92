// Runs policies on declared objects, and on changes.
import { type Change, kindOf } from '@svcsync/core/compare/change.ts'
import type { Allowance } from '@svcsync/core/guards/allowances.ts'
import type { Verdict } from '@svcsync/core/guards/guard.ts'
import { judge } from '@svcsync/core/guards/judge-guards.ts'
import { kindsAt } from '@svcsync/core/model/address.ts'
import { placeIn } from '@svcsync/core/model/declaration.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import {
  type AccessException,
  type DifferenceException,
  type Exception,
  isAccessException,
} from '@svcsync/core/model/exception.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { evaluatePolicies, formatViolation, type PolicySubject, problemOf, type Violation } from './evaluate.ts'
import type { Policy } from './expression.ts'
import { accessOfChanges, accessViews, notRead } from './view-access.ts'
import { type accountKinds, viewChange, viewDesired } from './view-object.ts'

export interface PolicyContext {
  readonly accounts: ReturnType<typeof accountKinds>
  readonly target: { readonly name: string; readonly baseUrl: string }
  /** `2026-11-20`, in the time zone of the project. */
  readonly today: string
  /** The gains and losses of access. Default: those of the changes alone. */
  readonly access?: Parameters<typeof accessViews>[0] | undefined
  /** Milliseconds that all may take together. Default: ten seconds. */
  readonly limitMs?: number
}

/** Runs the policies on desired objects. Absent objects are left out. */
export function checkDesired(
  policies: readonly Policy[],
  desired: readonly Desired[],
  context: PolicyContext,
): readonly Problem[] {
  const wanted = policies.filter(({ on }) => on === 'desired')
  return evaluatePolicies(wanted, desiredSubjects(desired, context), context.limitMs).map(policyProblem)
}

export function desiredSubjects(desired: readonly Desired[], context: PolicyContext): readonly PolicySubject[] {
  return desired
    .filter(({ absent }) => !absent)
    .map((object) =>
      subjectOf(object.kind, object.address, object, () => ({
        object: viewDesired(object, context),
        ...variablesOf(object.kind, object.address, object, context),
      })),
    )
}

/** Runs the policies on changes. Objects without work are left out. */
export function checkChanges(
  policies: readonly Policy[],
  changes: readonly Change[],
  context: PolicyContext,
  allowances: readonly Allowance[] = [],
) {
  const wanted = policies.filter(({ on }) => on === 'change')
  const subjects = changeSubjects(changes, context)
  const findings = evaluatePolicies(wanted, subjects, context.limitMs)
  return {
    verdicts: wanted
      .filter(({ level }) => level === 'deny')
      .flatMap((policy) => policyVerdicts(policy, findings, allowances)),
    problems: [
      ...findings.filter(({ policy }) => policy.level === 'warn').map(policyProblem),
      ...unknownProblems(wanted, subjects),
    ],
  }
}

/** Policies that ask who gains or loses, where that is not known of all: they pass what they would refuse. */
function unknownProblems(policies: readonly Policy[], subjects: readonly PolicySubject[]): Problem[] {
  const asks = (what: RegExp) => (policy: Policy) =>
    [policy.when, policy.expression].some((each) => each !== undefined && what.test(each.text))
  const seeing = new Set(policies.filter(asks(/\baccess\s*\.\s*unknown\b/)).flatMap((policy) => [...policy.for]))
  const unread = new Set<string>()
  const blind = policies.filter(asks(/\baccess\s*\.\s*(gained|lost)\b/)).filter((policy) => {
    const closed = subjects
      .filter(({ kind }) => policy.for.has(kind) && !seeing.has(kind))
      .flatMap(
        ({ variables }) =>
          (variables() as { readonly access: ReturnType<ReturnType<typeof accessViews>> }).access.unknown,
      )
      .filter(({ why }) => why === notRead)
    for (const { object } of closed) unread.add(object)
    return closed.length > 0
  })
  const [first, ...others] = blind
  if (first === undefined) return []
  const named = quoted(blind.map(({ name }) => name))
  const [object = '', ...more] = [...unread].sort()
  return [
    {
      code: 'SVC1345',
      severity: 'warning',
      message:
        'svcsync does not know who gains or loses access on ' +
        `${more.length === 0 ? `\`${object}\`` : `\`${object}\` and ${more.length} more`}, ` +
        `which was not read: ${named} cannot see it`,
      hint: 'Plan without `--only`, or write a policy on `access.unknown`.',
      place: first.place,
      related: others.map(({ place }) => ({ message: 'and this policy', place })),
    },
  ]
}

export function changeSubjects(changes: readonly Change[], context: PolicyContext): readonly PolicySubject[] {
  const accessBy = accessViews(context.access ?? (() => accessOfChanges(changes)))
  return changes
    .filter(({ action }) => action !== 'none')
    .map((change) => {
      const { address, desired } = change
      const kind = kindOf(change)
      return subjectOf(kind, address, desired, () => ({
        ...viewChange(change, context),
        ...variablesOf(kind, address, desired, context),
        // Few policies ask, and it takes all changes to say it.
        get access() {
          return accessBy(change)
        },
      }))
    })
}

function subjectOf(
  kind: Kind,
  address: string,
  desired: Desired | undefined,
  variables: PolicySubject['variables'],
): PolicySubject {
  let known: ReturnType<PolicySubject['variables']> | undefined
  return {
    kind: kind.name,
    address,
    name: address,
    get place() {
      return desired && placeIn(desired.declarations[0], [])
    },
    variables: () => {
      known ??= variables()
      return known
    },
  }
}

function variablesOf(
  kind: Kind,
  address: string,
  desired: Desired | undefined,
  { target, today }: PolicyContext,
): object {
  return { kind: kind.name, address, partial: desired?.partial === true, whole: isWhole(kind, desired), target, today }
}

/** True if unlisted levels are empty. */
function isWhole({ collections }: Kind, desired: Desired | undefined): boolean {
  return Object.entries(desired?.collections ?? {}).some(
    ([name, { mode, parts, unlisted }]) =>
      collections[name]?.part !== undefined && mode === 'exclusive' && (parts === 'all' || unlisted !== undefined),
  )
}

/** Runs the policies on exceptions. `exceptions`: of the target. */
export function checkExceptions(
  policies: readonly Policy[],
  exceptions: readonly Exception[],
  kinds: readonly Kind[],
  { nowMs, ...context }: PolicyContext & { readonly nowMs: number },
): readonly Problem[] {
  const wanted = policies.filter(({ on }) => on === 'exception')
  const subjects = exceptions.flatMap((each): PolicySubject[] => {
    const address = isAccessException(each) ? each.object : each.address
    const kind = kindsAt(address, kinds).at(-1)
    if (kind === undefined) return []
    const { until, untilMs, reason } = each
    const either = each as Partial<AccessException & DifferenceException>
    const { path = '', entry = '', person = '', level = '', company = '' } = either
    const days = BigInt(Math.max(0, Math.ceil((untilMs - nowMs) / 86_400_000)))
    const { target, today } = context
    const exception = { path, entry, person, level, company, until, days, reason }
    const variables = { exception, kind: kind.name, address, target, today }
    return [{ kind: kind.name, address, name: address, place: each.place, variables: () => variables }]
  })
  return evaluatePolicies(wanted, subjects, context.limitMs).map(policyProblem)
}

function policyProblem(finding: Violation): Problem {
  const { policy, message, fault } = finding
  const sentence =
    fault === undefined
      ? `${message} (policy \`${policy.name}\`)`
      : `The policy \`${policy.name}\` could not be evaluated: ${fault.message}`
  return problemOf(finding, sentence, 'SVC1801', 'SVC1802')
}

/** One verdict where the policy holds, else one for each change that it denies: `--allow policy/NAME=ADDRESS`. */
function policyVerdicts(
  policy: Policy,
  findings: readonly Violation[],
  allowances: readonly Allowance[],
): readonly Verdict[] {
  const guard = `policy/${policy.name}` as const
  const own = findings.filter((finding) => finding.policy === policy)
  if (own.length === 0) {
    return [{ guard, verdict: 'passed', sentence: 'No change breaks this policy.', numbers: {}, addresses: [] }]
  }
  return own.map((finding) => {
    const { address } = finding.subject
    const { description } = policy
    const why = finding.fault === undefined && description !== undefined ? ` ${withFullStop(description)}` : ''
    const sentence = `${withFullStop(`\`${address}\`: ${formatViolation(finding)}`)}${why}`
    return judge({ name: guard }, { sentence, numbers: {}, addresses: [address], allow: address }, allowances)
  })
}

function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
