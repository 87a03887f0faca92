// Every problem of a manifest: its code, its place and its words.
import { describe, expect, it } from 'vitest'
import { brief, load } from './manifest-fixture.ts'

const cases: readonly (readonly [what: string, yaml: string, ...expected: string[]])[] = [
  ['no YAML', 'users: [', 'SVC1003 1:9 This is not YAML: unexpected end of the stream within a flow collection'],
  ['a tab', 'users:\n\t- svcId: a', 'SVC1003 2:1 This is not YAML: tab characters must not be used in indentation'],
  [
    'a merge',
    'users:\n<<<<<<< HEAD\n  - svcId: a\n=======\n  - svcId: b\n>>>>>>> main\n',
    'SVC1003 2:1 The file holds an unresolved merge conflict',
  ],
  ['YAML 1.1', '%YAML 1.1\n---\nusers: []', 'SVC1003 1:1 Manifests are YAML 1.2, and the file says 1.1'],
  ['a key twice', 'users:\n  - svcId: a\n    name: A\n    name: B', 'SVC1004 4:5 `name` appears twice in one mapping'],
  ['a section twice', 'users: []\nusers: []', 'SVC1004 2:1 `users` appears twice in one mapping'],
  ['an unknown alias', 'users: [*a]', 'SVC1005 1:9 No anchor `&a` precedes the alias'],
  ['an alias in itself', 'users: &a [*a]', 'SVC1005 1:12 The alias `*a` is inside the value that it refers to'],
  ['a merge of text', 'users:\n  - { <<: a, svcId: b }', 'SVC1005 2:11 Only mappings can be merged'],
  ['a tag', 'users: [{ svcId: !secret a }]', 'SVC1006 1:18 The tag `!secret` has no meaning here'],
  ['a tag on a list', 'users: !!set []', 'SVC1006 1:8 The tag `!!set` has no meaning here'],
  [
    'a tag on a key',
    'users: [{ !!int svcId: a }]',
    'SVC1103 1:9 The key `svcId` is missing in this entry of `users`',
    'SVC1006 1:11 A key takes no tag, but there is `!!int`',
  ],
  ['deep nesting', `users: ${'['.repeat(60)}`, 'SVC1007 1:57 Values are nested more than 50 levels deep'],
  ['an unknown section', 'user: []', 'SVC1101 1:1 `user` is not a key of a manifest'],
  ['an unknown key', 'users:\n  - svcId: a\n    nmae: A', 'SVC1101 3:5 `nmae` is not a key of an item in `users`'],
  ['a required key misspelt', 'users: [{ svcid: a }]', 'SVC1101 1:11 `svcid` is not a key of an item in `users`'],
  [
    'one of two keys misspelt',
    'groups: [{ svcId: a, members: [{ svc: b }, { from: 2026-01-01 }] }]',
    'SVC1101 1:34 `svc` is not a key of `members`',
    'SVC1103 1:44 One of `svcId` and `set` is missing',
  ],
  [
    'an unknown key inside',
    'groups: [{ svcId: a, manage: { member: additive } }]',
    'SVC1101 1:32 `member` is not a key of `manage`',
  ],
  ['__proto__', 'users: [{ svcId: a, __proto__: {} }]', 'SVC1101 1:21 `__proto__` cannot be a key'],
  ['a list for text', 'users: [{ svcId: a, name: [A] }]', 'SVC1102 1:27 `name` must be a text, but is a list'],
  [
    'text for a list',
    'groups: [{ svcId: a, members: b }]',
    'SVC1102 1:31 `members` must be a list, but is the text `b`',
  ],
  [
    'a list in a list',
    'groups: [{ svcId: a, members: [[b]] }]',
    'SVC1102 1:32 An entry of `members` must be a text or a mapping, but is a list',
  ],
  [
    'neither of two keys',
    'groups: [{ svcId: a, members: [{ from: 2026-11-01 }] }]',
    'SVC1103 1:32 One of `svcId` and `set` is missing',
  ],
  [
    'both of two keys',
    'groups: [{ svcId: a, members: [{ svcId: b, set: c }] }]',
    'SVC1305 1:32 `svcId` and `set` exclude each other',
  ],
  ['a document that is a list', '- users', 'SVC1102 1:1 A manifest must be a mapping, but is a list'],
  ['a document that is text', 'users', 'SVC1102 1:1 A manifest must be a mapping, but is the text `users`'],
  ['an item that is text', 'users: [a]', 'SVC1102 1:9 An entry of `users` must be a mapping, but is the text `a`'],
  [
    'no flag',
    'users: [{ svcId: a, absent: yes }]',
    'SVC1102 1:29 `absent` must be `true` or `false`, but is the text `yes`',
  ],
  [
    'no whole number',
    'constants: [{ name: a, groupId: 1.5 }]',
    'SVC1102 1:33 `groupId` must be a whole number, but is the number 1.5',
  ],
  [
    'a quoted number',
    'constants: [{ name: a, groupId: "4" }]',
    'SVC1102 1:33 `groupId` must be a whole number, but is the text `4`',
  ],
  ['a number for a key', 'users: [{ svcId: a, 1: b }]', 'SVC1102 1:21 A key must be a text, but there is `1`'],
  ['a list for a key', 'users: [{ svcId: a, [b]: c }]', 'SVC1102 1:21 A key must be a text, but there is a list'],
  ['no identity', 'users:\n  - name: A', 'SVC1103 2:5 The key `svcId` is missing in this entry of `users`'],
  ['a wrong enum', 'connections: [{ name: a, type: sql }]', 'SVC1104 1:32 `type` cannot be `sql`'],
  ['an empty name', 'users: [{ svcId: "" }]', 'SVC1105 1:18 `svcId` cannot be empty'],
  ['a number too low', 'constants: [{ name: a, groupId: 0 }]', 'SVC1105 1:33 `groupId` is 0, and must be at least 1'],
  [
    'a number too large',
    'constants: [{ name: a, groupId: 12345678901234567890 }]',
    'SVC1105 1:33 `groupId` is too large a number: `12345678901234567890`',
  ],
  ['null', 'constants: [{ name: a, common: null }]', 'SVC1107 1:32 `common` cannot be null'],
  ['nothing', 'constants:\n  - name: a\n    common:', 'SVC1107 3:5 `common` cannot be null'],
  [
    'an empty entry',
    'groups:\n  - svcId: a\n    members:\n      -\n      - b',
    'SVC1107 4:7 An entry of `members` is empty',
  ],
  ['an empty section', 'users:', 'warning SVC1107 1:1 `users` is empty'],
  [
    'no variable of the environment',
    'users: [{ svcId: a, name: "x ${env:NO}" }]',
    'SVC1201 1:30 The environment variable `NO` is not set',
  ],
  [
    'no file',
    'users: [{ svcId: a, name: "${file:no.txt}" }]',
    'SVC1202 1:28 The file `no.txt` cannot be read: there is no such file',
  ],
  [
    'a file outside',
    'users: [{ svcId: a, name: "${file:../../etc/hostname}" }]',
    'SVC1202 1:28 The file `../../etc/hostname` is outside the project',
  ],
  ['no variable', 'users: [{ svcId: a, name: "${var:no}" }]', 'SVC1203 1:28 The target has no variable `no`'],
  ['a reference of no kind', 'users: [{ svcId: a, name: "${no}" }]', 'SVC1204 1:28 The reference is of no known kind'],
  [
    'a reference that is open',
    'users: [{ svcId: a, name: "${env:NO" }]',
    'SVC1204 1:28 The reference is not closed: a `}` is missing',
  ],
  [
    'an identity from the environment',
    'users: [{ svcId: "${env:NO}" }]',
    'SVC1204 1:19 `svcId` cannot come from the environment',
  ],
  [
    'a member from a file',
    'groups: [{ svcId: a, members: ["${file:x}"] }]',
    'SVC1204 1:33 An entry of `members` cannot come from a file',
  ],
  [
    'no deletion',
    'constants: [{ name: a, absent: true }]',
    'SVC1304 1:24 The Svc platform offers no deletion of global constants',
  ],
  [
    'a rule of the kind',
    'connections: [{ name: a, type: SQL, rest: {} }]',
    'SVC1305 1:37 A connection of type SQL takes no `rest`',
  ],
]

describe('problems of manifests', () => {
  it.each(cases)('%s', (_, yaml, ...expected) => {
    expect(brief(load(yaml).problems)).toEqual(expected)
  })

  it('come all together, in order of file and place, whatever else is wrong', () => {
    const { problems, declarations } = load({
      'b.yaml': 'users: [{ nmae: a }]\n---\ngroups: 5',
      'a.yaml': 'users: [',
      'c.yml': 'users:\n  - { svcId: c, name: [] }\n  - { svcId: d }',
    })
    expect(problems.map(({ code, place }) => `${place?.file} ${code}`)).toEqual([
      'a.yaml SVC1003',
      'b.yaml SVC1103',
      'b.yaml SVC1101',
      'b.yaml SVC1102',
      'c.yml SVC1102',
    ])
    expect(declarations.map(({ item }) => item.svcId)).toEqual(['c', 'd'])
  })

  it('suggest what was meant, or say where a key belongs', () => {
    const hints = (yaml: string) => load(yaml).problems.map(({ hint }) => hint)
    expect(hints('usres: []')).toEqual(['Did you mean `users`?'])
    expect(hints('connections: [{ name: a, type: Sql }]')[0]).toMatch(/^Did you mean `SQL`\? Allowed: `SQL`, /)
    expect(hints('applications: [{ application: a, formTypes: [] }]')).toEqual([
      '`formTypes` belongs to an item of `processes.workflows`; check the indentation.',
    ])
    expect(hints('users:\n  - svcId: a\nowners: []')).toEqual([
      '`owners` belongs to an item of `groups`; check the indentation.',
    ])
    expect(load('users: [{ svcId: a, name: "${var:serevr}" }]', { variables: { server: 'x' } }).problems[0]?.hint).toBe(
      'Did you mean `server`?',
    )
  })

  it('name the first place of a key that stands twice', () => {
    const [problem] = load('users:\n  - svcId: a\n    svcId: b').problems
    expect(problem?.related).toEqual([{ message: 'stands here first', place: { file: 'm.yaml', line: 2, column: 5 } }])
  })

  it('are said once where an anchored value is used several times', () => {
    const yaml = 'groups:\n  - &g { svcId: a, nmae: A }\n  - *g\n  - *g'
    expect(brief(load(yaml).problems)).toEqual(['SVC1101 2:20 `nmae` is not a key of an item in `groups`'])
  })
})
