// The accounts of sets; and no project of a few lines expands to more accounts than memory holds.
import { describe, expect, it } from 'vitest'
import { flattenSets } from '../../src/core/assemble/flatten-sets.ts'
import type { AccountSet } from '../../src/core/model/account-sets.ts'
import type { AssemblySettings } from '../../src/core/model/desired.ts'
import type { Json } from '../../src/core/model/json.ts'

const place = { file: 'sets.yaml', line: 1, column: 1 }

function settingsWith(sets: Readonly<Record<string, readonly Json[]>>): AssemblySettings {
  const source = { file: place.file, placeAt: () => place }
  const named = Object.entries(sets).map(([name, items]): [string, AccountSet] => [
    name,
    { name, items, source, place },
  ])
  const time = { nowMs: Date.UTC(2026, 0, 1), timeZone: 'UTC' }
  return {
    normalise: (svcId) => svcId.toLowerCase(),
    collections: 'exclusive',
    sets: new Map(named),
    ends: new Map(),
    time,
  }
}

const svcIds = (entries: readonly { readonly svcId: string }[] | undefined) => entries?.map(({ svcId }) => svcId)

describe('sets', () => {
  it('hold each account once, in the order of their lines, unless it is for another time', () => {
    const flat = flattenSets(
      settingsWith({
        all: ['b', { set: 'some' }, 'A', { set: 'some', until: '2026-02-01' }],
        some: ['a', 'c', { set: 'none' }],
        none: [],
      }),
    )
    expect(svcIds(flat.accountsOf('all', place))).toEqual(['b', 'a', 'c', 'a', 'c'])
    expect(flat.accountsOf('all', place)?.map(({ bounds }) => bounds.untilText)).toEqual([
      undefined,
      undefined,
      undefined,
      '2026-02-01',
      '2026-02-01',
    ])
    expect(svcIds(flat.accountsOf('none', place))).toEqual([])
    expect(flat.accountsOf('others', place)).toBeUndefined()
    expect(flat.problems).toEqual([])
  })

  it('name an account once for each time, as lists do: a second line would be a slip', () => {
    const { problems } = flattenSets(
      settingsWith({
        twice: ['ann', 'bob', 'Ann'],
        overlapping: [
          { svcId: 'cid', until: '2026-03-31' },
          { svcId: 'cid', from: '2026-03-31' },
        ],
        parted: [{ svcId: 'cid', until: '2026-03-31' }, { svcId: 'cid', from: '2026-04-01' }, { set: 'twice' }, 'ann'],
        nobody: ['', ''],
      }),
    )
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'SVC1307 `Ann` is listed twice',
      'SVC1307 `cid` is listed twice, for times that overlap',
    ])
  })

  it('that contain each other are told once for each way back, and stand for what is in them', () => {
    const flat = flattenSets(settingsWith({ a: ['one', { set: 'b' }], b: [{ set: 'a' }, 'two', { set: 'b' }] }))
    expect(svcIds(flat.accountsOf('b', place))).toEqual(['one', 'two'])
    expect(flat.problems.map(({ message }) => message)).toEqual([
      'The set `a` contains itself, by way of `b`',
      'The set `b` contains itself',
    ])
  })

  it('come to no more accounts than the limit, over all lists that name them, and say so once', () => {
    const flat = flattenSets(settingsWith({ two: ['a', 'b'], three: [{ set: 'two' }, 'c'] }), 10)
    // Each set that is entered counts as well.
    expect(svcIds(flat.accountsOf('three', place))).toEqual(['a', 'b', 'c'])
    expect(svcIds(flat.accountsOf('three', place))).toEqual(['a', 'b', 'c'])
    expect(flat.problems).toEqual([])
    flat.accountsOf('two', { ...place, line: 9 })
    expect(flat.accountsOf('two', place)).toEqual([])
    expect(flat.problems).toMatchObject([
      {
        code: 'SVC1007',
        message: 'The sets expand to more than 10 accounts up to here',
        place: { line: 9 },
      },
    ])
  })

  it('that narrow each other in time do not take time without end', () => {
    const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
    const sets = Array.from({ length: 200 }, (_, n): [string, readonly Json[]] => [
      `d${n}`,
      [
        { set: `d${n + 1}`, from: day(n) },
        { set: `d${n + 1}`, until: day(1000 - n) },
      ],
    ])
    const flat = flattenSets(settingsWith({ ...Object.fromEntries(sets), d200: ['a'] }), 5_000)
    expect(flat.accountsOf('d0', place)?.length).toBeLessThan(5_000)
    expect(flat.problems).toMatchObject([{ code: 'SVC1007' }])
  })
})
