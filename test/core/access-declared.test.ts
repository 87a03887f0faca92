// Which lines of manifests give somebody what they can do, against a plain reading of all lists.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { type Time, times } from '../../src/core/access/aftermath.ts'
import { type DeclaredLine, declaredPlaces } from '../../src/core/access/declared-places.ts'
import { type AccessEntry, describeAccess, unlimited } from '../../src/core/access/describe-access.ts'
import { listAccess } from '../../src/core/access/list-access.ts'
import { declaredEntries, standingEntries } from '../../src/core/access/standing-entries.ts'
import type { Change } from '../../src/core/compare/change.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'
import { keptOf, side } from '../harness/random-sides.ts'

const lower = (svcId: string): string => svcId.toLowerCase()
const placeOf = (file: string) => ({ file, line: 1, column: 1 })
const from = (file: string) => ({ ms: file.length, shown: file })

/** Each entry that is declared gets a line that names it; those of `u0` count since a date of their own. */
function placed(change: Change): Change {
  const { desired, address } = change
  if (desired === undefined) return change
  const collections = Object.entries(desired.collections).map(([name, collection]) => {
    const elements = [...collection.elements].map(([key, each]) => {
      const { svcId, level, company } = each.element
      const listedAt = placeOf([address, svcId, level, company?.name].join(' '))
      return [key, { ...each, listedAt, declaration: declarationAt(address), path: [] }] as const
    })
    const begun = elements.flatMap(([key, { listedAt }]) =>
      key.startsWith('u0') ? [[key, from(listedAt.file)] as const] : [],
    )
    return [name, { ...collection, elements: new Map(elements), begun: new Map(begun) }]
  })
  const declarations = [declarationAt(address)] as const
  return { ...change, desired: { ...desired, declarations, collections: Object.fromEntries(collections) } } as Change
}

const declarationAt = (address: string) => ({ item: {}, source: { placeAt: () => placeOf(address) } }) as never

/** The lines of a way, each with its own date. Undeclared ones are missing. */
function linesOf({ subject, via, substitutions = [], ...entry }: AccessEntry, { groups, holdings, standIns }: Side) {
  const way = [String(subject), ...via]
  return way.flatMap((account, index): string[] => {
    const said = (file: string): string => `${file}${account === 'u0' ? ` since ${file}` : ''}`
    const next = way[index + 1]
    const substitution = substitutions.find(({ person }) => person === next)
    const stands = standIns?.some(({ of, by }) => substitution?.address === `substitution/${of}→${by}`)
    if (substitution !== undefined && stands) return [`${substitution.address} since 2026-01-01`]
    if (next !== undefined) return groups[next]?.includes(account) ? [said(`group/${next} ${account}  `)] : []
    const own = holdings.filter((each) => each.svcId === account && each.address === entry.address)
    const alike = own.filter(({ level }) => level === (entry.level ?? undefined))
    const found =
      alike.findLast(({ company }) => (company ?? null) === entry.company) ?? alike.findLast(({ company }) => !company)
    return found === undefined ? [] : [said([entry.address, account, found.level ?? '', found.company ?? ''].join(' '))]
  })
}

const upper = (entry: AccessEntry): AccessEntry => ({
  ...entry,
  subject: String(entry.subject).toUpperCase(),
  via: entry.via.map((each) => each.toUpperCase()),
})

/** Two states at random, and what our model of them tells. */
const modelOf = (before: Side, other: Side) => {
  const after = keptOf(before, other)
  const changes = accessChanges(before, after).map(placed)
  const graph = accessGraphOf(changes)
  return { after, changes, graph, placesOf: declaredPlaces(changes, lower) }
}

it('are those of each step, from the account to the level, however ids are written', () => {
  fc.assert(
    fc.property(side, side, fc.constantFrom(...times), (before, other, time) => {
      const { after, graph, placesOf } = modelOf(before, other)
      const said = (entry: AccessEntry): string[] =>
        placesOf(entry).map(({ place, from: since }) => `${place.file}${since ? ` since ${since.shown}` : ''}`)
      for (const entry of listAccess(graph, time, [...graph.svcIds.keys()])) {
        expect(said(entry)).toEqual(linesOf(entry, after))
        if (!entry.substitutions) expect(said(upper(entry))).toEqual(linesOf(entry, after))
      }
    }),
    { numRuns: 40 },
  )
})

it('are dated where all of them are there, beside the kind and the licence of users', () => {
  let whole = 0
  fc.assert(
    fc.property(side, side, fc.constantFrom(...times), (before, other, time) => {
      const { changes, graph, placesOf } = modelOf(before, other)
      const sinceOf = (lines: readonly DeclaredLine[]) => lines.map(({ place }) => place.file).join()
      const licensed = (key: string, at: Time) => key === 'u0' && at === 'after'
      for (const found of standingEntries(graph, changes, { normalise: lower, sinceOf, licensed })(time)) {
        const { subject, via } = found.entry
        const lines = placesOf(found.entry)
        const isWhole = lines.length === via.length + 1
        const isUser = [...before.users, ...other.users].includes(String(subject))
        expect([found.kind, found.place(), found.since, found.licensed]).toEqual([
          ...['process', lines[0]?.place, isWhole ? sinceOf(lines) : undefined],
          isUser ? subject === 'u0' && time === 'after' : null,
        ])
        if (isWhole && via.length > 0) whole++
      }
      // Nobody asks for dates.
      const undated = standingEntries(graph, changes, { normalise: lower, licensed: () => true })
      expect(undated(time).every(({ since }) => since === undefined)).toBe(true)
    }),
    { numRuns: 40 },
  )
  expect(whole).toBeGreaterThan(0)
})

it('have no licence where a group does not tell its members', () => {
  const world: Side = {
    users: ['u0'],
    groups: { g: ['u0'] },
    holdings: [{ svcId: 'g', address: 'process/x', level: 'Start', company: null }],
  }
  const changes = accessChanges(world, world).map((change): Change => {
    return change.address === 'group/g' && change.live
      ? { ...change, live: { ...change.live, collections: {} } }
      : change
  })
  const graph = accessGraphOf(changes)
  const found = standingEntries(graph, changes, { normalise: lower, licensed: () => true })('before')
  expect(found.map(({ entry, licensed }) => [entry.subject, licensed])).toEqual([['g', null]])
})

it.each([
  [3, [0, 1, 2]],
  // Of a way that is too long to list, those at both ends.
  [120, [...Array(50).keys(), ...Array.from({ length: 49 }, (_, at) => 71 + at)]],
])('are those of each group on a way of %i', (length, steps) => {
  const names = Array.from({ length }, (_, index) => `g${index}`)
  const world: Side = {
    users: ['u0'],
    groups: Object.fromEntries(names.map((name, index) => [name, [names[index - 1] ?? 'u0']])),
    holdings: [{ svcId: `g${length - 1}`, address: 'process/x', level: 'Start', company: null }],
  }
  const listed = (of: Side) => {
    const changes = accessChanges(of, of).map(placed)
    const graph = accessGraphOf(changes)
    return { changes, entries: listAccess(graph, 'after', [graph.numbers.get('u0') as number]) }
  }
  // A group as a substitute: the search goes from account to account.
  const standIns = [{ of: 'u1', by: 'other', until: '2100-01-01', places: [], company: null }]
  const held = [...world.holdings, { svcId: 'u1', address: 'process/y', level: 'Start', company: null }]
  const lent = { users: ['u0', 'u1'], groups: { ...world.groups, other: [] }, holdings: held, standIns }
  const { changes, entries } = listed(world)
  expect(listed(lent).entries).toEqual(entries)
  const [entry] = entries
  // Somebody declares that what comes before the steps left out is in what comes behind them.
  const added = { g70: [...(world.groups.g70 ?? []), 'g49'] }
  const declared = length < 100 ? changes : accessChanges(world, { ...world, groups: { ...world.groups, ...added } })
  const placesOf = declaredPlaces(declared.map(placed), lower)
  const lines = placesOf(entry as AccessEntry).map(({ place }) => place.file.trim())
  expect(placesOf({ ...(entry as AccessEntry), via: [], address: 'process/z' })).toEqual([])
  const member = (index: number): string => `group/g${index} ${names[index - 1] ?? 'u0'}`
  expect(lines).toEqual([...steps.map(member), `process/x g${length - 1} Start`])
})

const listed = (...names: string[]) => ({
  elements: new Map(
    names.map((svcId) => [
      svcId,
      { element: { svcId }, listedAt: placeOf(svcId), path: [], declaration: declarationAt('') },
    ]),
  ),
})
const declared = (kind: Kind, address: string, key: string, collections: object): Change => {
  const desired = { ...{ kind, address, key, at: { name: key }, name: key, spec: {}, fieldKeys: {} }, collections }
  return { address, action: 'create', desired, fields: [], collections: [], unverifiable: [] } as unknown as Change
}

it('tell owners apart from members, and of manifests alone what they give, with the licence that they list', () => {
  const item = { item: 'licence' }
  const world = {
    ...{
      users: ['anna', 'jan', 'maria'],
      groups: {},
      holdings: [{ svcId: 'anna', address: 'process/x', level: 'Start', company: null }],
    },
    standIns: [{ of: 'anna', by: 'jan', until: '2026-05-01', places: [], company: null }],
  }
  const none: Side = { users: [], groups: {}, holdings: [] }
  const changes = [
    ...accessChanges(none, world).map(placed),
    declared(group, 'group/g', 'g', { members: listed('maria'), owners: listed('anna') }),
    declared(license, 'license/anna', 'anna', { licenses: { elements: new Map([['', { element: item }]]) } }),
    declared(license, 'license/jan', 'jan', { licenses: { elements: new Map() } }),
  ]
  const graph = accessGraphOf(changes, 0)
  const limits = { ...unlimited, entries: 1 }
  const first = describeAccess(graph, accessDifference(graph), 'full', { standsAlone: true }, limits)
  expect([first.gained.map(({ level }) => level), first.more.gained]).toEqual([['owner'], 2])
  const told = (now: string) =>
    declaredEntries(changes, { normalise: lower, nowMs: Date.parse(now) }).map(
      ({ entry: { subject, level }, kind, place, licensed }) =>
        [subject, level, kind, place()?.file, licensed].join(' '),
    )
  const annas = ['anna Start process process/x anna Start  true', 'anna owner group anna true']
  expect(told('2026-05-02').sort()).toEqual(annas)
  expect(told('2026-04-30').sort()).toEqual([...annas, 'jan Start process substitution/anna→jan false'])
})
