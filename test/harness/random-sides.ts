// Small random installations: groups in each other, levels for one business entity, substitutes, and what is not told.
import fc from 'fast-check'
import type { Holding, Side } from './access-sides.ts'
import { nameOf } from './slow-access.ts'

/** A platform that does not tell the level tells no company. */
const wholly = (holding: Holding): Holding =>
  holding.level === undefined ? { ...holding, company: undefined } : holding

const groups = ['g0', 'g1', 'g2', 'g3', 'g4']
export const users = ['u0', 'u1']
export const accounts = ['a0', 'a1']
export const everybody = [...groups, ...users, ...accounts, 'unread']
const members = fc.subarray(everybody, { maxLength: 5 })
export const side: fc.Arbitrary<Side> = fc
  .record({
    users: fc.subarray(users, { minLength: 1 }),
    groups: fc.record(
      Object.fromEntries(groups.map((name) => [name, fc.option(members, { freq: 4, nil: undefined })])),
    ),
    holdings: fc.uniqueArray(
      fc.record({
        svcId: fc.constantFrom(...everybody),
        address: fc.constantFrom('process/x', 'process/y'),
        level: fc.constantFrom('Administrator', 'Start', undefined),
        company: fc.constantFrom(null, null, 'p', undefined),
      }),
      {
        maxLength: 8,
        selector: (each) => `${each.svcId} ${nameOf({ ...each, company: wholly(each).company ?? null })}`,
      },
    ),
    standIns: fc.option(
      fc.uniqueArray(
        fc.record({
          of: fc.constantFrom(...users, ...accounts),
          by: fc.constantFrom(...users, ...accounts),
          until: fc.constantFrom('2026-05-01', '2026-06-01'),
          places: fc.subarray(['process/x', 'process/y']),
          company: fc.constantFrom(null, null, 'p', 'q'),
        }),
        { maxLength: 4, selector: ({ of, by }) => `${of} ${by}` },
      ),
      { nil: [], freq: 4 },
    ),
  })
  .map(({ groups: some, ...rest }) => {
    const there = Object.fromEntries(Object.entries(some).filter(([, list]) => list !== undefined))
    const isThere = (each: string) =>
      (!groups.includes(each) && !users.includes(each)) || each in there || rest.users.includes(each)
    return {
      ...rest,
      groups: Object.fromEntries(Object.entries(there).map(([name, list]) => [name, list?.filter(isThere)])),
      holdings: rest.holdings.filter(({ svcId }) => isThere(svcId)).map(wholly),
      standIns: rest.standIns.filter(({ of, by }) => of !== by && isThere(of) && isThere(by)),
    }
  })

/** An entry without a told company counts as declared, and stays. */
export function keptOf(before: Side, after: Side): Side {
  const stands = (each: Holding) =>
    before.holdings.find(
      ({ svcId, address, level, company }) =>
        company === undefined && svcId === each.svcId && address === each.address && level === each.level,
    ) ?? (each.company === undefined && each.level !== undefined ? { ...each, company: null } : each)
  return { ...after, holdings: [...new Set(after.holdings.map(stands))] }
}
