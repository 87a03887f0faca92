// Each of the policies that people copy: a manifest that it lets pass, and one that it does not.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Change, changeOf } from '../../src/core/compare/change.ts'
import { kinds } from '../../src/kinds/index.ts'
import { checkDesired, judgeChanges, loadPolicies, type PolicyContext } from '../../src/policies/index.ts'
import { contextOf, desiredOf } from './policy-fixture.ts'

const folder = resolve('examples/policies')
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
const { policies, problems } = loadPolicies({
  files: files.map((name) => resolve(folder, name)),
  kinds,
  projectDir: folder,
  displayBase: folder,
})

interface Case {
  readonly passes: string
  readonly fails: string
  /** What is said of the second. */
  readonly says: string
  readonly context?: Partial<PolicyContext>
}

const people = 'users: [{ svcId: anna@example.com, name: Anna, managerSvcId: jan@example.com }]\n'
const process = (privileges: string): string =>
  `database: main\nprocesses: [{ process: Invoices, privileges: ${privileges} }]\n`
const group = (fields: string): string => `groups: [{ svcId: clerks@example.com, name: Clerks, ${fields} }]\n`
const sql = (common: string): string =>
  `database: main\nconnections: [{ name: Erp, type: SQL, sql: { common: { server: s${common} } } }]\n`
const rest = (common: string): string =>
  `database: main\nconnections: [{ name: Api, type: REST, rest: { common: { baseUrl: "https://a"${common} } } }]\n`

const cases: Readonly<Record<string, Case>> = {
  'no-personal-administrators': {
    passes: `${people}${group('members: []')}${process('{ Administrator: [clerks@example.com], Modify: [anna@example.com] }')}`,
    fails: `${people}${process('{ Administrator: [Anna@example.com] }')}`,
    says: 'Anna@example.com has Administrator directly: give it to a group',
  },
  'two-owners': {
    passes: `${group('owners: [a@example.com, b@example.com]')}  # not a word of owners\nmemberships: [{ group: x@example.com, members: [] }]\n`,
    fails: group('owners: [a@example.com]'),
    says: 'A group has at least two owners, and this one has 1',
  },
  'no-empty-groups': {
    passes: group('members: [a@example.com]'),
    fails: group('members: []'),
    says: 'The group has no members',
  },
  'guests-administer-nothing': {
    passes: process('{ Administrator: [clerks@example.com], Start: [eva@guests.example.com] }'),
    fails: process('{ Administrator: [clerks@example.com, eva@guests.example.com] }'),
    says: 'An account from outside may administer',
  },
  'everybody-has-a-manager': {
    passes: people,
    fails: 'users: [{ svcId: anna@example.com, name: Anna }]\n',
    says: 'The user has no manager',
  },
  'group-identifiers': {
    passes: `${group('members: []')}memberships: [{ group: THEIRS, members: [] }]\n`,
    fails: 'groups: [{ svcId: AP_Clerks@example.com, name: Clerks }]\n',
    says: 'The svcId of a group is like `ap-clerks@example.com`',
  },
  'constant-names': {
    passes: 'database: main\nconstants: [{ name: ErpUrl, common: x }]\n',
    fails: 'database: main\nprocesses: [{ process: Invoices, constants: [{ name: max_days, common: 3 }] }]\n',
    says: 'The name of a constant is like `ErpUrl`',
  },
  'no-sql-login-in-prod': {
    passes: sql('').replace('common:', 'prod: null, common:'),
    fails: sql(', user: sa'),
    says: 'A SQL connection logs in with a name and a password',
  },
  'certificates-are-checked': {
    passes: rest(', skipHttpsCertificateValidation: false'),
    fails: rest(', skipHttpsCertificateValidation: true'),
    says: 'The connection does not check the certificate of the service',
  },
  'no-changes-at-year-end': {
    passes: '',
    fails: people,
    says: '`user/anna@example.com`: Nothing is changed in production from 18 December to the end of the year. Access and connections stay as they are while the books are closed.',
    context: { today: '2026-12-18' },
  },
}

/** The policies called `name`, asked about a manifest: as it is declared, and as something that is all to be created. */
function said(name: string, manifest: string, more: Partial<PolicyContext> = {}): readonly string[] {
  const desired = desiredOf(manifest)
  const chosen = policies.filter((policy) => policy.name === name)
  const context = contextOf(desired, more)
  const changes: Change[] = desired.map((object) => changeOf(object, undefined))
  const refused = judgeChanges(chosen, changes, context).verdicts.filter(({ verdict }) => verdict === 'refused')
  return [
    ...checkDesired(chosen, desired, context).map(({ message }) => message),
    ...refused.map(({ sentence }) => sentence),
  ]
}

describe('the policies in examples/policies', () => {
  it('are in order, and ten', () => {
    expect(problems).toEqual([])
    expect(policies.map(({ name }) => name).sort()).toEqual(Object.keys(cases).sort())
    expect(policies).toHaveLength(10)
  })

  it.each(Object.entries(cases))('%s', (name, { passes, fails, says, context }) => {
    expect(said(name, passes, context)).toEqual([])
    expect(said(name, fails, context)).toEqual([says.endsWith('.') ? says : `${says} (policy \`${name}\`)`])
  })

  it('have the form that editors are told', () => {
    const check = new Ajv({ allErrors: true, strict: false }).compile(
      JSON.parse(readFileSync('schemas/policies.schema.json', 'utf8')) as object,
    )
    for (const name of files) {
      const text = readFileSync(resolve(folder, name), 'utf8')
      expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../../schemas/policies.schema.json')
      expect({ name, valid: check(parse(text)), errors: check.errors }).toEqual({ name, valid: true, errors: null })
    }
    const policy = { name: 'a', for: ['group'], expression: 'true', message: 'm' }
    expect(check({ policies: [policy] })).toBe(true)
    for (const wrong of [
      { level: 'error' },
      { for: ['grup'] },
      { for: [] },
      { on: 'plan' },
      { expresion: '' },
      { name: '' },
    ]) {
      expect({ wrong, valid: check({ policies: [{ ...policy, ...wrong }] }) }).toEqual({ wrong, valid: false })
    }
  })

  it('leave other targets and other days alone where they say so', () => {
    const target = { name: 'test', baseUrl: 'https://test.example.com' }
    expect(said('no-sql-login-in-prod', sql(', user: sa'), { target })).toEqual([])
    expect(said('no-changes-at-year-end', people, { target, today: '2026-12-18' })).toEqual([])
    for (const today of ['2026-12-17', '2027-01-01'])
      expect(said('no-changes-at-year-end', people, { today })).toEqual([])
    expect(said('no-changes-at-year-end', people, { today: '2026-12-31' })).toHaveLength(1)
  })
})
