// Runs policies on access: what stands is reported, and what a plan brings is refused.
import type { StandingEntry } from '@svcsync/core/access/standing-entries.ts'
import type { Allowance } from '@svcsync/core/guards/allowances.ts'
import type { Verdict } from '@svcsync/core/guards/guard.ts'
import { judge } from '@svcsync/core/guards/judge-guards.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import type { PolicyContext } from './check-policies.ts'
import {
  evaluatePolicies,
  formatViolation,
  type PolicySubject,
  problemOf,
  timeLimitMs,
  type Violation,
} from './evaluate.ts'
import type { Policy } from './expression.ts'
import { grantView } from './view-access.ts'

type AccessContext = Pick<PolicyContext, 'target' | 'today' | 'limitMs'>

/** Groups the entries by person. */
export function accessSubjects(entries: readonly StandingEntry[], { target, today }: AccessContext): PolicySubject[] {
  return [...groupBy(entries, ({ entry }) => entry.subject ?? '')].flatMap(([person, own]) => {
    const held = own.map(viewOf)
    return own.map(({ entry, kind, place }, index): PolicySubject => {
      const variables = { entry: held[index], held, kind, address: entry.address, target, today }
      return {
        ...{ kind, address: entry.address, name: person },
        get place() {
          return place()
        },
        variables: () => variables,
      }
    })
  })
}

const viewOf = ({ entry, since, licensed }: StandingEntry): object => ({
  ...grantView(entry),
  ...(since !== undefined && { since }),
  ...(licensed != null && { licensed }),
})

/** Declared access breaks these policies: one problem for each person and policy. */
export function checkAccess(
  policies: readonly Policy[],
  entries: readonly StandingEntry[],
  context: AccessContext,
): readonly Problem[] {
  const findings = evaluatePolicies(accessPolicies(policies), accessSubjects(entries, context), context.limitMs)
  return byPerson(findings).map((own) => personProblem(own, 'SVC1801', 'SVC1802', ''))
}

/** `before`: the present access; `after`: that after the plan; undefined: the plan changes none. */
export function checkAccessChange(
  policies: readonly Policy[],
  { before, after = before }: { readonly before: readonly StandingEntry[]; readonly after?: readonly StandingEntry[] },
  context: AccessContext,
  allowances: readonly Allowance[] = [],
) {
  const wanted = accessPolicies(policies)
  const { limitMs = timeLimitMs } = context
  const endMs = performance.now() + limitMs
  const evaluated = (entries: readonly StandingEntry[]): readonly Violation[] =>
    evaluatePolicies(wanted, accessSubjects(entries, context), Math.max(1, Math.ceil(endMs - performance.now())))
  const stands = evaluated(before)
  // A person without changes is judged once.
  const moved = after === before ? { gone: new Set<string>(), changed: [] } : changedPersons(before, after)
  const comes = evaluated(moved.changed)
  const known = new Set(stands.map(keyOf))
  const lasts = new Set(comes.map(keyOf))
  const brought = comes.filter((finding) => !known.has(keyOf(finding)))
  const ends = (own: readonly Violation[]): boolean =>
    own.every((finding) => moved.gone.has(finding.subject.name) && !lasts.has(keyOf(finding)))
  return {
    verdicts: wanted
      .filter(({ level }) => level === 'deny')
      .flatMap((policy) => verdictsOf(policy, byPerson(brought.filter((each) => each.policy === policy)), allowances)),
    problems: [
      ...byPerson(stands).map((own) => personProblem(own, broken, broken, ends(own) ? '; this plan ends it' : '')),
      ...byPerson(brought.filter(({ policy }) => policy.level === 'warn')).map((own) =>
        personProblem(own, broken, broken, '; this plan brings it about'),
      ),
    ],
  }
}

/** The code for existing access, whoever gave it. */
const broken = 'SVC1807'

const accessPolicies = (policies: readonly Policy[]): readonly Policy[] => policies.filter(({ on }) => on === 'access')

/** `gone`: of whom something changes. */
function changedPersons(before: readonly StandingEntry[], after: readonly StandingEntry[]) {
  const own = (entries: readonly StandingEntry[]) => groupBy(entries, ({ entry }) => entry.subject ?? '')
  const was = own(before)
  const is = own(after)
  const textOf = (entries: readonly StandingEntry[] = []): string =>
    JSON.stringify(entries.map(({ entry, licensed, since }) => [entry, licensed, since]))
  const moved = new Set(
    [...was.keys(), ...is.keys()].filter((person) => textOf(was.get(person)) !== textOf(is.get(person))),
  )
  return { gone: moved, changed: after.filter(({ entry }) => moved.has(entry.subject ?? '')) }
}

function keyOf({ policy, subject, fault }: Violation): string {
  const { level, company } = entryOf(subject)
  return JSON.stringify([policy.name, subject.name, subject.address, level, company, fault?.message])
}

const entryOf = (subject: PolicySubject): ReturnType<typeof grantView> =>
  subject.variables().entry as ReturnType<typeof grantView>

function byPerson(findings: readonly Violation[]): readonly (readonly [Violation, ...Violation[]])[] {
  const found = groupBy(findings, ({ policy, subject, fault }) =>
    JSON.stringify([policy.name, subject.name, fault?.message]),
  )
  return [...found.values()] as [Violation, ...Violation[]][]
}

/** `jan@example.com`, Start on `process/…` and 2 more: … */
function describeGrants([{ subject }, ...others]: readonly [Violation, ...Violation[]]): string {
  const { level } = entryOf(subject)
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return (
    `${inCode(subject.name)}, ` +
    `${level === '' ? 'a level that is not told' : level} on ${inCode(subject.address)}${more}`
  )
}

function personProblem(
  own: readonly [Violation, ...Violation[]],
  denied: string,
  warned: string,
  and: string,
): Problem {
  const [first] = own
  return problemOf(
    first,
    `${describeGrants(own)}: ${formatViolation(first)} (policy \`${first.policy.name}\`)${and}`,
    denied,
    warned,
  )
}

/** One for each person: `--allow policy/NAME=PERSON`. */
function verdictsOf(
  policy: Policy,
  brought: readonly (readonly [Violation, ...Violation[]])[],
  allowances: readonly Allowance[],
): readonly Verdict[] {
  const guard = `policy/${policy.name}` as const
  if (brought.length === 0) {
    const sentence = 'The plan brings nothing about that breaks this policy.'
    return [{ guard, verdict: 'passed', sentence, numbers: {}, addresses: [] }]
  }
  return brought.map((own) => {
    const [first] = own
    const addresses = [...new Set(own.map(({ subject }) => subject.address))]
    const finding = {
      sentence: `${describeGrants(own)}: ${formatViolation(first)}.`,
      numbers: {},
      addresses,
      allow: first.subject.name,
    }
    return judge({ name: guard }, finding, allowances)
  })
}
