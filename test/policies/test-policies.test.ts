// Tests of policies: what they say where they fail, and that none passes for nothing.
import { expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { testPolicies } from '../../src/policies/index.ts'
import { policiesOf, shortly } from './policy-fixture.ts'

const rules = `policies:
  - name: two-owners
    for: [group]
    when: has(object.owners)
    expression: size(object.owners) >= 2
    message: too few owners
  - name: no-demotion
    for: [process]
    on: change
    expression: removed.all(e, e.level != "Administrator")
    message: an Administrator is taken away
tests:
`

function run(tests: string) {
  const loaded = policiesOf(`${rules}${tests}`)
  expect(loaded.problems).toEqual([])
  const { problems, coverage } = testPolicies(loaded.tests, loaded.policies, kinds)
  return { problems: shortly(problems), hints: problems.map(({ hint }) => hint), coverage }
}

const one = (more: string, owners = '[a@example.com]') =>
  '  - name: it\n    policy: two-owners\n    declared:\n      groups:\n' +
  `        - { svcId: g@example.com, owners: ${owners} }\n${more}`

it('passes where just what is named breaks the policy', () => {
  const { problems, coverage } = run(
    `${one('    breaks: [group/g@example.com]\n    says: few\n')}${one('', '[a@example.com, b@example.com]')}`,
  )
  expect(problems).toEqual([])
  expect(coverage[0]).toEqual({ policy: 'two-owners', tests: 2, holds: 1, breaks: 1, leavesOut: 0 })
  expect(coverage[1]).toEqual({ policy: 'no-demotion', tests: 0, holds: 0, breaks: 0, leavesOut: null })
})

it.each([
  [
    'an object that should hold',
    one(''),
    'p.yaml:13:11 SVC1805 The test "it" fails: ' +
      '`group/g@example.com` breaks the policy `two-owners`, and should not: too few owners',
  ],
  [
    'an object that should break it',
    one('    breaks: [group/g@example.com]\n', '[a@example.com, b@example.com]'),
    'p.yaml:18:14 SVC1805 The test "it" fails: ' +
      '`group/g@example.com` does not break the policy `two-owners`, and should',
  ],
  [
    'other words',
    one('    breaks: [group/g@example.com]\n    says: nothing\n'),
    'p.yaml:19:11 SVC1805 The test "it" fails: ' +
      'The policy `two-owners` has another message for `group/g@example.com`: too few owners',
  ],
  [
    'an address that is not there',
    one('    breaks: [group/g@example.com, group/h@example.com]\n'),
    'p.yaml:18:35 SVC1805 The test "it" fails: The policy `two-owners` does not look at `group/h@example.com`',
  ],
  [
    'a policy that is not there',
    one('').replace('two-owners', 'two-owner'),
    'p.yaml:14:13 SVC1806 There is no policy `two-owner`',
  ],
  [
    'nothing to look at',
    '  - name: it\n    policy: two-owners\n    declared: { users: [{ svcId: a@example.com, name: A }] }\n',
    'p.yaml:15:15 SVC1806 The test declares nothing that the policy `two-owners` looks at: `group`',
  ],
  [
    'objects that contradict',
    '  - name: it\n    policy: two-owners\n    declared:\n' +
      '      groups: [{ svcId: g@example.com, name: A }, { svcId: g@example.com, name: B }]\n',
    'p.yaml:16:75 SVC1301 `name` of group `g@example.com` is declared twice',
  ],
])('says of %s', (_, tests, sentence) => {
  expect(run(tests).problems).toEqual([sentence])
})

it('asks about the way from what is live to what is declared', () => {
  const change = (live: string, more: string) => `  - name: it
    policy: no-demotion
    declared:
      database: main
      processes:
        - process: Invoices
          privileges: { Administrator: [anna@example.com] }
    live:
      database: main
      processes:
        - process: Invoices
          privileges: { Administrator: [${live}] }
${more}`
  const { problems, coverage } = run(
    change('anna@example.com, jan@example.com', '    breaks: [process/main/*/Invoices]\n') + change('', ''),
  )
  expect(problems).toEqual([])
  expect(coverage[1]).toMatchObject({ tests: 2, holds: 1, breaks: 1 })
  expect(run(change('Anna@example.com', '')).problems).toEqual([
    'p.yaml:16:7 SVC1806 The test changes nothing that the policy `no-demotion` looks at: `process`',
  ])
})

it('keeps manifests of tests apart, also where an alias brings them', () => {
  const { coverage } = run(
    `${one('').replace('declared:', 'declared: &base')}  - { name: again, policy: two-owners, declared: *base }\n`,
  )
  expect(coverage[0]).toMatchObject({ tests: 2, breaks: 2 })
})

it.each([
  ['{}', 'SVC1103 The file has neither policies nor tests of them'],
  ['tests: [{ name: a, policy: b }]', 'SVC1103 The key `declared` is missing'],
  ['tests: [{ name: a, policy: b, declared: { group: [] } }]', 'SVC1101 '],
  ['tests: [{ name: a, policy: b, declared: { groups: [{ name: A }] } }]', 'SVC1103 The key `svcId` is missing'],
])('says what is wrong in the form of %s', (text, problem) => {
  expect(shortly(policiesOf(text).problems).join('\n')).toContain(problem)
})
