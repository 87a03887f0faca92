// Edits that give a level or end it, in small cases: which come first, which nobody can make, and what else they do.
import { expect, it } from 'vitest'
import { compareRanks, findCuts, findGrants, standingOf, type WantedRight } from '../../src/core/access/find-edits.ts'
import { effectOf, type LinkEdit, settled } from '../../src/core/access/what-if.ts'
import type { Change } from '../../src/core/compare/change.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import { group } from '../../src/kinds/group/index.ts'
import { accessChanges, type Holding, type Side } from '../harness/access-sides.ts'

const lower = (svcId: string): string => svcId.toLowerCase()
const object = 'process/x'
const start = (svcId: string, company: string | null = null): Holding => ({
  ...{ svcId, address: object, level: 'Start', company },
})
const wanted: WantedRight = { person: 'anna', level: 'Start', object, company: null }
const forCompany: WantedRight = { ...wanted, company: { guid: 'p', name: 'p' } }

/** `edit`: what a side does not tell of what is declared. */
function standing(side: Side, edit: (change: Change) => object | undefined = () => undefined) {
  const changes = settled(accessChanges(side, side)).map((change) => ({ ...change, ...edit(change) }) as Change)
  return standingOf(changes, lower, 0)
}
const declaredAs = (address: string, desired: object | undefined) => (change: Change) =>
  change.address === address ? { desired: desired && { ...change.desired, ...desired } } : undefined
const said = ({ address, element }: LinkEdit): string => `${element.svcId} ${address}`
const grantsIn = (...given: Parameters<typeof standing>) =>
  findGrants(standing(...given), wanted).map(({ way, others, edit }) => `${way} ${others}: ${said(edit)}`)

it('puts edits first by which the fewest gain, then those that bring the fewest rights, then one of each sort', () => {
  const side: Side = {
    users: ['anna', 'jan', 'eva'],
    groups: { alone: ['anna'], both: ['anna', 'jan'], plain: [], wide: [], more: ['eva'] },
    holdings: [...['plain', 'more', 'wide'].map((svcId) => start(svcId)), { ...start('more'), level: 'Modify' }],
  }
  expect(grantsIn(side)).toEqual([
    'group 0: anna group/plain',
    'direct 0: anna process/x',
    'level 0: alone process/x',
    'nesting 0: alone group/plain',
    'group 0: anna group/wide',
    'nesting 0: alone group/wide',
    'group 0: anna group/more',
    'nesting 0: alone group/more',
    'level 1: both process/x',
    'nesting 1: both group/plain',
    'nesting 1: both group/wide',
    'nesting 1: both group/more',
  ])
  expect(compareRanks([1, 2, 3], [1, 2, 3])).toBe(0)
  expect([compareRanks([1, 2], [1, 3]), compareRanks([2, 0], [1, 9])]).toEqual([-1, 1])
})

it('gives nothing in lists that no manifest declares, and by no group that goes', () => {
  const side: Side = { users: ['anna'], groups: { g: ['anna'], h: [] }, holdings: [start('h')] }
  const [group_, direct, level, nesting] = [
    'group 0: anna group/h',
    'direct 0: anna process/x',
    'level 0: g process/x',
    'nesting 0: g group/h',
  ]
  expect(grantsIn(side)).toEqual([group_, direct, level, nesting])
  expect(grantsIn(side, declaredAs(object, undefined))).toEqual([group_, nesting])
  expect(grantsIn(side, declaredAs(object, { collections: {} }))).toEqual([group_, nesting])
  expect(grantsIn(side, declaredAs('group/h', undefined))).toEqual([direct, level])
  expect(grantsIn(side, declaredAs('group/h', { collections: {} }))).toEqual([direct, level])
  expect(grantsIn(side, declaredAs('group/h', { absent: true }))).toEqual([direct, level])
  expect(findGrants(standing(side), { ...wanted, person: 'stranger' }).map(({ way }) => way)).toEqual([
    'group',
    'direct',
  ])
  expect(findGrants(standing(side), { ...wanted, object: 'process/y' })).toEqual([])
})

it('lets no group own itself', () => {
  const owned = (change: Change) => {
    const owners = (part: object | undefined, list: object) =>
      part && { ...part, collections: { ...(part as { collections: object }).collections, owners: list } }
    return { live: owners(change.live, []), desired: owners(change.desired, { elements: new Map() }) }
  }
  const isGroup = ({ address }: Change): boolean => address.startsWith('group/')
  const side: Side = { users: ['anna'], groups: { g: ['anna'], h: ['anna'] }, holdings: [] }
  const grants = findGrants(
    standing(side, (change) => (isGroup(change) ? owned(change) : undefined)),
    {
      ...{ ...wanted, level: 'owner', object: 'group/g' },
    },
  )
  expect(grants.map(({ way, edit }) => `${way}: ${said(edit)}`)).toEqual(['direct: anna group/g', 'level: h group/g'])
  expect(grants.every(({ edit }) => edit.collection === 'owners')).toBe(true)
})

it('ends a level for one business entity where it is given for that one, and where it is given for all', () => {
  const cuts = (of: WantedRight, ...holdings: Holding[]) =>
    findCuts(standing({ users: ['anna', 'jan'], groups: { g: ['anna'] }, holdings }, exclusive), of)
  const limits = ({ cuts: all }: ReturnType<typeof cuts>) =>
    all.map((cut) => cut.map(({ element: { svcId, company } }) => `${svcId} ${company?.guid}`).sort())
  expect(limits(cuts(forCompany, start('anna', 'p')))).toEqual([['anna p']])
  expect(limits(cuts(forCompany, start('anna', 'p'), start('anna', 'q'), start('anna')))).toEqual([
    ['anna p', 'anna undefined'],
  ])
  expect(limits(cuts(wanted, start('anna', 'p'), start('anna')))).toEqual([['anna undefined']])
  // By what the group has for all.
  expect(limits(cuts(forCompany, start('g'), start('jan', 'p')))).toEqual([['anna undefined'], ['g undefined']])
  const nothing = { cuts: [], fixed: [] }
  expect(cuts(wanted, start('jan'))).toEqual(nothing)
  expect(cuts({ ...wanted, person: 'stranger' }, start('jan'))).toEqual(nothing)
  expect(cuts({ ...wanted, object: 'process/y' }, start('anna'))).toEqual(nothing)
})

const withLists = (edit: (list: object) => object) => (change: Change) => {
  const lists = Object.entries(change.desired?.collections ?? {}).map(([name, list]) => [name, edit(list)])
  return { desired: change.desired && { ...change.desired, collections: Object.fromEntries(lists) } }
}
const exclusive = withLists((list) => ({ ...list, mode: 'exclusive' }))

it('ends nothing that an apply leaves: entries that no manifest lists, and those of lists that take none away', () => {
  const side: Side = { users: ['anna'], groups: {}, holdings: [start('anna')] }
  const ends = (edit: Parameters<typeof standing>[1]) => {
    const { cuts, fixed } = findCuts(standing(side, edit), wanted)
    return [cuts.length, fixed.map(said)]
  }
  const additive = withLists((list) => ({ ...list, mode: 'additive' }))
  const kept = [0, ['anna process/x']]
  expect(ends(exclusive)).toEqual([1, []])
  expect(ends(additive)).toEqual(kept)
  expect(ends((change) => ({ desired: { ...additive(change).desired, since: { takesEntries: true } } }))).toEqual([
    1,
    [],
  ])
  expect(ends(withLists((list) => ({ ...list, mode: 'exclusive', elements: new Map() })))).toEqual(kept)
  expect(ends(() => ({ desired: undefined }))).toEqual(kept)
})

it('takes what is created for what it will be, and leaves out the list that could not be read', () => {
  const before: Side = { users: [], groups: { g: [] }, holdings: [] }
  const changes = accessChanges(before, { users: ['anna'], groups: { g: ['anna'], h: [] }, holdings: [] })
  const unread = changes.map((change): Change => {
    const live = change.live && { ...change.live, collections: { owners: [] } }
    const at = { ...change.desired?.at, self: 'h' }
    return { ...change, ...(live ? { live } : { desired: { ...change.desired, at } }) } as unknown as Change
  })
  const after = settled(unread).map(({ live, address }) => [
    address,
    live?.name,
    live?.self,
    live?.ready,
    live?.collections,
  ])
  const lists = { members: [], owners: [] }
  expect(after.slice(1)).toEqual([
    ['group/g', 'g', '', true, { owners: [] }],
    ['group/h', 'h', 'h', true, lists],
  ])
})

it('edits several lists of one object at once, and one that could not be read', () => {
  const side: Side = { users: ['anna', 'jan'], groups: { g: ['jan'] }, holdings: [start('g')] }
  const edit = (is: LinkEdit['is'], svcId: string, collection: string): LinkEdit => {
    return { is, address: 'group/g', collection, element: keyedElement({ svcId }, lower) }
  }
  const edits = [edit('added', 'anna', 'members'), edit('removed', 'jan', 'members'), edit('added', 'anna', 'owners')]
  const declarations = [{ kind: group, section: group.sections[0], item: {} }]
  const of = (unread: string) => {
    const { changes } = standing(side, (change) => {
      if (change.address !== 'group/g') return undefined
      const lists = { members: change.live?.collections.members, owners: [] }
      const collections = Object.fromEntries(Object.entries(lists).filter(([name]) => name !== unread))
      const desired = { ...change.desired, declarations, collections: { members: change.desired?.collections.members } }
      return { live: { ...change.live, collections }, desired }
    })
    const { access, changes: after } = effectOf(changes, edits, 0)
    const edited = after.find(({ address }) => address === 'group/g')
    const names = ({ subject, level }: { readonly subject: string | null; readonly level: string | null }) =>
      `${subject} ${level}`
    const { members, owners } = edited?.desired?.collections ?? {}
    const differences = edited?.collections.map(({ collection, added, removed }) => [
      collection,
      added.length,
      removed.length,
    ])
    return [
      access.gained.map(names).sort(),
      access.lost.map(names),
      [...(members?.elements.keys() ?? [])],
      owners,
      differences,
    ]
  }
  const differences = [
    ['members', 1, 1],
    ['owners', 1, 0],
  ]
  expect(of('')).toEqual([['anna Start', 'anna owner'], ['jan Start'], ['anna'], undefined, differences])
  expect(of('owners')[4]).toEqual(differences)
})
