// Laws of plans that are held against a base, on random installations, manifests of today and of before.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CausedElement, DifferenceDocument, PlanDocument } from '../../src/core/plan/plan-document.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { manifests, worlds } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { type Fields, type Item, secrets, tenantOf, type World, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: secrets,
    settings: 'guards: { removals: { max: 1000, percent: 100 }, deletions: { max: 1000, percent: 100 } }',
  })
  workspace.baseManifest('')
})
afterAll(() => workspace.close())

interface Case {
  readonly live: World
  readonly items: readonly Item[]
  readonly before: readonly Item[]
}

const cases: fc.Arbitrary<Case> = worlds.chain((live) =>
  fc.record({ live: fc.constant(live), items: manifests(live), before: manifests(live) }),
)

function begin({ live, items, before }: Case): void {
  workspace.emulator.load(tenantOf(live))
  writeManifests(workspace, [items])
  writeManifests(workspace, [before], 'base/manifests')
}

const documentOf = async (run: Parameters<Workspace['plan']>[0] = {}) => (await workspace.plan(run)).document

interface Removal {
  readonly address: string
  readonly path: string
  readonly element: CausedElement
}

const removalsIn = ({ changes }: PlanDocument): Removal[] =>
  changes.flatMap(({ address, action, differences }) =>
    action === 'delete'
      ? []
      : differences.flatMap(({ path, removed = [] }) => removed.map((element) => ({ address, path, element }))),
  )

const keyOf = ({ address, path, element: { svcId, level, company, item } }: Removal): string =>
  JSON.stringify([address, path, svcId?.toLowerCase(), level, company?.guid, item])

function privilegesIn(address: string, section: Item['section'], item: Item['item']): unknown {
  const sections: readonly (readonly [start: string, section: string])[] = [
    ['element/', 'elements'],
    ['application/', 'applications'],
    ['', 'processes'],
  ]
  if (section !== sections.find(([start]) => address.startsWith(start))?.[1]) return undefined
  if (!address.includes('/form-type/')) return item.privileges
  return (item.workflows as { formTypes: Fields[] }[] | undefined)?.[0]?.formTypes[0]?.privileges
}

/** True if the former manifests list an account there, told without any code of svcsync. */
function isListed(before: readonly Item[], { address, path, element }: Removal): boolean {
  const lists = before.flatMap(({ section, item }): unknown[] => {
    if (address.startsWith('group/')) {
      const group = address.slice('group/'.length)
      const isIt = section === 'groups' ? item.svcId === group : section === 'memberships' && item.group === group
      return isIt && item.absent !== true ? [item[path]] : []
    }
    if (address.startsWith('license/')) {
      const types = section === 'licenses' && address === `license/${item.svcId}` ? (item.licenses as Fields[]) : []
      return types.map(({ type }) => (type === element.item ? [element.svcId] : []))
    }
    return [(privilegesIn(address, section, item) as Fields | null | undefined)?.[element.level ?? '']]
  })
  return lists.flat().some((each) => {
    const { svcId, company } = (typeof each === 'string' ? { svcId: each } : (each ?? {})) as Fields
    return svcId === element.svcId && (company ?? undefined) === element.company?.name
  })
}

it('takes nothing that neither the manifests take nor the base declares, and plans all else without it', async () => {
  await tryLaw(
    fc.asyncProperty(cases, async (given) => {
      begin(given)
      const without = await documentOf()
      const document = await documentOf({ base: 'folder' })
      const known = new Set(removalsIn(without).map(keyOf))
      const more = removalsIn(document).filter((each) => !known.has(keyOf(each)))
      expect(more.filter((each) => !isListed(given.before, each))).toEqual([])
      expect(removalsIn(document)).toHaveLength(known.size + more.length)
      expect(fieldsIn(document)).toEqual(fieldsIn(without))
      expect(document.counts).toMatchObject({
        create: without.counts.create,
        delete: without.counts.delete,
        added: without.counts.added,
      })
      // The base's list of removed entries is exact.
      const gone = (document.noLongerDeclared ?? []).filter(({ becomes }) => becomes === 'removed')
      const told = new Set(
        gone.map(({ address, path = '', element }) => keyOf({ address, path, element: element as CausedElement })),
      )
      expect(more.filter((each) => !told.has(keyOf(each)))).toEqual([])
      expect(told.size).toBe(gone.length)
    }),
    2,
  )
})

const fieldsIn = ({ changes }: PlanDocument) =>
  changes.flatMap(({ address, action, differences }) =>
    differences
      .filter(({ added }) => added === undefined)
      .map(({ cause: _, place: __, ...rest }: DifferenceDocument) => ({ address, action, ...rest })),
  )

it('is the plan without it where the base says what the manifests say', async () => {
  await tryLaw(
    fc.asyncProperty(cases, async ({ live, items }) => {
      begin({ live, items, before: items })
      const without = await documentOf()
      const document = await documentOf({ base: 'folder' })
      expect(document.noLongerDeclared).toEqual([])
      expect(document.steps).toEqual(without.steps)
      // A review of the one is a review of the other, except for counts that need a base.
      expect(document.manifestsDigest).toBe(without.manifestsDigest)
      // Nobody moved the manifests.
      const causes = document.changes.flatMap(({ differences }) => differences.map(({ cause }) => cause))
      expect(causes.filter((cause) => cause === 'declared' || cause === 'both')).toEqual([])
    }),
    1,
  )
})

type Change = PlanDocument['changes'][number]

/** The base's facts about a user or group, and the live ones. */
interface Told {
  readonly svcId: string
  readonly own: readonly Item[]
  readonly declared: Fields | undefined
  readonly there: Fields | undefined
}

function expectCauseOfList({ svcId, own, declared, there }: Told, difference: Change['differences'][number]): void {
  const { path, added = [], removed = [] } = difference
  const isWhole = declared?.[path] !== undefined && (declared.manage as Fields | undefined)?.[path] !== 'additive'
  const listed = new Set(own.flatMap(({ item }) => (item[path] as string[] | null | undefined) ?? []))
  const live = new Set((there?.[path] as string[] | undefined) ?? [])
  for (const { svcId: account = '', cause } of [...added, ...removed]) {
    const spoke = listed.has(account) || isWhole
    const moved = spoke && listed.has(account) !== live.has(account)
    expect([svcId, path, account, cause === 'live']).toEqual([svcId, path, account, moved])
  }
}

function expectCauseOfValue({ svcId, declared, there }: Told, difference: Change['differences'][number]): void {
  const { path, cause, masked } = difference
  const before = declared?.[path]
  if (masked || typeof before === 'object' || String(before).startsWith('${')) return
  // Nothing of a deleted object holds any more.
  const moved = before !== undefined && (there === undefined || (before || '') !== (there[path] || ''))
  expect([svcId, path, cause === 'live' || cause === 'both']).toEqual([svcId, path, moved])
}

/** Values and members of users and groups: those that the base told, and that are live. */
it('calls a difference one of the platform exactly where what is live is not what the base has made true', async () => {
  await tryLaw(
    fc.asyncProperty(cases, async (given) => {
      begin(given)
      const { changes } = await documentOf({ base: 'folder' })
      const live = new Map([...given.live.users, ...given.live.groups].map((each) => [each.svcId, each as Fields]))
      const accounts = changes.filter(({ kind }) => kind === 'user' || kind === 'group')
      for (const { address, differences } of accounts.filter(({ action }) => action !== 'delete')) {
        const svcId = address.slice(address.indexOf('/') + 1)
        const own = given.before.filter(({ item }) => (item.svcId ?? item.group) === svcId)
        const declared = own.find(({ section }) => section !== 'memberships')?.item
        if (declared?.absent === true) continue
        const told = { svcId, own, declared, there: live.get(svcId) }
        for (const difference of differences) {
          if (difference.path === 'members' || difference.path === 'owners') expectCauseOfList(told, difference)
          else expectCauseOfValue(told, difference)
        }
      }
    }),
    2,
  )
})

it('has nothing to do, and nothing that is declared no more, once it is applied and has become the base', async () => {
  await tryLaw(
    fc.asyncProperty(cases, async (given) => {
      begin(given)
      const { report } = await workspace.run({ base: 'ledger', guarded: 'as-allowed' })
      fc.pre(report.outcome === 'converged' || report.outcome === 'nothing-to-do')
      // The base of then takes nothing more.
      expect(await workspace.changes({ base: 'ledger' })).toEqual([])
      writeManifests(workspace, [given.items], 'base/manifests')
      expect(await documentOf({ base: 'ledger' })).toMatchObject({ changes: [], noLongerDeclared: [] })
    }),
    0.5,
  )
})

const accounts = ['u0', 'u1', 'u2', 'u3', 'u4', 'u5'].map((name) => `${name}@example.com`)
/** The members by owner: two projects name different people, and somebody else has let in others. */
const shared = fc.record({
  whose: fc.array(fc.constantFrom('first', 'second', 'nobody'), {
    minLength: accounts.length,
    maxLength: accounts.length,
  }),
  before: fc.subarray(accounts),
  now: fc.subarray(accounts),
  live: fc.subarray(accounts),
  first: fc.constantFrom('first', 'second'),
})

it('lets two projects share a group: neither undoes the other, and each takes back its own', async () => {
  await tryLaw(
    fc.asyncProperty(shared, async ({ whose, before, now, live, first }) => {
      const users = accounts.map((svcId) => ({ svcId }))
      const group = { svcId: 'shared@example.com', name: 'Shared', members: live }
      workspace.emulator.load({ users, groups: [group] } as never)
      const of = (project: string, list: readonly string[]) =>
        list.filter((account) => whose[accounts.indexOf(account)] === project)
      const item = (members: readonly string[]): Item[] =>
        members.length === 0 ? [] : [{ section: 'memberships', item: { group: group.svcId, members } }]
      for (const project of first === 'first' ? ['first', 'second'] : ['second', 'first']) {
        writeManifests(workspace, [item(of(project, now))])
        writeManifests(workspace, [item(of(project, before))], 'base/manifests')
        await workspace.run({ base: 'ledger', guarded: 'as-allowed' })
      }
      const wanted = accounts.filter((account) => {
        const isOwned = whose[accounts.indexOf(account)] !== 'nobody'
        if (!isOwned) return live.includes(account)
        return now.includes(account) || (live.includes(account) && !before.includes(account))
      })
      const [found] = workspace.emulator.state().groups ?? []
      expect([...((found as { members?: string[] } | undefined)?.members ?? [])].sort()).toEqual([...wanted].sort())
    }),
    1,
  )
})
