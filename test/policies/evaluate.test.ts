// Policies deny each broken object once, and no other.
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { liveOf } from '../../src/core/model/live.ts'
import { deletionChange } from '../../src/core/plan/prune.ts'
import { kinds } from '../../src/kinds/index.ts'
import { checkChanges, checkDesired } from '../../src/policies/index.ts'
import { isThorough } from '../harness/thorough.ts'
import { contextOf, desiredOf, judged, policiesOf, policyOf, shortly } from './policy-fixture.ts'

const group = (fields: string): string => `groups:\n  - svcId: g@example.com\n    name: G\n${fields}`
const codes = (expression: string, manifest: string, more = {}): string[] =>
  judged(policyOf(expression, ['group'], more), manifest).map(({ code, severity }) => `${severity} ${code}`)

const everything = `database: main
users: [{ svcId: a@example.com, name: A }, { svcId: b@example.com, absent: true }]
groups: [{ svcId: g@example.com, name: G, members: [a@example.com] }]
memberships: [{ group: everyone@example.com, members: [a@example.com] }]
constants: [{ name: Url, common: x, test: null, groupId: 4 }]
connections: [{ name: Erp, type: SQL, sql: { common: { server: s } } }]
applications: [{ application: Buying, privileges: { Administrator: [g@example.com] } }]
processes:
  - process: Invoices
    constants: [{ name: Limit, common: 10 }]
    workflows: [{ workflow: Main, formTypes: [{ formType: Invoice, privileges: { ReadOnly: [a@example.com] } }] }]
`

describe('a policy', () => {
  it('sees of licences which they are, what they are limited to, and their settings', () => {
    const manifest = `database: main
licenses:
  - svcId: a@example.com
    licenses:
      - { type: SingleSolutionUser, processes: [Invoices] }
      - { type: DesignerDeskUser, allowProjectCreation: true }
`
    const denies = (expression: string): number => judged(policyOf(expression, ['license']), manifest).length
    expect(denies('object.licenses.all(l, l.item != "SingleSolutionUser")')).toBe(1)
    expect(denies('object.licenses.all(l, l.item != "PowerUser")')).toBe(0)
    expect(denies('!object.licenses.exists(l, l.?about.orValue("") == "Invoices")')).toBe(1)
    expect(denies('!object.licenses.exists(l, has(l.settings) && l.settings.allowProjectCreation)')).toBe(1)
  })

  it('sees of elements who is to have which level on them', () => {
    const manifest = `database: main
elements: [{ element: 7, privileges: { Administrator: [a@example.com], ReadOnly: [b@example.com] } }]
`
    const denies = (expression: string): number => judged(policyOf(expression, ['element']), manifest).length
    expect(denies('!object.privileges.exists(p, p.level == "Administrator")')).toBe(1)
    expect(denies('object.element == "7" && whole && size(object.privileges) == 2')).toBe(0)
  })

  it('that is false denies each object of its kinds once, where it is declared', () => {
    const desired = desiredOf(everything).filter(({ absent }) => !absent)
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...kinds.map(({ name }) => name)), { minLength: 1 }), (forKinds) => {
        const problems = judged(policyOf('false', forKinds), everything)
        const wanted = desired.filter(({ kind }) => forKinds.includes(kind.name)).map(({ address }) => address)
        expect(problems.map(({ address }) => address)).toEqual(wanted)
        for (const { severity, place } of problems)
          expect({ severity, file: place?.file }).toEqual({ severity: 'error', file: 'm.yaml' })
      }),
      { numRuns: 40 },
    )
    expect(
      judged(
        policyOf(
          'true',
          kinds.map(({ name }) => name),
        ),
        everything,
      ),
    ).toEqual([])
  })

  it('is said with its message, its reason and its place', () => {
    const loaded = policyOf('size(object.owners) >= 2', ['group'], {
      description: 'People are ill.',
      messageExpression: 'object.name + " has " + string(size(object.owners))',
    })
    const [problem] = judged(loaded, group('    owners: [a@example.com]\n'))
    expect(problem).toEqual({
      code: 'SVC1801',
      severity: 'error',
      message: 'G has 1 (policy `it`)',
      address: 'group/g@example.com',
      hint: 'People are ill.',
      place: { file: 'm.yaml', line: 2, column: 5 },
      related: [{ message: 'the policy', place: { file: 'p.yaml', line: 1, column: 22 } }],
    })
  })

  it('looks at nothing that `when` leaves out, and warns where it is told to', () => {
    const manifest = group('    owners: []\n')
    expect(codes('false', manifest, { when: 'has(object.members)' })).toEqual([])
    expect(codes('false', manifest, { when: 'has(object.owners)' })).toEqual(['error SVC1801'])
    expect(codes('false', manifest, { level: 'warn' })).toEqual(['warning SVC1802'])
  })

  it('that cannot be evaluated counts as one that does not hold, and says where', () => {
    const manifest = group('')
    expect(codes('object.email != ""', manifest)).toEqual(['error SVC1804'])
    expect(codes('true', manifest, { when: 'object.email != ""' })).toEqual(['error SVC1804'])
    expect(codes('object.email != ""', manifest, { level: 'warn' })).toEqual(['warning SVC1804'])
    expect(codes('object.email', group('    email: e@example.com\n'))).toEqual(['error SVC1804'])
    const [problem] = judged(policyOf('true && object.email != ""'), manifest)
    expect(problem?.message).toBe('The policy `it` could not be evaluated: there is no field `email`')
    expect(problem?.related?.[0]?.place).toEqual({ file: 'p.yaml', line: 1, column: 72 })
  })

  it('says of a pattern that it cannot be used, also where it comes out of the object', () => {
    const manifest = 'groups: [{ svcId: "[", name: G }]\n'
    const [problem] = judged(policyOf('object.name.matches(object.svcId)'), manifest)
    expect(problem?.message).toContain('could not be evaluated: a pattern cannot be used: missing closing ]')
  })

  it('says its plain message where the expression for it gives none', () => {
    for (const messageExpression of ['object.email', '"  "', 'object.email.split("x")[7]']) {
      const [problem] = judged(policyOf('false', ['group'], { messageExpression }), group('    email: null\n'))
      expect(problem?.message).toBe('it does not hold (policy `it`)')
    }
  })

  it('finds nobody by chance: the objects stand under their own names alone', () => {
    for (const field of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length']) {
      const found = policyOf(`object.members.exists(m, dyn(m)["${field}"] == "")`)
      expect(judged(found, group('    members: [a@example.com]\n')).map(({ code }) => code)).toEqual(['SVC1804'])
    }
  })
})

describe('what expressions see', () => {
  const sees = (expression: string, manifest: string, kind = 'group'): void =>
    expect(shortly(judged(policyOf(expression, [kind]), manifest))).toEqual([])

  it('is the object as it is declared, with sets and accounts', () => {
    const manifest = `sets: { staff: [a@example.com, dir@example.com] }
users: [{ svcId: A@example.com, name: A }]
groups: [{ svcId: g@example.com, name: G, members: [{ set: staff }, h@example.com] }, { svcId: h@example.com, name: H, email: null }]
`
    const members = '[["a@example.com", "user"], ["dir@example.com", "undeclared"], ["h@example.com", "group"]]'
    sees(`object.name != "G" || object.members.map(m, [m.svcId, m.account]) == ${members}`, manifest)
    sees('object.name != "H" || object.email == null && !has(object.members)', manifest)
    sees('address == "group/" + object.svcId && kind == "group" && !partial', manifest)
    sees('target.name == "prod" && target.baseUrl.startsWith("https://") && today == "2026-11-20"', manifest)
  })

  it('knows parts of objects, numbers, and what is nested', () => {
    sees('kind != "group" || object.svcId != "everyone@example.com" || partial', everything)
    sees('object.groupId + 1 == 5 && object.test == null && !has(object.prod)', everything, 'constant')
    sees('object.sql.common.server == "s" && object.type == "SQL"', everything, 'connection')
    sees(
      'dyn(object.privileges) == [{"svcId": "g@example.com", "account": "group", "level": "Administrator"}]',
      everything,
      'application',
    )
    sees('object.formType == "Invoice" && object.privileges[0].level == "ReadOnly"', everything, 'form-type')
    sees('object.process == "Invoices"', everything, 'process')
    sees('object.name == "Limit" && object.common == "10"', everything, 'process-constant')
  })

  it('has the name of what prune deletes, and all that was read of it', () => {
    const kind = kinds.find(({ name }) => name === 'group') as Kind
    const part = {
      name: 'old@example.com',
      self: 'old@example.com',
      spec: { name: 'Old', email: null },
      collections: { members: [{ svcId: 'a@example.com' }], owners: [] },
      ready: true,
    }
    const place = { kind, address: 'group/old@example.com', at: { self: 'old@example.com' } }
    const live = liveOf(part, place, normaliserOf('ignore-case'))
    const expression = [
      'action == "delete" && object.svcId == "old@example.com" && before.svcId == object.svcId && before.name == "Old"',
      'before.email == null && size(before.members) == 1 && before.owners == [] && !has(after.svcId) && !partial',
      'removed.map(e, e.collection + e.svcId) == ["membersa@example.com"] && added == [] && changed == []',
    ].join(' && ')
    const { policies, problems } = policyOf(expression, ['group'], { on: 'change' })
    expect(problems).toEqual([])
    const { verdicts } = checkChanges(policies, [deletionChange(live, { prunedBy: '*' })], contextOf([]))
    expect(verdicts).toMatchObject([{ guard: 'policy/it', verdict: 'passed' }])
  })

  it('holds no secret, in no message', () => {
    const secret = 'h8-geheim'
    const desired = desiredOf(
      `database: main
constants: [{ name: Url, common: "x-\${env:S}", prod: "\${env:S}" }]
connections: [{ name: Erp, type: SQL, sql: { common: { server: "\${env:S}", user: "\${env:S}", password: "\${env:S}" } } }]
`,
      { S: secret },
    )
    const { policies } = policiesOf(`policies:
  - { name: a, for: [constant], expression: "false", message: m, messageExpression: object.common + object.prod }
  - { name: b, for: [connection], expression: "false", message: m, messageExpression: object.sql.common.password + object.sql.common.server }
  - { name: c, for: [constant], expression: 'int(object.prod) == 1', message: m }
  - { name: d, for: [connection], expression: 'dyn(object.sql.common.user).foo == object', message: m }
  - { name: e, for: [connection], expression: 'object.sql.common.password.startsWith("h8")', message: m }
`)
    const problems = checkDesired(policies, desired, contextOf(desired))
    expect(problems).toHaveLength(5)
    expect(inspect(problems, { depth: 20, showHidden: true })).not.toContain(secret)
    expect(problems.map(({ message }) => message)).toContain('x-${env:S}${env:S} (policy `a`)')
  })
})

const long = group(`    members: [${Array.from({ length: 400 }, (_, index) => `m${index}@example.com`).join(', ')}]\n`)

describe('hostile expressions', () => {
  it('of any text are refused or evaluated: nothing is thrown', () => {
    const part = fc.constantFrom(
      ...[
        'object',
        'object.name',
        'object.members',
        'm',
        '"a"',
        '1',
        '-1',
        '1.5',
        'null',
        'true',
        '[',
        ']',
        '{',
        '}',
        '(',
        ')',
      ],
      ...[
        '.',
        ',',
        ':',
        '?',
        '&&',
        '||',
        '!',
        '==',
        '<',
        '+',
        '/',
        '%',
        'in',
        '.all(m,',
        '.map(m,',
        '.matches(',
        'has(',
        'size(',
      ],
      ...[
        'dyn(',
        'int(',
        'string(',
        'timestamp(',
        'bytes(',
        'type(',
        'optional.of(',
        '.?',
        '[?',
        '.split("")',
        '"\\u12"',
        "b'",
        '//',
      ],
    )
    const text = fc.oneof(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join(' ')),
      fc.string({ unit: 'binary', maxLength: 20 }),
    )
    const manifest = group('    members: [a@example.com]\n')
    fc.assert(
      fc.property(text, fc.constantFrom('group', 'user', 'connection'), (expression, kind) => {
        const loaded = policyOf(expression === '' ? 'x' : expression, [kind])
        if (loaded.problems.length > 0) expect(loaded.policies).toEqual([])
        else expect(judged(loaded, manifest).length).toBeLessThan(2)
      }),
      { numRuns: isThorough ? 3000 : 250 },
    )
  })
})

describe('hostile expressions', () => {
  it.each([
    ['nested brackets', `${'('.repeat(1900)}true${')'.repeat(1900)}`],
    ['a row of negations', `${'!'.repeat(3990)}true`],
    ['very many operands', Array(900).fill('true').join(' && ')],
    ['nested conditions', `${'true?'.repeat(700)}true${':true'.repeat(60)}`],
    ['a long list', `size([${'1,'.repeat(1900)}1]) > 0`],
    ['more text than anybody can read', `"${'x'.repeat(5000)}" != ""`],
    ['a pattern that grows without end', 'object.name.matches("((((a{100}){100}){100}){100})")'],
  ])('%s end in a problem or a result, at once', (_what, expression) => {
    const loaded = policyOf(expression)
    if (loaded.problems.length === 0) expect(judged(loaded, group('')).length).toBeLessThan(2)
    else expect(loaded.problems.map(({ code }) => code)).toEqual([expression.length > 4000 ? 'SVC1105' : 'SVC1803'])
  })

  it.each([
    'object.name.matches(P)',
    'object.members.all(m, !object.name.matches(P))',
    'object.members.exists(m, object.name.matches(P))',
    'object.members.exists_one(m, object.name.matches(P))',
    'object.members.filter(m, object.name.matches(P)) == []',
    'object.members.map(m, object.name.matches(P)) != []',
    'object.members.map(m, object.name.matches(P), 1) == []',
    'object.?name.orValue("").matches(P)',
    'cel.bind(x, object.name, x.matches(P))',
    '[object.name].all(n, [n].all(k, !k.matches(P))) ? object.name.matches(P) : true',
    'object.name.matches(object.name == "" ? "a" : P)',
    'dyn(object.name).matches(P)',
  ])('a pattern that makes others backtrack for ever does not: %s', (expression) => {
    const name = `${'a'.repeat(5000)}!`
    const loaded = policyOf(expression.replaceAll('P', '"^(a+)+$"'))
    const manifest = `groups: [{ svcId: g@example.com, name: ${name}, members: [m@example.com] }]\n`
    expect(judged(loaded, manifest).filter(({ code }) => code !== 'SVC1801')).toEqual([])
  })

  it('loops that multiply are stopped, and count as a denial', () => {
    const loops = 'object.members.all(a, object.members.all(b, object.members.all(c, object.members.all(d, true))))'
    const problems = judged(policyOf(loops), long, { limitMs: 60 })
    expect(shortly(problems)).toEqual([
      'm.yaml:2:5 SVC1804 The policy `it` could not be evaluated: ' +
        'the 0.06 s are over that all policies have together, and it was not done',
    ])
    // The next policy is evaluated as if nothing had been.
    expect(judged(policyOf('size(object.members) == 400'), long)).toEqual([])
  })

  it('all of them have one limit of time together: what was not asked counts as a denial, too', () => {
    const loops = 'object.members.all(a, object.members.all(b, object.members.all(c, object.members.all(d, true))))'
    const names = Array.from({ length: 20 }, (_, index) => `slow-${index}`)
    const policy = (name: string) => ({ name, for: ['group'], expression: loops, message: 'no' })
    const problems = judged(policiesOf(JSON.stringify({ policies: names.map(policy) })), long, { limitMs: 60 })
    expect(
      problems.filter(({ message }) => message.includes('`slow-0`') && message.endsWith('it was not done')),
    ).toHaveLength(1)
    expect(problems.filter(({ message }) => message.endsWith('it was not asked'))).toHaveLength(19)
    // Policies of other kinds have nothing to judge.
    const others = policiesOf(
      JSON.stringify({ policies: [policy('slow'), { ...policy('other'), for: ['user'], expression: 'false' }] }),
    )
    expect(judged(others, long, { limitMs: 60 })).toHaveLength(1)
  })
})

describe('hostile expressions', () => {
  it('texts and lists that double do not fill the memory', () => {
    const doubled = Array.from({ length: 26 }, (_, index) => `cel.bind(v${index + 1}, v${index} + v${index}, `)
    const expression = `cel.bind(v0, object.name + "0123456789", ${doubled.join('')}v26.contains("zz")${')'.repeat(27)}`
    expect(judged(policyOf(expression), group(''), { limitMs: 2000 }).map(({ code }) => code)).toEqual(['SVC1804'])
  })

  it.each([
    ['lists that double', `${doublings(26, '[1, 2, 3]')}size(v26) > 0${')'.repeat(27)}`],
    ['texts that double', `${doublings(26, 'object.name')}size(v26) > 0${')'.repeat(27)}`],
    ['lists of lists', `size(${listOfLists(9)}) > 0`],
    ['lists of long lists', 'size(object.members.map(a, object.members.map(b, object.members.map(c, 1)))) > 0'],
    ['lists in a condition', `object.members.exists(a, size(${listOfLists(9)}) == 1)`],
  ])('%s are stopped before they fill the memory', (_, expression) => {
    const before = process.memoryUsage().heapUsed
    expect(shortly(judged(policyOf(expression), long))).toEqual([
      'm.yaml:2:5 SVC1804 The policy `it` could not be evaluated: it is too large',
    ])
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(1_500_000_000)
  })

  it('what is counted means what it meant', () => {
    const holds = [
      'object.members.map(m, m.svcId + "!").join(",") == "a@x!,b@x!"',
      '[1, 2].map(x, [3].map(y, [x, y].map(z, z > 1))) == [[[false, true]], [[true, true]]]',
      '[1, 2, 3].map(x, x > 1, x * 2 + 1).map(y, [y] + [0]) == [[5, 0], [7, 0]]',
      '"a-b".split("-").map(x, has(object.name) ? x : "") == ["a", "b"]',
      '[true, false].map(x, x && true || false) == [true, false]',
      'object.?email.orValue("none" + "!") == "none!"',
    ]
    const manifest = group('    members: [a@x, b@x]\n')
    for (const expression of holds) expect(judged(policyOf(expression), manifest), expression).toEqual([])
  })
})

function doublings(count: number, first: string): string {
  const each = Array.from({ length: count }, (_, index) => `cel.bind(v${index + 1}, v${index} + v${index}, `)
  return `cel.bind(v0, ${first}, ${each.join('')}`
}

function listOfLists(depth: number): string {
  let text = '1'
  for (let level = 0; level < depth; level++) text = `[0,1,2,3,4,5,6,7,8,9].map(x${level}, ${text})`
  return text
}
