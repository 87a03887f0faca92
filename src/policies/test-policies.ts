// Tests of policies: what a policy does not let pass, and what of it the tests reach.
import { declaredEntries } from '@svcsync/core/access/standing-entries.ts'
import { accountEnds } from '@svcsync/core/assemble/account-ends.ts'
import { asWrittenDirectory } from '@svcsync/core/assemble/as-written-directory.ts'
import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import { type Change, changeOf } from '@svcsync/core/compare/change.ts'
import { normaliserOf } from '@svcsync/core/model/address.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { compareProblems, errorAt, type Problem } from '@svcsync/errors/index.ts'
import { changeSubjects, desiredSubjects, type PolicyContext } from './check-policies.ts'
import { evaluatePolicies, type PolicySubject, type Violation } from './evaluate.ts'
import type { Policy } from './expression.ts'
import type { LoadedPolicies } from './load-policies.ts'
import { accessSubjects } from './standing-access.ts'
import { accountKinds } from './view-object.ts'

type PolicyTest = LoadedPolicies['tests'][number]

/** The number of tests of a policy, by its outcome. */
interface PolicyCoverage {
  readonly policy: string
  readonly tests: number
  readonly holds: number
  readonly breaks: number
  /** Objects that its `when` leaves out; null: it has none. */
  readonly leavesOut: number | null
}

export interface PolicyTestResult {
  /** In order of place: tests that do not come out as they say, or cannot be run. */
  readonly problems: readonly Problem[]
  readonly coverage: readonly PolicyCoverage[]
}

export function testPolicies(
  tests: readonly PolicyTest[],
  policies: readonly Policy[],
  kinds: readonly Kind[],
): PolicyTestResult {
  const problems: Problem[] = []
  const met = new Map(policies.map((policy) => [policy.name, { tests: 0, holds: 0, breaks: 0, leftOut: 0 }]))
  for (const test of tests) {
    const policy = policies.find(({ name }) => name === test.policy)
    const counts = met.get(test.policy)
    if (policy === undefined || counts === undefined) {
      const message = `There is no policy \`${test.policy}\``
      problems.push(errorAt('SVC1806', message, test.placeAt('policy'), suggestion(test.policy, met.keys())))
      continue
    }
    const subjects = subjectsOf(test, policy, kinds, problems)
    if (subjects === undefined) continue
    const findings = evaluatePolicies([policy], subjects)
    problems.push(...unexpectedResults(test, policy, subjects, findings))
    counts.tests += 1
    const { when } = policy
    const leftOut = when && evaluatePolicies([{ ...policy, when: undefined, expression: when }], subjects).length
    counts.breaks += findings.length
    counts.leftOut += leftOut ?? 0
    counts.holds += subjects.length - findings.length - (leftOut ?? 0)
  }
  const coverage = policies.map(({ name, when }) => {
    const { leftOut = 0, ...counts } = met.get(name) ?? { tests: 0, holds: 0, breaks: 0 }
    return { policy: name, ...counts, leavesOut: when === undefined ? null : leftOut }
  })
  return { problems: problems.sort(compareProblems), coverage }
}

/** The subjects of the policy. Undefined: unknowable, which the report says. */
function subjectsOf(
  test: PolicyTest,
  policy: Policy,
  kinds: readonly Kind[],
  problems: Problem[],
): readonly PolicySubject[] | undefined {
  const todayMs = Date.parse(`${test.today}T00:00:00Z`)
  const nowMs = Number.isFinite(todayMs) ? todayMs : 0
  const [declared, live] = [assembleTest(test.declared, kinds, nowMs), assembleTest(test.live, kinds, nowMs)]
  const wrong = [...declared.problems, ...live.problems].filter(({ severity }) => severity === 'error')
  if (wrong.length > 0) {
    problems.push(...wrong)
    return undefined
  }
  const context: PolicyContext = {
    accounts: accountKinds(declared.desired),
    target: { name: test.target, baseUrl: `https://${test.target}.example.com` },
    today: test.today,
  }
  const changes = changesOf(declared.desired, live.desired)
  const subjects = {
    desired: () => desiredSubjects(declared.desired, context),
    change: () => changeSubjects(changes, context),
    access: () => accessSubjects(declaredEntries(changes, { normalise, nowMs }), context),
    // A test declares objects, and no exception.
    exception: () => [],
  }
  const own = subjects[policy.on]().filter(({ kind }) => policy.for.has(kind))
  if (own.length > 0) return own
  const nothing = {
    desired: 'declares nothing',
    change: 'changes nothing',
    access: 'gives nobody anything',
    exception: 'excepts nothing',
  }
  const what = nothing[policy.on]
  const message = `The test ${what} that the policy \`${policy.name}\` looks at: ${quoted(policy.for)}`
  problems.push(errorAt('SVC1806', message, test.placeAt('declared')))
  return undefined
}

const normalise = normaliserOf('ignore-case')

function assembleTest({ declarations, sets }: PolicyTest['declared'], kinds: readonly Kind[], nowMs: number) {
  const named = new Set(declarations.flatMap(({ database }) => database ?? []))
  const databases = Object.fromEntries(
    [...named, ...(named.size === 0 ? ['main'] : [])].map((name, at) => [name, at + 1]),
  )
  const directory = asWrittenDirectory(databases, kinds)
  const settings = { normalise, time: { nowMs, timeZone: 'UTC' } }
  const ends = accountEnds(declarations, settings)
  return assembleDesired(declarations, directory, { ...settings, collections: 'exclusive', sets, ends })
}

/** The changes that would turn the live objects into the declared ones. */
function changesOf(declared: readonly Desired[], live: readonly Desired[]): Change[] {
  const before = new Map(live.map((object) => [object.address, liveAs(object)]))
  return declared.map((object) => changeOf(object, before.get(object.address)))
}

function liveAs({ kind, address, at, key, fieldKeys, spec, collections }: Desired): Live {
  const elements = Object.entries(collections).map(
    ([name, wanted]) => [name, [...wanted.elements.values()].map(({ element }) => element)] as const,
  )
  return {
    kind,
    address,
    at,
    key,
    fieldKeys,
    spec,
    name: at.name ?? '',
    self: '',
    ready: true,
    collections: Object.fromEntries(elements),
  }
}

function unexpectedResults(
  test: PolicyTest,
  policy: Policy,
  subjects: readonly PolicySubject[],
  findings: readonly Violation[],
): Problem[] {
  const problems: Problem[] = []
  const add = (message: string, path: readonly (string | number)[], hint?: string): void => {
    const related = [{ message: 'the policy', place: policy.place }]
    const says = `The test "${test.name}" fails: ${message}`
    problems.push({ ...errorAt('SVC1805', says, test.placeAt(...path), hint), related })
  }
  for (const { subject, message, fault } of findings) {
    const why = fault === undefined ? message : `it could not be evaluated: ${fault.message}`
    if (!test.breaks.includes(subject.name)) {
      add(`\`${subject.name}\` breaks the policy \`${policy.name}\`, and should not: ${why}`, ['name'])
    } else if (fault !== undefined || (test.says !== undefined && !message.includes(test.says))) {
      add(`The policy \`${policy.name}\` has another message for \`${subject.name}\`: ${why}`, [
        fault ? 'name' : 'says',
      ])
    }
  }
  const addresses = [...new Set(subjects.map(({ name }) => name))]
  for (const [index, address] of test.breaks.entries()) {
    if (findings.some(({ subject }) => subject.name === address)) continue
    if (addresses.includes(address)) {
      add(`\`${address}\` does not break the policy \`${policy.name}\`, and should`, ['breaks', index])
    } else {
      add(
        `The policy \`${policy.name}\` does not look at \`${address}\``,
        ['breaks', index],
        suggestion(address, addresses),
      )
    }
  }
  return problems
}
