// Edits of manifests when somebody leaves: each way to write a person, and nothing else.
import { expect, it } from 'vitest'
import { leaveEdits } from '../../src/editor/leave-edits.ts'
import { editedTexts, folderWith, openFolder, projectText } from './edit-fixture.ts'

const anna = 'anna@example.com'

function leave(files: Readonly<Record<string, string>>, successor?: string, person = anna): Record<string, string> {
  const project = openFolder(folderWith(files))
  const { edits, vacancies } = leaveEdits(project.targets, person, successor)
  expect(vacancies).toEqual([])
  return editedTexts(project, edits, ({ accounts }) => accounts.includes(anna) || accounts.includes(String(successor)))
}

const one = (text: string, successor?: string): string | undefined => leave({ 'a.yaml': text }, successor)['a.yaml']

const group = (members: string) => `groups:\n  - svcId: g@example.com\n    name: G\n${members}`

it.each([
  ['a block', '    members:\n      - anna@example.com # the boss\n      - b@x\n', '    members:\n      - b@x\n'],
  [
    'the last of a block',
    '    members: # all\n      # above\n      - anna@example.com\n',
    '    members: [] # all\n      # above\n',
  ],
  ['a flow', '    members: [b@x, anna@example.com] # c\n', '    members: [b@x] # c\n'],
  [
    'a flow over lines',
    '    members: [\n      "anna@example.com", # boss\n      b@x,\n     ]\n',
    '    members: [\n      b@x,\n     ]\n',
  ],
  ['another case', '    members: [Anna@Example.com, b@x]\n', '    members: [b@x]\n'],
  [
    'bounds',
    "    members:\n      - b@x\n      - { svcId: 'anna@example.com', until: 2030-01-01 }\n",
    '    members:\n      - b@x\n',
  ],
  [
    'bounds in lines',
    '    members:\n      - svcId: anna@example.com\n        from: 2030-01-01\n      - b@x\n',
    '    members:\n      - b@x\n',
  ],
  ['no last line break', '    members:\n      - b@x\n      - anna@example.com', '    members:\n      - b@x'],
  ['a list at the column of its key', '    members:\n    - anna@example.com\n    - b@x\n', '    members:\n    - b@x\n'],
  [
    'a list behind an anchor',
    '    members: &m\n      - anna@example.com\n  - svcId: h@x\n    name: H\n    members: *m\n',
    '    members: &m []\n  - svcId: h@x\n    name: H\n    members: *m\n',
  ],
  [
    'an entry that two aliases share',
    '    members: [&a anna@example.com, b@x]\n  - svcId: h@x\n    name: H\n    members: [*a, c@x]\n',
    '    members: [b@x]\n  - svcId: h@x\n    name: H\n    members: [c@x]\n',
  ],
])('%s', (_, before, after) => {
  expect(one(group(before))).toBe(group(after))
})

it('a merged list, in each object that merges it', () => {
  const text = (list: string) =>
    `x-m: &m\n  members: ${list}\ngroups:\n  - { <<: *m, svcId: g@x, name: G }\n  - { <<: *m, svcId: h@x, name: H }\n`
  expect(one(text('[anna@example.com, b@x]'))).toBe(text('[b@x]'))
})

it('keeps a byte order mark, and line breaks of another system', () => {
  const text = `\ufeff${group('    members:\n      - anna@example.com\n      - b@x\n')}`.replaceAll('\n', '\r\n')
  expect(one(text)).toBe(text.replace('      - anna@example.com\r\n', ''))
})

it('takes from sets, also of the project file, from overrides, privileges, elements and later documents', () => {
  const files = {
    'svcsync.yaml': `${projectText}sets:\n  staff: [anna@example.com, b@x] # all of us\n`,
    'a.yaml':
      'sets:\n  clerks:\n    - anna@example.com\n    - { set: staff }\n' +
      `---\n${group('    members: [{ set: clerks }]\n')}---\nelements:\n` +
      '  - element: 4711\n    privileges: { ReadOnly: [anna@example.com, b@x] }\n',
    'overrides/o.yaml': 'groups:\n  - svcId: g@example.com\n    members: [anna@example.com, c@x]\n',
  }
  const after = leave(files)
  expect(after['svcsync.yaml']).toBe(files['svcsync.yaml'].replace('anna@example.com, ', ''))
  expect(after['overrides/o.yaml']).toBe(files['overrides/o.yaml'].replace('anna@example.com, ', ''))
  expect(after['a.yaml']).toBe(
    files['a.yaml'].replace('    - anna@example.com\n', '').replace('[anna@example.com, b@x]', '[b@x]'),
  )
})

it('declares the account absent, releases licences, ends substitutions', () => {
  const before = `users:
  # Anna
  - name: Anna
    # her login
    svcId: anna@example.com
    jobTitle: Boss # since 2020
  - { svcId: jan@x, name: Jan, managerSvcId: anna@example.com }
licenses:
  - svcId: anna@example.com
    manage: { licenses: additive }
    licenses:
      - type: PowerUser
      - { type: DesignerDeskUser }
substitutions:
  - { person: anna@example.com, substitute: jan@x, type: TaskDelegation, from: 2100-01-01, to: 2100-02-01 }
  - person: jan@x
    substitute: anna@example.com
    type: TaskDelegation
    from: 2100-01-01
    to: 2100-02-01
`
  expect(one(before, 'eva@x')).toBe(`users:
  # Anna
  -
    # her login
    svcId: anna@example.com
    absent: true
  - { svcId: jan@x, name: Jan, managerSvcId: eva@x }
licenses:
  - svcId: anna@example.com
    licenses: []
substitutions:
  - { person: anna@example.com, substitute: jan@x, type: TaskDelegation, from: 2100-01-01, to: 2100-02-01, absent: true }
  - person: jan@x
    substitute: anna@example.com
    type: TaskDelegation
    from: 2100-01-01
    to: 2100-02-01
    absent: true
`)
})

it('writes what a merge key brought to nobody else', () => {
  const before = `x-c: &c { jobTitle: Clerk }
users:
  - <<: *c
    svcId: anna@example.com
    name: Anna
  - { <<: *c, svcId: jan@x, name: Jan }
`
  expect(one(before)).toBe(
    before.replace(
      '<<: *c\n    svcId: anna@example.com\n    name: Anna\n',
      'svcId: anna@example.com\n    absent: true\n',
    ),
  )
})

it('asks who takes the last places, and puts the successor there alone', () => {
  const before = `sets:
  owners: [anna@example.com]
groups:
  - { svcId: g@x, name: G, owners: [{ set: owners }] }
  - { svcId: h@x, name: H, owners: [anna@example.com], members: [anna@example.com] }
  - { svcId: i@x, name: I, owners: [anna@example.com, b@x] }
applications:
  - application: Purchasing
    privileges: { Administrator: [{ svcId: anna@example.com, until: 2100-01-01 }] }
`
  const project = openFolder(folderWith({ 'a.yaml': before }))
  expect(leaveEdits(project.targets, anna, undefined).vacancies.map(({ what }) => what)).toEqual([
    'the only Administrator of application/main/Purchasing',
    'the only owner of group/g@x',
    'the only owner of group/h@x',
  ])
  expect(one(before, 'eva@x')).toBe(`sets:
  owners: []
groups:
  - { svcId: g@x, name: G, owners: [{ set: owners }, eva@x] }
  - { svcId: h@x, name: H, owners: [eva@x], members: [] }
  - { svcId: i@x, name: I, owners: [b@x] }
applications:
  - application: Purchasing
    privileges: { Administrator: [{ svcId: eva@x, until: 2100-01-01 }] }
`)
})

it('refuses a place that a variable fills, and names it', () => {
  const variables = projectText.replaceAll('databases', 'variables: { who: anna@example.com }, databases')
  const files = { 'svcsync.yaml': variables, 'a.yaml': group('    members: ["${var:who}", b@x]\n') }
  expect(() => leave(files)).toThrow('manifests/a.yaml:4:15  holds a reference')
})

it('takes out what two overrides declare of the account', () => {
  const files = {
    'svcsync.yaml': projectText.replace('prod: {', 'prod: { overrides: [others],'),
    'a.yaml': 'users:\n  - { svcId: anna@example.com, name: Anna }\n',
    'overrides/o.yaml': 'users:\n  - { svcId: anna@example.com, jobTitle: A }\n',
    'others/o.yaml': 'users:\n  - { svcId: anna@example.com, jobTitle: B }\n',
  }
  expect(leave(files)).toEqual({
    'a.yaml': 'users:\n  - { svcId: anna@example.com, absent: true }\n',
    'overrides/o.yaml': 'users: []\n',
    'others/o.yaml': 'users: []\n',
  })
})
