// Policies on access: what stands, what a plan brings about and what it ends, over however many entries.
import { expect, it } from 'vitest'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import type { StandingEntry } from '../../src/core/access/standing-entries.ts'
import { kinds } from '../../src/kinds/index.ts'
import { checkAccess, checkAccessChange, testPolicies } from '../../src/policies/index.ts'
import { policiesOf, policyOf } from './policy-fixture.ts'

const context = { target: { name: 'prod', baseUrl: 'https://prod.example.com' }, today: '2026-11-20' }
const standing = (subject: string, level: string, object: string, more: Partial<StandingEntry> = {}): StandingEntry => {
  const entry: AccessEntry = { subject, level, address: object, company: null, via: [], kind: 'privilege' }
  return { entry, kind: 'process', place: () => undefined, licensed: null, ...more }
}
const separate = 'entry.level != "Modify" || !held.exists(h, h.level == "Start" && h.object == entry.object)'
const apart = policyOf(separate, ['process'], { on: 'access', messageExpression: '"both on " + entry.object' }).policies
const both = [standing('anna', 'Modify', 'process/a'), standing('anna', 'Start', 'process/a')]
const one = [standing('anna', 'Modify', 'process/a')]

it('refuses what a plan brings about, by the person, and tells what stands and holds up nothing', () => {
  const brings = checkAccessChange(apart, { before: one, after: both }, context)
  expect(brings.problems).toEqual([])
  expect(brings.verdicts).toEqual([
    {
      ...{ guard: 'policy/it', verdict: 'refused', numbers: {}, addresses: ['process/a'], allow: 'policy/it=anna' },
      sentence: '`anna`, Modify on `process/a`: both on process/a.',
    },
  ])
  const allowed = checkAccessChange(apart, { before: one, after: both }, context, [
    { guard: 'policy/it', value: 'anna' },
  ])
  expect(allowed.verdicts[0]?.verdict).toBe('allowed')
  for (const after of [both, undefined]) {
    const stands = checkAccessChange(apart, { before: both, ...(after && { after }) }, context)
    expect(stands.verdicts.map(({ verdict }) => verdict)).toEqual(['passed'])
    expect(stands.problems).toMatchObject([
      { code: 'SVC1807', severity: 'error', message: '`anna`, Modify on `process/a`: both on process/a (policy `it`)' },
    ])
  }
})

it('says of what the plan ends that it does, and refuses what comes beside what stands', () => {
  const ends = checkAccessChange(apart, { before: both, after: one }, context)
  expect(ends.problems[0]?.message).toMatch(/\(policy `it`\); this plan ends it$/)
  const more = [...both, standing('anna', 'Modify', 'process/b'), standing('anna', 'Start', 'process/b')]
  const beside = checkAccessChange(apart, { before: both, after: more }, context)
  expect(beside.problems.map(({ message }) => message)).toEqual([expect.not.stringContaining('ends it')])
  expect(beside.verdicts).toMatchObject([{ verdict: 'refused', addresses: ['process/b'] }])
})

it('warns of both where it only warns', () => {
  const [policy] = apart
  const warning = [{ ...(policy as (typeof apart)[number]), level: 'warn' as const }]
  const { verdicts, problems } = checkAccessChange(warning, { before: one, after: both }, context)
  expect(verdicts).toEqual([])
  expect(problems).toMatchObject([{ code: 'SVC1807', severity: 'warning' }])
  expect(problems[0]?.message).toMatch(/; this plan brings it about$/)
  expect(checkAccess(warning, both, context)).toMatchObject([{ code: 'SVC1802', severity: 'warning' }])
  expect(checkAccess(apart, both, context)).toMatchObject([{ code: 'SVC1801', severity: 'error' }])
})

it('counts what cannot be evaluated as what does not hold, once for each person', () => {
  const { policies } = policyOf('entry.licensed', ['process'], { on: 'access' })
  const { verdicts, problems } = checkAccessChange(policies, { before: [], after: both }, context)
  expect(verdicts).toMatchObject([{ verdict: 'refused', sentence: expect.stringContaining('could not be evaluated') }])
  expect(problems).toEqual([])
  const known = both.map((each) => ({ ...each, licensed: true }))
  expect(checkAccessChange(policies, { before: known }, context).problems).toEqual([])
})

it('looks at 100,000 entries in bounded time', { timeout: 60_000 }, () => {
  const entries = Array.from({ length: 100_000 }, (_, index) =>
    standing(`person${index % 10_000}`, index % 2 === 0 ? 'Start' : 'ReadOnly', `process/${index}`),
  )
  const moved = [...entries, standing('person0', 'Modify', 'process/0')]
  const beganMs = performance.now()
  const { verdicts } = checkAccessChange(apart, { before: entries, after: moved }, { ...context, limitMs: 60_000 })
  expect(verdicts).toMatchObject([{ verdict: 'refused', allow: 'policy/it=person0' }])
  expect(performance.now() - beganMs).toBeLessThan(30_000)
  // One person with everything: each entry beside each is stopped, and passes nothing that was not looked at.
  const whole = entries.map(({ entry }) => standing('one', 'Modify', entry.address))
  const limited = checkAccessChange(apart, { before: [], after: whole }, { ...context, limitMs: 500 })
  expect(limited.verdicts).toMatchObject([{ verdict: 'refused', sentence: expect.stringContaining('s are over') }])
})

it.each([
  ['groups in each other', '[{ svcId: a, members: [b, anna] }, { svcId: b, members: [a] }]', '[a]', '[b]', 'anna'],
  ['a name in other letters', '[{ svcId: a, members: [ANNA] }]', '[a]', '[anna]', 'ANNA'],
  ['a group of a directory', '[{ svcId: a, members: [b] }]', '[b]', '[a]', 'b'],
])('sees through %s', (_, groups, modify, start, who) => {
  const { policies, tests, problems } = policiesOf(`policies:
  - { name: it, for: [process], on: access, message: no, expression: '${separate}' }
tests:
  - name: both
    policy: it
    declared:
      database: main
      groups: ${groups}
      processes: [{ process: Orders, privileges: { Modify: ${modify}, Start: ${start} } }]
    breaks: [${who}]
`)
  expect([...problems, ...testPolicies(tests, policies, kinds).problems]).toEqual([])
})

it('goes through 20,000 groups in each other', { timeout: 60_000 }, () => {
  const groups = Array.from({ length: 20_000 }, (_, at) => ({ svcId: `g${at}`, members: [`g${at + 1}`] }))
  const declared = {
    database: 'main',
    groups,
    processes: [{ process: 'Orders', privileges: { Modify: ['g0'], Start: ['g0'] } }],
  }
  const policy = { name: 'it', for: ['process'], on: 'access', message: 'no', expression: separate }
  const test = { name: 'deep', policy: 'it', declared, breaks: ['g20000'] }
  const { policies, tests } = policiesOf(JSON.stringify({ policies: [policy], tests: [test] }))
  expect(testPolicies(tests, policies, kinds).problems).toEqual([])
})
