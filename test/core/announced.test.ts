// Entries that will begin or end: which of them a plan tells of, what is new of them, and what stays although it was to
// end.
import { expect, it } from 'vitest'
import type { Change } from '../../src/core/compare/change.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import {
  findAnnouncements,
  findDroppedEnds,
  isNear,
  isNewAnnouncement,
} from '../../src/core/plan/find-announcements.ts'
import type { UpcomingDocument } from '../../src/core/plan/plan-document.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const place = { file: 'a.yaml', line: 1, column: 1 }
const [first, second] = ['2026-12-01T00:00:00.000Z', '2026-12-02T00:00:00.000Z']
const upcoming = (event: 'begins' | 'ends', svcId: string, at = first, more: object = {}) => {
  return { event, svcId, at, shown: at.slice(0, 10), place, ...more }
}
const keyed = (svcId: string, more: object = {}) => keyedElement({ svcId, ...more } as { svcId: string }, String)
const list = (svcIds: readonly (string | object)[], soon: readonly object[] = [], mode = 'exclusive') => {
  const elements = svcIds.map((each) => (typeof each === 'string' ? keyed(each) : (each as ReturnType<typeof keyed>)))
  const listed = elements.map(
    (element, at) => [String(at), { element, declaration: declarations[0], path: [] }] as const,
  )
  return { mode, upcoming: soon, elements: new Map(listed) }
}
const declarations = [{ source: { placeAt: () => place }, item: {} }]

function changeOf(kind: Kind, name: string, desired: object, members: readonly string[] = []): Change {
  const base = {
    kind,
    address: `${kind.name}/${name}`,
    key: name,
    at: { name },
    spec: {},
    declarations,
    collections: {},
  }
  const live = { ...base, collections: { members: members.map((each) => keyed(each)) } }
  return { address: base.address, desired: { ...base, ...desired }, live } as unknown as Change
}

it('a plan announces what begins and ends, the next first, and no joining of a list that leaves others alone', () => {
  const soon = [upcoming('begins', 'anna', second), upcoming('ends', 'jan', first), upcoming('begins', 'eva', first)]
  const told = (...changes: Change[]) =>
    findAnnouncements({ changes }).map(({ event, svcId, address, collection, at }) =>
      [event, svcId, address, collection, at.slice(8, 10)].join(' '),
    )
  const listed = (mode: string, more: object = {}) =>
    changeOf(group, 'g', { collections: { members: list([], soon, mode) }, ...more }, ['anna', 'jan'])
  expect(told(listed('exclusive'))).toEqual([
    ...['ends jan group/g members 01', 'begins eva group/g members 01', 'begins anna group/g members 02'],
  ])
  expect(told(listed('additive'))).toEqual(['ends jan group/g members 01', 'begins eva group/g members 01'])
  expect(told({ ...listed('additive'), live: undefined })).toHaveLength(3)
  expect(told(listed('additive', { absent: true }), { ...listed('additive'), desired: undefined })).toEqual([])
  const end = { svcId: 'anna', at: first, shown: 'soon', place, isOver: false }
  const account = (kind: Kind, more: object) => changeOf(kind, 'anna', { end: { ...end, ...more } })
  expect(told(listed('additive'), account(user, {}))).toEqual([
    ...['ends jan group/g members 01', 'begins eva group/g members 01', 'ends anna user/anna account 01'],
  ])
  expect(told(account(user, { isOver: true }), account(license, {}))).toEqual([])
  const [lists] = findAnnouncements({ changes: [account(user, {})] })
  expect(lists).toMatchObject({ shown: 'soon', place })
})

it('what is near is so up to the last moment of two weeks', () => {
  const twoWeeks = 14 * 86_400_000
  const near = (ms: number): boolean => isNear({ at: first }, Date.parse(first) - ms)
  expect([near(twoWeeks), near(twoWeeks + 1), near(0)]).toEqual([true, false, true])
})

it('an entry is news where the base has no such beginning, or another end', () => {
  const entry = (more: object = {}): UpcomingDocument =>
    ({ ...upcoming('ends', 'anna'), address: 'group/g', collection: 'members', ...more }) as UpcomingDocument
  const before = (soon: readonly object[] | undefined, end?: object) => {
    const collections = soon && { members: list([], soon) }
    const change = changeOf(group, 'g', { since: { base: { collections: collections ?? {}, end } } })
    return new Map([['group/g', change]])
  }
  expect(isNewAnnouncement(entry(), before([upcoming('ends', 'anna')]))).toBe(false)
  expect(isNewAnnouncement(entry(), before([upcoming('ends', 'anna', second)]))).toBe(true)
  expect(isNewAnnouncement(entry(), before([upcoming('ends', 'anna', second), upcoming('ends', 'anna')]))).toBe(false)
  // An end of what had none is a difference of the list itself.
  expect([
    isNewAnnouncement(entry(), before([])),
    isNewAnnouncement(entry({ event: 'begins' }), before(undefined)),
  ]).toEqual([false, true])
  expect(isNewAnnouncement(entry({ event: 'begins' }), before([upcoming('ends', 'anna')]))).toBe(true)
  for (const other of [
    { svcId: 'jan' },
    { level: 'Start' },
    { item: 'x' },
    { company: { guid: 'p' } },
    { about: { guid: 'p' } },
  ])
    expect([isNewAnnouncement(entry(), before([upcoming('ends', 'anna', second, other)])), other]).toEqual([
      false,
      other,
    ])
  const account = (at: string) => isNewAnnouncement(entry({ collection: 'account' }), before([], { at }))
  expect([account(first), account(second), isNewAnnouncement(entry({ collection: 'account' }), before([]))]).toEqual([
    ...[false, true, false],
  ])
  expect(isNewAnnouncement(entry({ event: 'begins' }), new Map())).toBe(true)
})

it('an entry that was to end, and stays, is told once: of the account, or of the list', () => {
  const messages = (...changes: Change[]) =>
    findDroppedEnds(changes).map(({ message, address }) => `${address}: ${message}`)
  const was = (ends: readonly object[], now: object | undefined, more: object = {}, kind: Kind = group) =>
    changeOf(kind, 'g', {
      collections: now ? { members: now } : {},
      since: { base: { collections: { members: list([], ends) } } },
      ...more,
    })
  const end = [upcoming('begins', 'jan'), upcoming('ends', 'anna')]
  const stays = 'group/g: `anna` stays in members now, although its time ended with 2026-12-01'
  expect(messages(was(end, list(['anna', 'jan'])))).toEqual([stays])
  expect(messages(was([upcoming('ends', 'anna', first, { shown: undefined })], list(['anna'])))).toEqual([
    stays.replace('2026-12-01', first),
  ])
  expect(messages(was(end, list(['anna'], [upcoming('begins', 'jan'), upcoming('ends', 'anna', second)])))).toEqual([])
  expect(messages(was(end, list(['anna'], [upcoming('ends', 'jan', second)])))).toEqual([stays])
  expect([messages(was([upcoming('begins', 'anna')], list(['anna']))), messages(was(end, undefined))]).toEqual([[], []])
  const level = keyed('anna', { level: 'Start', company: null })
  expect(messages(was([upcoming('ends', 'anna', first, { level: 'Start' })], list([level]), {}, process))).toEqual([
    'process/g: `anna` stays in Start now, although its time ended with 2026-12-01',
  ])
  const licence = { item: 'Standard', about: { guid: 'p', name: 'p', dbId: 1 } }
  const ofLicence = upcoming('ends', 'g', first, licence)
  expect(messages(was([ofLicence], list([licence]), {}, license))).toEqual([
    'license/g: `g` stays with Standard now, although its time ended with 2026-12-01',
  ])
  const account = (name: string, more: object = {}, kind: Kind = user) =>
    changeOf(kind, name, { since: { base: { collections: {}, end: { shown: '2026-12-01' } } }, ...more })
  const anna = 'user/anna: The account `anna` stays now, although its time ended with 2026-12-01'
  expect(messages(account('anna'), was(end, list(['anna'])))).toEqual([anna])
  expect(messages(account('g'), was([ofLicence], list([licence]), {}, license))).toEqual([anna.replaceAll('anna', 'g')])
  expect(
    messages(account('anna', { absent: true }), account('anna', { end: {} }), account('anna', {}, license)),
  ).toEqual([])
  expect(findDroppedEnds([account('anna')])[0]).toMatchObject({ code: 'SVC2195', severity: 'warning', place })
  expect(findDroppedEnds([was(end, list(['anna']))])[0]).toMatchObject({ code: 'SVC2195', place })
})
