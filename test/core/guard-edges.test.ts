// Guards at their edges: who is the last of a list, whom a refusal names, and which refusals are new to a saved plan.
import { describe, expect, it } from 'vitest'
import { Aftermath } from '../../src/core/access/aftermath.ts'
import type { Change } from '../../src/core/compare/change.ts'
import { actingApplicationGuard } from '../../src/core/guards/acting-application.ts'
import { administratorGainedGuard } from '../../src/core/guards/administrator-gained.ts'
import { emptiedGroupGuard } from '../../src/core/guards/emptied-group.ts'
import { enoughLicencesGuard } from '../../src/core/guards/enough-licences.ts'
import { isPolicyGuard, type Promotion, type Verdict } from '../../src/core/guards/guard.ts'
import { guards } from '../../src/core/guards/guards.ts'
import { lastAdministratorGuard } from '../../src/core/guards/last-administrator.ts'
import { lastOwnerGuard } from '../../src/core/guards/last-owner.ts'
import { olderCommitGuard } from '../../src/core/guards/older-commit.ts'
import { promotedGuard } from '../../src/core/guards/promoted.ts'
import { protectedGuard } from '../../src/core/guards/protected.ts'
import { rejudge } from '../../src/core/guards/rejudge.ts'
import { unreadGuard } from '../../src/core/guards/unread.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const changeOf = (kind: Kind, more: object): Change =>
  ({ address: `${kind.name}/x`, action: 'update', fields: [], unverifiable: [], collections: [], ...more }) as never
const liveOf = (kind: Kind, collections: object) => ({ kind, name: 'x', key: 'x', collections })

it('three guards count, and are allowed by a number', () => {
  expect(guards.flatMap(({ name, counts }) => (counts ? name : [])).sort()).toEqual([
    'deletions',
    'enough-licences',
    'removals',
  ])
})

describe('the last of a list', () => {
  const anna = { svcId: 'anna' }
  const sections = group.sections[0]
  /** Takes anna, who is alone in the list. `items`: as files say it. */
  const taken = (collection: string, items: readonly object[], mode = 'exclusive', more: object = {}) => {
    const declarations = items.map((item) => ({ section: sections, item }))
    const desired = {
      kind: group,
      key: 'x',
      collections: { [collection]: { mode, elements: new Map() } },
      declarations,
    }
    const differences = [{ collection, added: [], removed: [anna] }]
    return changeOf(group, {
      live: liveOf(group, { [collection]: [anna] }),
      desired,
      collections: differences,
      ...more,
    })
  }
  const found = (change: Change) =>
    [lastOwnerGuard, emptiedGroupGuard].flatMap(({ name, find }) =>
      find({ changes: [change], aftermath: new Aftermath([change]) }).map(({ sentence }) => `${name}: ${sentence}`),
    )
  const would = (list: string, why = `no manifest declares \`${list}: []\``) =>
    `${list === 'owners' ? 'last-owner' : 'emptied-group'}: ` +
    `\`group/x\` would lose the only one of its ${list}, but ${why}.`

  it.each(['owners', 'members'])('goes where one of the files declares that there are no %s', (list) => {
    expect(found(taken(list, [{}, { [list]: [] }]))).toEqual([])
    expect(found(taken(list, [{ [list]: null }, {}]))).toEqual([])
    expect(found(taken(list, [{}, { [list]: ['jan'] }]))).toEqual([would(list)])
    expect(found(taken(list, [{ [list]: [] }], 'additive'))).toEqual([would(list, 'the list is additive')])
    expect(found(changeOf(group, { ...taken(list, []), desired: undefined }))).toEqual([would(list)])
  })

  it('goes with the group, and is nobody where the group is not there yet', () => {
    expect(found(taken('owners', [], 'exclusive', { action: 'delete' }))).toEqual([])
    expect(found(taken('owners', [], 'exclusive', { action: 'create', live: undefined }))).toEqual([])
  })
})

it.each([
  ['other levels alone', ['Start'], undefined, 0],
  ['this level', ['Start', 'Administrator'], undefined, 1],
  ['all levels', 'all', undefined, 1],
  ['none', undefined, undefined, 0],
  ['none, and the platform tells one', undefined, 'Administrator', 1],
] as const)('untold levels are of nobody else where manifests list %s', (_what, parts, level, count) => {
  const [anna, jan] = ['anna', 'jan'].map((svcId) => ({ svcId }))
  const eva = { svcId: 'eva', level }
  const desired = parts && { kind: process, key: 'x', collections: { privileges: { parts, elements: new Map() } } }
  const privileges = [anna, jan, ...(level ? [eva] : [])]
  const differences = [{ collection: 'privileges', added: [], removed: [anna, eva] }]
  const change = changeOf(process, { live: liveOf(process, { privileges }), desired, collections: differences })
  const findings = lastAdministratorGuard.find({ changes: [change], aftermath: new Aftermath([change]) })
  expect(findings).toHaveLength(count)
})

it('no Administrator is missed where the process goes with them, is not there yet, or is a group', () => {
  const privileges = [{ svcId: 'anna', level: 'Administrator' }]
  const live = liveOf(process, { privileges })
  const goes = changeOf(process, { action: 'delete', live })
  const comes = changeOf(process, { action: 'create', desired: { kind: process, key: 'x', collections: {} } })
  const other = changeOf(group, { live: liveOf(group, { owners: [{ svcId: 'anna' }] }) })
  const changes = [goes, comes, other]
  expect(lastAdministratorGuard.find({ changes, aftermath: new Aftermath(changes) })).toEqual([])
})

it('six without a licence are five and one more', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const changes = names.map((name) => {
    const collections = [{ collection: 'licenses', added: [{ element: { item: 'User' } }], removed: [] }]
    const desired = { kind: license, key: name, collections: {} }
    return changeOf(license, { address: `license/${name}`, desired, collections })
  })
  const supplies = new Map([['User', { total: 0, assigned: 0 }]])
  const stock = { kind: license, collection: 'licenses', supplies, deletedHolders: new Map() }
  expect(enoughLicencesGuard.find({ changes, stocks: [stock] })[0]?.sentence).toMatch(/license\/e`?,? and 1 more\.$/)
})

it('who may become Administrator of one, and would of another, would', () => {
  const entry = (name: string, may?: string) =>
    ({ subject: 'anna', level: 'Administrator', address: `process/${name}`, company: null, via: [], may }) as never
  const said = (...mays: (string | undefined)[]) => {
    const administratorsGained = mays.map((may, index) => entry(String(index), may))
    return administratorGainedGuard.find({ changes: [], administratorsGained })[0]?.sentence.split(' ')[1]
  }
  expect([said('gain', 'gain'), said('gain', undefined), said(undefined)]).toEqual(['may', 'would', 'would'])
})

it('an unread Administrator is only told where somebody comes into a group', () => {
  const administratorsGained = [{ subject: null, level: 'Administrator', address: 'process/x' }] as never
  const allowed = (change: Change) =>
    administratorGainedGuard.find({ changes: [change], administratorsGained }).map(({ allow }) => allow)
  const added = [{ collection: 'members', added: [{ element: { svcId: 'anna' } }], removed: [] }]
  const live = { live: liveOf(group, {}) }
  expect(allowed(changeOf(process, { live: liveOf(process, {}) }))).toEqual([])
  expect(allowed(changeOf(group, live))).toEqual([])
  expect(allowed(changeOf(group, { ...live, collections: added }))).toEqual(['unknown'])
})

it('a policy is told from a guard of the same name by where its name begins', () => {
  expect(['policy/removals', 'removals', 'removals/policy/'].map(isPolicyGuard)).toEqual([true, false, false])
})

it('a commit is allowed by its name where nobody can tell if it is promoted, and no commit as `none`', () => {
  const promotion = { from: 'test', applied: undefined, state: 'unknown', why: 'it has no ledger' } as const
  const found = ['0123456789', null].map((planned) => promotedGuard.find({ promotion: { ...promotion, planned } })[0])
  expect(found.map((each) => each?.allow)).toEqual(['0123456789', 'none'])
  for (const each of found)
    expect(each?.sentence).toBe('svcsync cannot tell the applied commit of `test`: it has no ledger.')
})

it('commits that are not promoted are named by seven letters', () => {
  const promotion: Promotion = { from: 'test', planned: '0123456789', applied: 'abcdefghij', state: 'other' }
  expect(promotedGuard.find({ promotion })[0]?.sentence).toBe(
    '`0123456` is not the applied commit of `test`, which is `abcdefg`. Apply `0123456` there first.',
  )
})

it('a refusal that nothing allows is new to a saved plan by its sentence', () => {
  const refused = (sentence: string): Verdict =>
    ({ guard: 'unread', verdict: 'refused', sentence, numbers: {}, addresses: [] }) as never
  expect(rejudge([refused('A.')], [refused('A.'), refused('B.')], []).map(({ sentence }) => sentence)).toEqual([
    'A.',
    'B. The saved plan does not contain this.',
  ])
})

describe('through groups', () => {
  const groupOf = (name: string, lists: Readonly<Record<string, readonly object[]>>, removed?: string) => {
    const collections =
      removed === undefined ? [] : [{ collection: removed, added: [], removed: [lists[removed]?.[0]] }]
    const live = { ...liveOf(group, lists), name, key: name }
    return changeOf(group, { address: `group/${name}`, action: removed ? 'update' : 'none', live, collections })
  }
  const robots = groupOf('robots', { members: [{ svcId: 'robot' }] })
  const lost = (change: Change) => {
    const changes = [robots, change]
    const facts = { changes, aftermath: new Aftermath(changes), acting: { svcId: 'robot' } as never }
    return actingApplicationGuard.find(facts).map(({ allow }) => allow)
  }

  it('the account that svcsync writes as leaves members with its group, and owners by itself', () => {
    expect(lost(groupOf('all', { members: [{ svcId: 'robots' }] }, 'members'))).toEqual(['group/all'])
    const members = [{ svcId: 'robot' }]
    const owners = [{ svcId: 'robot' }, { svcId: 'jan' }]
    expect(lost(groupOf('core', { members, owners }, 'owners'))).toEqual(['group/core'])
  })
})

it('a star in the name of what is protected takes slashes in', () => {
  const change = changeOf(group, { address: 'group/a/b', action: 'delete', live: liveOf(group, {}) })
  const facts = { changes: [change], aftermath: new Aftermath([change]), protect: ['group/*b'] }
  expect(protectedGuard.find(facts)).toHaveLength(1)
})

it('what is not on the line of a plan without a commit is on that of no history that it knows', () => {
  const said = (planned: string | null, isKnown: boolean) => {
    const strays = [{ commit: 'abcdefghij', isKnown }]
    const history = { applied: undefined, planned, follows: 'yes' as const, strays }
    return olderCommitGuard.find({ history })[0]?.sentence
  }
  expect(said(null, true)).toMatch(/is not on the line of history, as after .*`git merge -s ours abcdefg` puts/)
  expect(said('0123456789', false)).toMatch(/cannot tell if it is on the line of history that leads to `0123456`:/)
})

it.each([
  ['unknown declarations', undefined, true],
  ['a group', { kind: group }, true],
  ['a substitution', { kind: substitution, key: 'x', spec: { person: 'anna' } }, true],
  ['a user, whose manager there may be another one', { kind: user, key: 'x', spec: {} }, true],
  ['a constant', { kind: constant, key: 'x', spec: {} }, false],
  ['its own licences', { kind: license, key: 'anna' }, true],
  ['the licences of another', { kind: license, key: 'jan' }, false],
] as const)('an account is not deleted while %s of what was not read may name it', (_what, object, refused) => {
  const change = changeOf(group, { action: 'delete', live: { ...liveOf(group, {}), key: 'anna' } })
  const unreadable = [{ address: 'license/x', object: object as never }]
  const found = unreadGuard.find({ changes: [change], unreadable, leftOut: { declarations: 0 } })
  expect(found.map(({ addresses }) => addresses)).toEqual(refused ? [['license/x']] : [])
})
