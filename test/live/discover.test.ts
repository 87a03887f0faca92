// Undeclared live objects: all are listed, and unreadable lists are named with the reason.
import { expect, it } from 'vitest'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { application } from '../../src/kinds/application/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { element } from '../../src/kinds/element/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { discover } from '../../src/live/discover.ts'

const failed = (status: number, code: string = failureCodes.serverFailed, type?: string) =>
  new PlatformError(code, `answered ${status}`, { kind: 'status', method: 'GET', path: '/x', status, type })
const person = (svcId: string, name: string) => ({
  ...{ svcId, name, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})
const url = (name: string, guid: string) => ({ id: 1, guid, name, description: null, groupId: 1, groupName: 'G' })
const named = (name: string, more: object = {}) => ({ id: name.length, guid: `g-${name}`, name, ...more })
const constants = '/db/1/admin/constants'
const whole = { common: { value: 'x' }, dev: {}, test: {}, prod: {} }
const many = Array.from({ length: 12 }, (_, index) => ({ svcId: `u${index}` }))

const usual: Readonly<Record<string, Json | Error>> = {
  '/admin/users0': { users: [person('jan', 'Jan'), person('ola', 'Ola')] },
  '/admin/users1': { users: [] },
  [constants]: {
    constants: ['Url', 'Gone', '', 'Two'].map((name) => url(name, `g-${name}`)).concat(url('Two', 'g-3')),
  },
  [`${constants}/g-Url`]: { ...url('Url', 'g-Url'), ...whole },
  '/db/1/applications': { applications: [named('Sales')] },
  '/db/1/applications/g-Sales/admin/privileges': { privileges: [] },
  '/db/1/applications/g-Sales/processes': {
    processes: [named('Approval'), named('Open'), named('Loans', { isRelation: true })],
  },
  '/db/1/processes/g-Approval/admin/privileges': { privileges: [{ svcId: 'jan', level: 'Start' }] },
  '/db/1/processes/g-Open/admin/privileges': { privileges: many },
  '/admin/licenses': failed(405, 'SVC3033', 'UnsupportedLicensingType'),
}

async function found(more: Partial<Parameters<typeof discover>[1]> = {}, answers: typeof usual = {}) {
  let read = 0
  const accounts: string[] = []
  const port = {
    ...{ apiVersion: '6.0', normalise: normaliserOf('ignore-case'), authorise: async () => undefined },
    async send({ path, query }: { readonly path: string; readonly query?: Readonly<Record<string, unknown>> }) {
      const name = `${path}${query?.page ?? ''}`
      const answer = { ...usual, ...answers }[name] ?? failed(404, failureCodes.notFound)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as PlatformPort
  const tree = await discover(port, {
    ...{ kinds: [user, constant, application, process, license, element], databases: { main: 1 }, only: [] },
    ...{ refused: new Map(), pageSize: 9 },
    onProgress(objects) {
      read += objects
    },
    onAccount: (_, name) => accounts.push(name),
    ...more,
  })
  const leftOut = tree.leftOut.map(({ address, field, reason }) => `${address}${field ? ` ${field}` : ''}: ${reason}`)
  return { tree, read, accounts, leftOut, items: tree.items.map(({ address }) => address) }
}

it('lists each object with what it is like, and says why it leaves one out', async () => {
  const { tree, read, accounts, leftOut, items } = await found()
  expect(items).toEqual([
    'application/main/Sales',
    'constant/main/Url',
    'process/main/Sales/Approval',
    'process/main/Sales/Open',
    'user/jan',
    'user/ola',
  ])
  expect(tree.items[1]).toMatchObject({ spec: { common: 'x', groupName: 'G' }, identity: 'Url' })
  expect(tree.items[2]?.collections.privileges).toMatchObject([{ svcId: 'jan', level: 'Start' }])
  expect(tree.items[3]?.collections).toEqual({})
  expect(leftOut).toEqual([
    'constant/main/: It has no name',
    'constant/main/Gone: It is listed, but answers 404 when read',
    'constant/main/Two: 2 live objects have this name',
    expect.stringMatching(/Open privileges: The platform tells no levels, only .*: u0, u1, .*, u9, and 2 more$/),
    'process/main/Sales/g-Loans: Loans is lent by an application that is not listed',
  ])
  expect([read, accounts, [...tree.accountNames]]).toEqual([
    ...[6, ['jan', 'ola']],
    [
      ['jan', 'Jan'],
      ['ola', 'Ola'],
    ],
  ])
  expect(tree.lacking).toEqual([license])
})

it('keeps levels that are not told where they are asked for as they are', async () => {
  const { tree, leftOut } = await found({ keepsUntold: true, only: ['process/**'] })
  expect(tree.items.map(({ address }) => address)).toContain('process/main/Sales/Open')
  expect(tree.items.find(({ identity }) => identity === 'Open')?.collections.privileges).toHaveLength(12)
  // A selection does not read every list.
  expect(leftOut).toEqual([])
})

it.each([
  [failed(404, failureCodes.notFound), true],
  [failed(403), false],
])('says of a list whether it is refused or not there', async (error, isMissing) => {
  const { tree } = await found({}, { [constants]: error })
  expect(tree.leftOut.filter(({ isList }) => isList)).toMatchObject([{ address: 'constant/main', isMissing }])
})

it('reads nothing of a kind that the application may not read, and ends with what concerns the run', async () => {
  const refused = new Map([[constant, 'no scope']])
  const { tree, items } = await found({ refused })
  expect(tree.leftOut.find(({ isList }) => isList)).toMatchObject({ address: 'constant/main', reason: 'no scope' })
  expect(items).not.toContain('constant/main/Url')
  await expect(found({}, { [constants]: failed(401) })).rejects.toMatchObject({ status: 401 })
})

it('passes over what it is told to, with the reason, and descends where it may', async () => {
  const passes: Parameters<typeof discover>[1]['passes'] = (kind) => (kind === user ? 'declared' : undefined)
  const { tree, items } = await found({ passes, descends: (kind) => kind !== process })
  expect(items).toEqual(['application/main/Sales', 'constant/main/Url'])
  expect(tree.passed).toEqual(['user/jan', 'user/ola'].map((address) => ({ address, why: 'declared' })))
})

it('reads elements that are selected by their numbers, each once, and no other', async () => {
  const only = ['element/main/12', 'element/main/12', 'element/main/abc', 'element/main/1?', 'element/mai2/13', 'x/14']
  const asked = (id: number) => `/db/1/elements/${id}/admin/privileges`
  const answers = { [asked(12)]: { elementPrivileges: [] } }
  const { tree, items } = await found({ only }, answers)
  expect(items).toEqual(['element/main/12'])
  expect(tree.items[0]).toMatchObject({ identity: '12', at: { dbId: 1 } })
  // One that is passed over is not read.
  const { items: none } = await found({ only, passes: () => 'declared' }, answers)
  expect(none).toEqual([])
})

it('leaves out what a list misreads, what nothing leads to alone, and tells which accounts may be groups', async () => {
  const called = (name: string, index: number) => ({ id: index + 1, guid: `g-${index + 1}`, name })
  const groups = { svcId: 'g', name: 'G', members: [{ svcId: 'jan', type: 'group' }], owners: [] }
  const { tree, items, leftOut } = await found(
    { kinds: [user, group, application, process] },
    {
      '/admin/users0': { users: [{ ...person('jan', 'Jan'), email: 5 }] },
      '/admin/groups0': { groups: [{ svcId: 'g', name: 'G' }] },
      '/admin/groups1': { groups: [] },
      '/admin/group': groups,
      // The name is that of two, the guid and the id are names of others.
      '/db/1/applications/g-Sales/processes': { processes: ['A', 'A', 'g-1', '1'].map(called) },
      ...Object.fromEntries([2, 3, 4].map((id) => [`/db/1/processes/g-${id}/admin/privileges`, { privileges: [] }])),
    },
  )
  expect(leftOut).toEqual([
    'process/main/Sales/g-1: Neither its name nor its guid leads to it alone',
    expect.stringMatching(/^user\/jan: .*cannot be read as a user/),
  ])
  expect(items.slice(0, 2)).toEqual(['application/main/Sales', 'group/g'])
  expect(tree.items[1]?.perhapsGroups).toEqual(['jan'])
})

it('names what a substitution is limited to, or what nobody may look up', async () => {
  const about = (guid: string) => ({ guid, name: guid, dbId: 1 })
  const substitutes = (fields: object, more = {}) => ({
    ...{ id: 1, type: 'TaskDelegation', startDate: '2026-07-01T00:00:00', endDate: null, businessEntity: null },
    ...{ originalPerson: { svcId: 'jan' }, substitutePerson: { svcId: 'ola' } },
    activeApplications: { allApplications: false, applications: [], processes: [], ...fields },
    ...more,
  })
  const told = async (item: object, databases: Record<string, number> = { main: 1 }) => {
    const answers = {
      '/admin/substitutions0': { substitutions: [item] },
      '/admin/substitutions1': { substitutions: [] },
    }
    const kinds = [substitution, application, process]
    const { tree } = await found({ kinds, databases, only: ['substitution/**'] }, answers as never)
    return [tree.items[0]?.collections, tree.leftOut.map(({ reason, hint }) => `${reason}. ${hint}`)]
  }
  const sales = { item: 'application', about: { ...about('g-Sales'), name: 'Sales' } }
  const nothing = { applications: [], processes: [], businessEntity: [] }
  const old = { ...about('g-Sales'), name: 'Old' }
  for (const each of [about('g-Sales'), old])
    expect(await told(substitutes({ applications: [each] }))).toEqual([{ ...nothing, applications: [sales] }, []])
  const [of] = await told(substitutes({ applications: [about('g-Sales')] }), { main: 1, other: 2 })
  expect(of).toMatchObject({ applications: [{ about: { database: 'main' } }] })
  expect(await told(substitutes({ applications: [about('g-9')] }))).toEqual([
    { processes: [], businessEntity: [] },
    ['It is about an application that cannot be looked up. Check that the application may read applications.'],
  ])
  expect(await told(substitutes({ processes: [about('g-9')] }))).toEqual([
    { applications: [], businessEntity: [] },
    ['It is about a process that cannot be looked up. Check that the application may read processes.'],
  ])
  expect(await told(substitutes({}, { businessEntity: about('g-9') }))).toMatchObject([
    { applications: [], processes: [] },
    [expect.stringMatching(/a business entity that cannot .* may read business entities\.$/)],
  ])
})

it('names ten accounts whose levels are not told, and counts no more than there are', async () => {
  const { leftOut } = await found({}, { '/db/1/processes/g-Open/admin/privileges': { privileges: many.slice(0, 10) } })
  expect(leftOut.find((each) => each.includes('Open'))).toMatch(/: u0, .*, u9$/)
})
