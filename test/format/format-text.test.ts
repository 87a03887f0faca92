// The canonical layout, case by case.
import { expect, it } from 'vitest'
import { format, refusalOf } from './format-fixture.ts'

/** Name, text before, text after; without the third: it stays. */
const cases: readonly (readonly [string, string, string?])[] = [
  ['nothing', ''],
  ['blank lines alone', '\n  \n', ''],
  ['comments alone', '# a\n\n\n# b', '# a\n\n# b\n'],
  ['an empty document', '---\n'],
  [
    'sections and fields in order',
    `# yaml-language-server: $schema=x
processes:
- workflows: []
  privileges: { Start: [a], Modify: [b] }
  constants: []
  application: A
  process: P
users:
- name: A
  svcId: a
database: main
`,
    `# yaml-language-server: $schema=x
database: main

users:
  - svcId: a
    name: A

processes:
  - process: P
    application: A
    constants: []
    privileges: { Modify: [b], Start: [a] }
    workflows: []
`,
  ],
  [
    'comments with what they are about',
    `# about the file

# about groups
groups: # behind groups
# about b
- # behind the dash of b
  # about the name
  name: B   # behind the name
  # about the id
  svcId: b
  # at the end of b
# about c
- svcId: c
# about users
users:
- svcId: a # behind a
  # at the end of a

  # further at the end of a
# at the end
`,
    `# about the file

# about users
users:
  - svcId: a # behind a
    # at the end of a

    # further at the end of a

# about groups
groups: # behind groups
  # about b
  - # behind the dash of b
    # about the id
    svcId: b
    # about the name
    name: B # behind the name
    # at the end of b
  # about c
  - svcId: c
# at the end
`,
  ],
  [
    'brackets while they fit',
    `groups:
  - svcId: g
    members: [  a,b,
      c ]
    owners: [anna.nowak@example.com, jan.kos@example.com, maria.wolska@example.com, "p.z@example.com"]
    manage: {owners: additive,members: exclusive}
`,
    `groups:
  - svcId: g
    members: [a, b, c]
    owners:
      - anna.nowak@example.com
      - jan.kos@example.com
      - maria.wolska@example.com
      - "p.z@example.com"
    manage: { members: exclusive, owners: additive }
`,
  ],
  [
    'brackets with comments',
    `groups:
  - svcId: g
    members: [ # who
      # first
      a, # behind a
      b # behind b
      # last
      ] # behind all
    owners: [
      # nobody
      ]
`,
    `groups:
  - svcId: g
    members: # behind all
      # who
      # first
      - a # behind a
      - b # behind b
      # last
    # nobody
    owners: []
`,
  ],
  [
    'scalars as they are written',
    `constants:
   - name:   'A'
     common: 0755
     dev: ~
     test:
     prod: "a\\tb"
   - name: >-
         folded
         text
     description: over
        several

        lines   # behind
     common: |2+
        x

       y

   - name: "in \\
       quotes"
     common: |

       first

       last


     groupId:
       4 # four
`,
    `constants:
  - name: 'A'
    common: 0755
    dev: ~
    test:
    prod: "a\\tb"
  - name: >-
      folded
      text
    description: over
      several

      lines # behind
    common: |2+
       x

      y

  - name: "in \\
      quotes"

    groupId: 4 # four
    common: |

      first

      last
`,
  ],
  [
    'blank lines as people set them, one at most',
    `users:


  - svcId: a

    name: A


  - svcId: b
  - svcId: c


groups: []
`,
    `users:
  - svcId: a

    name: A

  - svcId: b
  - svcId: c

groups: []
`,
  ],
  [
    'documents',
    `%YAML 1.2
---   # one
database: a
users: []

---

# two
groups: []
...
# three
---
constants: []
`,
    `%YAML 1.2
--- # one
database: a

users: []
---
# two
groups: []
...
# three
---
constants: []
`,
  ],
  [
    'anchors, aliases, merges and tags',
    `groups:
  - owners: *none
    svcId: &id !!str g
    members: &none []
  - &base
    name: B
    svcId: b
  - svcId: c
    <<:   *base
    members: !!seq
    - *id
`.replace('owners: *none', 'owners: []'),
    `groups:
  - svcId: &id !!str g
    members: &none []
    owners: []
  - &base
    svcId: b
    name: B
  - <<: *base
    svcId: c
    members: !!seq
      - *id
`,
  ],
  [
    'an alias never before its anchor',
    `groups:
  - owners: &people [a]
    svcId: g
    members: *people
`,
  ],
  [
    'unknown keys last, in their order',
    'users:\n  - zeta: 1\n    name: A\n    alpha: 2\n    svcId: a\n',
    'users:\n  - svcId: a\n    name: A\n    zeta: 1\n    alpha: 2\n',
  ],
  [
    'JSON that is too long for a line',
    '{"users": [{"name": "Anna Nowak", "svcId": ' +
      '"anna.nowak@example.com"}], "groups": [{"svcId": "finance@example.com"}]}',
    '"users": [{ "svcId": "anna.nowak@example.com", "name": "Anna Nowak" }]\n\n' +
      '"groups": [{ "svcId": "finance@example.com" }]\n',
  ],
  ['CRLF', 'users:\r\n- name: |\r\n   A\r\n  svcId: a\r\n', 'users:\r\n  - svcId: a\r\n    name: |\r\n      A\r\n'],
  ['empty brackets below a comment', '# a\n\n[ ] # b\n# c', '# a\n\n# b\n[]\n# c\n'],
  ['empty braces below a blank line', '\n{\n}', '{}\n'],
  ['spaces that end the first line of a text', 'name: "a\\ \n b"\n', 'name: "a\\ \n  b"\n'],
  ['a space without a break at the end of a value', 'name: a\u00a0\n'],
  ['blank lines below an empty text', '- |-\n\n\n- - >-\n\n  - b\n', '- |-\n\n- - >-\n\n  - b\n'],
  ['a blank line below a comment behind a dash', '-\n  # a\n\n  # b\n  - c\n', '- # a\n  # b\n  - c\n'],
  [
    'comments on both sides of an empty value in brackets',
    'a: { b: # c\n  &d , # e\n  f: g }\n',
    'a:\n  b: &d # c\n  # e\n  f: g\n',
  ],
  ['comments between key and value, in their order', 'a: # b\n  # c\n  d # e\n', '# b\n# c\na: d # e\n'],
  ['a byte order mark', '\ufeffusers:\n- svcId: a\n', '\ufeffusers:\n  - svcId: a\n'],
]

it.each(cases.map(([name, before, after = before]) => ({ name, before, after })))('$name', ({ before, after }) => {
  expect(format(before)).toBe(after)
  expect(format(after)).toBe(after)
})

it.each([
  ['users:\n  - ? svcId\n    : a\n', 'question mark'],
  ['--- &a\nusers: []\n', 'whole document'],
  ['users: []\rgroups: []\r', 'line breaks'],
  ['just text\n', 'single value'],
  ['users: [a: b]\n', 'pair in a list'],
  ['users: "', 'not YAML'],
  ['\ufeff\ufeffusers: []\n', 'byte order mark behind its start'],
  ['users: []\n---\n\ufeffgroups:   []\n', 'byte order mark behind its start'],
])('refuses %j', (text, reason) => {
  expect(refusalOf(text)).toContain(reason)
})
