// Undeclared access, compared with a second implementation that knows nothing of plans: live access less declared
// access.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accessDriftOf, documentAccessDrift } from '../../src/core/access/access-drift.ts'
import { declaredSide } from '../../src/core/access/declared-side.ts'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import { outsideOf } from '../../src/core/access/outside.ts'
import type { Change } from '../../src/core/compare/change.ts'
import type { AccessException } from '../../src/core/model/exception.ts'
import { accessChanges, type Holding, type Side } from '../harness/access-sides.ts'

const users = ['u0', 'u1', 'u2']
const groups = ['g0', 'g1', 'g2', 'g3', 'hidden']
const place = { file: 'exceptions.yaml', line: 1, column: 1 }
const placeOf = () => place
const normalise = (svcId: string): string => svcId.toLowerCase()

/** Everybody's access, by walking upwards from each account. */
function reachOf({ groups, holdings }: Side): Set<string> {
  const reached = new Set<string>()
  for (const user of users) {
    const selves = new Set([user])
    for (const self of selves) {
      for (const [group, members] of Object.entries(groups)) if (members?.includes(self)) selves.add(group)
    }
    for (const { svcId, address, level, company } of holdings) {
      if (selves.has(svcId)) reached.add(`${user} ${level} ${address} ${company}`)
    }
  }
  return reached
}

const said = ({ subject, level, address, company }: AccessEntry): string => `${subject} ${level} ${address} ${company}`

const holding: fc.Arbitrary<Holding> = fc.record({
  svcId: fc.constantFrom(...users, ...groups),
  address: fc.constantFrom('process/main/A/P', 'process/main/A/Q'),
  level: fc.constantFrom('Start', 'Modify'),
  company: fc.constantFrom(null, 'PL01'),
})
const side = fc.record({
  holdings: fc.uniqueArray(holding, { maxLength: 4, selector: (each) => JSON.stringify(each) }),
  members: fc.tuple(...groups.map(() => fc.uniqueArray(fc.constantFrom(...users, ...groups), { maxLength: 3 }))),
})

/** A plan that leaves everything alone: no list is managed, and of one group and one object no manifest speaks. */
function leftAlone(changes: readonly Change[]): Change[] {
  return changes.map((change) => {
    const isHidden = /hidden|\/Q$/.test(change.address)
    return { ...change, action: 'none', collections: [], desired: isHidden ? undefined : change.desired }
  })
}

it('is found whatever the plan leaves alone, each once, and no more where it is accepted, until that is over', () => {
  fc.assert(
    fc.property(side, side, (byHand, wanted) => {
      const groupsOf = ({ members }: typeof wanted, of: readonly string[]) =>
        Object.fromEntries(groups.map((group, index) => [group, of.includes(group) ? (members[index] ?? []) : []]))
      const speaksOf = ({ address }: Holding) => address.endsWith('/P')
      const known = groups.filter((group) => group !== 'hidden')
      const declared: Side = { users, groups: groupsOf(wanted, known), holdings: wanted.holdings.filter(speaksOf) }
      const also = groupsOf(byHand, groups)
      const isNew = (each: Holding): boolean =>
        !declared.holdings.some((other) => JSON.stringify(other) === JSON.stringify(each))
      const live: Side = {
        users,
        groups: Object.fromEntries(
          groups.map((group) => [group, [...new Set([...(declared.groups[group] ?? []), ...(also[group] ?? [])])]]),
        ),
        holdings: [...declared.holdings, ...byHand.holdings.filter(isNew)],
      }
      const changes = leftAlone(accessChanges(live, declared))
      const settings = { exceptions: [], hasBase: false, nowMs: 0, normalise, isWithin: () => true }
      const { access } = accessDriftOf(changes, settings)
      const may = reachOf(declared)
      const expected = [...reachOf(live)].filter((each) => !may.has(each) && !may.has(each.replace(/PL01$/, 'null')))
      expect(access.lost.map(said).sort()).toEqual(expected.sort())
      expect(access.unknown).toEqual([])

      const exceptions = access.lost.map(({ subject, level, address, company }): AccessException => {
        const what = { person: String(subject).toUpperCase(), level: String(level), object: address }
        const when = { until: '1970-01-02', untilMs: 1000, reason: 'Known' }
        return { ...what, ...when, company: company ?? undefined, place, offset: 0, placeOf: () => place }
      })
      const idle = { ...exceptions[0], person: 'nobody' } as AccessException
      const now = accessDriftOf(changes, { ...settings, exceptions: [...exceptions, idle], nowMs: 999 })
      expect([now.access.lost, now.judged.accepted.length, now.judged.idle]).toEqual([[], expected.length, [idle]])
      const later = accessDriftOf(changes, { ...settings, exceptions, nowMs: 1000 })
      expect(later.access.lost).toEqual(access.lost)
      expect(later.judged.expired.map(({ entry }) => entry)).toEqual(access.lost)
    }),
    { numRuns: 60 },
  )
})

it('says where the platform does not tell all of what is held, and of no exception that nobody can do it', () => {
  const address = 'process/main/A/P'
  const of = (company: string | null | undefined): Side => {
    return { users, groups: {}, holdings: [{ svcId: 'u0', address, level: 'Start', company }] }
  }
  const [declared] = accessChanges(of('PL01'), of('PL01')).filter((change) => change.address === address)
  const [live] = accessChanges(of(undefined), of(undefined)).filter((change) => change.address === address)
  const change = { ...declared, live: live?.live } as Change
  const exception = {
    person: 'u1',
    level: 'Start',
    object: address,
    until: '2100-01-01',
    untilMs: 9e12,
    reason: 'Known',
  }
  const idle: AccessException = { ...exception, company: undefined, place, offset: 0, placeOf: () => place }
  const settings = { exceptions: [idle], hasBase: false, nowMs: 0, normalise, isWithin: () => true }
  const found = accessDriftOf([change], settings)
  expect([found.untold, accessDriftOf([change], { ...settings, isWithin: () => false }).untold]).toEqual([
    [address],
    [],
  ])
  const { access, accessDrift } = documentAccessDrift({
    ...{ ...found, unread: [], requests: 0, looked: [] },
    outside: outsideOf(undefined, [], () => true),
  })
  expect(access.unknown).toMatchObject([{ subject: null, address }])
  expect([found.judged.idle.length, accessDrift.idle]).toEqual([1, []])
})

it('is quiet about what was accepted of somebody whom a group that nobody knows may have let in', () => {
  const address = 'process/main/A/P'
  const held = (svcId: string): Holding => ({ svcId, address, level: 'Start', company: null })
  const declared: Side = { users, groups: {}, holdings: [held('unread')] }
  const changes = leftAlone(accessChanges({ ...declared, holdings: [held('unread'), held('u0')] }, declared))
  const settings = { exceptions: [], hasBase: false, nowMs: 0, normalise, isWithin: () => true }
  const { access } = accessDriftOf(changes, settings)
  expect([access.lost, access.unknown.map(said)]).toEqual([[], [`u0 Start ${address} null`]])
  const what = { person: 'u0', level: 'Start', object: address, company: undefined }
  const exception: AccessException = {
    ...what,
    until: '2100-01-01',
    untilMs: 9e12,
    reason: 'Known',
    place,
    offset: 0,
    placeOf: () => place,
  }
  const now = accessDriftOf(changes, { ...settings, exceptions: [exception] })
  expect([now.access.unknown, now.judged.accepted.length, now.judged.idle]).toEqual([[], 1, []])
  const late = accessDriftOf(changes, { ...settings, exceptions: [exception], nowMs: 9e12 })
  const outside = outsideOf(undefined, [], () => true)
  const { accessDrift } = documentAccessDrift({ ...late, unread: [], requests: 0, looked: [], outside })
  const document = { ...what, company: null, until: '2100-01-01', reason: 'Known', place }
  expect([accessDrift.expired, accessDrift.idle, accessDrift.mayBeGroups]).toEqual([[document], [], ['unread']])
})

it('tells what is missing where nothing is pending, of accounts that may be groups, and only within the target', () => {
  const [address, other] = ['process/main/A/P', 'process/main/A/Q']
  const held = (svcId: string, level: string, at = address): Holding => ({ svcId, address: at, level, company: null })
  const side = (...holdings: Holding[]): Side => ({ users, groups: {}, holdings })
  const byHand = [held('by hand', 'Modify'), held('u1', 'Start', other)]
  const changes = leftAlone(accessChanges(side(...byHand), side(held('wanted', 'Start'))))
  const asked: number[] = []
  const settings = { exceptions: [], hasBase: false, nowMs: 0, normalise, isWithin: () => true }
  const open = accessDriftOf(changes, { ...settings, checkRoom: (made) => void asked.push(made) })
  expect([open.access.gained.map(said), open.access.lost.map(said), open.access.unknown]).toEqual([
    [`wanted Start ${address} null`],
    [`by hand Modify ${address} null`, `u1 Start ${other} null`],
    [],
  ])
  expect(asked).toEqual([0, 0, 1])
  const here = accessDriftOf(changes, { ...settings, hasBase: true, isWithin: (each) => each === address })
  expect([here.access.gained, here.access.lost.map(said)]).toEqual([[], [`by hand Modify ${address} null`]])
  const { access, accessDrift } = documentAccessDrift({
    ...{ ...open, unread: [], requests: 0, looked: ['group'], unlooked: 'people' },
    outside: outsideOf(undefined, [], () => true),
  })
  expect([access.looked, access.unlooked, accessDrift.undeclared]).toEqual([['group'], 'people', 2])
  expect(accessDrift.mayBeGroups).toEqual(['by hand'])
})

it('tells exceptions that are over with their business entity, and those of what nobody can do', () => {
  const address = 'process/main/A/P'
  const held = (company: string | null): Holding => ({ svcId: 'u0', address, level: 'Start', company })
  const side = (...holdings: Holding[]): Side => ({ users, groups: {}, holdings })
  const changes = leftAlone(accessChanges(side(held('PL01'), held('DE01')), side()))
  const exception = (person: string, company?: string): AccessException => ({
    ...{ person, level: 'Start', object: address, company, place, offset: 0, placeOf: () => place },
    ...{ until: '1970-01-02', untilMs: 1000, reason: 'Known' },
  })
  const exceptions = [exception('u0', 'PL01'), exception('u1')]
  const found = accessDriftOf(changes, { exceptions, hasBase: false, nowMs: 1000, normalise, isWithin: () => true })
  const outside = outsideOf(undefined, [], () => true)
  const { access, accessDrift } = documentAccessDrift({ ...found, unread: [], requests: 0, looked: [], outside })
  const told = ({ person, company }: { readonly person: string; readonly company: string | null }) => [person, company]
  expect([accessDrift.expired.map(told), accessDrift.idle.map(told)]).toEqual([[['u0', 'PL01']], [['u1', null]]])
  expect('unlooked' in access).toBe(false)
})

it('holds as many findings of each rank as are listed, all with an exception, and counts the others', () => {
  const address = 'process/main/A/P'
  const held = (svcId: string, level: string): Holding => ({ svcId, address, level, company: null })
  const all = ['f', 'e', 'd', 'c', 'b', 'a', 'z'].flatMap((svcId) => [held(svcId, 'Start'), held(svcId, 'Modify')])
  const side = (...holdings: Holding[]): Side => ({ users, groups: {}, holdings })
  const changes = leftAlone(accessChanges(side(...all), side()))
  const exception = (person: string, untilMs: number): AccessException => ({
    ...{ person, level: 'Start', object: address, company: undefined, place, offset: 0, placeOf: () => place },
    ...{ until: '1970-01-02', untilMs, reason: 'Known' },
  })
  const exceptions = [exception('e', 9e12), exception('z', 1000)]
  const settings = { exceptions, hasBase: false, nowMs: 1000, normalise, isWithin: () => true }
  const [whole, part] = [accessDriftOf(changes, settings), accessDriftOf(changes, { ...settings, first: 2 })]
  expect(part.access.lost.filter(({ level }) => level === 'Start').map(({ subject }) => subject)).toEqual([
    'a',
    'b',
    'z',
  ])
  expect(part.access.lost.length + part.unlisted.lost).toBe(whole.access.lost.length)
  expect([part.judged.accepted, part.judged.expired]).toEqual([whole.judged.accepted, whole.judged.expired])
  expect(whole.unlisted).toMatchObject({ lost: 0, unknown: 0 })
  const said = (found: typeof whole) =>
    documentAccessDrift({
      ...{ ...found, unread: [], requests: 0, looked: [] },
      outside: outsideOf(undefined, [], () => true),
    }).accessDrift
  expect(said(part)).toEqual(said(whole))
  const nowhere = accessDriftOf(changes, { ...settings, first: 2, isWithin: () => false })
  expect([nowhere.access.lost, nowhere.unlisted.lost]).toEqual([[], 0])
})

it('judges each of very many accepted findings a few times only', () => {
  const holdings = Array.from({ length: 600 }, (_, index): Holding => {
    return { svcId: `u${index}`, address: 'process/main/A/P', level: 'Start', company: null }
  })
  const side = (held: readonly Holding[]): Side => ({
    ...{ users: holdings.map(({ svcId }) => svcId), groups: {}, holdings: held },
  })
  const exceptions = holdings.slice(0, 300).map(({ svcId, address }): AccessException => {
    const when = { until: '2100-01-01', untilMs: 9e12, reason: 'Known' }
    return { person: svcId, level: 'Start', object: address, ...when, company: undefined, place, offset: 0, placeOf }
  })
  let judged = 0
  const counted = (svcId: string): string => {
    judged++
    return normalise(svcId)
  }
  const settings = { exceptions, hasBase: false, nowMs: 0, normalise: counted, isWithin: () => true, first: 2 }
  const { access, unlisted } = accessDriftOf(leftAlone(accessChanges(side(holdings), side([]))), settings)
  expect(access.lost.length + unlisted.lost).toBe(300)
  expect(judged).toBeLessThan(20 * holdings.length)
})

it('lists the first of very many, and counts the others', () => {
  const entry = (subject: string, more: Partial<AccessEntry> = {}): AccessEntry => ({
    ...{ subject, level: 'Start', address: 'process/main/A/P', company: null, via: [], kind: 'privilege' },
    ...more,
  })
  const many = (count: number, more?: Partial<AccessEntry>) =>
    Array.from({ length: count }, (_, index) => entry(`u${index}`, more))
  const settings = { exceptions: [], hasBase: false, nowMs: 0, normalise, isWithin: () => true }
  const document = (lost: number, unknown: readonly AccessEntry[], unread: number) => {
    const found = accessDriftOf([], settings)
    return documentAccessDrift({
      ...{ ...found, access: { ...found.access, lost: many(lost), unknown }, requests: 3, looked: [] },
      unread: Array.from({ length: unread }, (_, index) => ({ address: `process/main/A/${index}`, reason: 'x' })),
      outside: outsideOf(undefined, [], () => true),
    })
  }
  const over = document(1003, [...many(1001, { may: 'lose' }), ...many(7, { may: 'gain' })], 2)
  expect([over.access.lost.length, over.access.unknown.length]).toEqual([1000, 1002])
  expect(over.access.more).toMatchObject({ lost: 3, unknown: 1 })
  expect(over.access.unknown.slice(-2).map(({ subject, address }) => [subject, address])).toEqual([
    [null, 'process/main/A/0'],
    [null, 'process/main/A/1'],
  ])
  expect(document(2, [], 0).access).toMatchObject({ more: { lost: 0, unknown: 0 }, unknown: [] })
  expect(document(0, [], 1002).access.unknown).toHaveLength(1000)
})

it('counts what is declared now, or was at the base, or then alone', () => {
  const address = 'process/main/A/P'
  const held = (...svcIds: string[]): Side => ({
    ...{ users, groups: {} },
    holdings: svcIds.map((svcId) => ({ svcId, address, level: 'Start', company: null })),
  })
  const changeOf = (svcIds: readonly string[]) =>
    accessChanges(held(...svcIds), held(...svcIds)).find((each) => each.address === address) as Change
  const live = changeOf(['u0', 'u1', 'u2'])
  const [now, then] = [['u0'], ['u1']].map((svcIds) => changeOf(svcIds).desired)
  const base = { ...then, absent: false }
  const since = { base, standing: 'declared' }
  const desired = { ...now, since } as unknown as Change['desired']
  const gone = {
    ...live,
    action: 'delete',
    desired: { ...desired, absent: true, collections: {} },
  } as unknown as Change
  const unmanaged = { ...live, desired: undefined, retired: desired } as unknown as Change
  const taken = (change: Change, of: Parameters<typeof declaredSide>[1]) => {
    const [result] = declaredSide([change], of).changes
    const removed = result?.collections.flatMap((each) => each.removed.map(({ svcId }) => svcId))
    return `${result?.action} ${removed}`
  }
  const all = ['declared', 'declared-or-base', 'base'] as const
  expect(all.map((of) => taken({ ...live, desired }, of))).toEqual(['update u1,u2', 'update u2', 'update u0,u2'])
  // What is deleted holds nothing, but what the base said of it.
  expect(all.map((of) => taken(gone, of))).toEqual(['delete ', 'update u0,u2', 'update u0,u2'])
  expect(all.map((of) => taken(unmanaged, of))).toEqual(['update u0,u1,u2', 'update u0,u2', 'update u0,u2'])
  const asDeclared = { ...changeOf(['u0']), desired }
  expect(all.map((of) => taken(asDeclared, of))).toEqual(['none ', 'update ', 'update u0'])
  expect(taken({ ...live, live: undefined, action: 'create', desired } as Change, 'declared')).toBe('create ')
  const leaves = { ...gone, desired: { ...gone.desired, since: { base: { ...base, absent: true } } } } as Change
  expect(taken(leaves, 'declared-or-base')).toBe('delete ')
  // What is not there any more was there by the base, with what it listed then.
  const lists = (of: object | undefined) => {
    const [result] = declaredSide([{ ...live, live: undefined, desired: of } as Change], 'base').changes
    return `${result?.action} ${[...(result?.desired?.collections.privileges?.elements.keys() ?? [])]}`
  }
  expect([desired, { ...now, since: { base: { ...base, absent: true } } }, now].map(lists)).toEqual([
    ...['create u1 Start ', 'create ', 'create '],
  ])
  // Nobody compares a list that could not be read.
  const unread = { ...asDeclared, live: { ...asDeclared.live, collections: {} } } as Change
  expect(taken(unread, 'declared')).toBe('none ')
})

it('takes a substitution for declared where now says so, or the base', () => {
  const standIn = { of: 'u0', by: 'u1', until: '2100-01-01', places: [], company: null }
  const side: Side = { users, groups: {}, holdings: [], standIns: [standIn] }
  const change = accessChanges(side, side).find((each) => each.address.startsWith('substitution/')) as Change
  const base = change.desired
  const of = (more: object) => ({ ...change, desired: { ...base, ...more } }) as unknown as Change
  const action = (one: Change) =>
    (['declared', 'declared-or-base', 'base'] as const).map((each) => declaredSide([one], each).changes[0]?.action)
  expect(action(of({}))).toEqual(['none', 'none', 'delete'])
  expect(action(of({ since: { base } }))).toEqual(['none', 'none', 'create'])
  expect(action(of({ absent: true, since: { base } }))).toEqual(['delete', 'none', 'create'])
  expect(action(of({ since: { base, standing: 'gone' } }))).toEqual(['delete', 'none', 'create'])
  expect(action({ ...change, desired: undefined })).toEqual(['delete', 'delete', 'delete'])
  expect(action({ ...of({ absent: true }), live: undefined })).toEqual(['none', 'none', 'none'])
})
