// The access of substitutes in cases that a search over small installations seldom meets.
import { expect, it } from 'vitest'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import { listAccess } from '../../src/core/access/list-access.ts'
import type { Change } from '../../src/core/compare/change.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'
import { calm, holding, place, standsIn, told, toldOf } from '../harness/told-access.ts'

const now = { ...calm, standIns: [standsIn()] }

it('a substitute loses what comes of somebody who is deleted, though the substitution stays', () => {
  expect(told(now, { ...now, users: ['jan'] }).sort()).toEqual(['lose anna for all', 'lose jan for all'])
  expect(told(now, { ...now, users: ['anna'] })).toEqual(['lose jan for all'])
})

it('a substitute loses what somebody inherits who is deleted, as they do themselves', () => {
  const inherits = (change: Change): Change => {
    if (change.address !== place || change.live === undefined) return change
    const inherited = { privileges: change.live.collections.privileges ?? [] }
    return { ...change, live: { ...change.live, inherited } } as unknown as Change
  }
  expect(told(now, { ...now, users: ['jan'] }, inherits).sort()).toEqual(['lose anna for all', 'lose jan for all'])
})

it('a substitute can do nothing in another database, whatever ids it has', () => {
  const guid = 'a0000000-0000-4000-8000-00000000000a'
  const limited = { ...calm, standIns: [standsIn(null, [guid])] }
  const inDatabase =
    (dbId: number, process: string) =>
    (change: Change): Change => {
      if (change.address !== place) return change
      const at = { name: place, dbId, process }
      return { ...change, live: { ...change.live, at }, desired: { ...change.desired, at } } as unknown as Change
    }
  expect(told(calm, limited, inDatabase(1, guid.toUpperCase()))).toEqual(['gain jan for all'])
  expect(told(calm, limited, inDatabase(2, guid))).toEqual([])
  expect(told(calm, limited, inDatabase(1, guid.replace('a0', 'b0')))).toEqual([])
})

it('a substitute can do something on an object of an unknown process, which the substitution may cover', () => {
  const nowhere = (change: Change): Change => {
    const at = { name: change.address, dbId: 1 }
    return { ...change, live: { ...change.live, at }, desired: { ...change.desired, at } } as unknown as Change
  }
  const limited = { ...calm, standIns: [standsIn(null, ['a', 'b'])] }
  expect(told(calm, limited, (change) => (change.address === place ? nowhere(change) : change))).toEqual([
    'gain jan for all',
  ])
})

it('a substitute is limited by no place or business entity that nobody could look up', () => {
  const limited = { ...calm, standIns: [standsIn('ab', ['a'])] }
  const unknown = (change: Change): Change => {
    const lists = { processes: [{ item: 'process' }], businessEntity: [{ item: 'entity' }] }
    const desired = Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, { elements: new Map([['', { element: list[0] }]]) }]),
    )
    const isThis = change.address.startsWith('substitution/')
    return (isThis ? { ...change, desired: { ...change.desired, collections: desired } } : change) as Change
  }
  expect(told(calm, limited, unknown)).toEqual(['gain jan for all'])
})

it('a substitute is who the platform says, in whatever letters, and nobody where it says nobody', () => {
  const of = (fields: object, fieldKeys = {}): readonly [readonly string[], readonly AccessEntry[]] => {
    const changes = accessChanges(now, now).map((change): Change => {
      if (!change.address.startsWith('substitution/') || change.live === undefined) return change
      const spec = { ...change.live.spec, ...fields }
      const part = { ...change.live, spec, fieldKeys }
      return { ...change, live: part, desired: undefined } as unknown as Change
    })
    const graph = accessGraphOf(changes, 0)
    return [graph.svcIds, listAccess(graph, 'before', [graph.numbers.get('jan') as number])]
  }
  const [letters, entries] = of({ person: 'ANNA' }, { person: 'anna' })
  expect([letters, entries.map(({ via }) => via)]).toEqual([['anna', 'jan'], [['anna']]])
  expect(of({ person: undefined })).toEqual([['anna', 'jan'], []])
  expect(of({ substitute: undefined })).toEqual([['anna', 'jan'], []])
  const [, [timeless]] = of({ from: undefined, to: undefined })
  expect(timeless?.substitutions).toMatchObject([{ from: '', until: '' }])
})

it.each(['eva', 'h'])('a substitute passes on what comes through a group of substitutes, to %s', (by) => {
  const side: Side = {
    ...{ users: ['anna', 'jan', 'eva'], groups: { g: ['jan'], h: ['eva'] }, holdings: [holding('anna')] },
    standIns: [
      { ...standsIn(), by: 'g' },
      { ...standsIn(), of: 'jan', by },
    ],
  }
  expect(told({ ...side, standIns: [] }, side).sort()).toEqual(['gain eva for all', 'gain jan for all'])
})

it('a substitute has it up to the last moment of the substitution', () => {
  const last = Date.parse('2100-01-01')
  expect(told(calm, now, undefined, last)).toEqual(['gain jan for all'])
  expect(told(calm, now, undefined, last + 1)).toEqual([])
})

it('a substitute keeps it by the new way of whom they stand in for', () => {
  const of = (group: string): Side => ({
    ...now,
    groups: { g: group === 'g' ? ['anna'] : [], h: group === 'h' ? ['anna'] : [] },
    holdings: [holding('g'), holding('h')],
  })
  expect(told(of('g'), of('h')).sort()).toEqual(['keep anna for all', 'keep jan for all'])
})

it('a substitute keeps it if other words tell the same days, and in a new way by other days or substitutions', () => {
  const until = (day: string): Side => ({ ...now, standIns: [{ ...standsIn(), until: day }] })
  expect(told(now, until('2100-01-01T00:00:00.000Z'))).toEqual([])
  expect(told(now, until('2100-01-02'))).toEqual(['keep jan for all'])
  const other = accessChanges(calm, now).map((change) => ({ ...change, address: `${change.address}, later` }))
  const changes = [...accessChanges(now, calm), ...other.filter(({ action }) => action === 'create')]
  expect(toldOf(changes)).toEqual(['keep jan for all'])
  expect(told({ ...now, groups: { g: [] } }, { ...now, groups: { g: ['jan'] } })).toEqual([])
})

it('a substitute stands in for nobody where the platform names nobody', () => {
  const changes = accessChanges(calm, { ...calm, standIns: [{ ...standsIn(), of: '' }] })
  expect(accessGraphOf(changes, 0).svcIds).toEqual(['anna', 'jan'])
})

it('a substitute has it by the first of two substitutions for one person', () => {
  const changes = accessChanges(now, now)
  const substitution = changes.find(({ address }) => address.startsWith('substitution/')) as Change
  const first = { ...substitution, address: 'substitution/a' }
  for (const all of [
    [...changes, first],
    [first, ...changes],
  ]) {
    const graph = accessGraphOf(all, 0)
    const [entry] = listAccess(graph, 'after', [graph.numbers.get('jan') as number])
    expect(entry).toMatchObject({ via: ['anna'], substitutions: [{ address: 'substitution/a', person: 'anna' }] })
  }
})

it('a substitute is limited to a business entity whose guid is written in other letters', () => {
  const held = { ...calm, holdings: [holding('anna', 'AB')] }
  expect(told(held, { ...held, standIns: [standsIn('ab')] })).toEqual(['gain jan AB'])
  expect(told(held, { ...held, standIns: [standsIn('ac')] })).toEqual([])
  const both = { ...calm, holdings: [holding('anna'), holding('jan', 'AB')] }
  expect(told(both, { ...both, standIns: [standsIn('ab')] })).toEqual([])
})
