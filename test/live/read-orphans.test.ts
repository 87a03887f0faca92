// Prune deletes only objects that a list and an own read show; unreadable ones are reported, and stay.
import { expect, it } from 'vitest'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import type { createPruneJudge } from '../../src/core/plan/prune.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { ObjectLists } from '../../src/live/object-lists.ts'
import { readOrphans } from '../../src/live/read-orphans.ts'

const failed = (status: number, code: string = failureCodes.serverFailed) =>
  new PlatformError(code, `answered ${status}`, { kind: 'status', method: 'GET', path: '/x', status })
const person = (svcId: string, name: unknown = svcId) => ({
  ...({ svcId, name, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null } as Json as object),
  status: 'Synchronized',
})
const team = (svcId: string) => ({ svcId, name: svcId, email: null, status: 'Synchronized' })
const judge: ReturnType<typeof createPruneJudge> = (kind, name) => {
  if (name.startsWith('declared')) return undefined
  const address = `${kind.name}/${name}`
  return name.startsWith('kept') ? { address, reason: 'x' } : { pattern: `${kind.name}/**` }
}

async function orphans(answers: Readonly<Record<string, Json | Error>>, kinds: readonly Kind[] = [user, group]) {
  const usual = { '/admin/users1': { users: [] }, '/admin/groups1': { groups: [] }, '/admin/groups0': { groups: [] } }
  const port = {
    ...{ apiVersion: '6.0', normalise: normaliserOf('ignore-case') },
    async send({ path, query }: { readonly path: string; readonly query: Readonly<Record<string, unknown>> }) {
      const name = `${path}${query.svcId === undefined ? query.page : ` ${query.svcId}`}`
      const answer = { ...usual, ...answers }[name] ?? failed(404, failureCodes.notFound)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as PlatformPort
  return readOrphans(port, kinds, judge, new ObjectLists(), { pageSize: 9, nowMs: 0 })
}

it('gives what nobody declares, read by itself where the list does not tell all of it', async () => {
  const found = await orphans({
    '/admin/users0': { users: ['left', 'declared', 'kept'].map((each) => person(each)) },
    '/admin/groups0': { groups: [team('old'), team('gone')] },
    '/admin/group old': { ...team('old'), members: [{ svcId: 'a' }], owners: [] },
  })
  expect(found.orphans.map(({ address, action, prunedBy }) => [address, action, prunedBy])).toEqual([
    ['group/old', 'delete', 'group/**'],
    ['user/left', 'delete', 'user/**'],
  ])
  expect(found.orphans[0]?.live?.collections.members).toMatchObject([{ svcId: 'a' }])
  expect([found.kept.map(({ address }) => address), found.unreadable]).toEqual([['user/kept'], []])
  expect([...found.totals].sort()).toEqual([
    ['group', 2],
    ['user', 3],
  ])
})

it('says what it could not read, and deletes none of it', async () => {
  const found = await orphans({
    '/admin/users0': { users: [person('Two'), person('two'), person('odd', 5), person('left')] },
    '/admin/groups0': failed(403),
  })
  expect(found.orphans.map(({ address }) => address)).toEqual(['user/left'])
  expect(found.unreadable.map(({ address, reason }) => `${address}: ${reason}`)).toEqual([
    'group/*: Prune could not read it: answered 403',
    'user/Two: Several live objects have this name: prune cannot tell them apart',
    expect.stringMatching(/^user\/odd: Prune could not read it: .* cannot be read as a user/),
  ])
  expect(found.totals.has('group')).toBe(false)
  const own = {
    '/admin/users0': { users: [] },
    '/admin/groups0': { groups: [team('old')] },
    '/admin/group old': failed(500),
  }
  expect((await orphans(own)).unreadable).toMatchObject([{ address: 'group/old', code: failureCodes.serverFailed }])
})

it.each([failed(401), new TypeError('x')])('ends with what concerns the run: %s', async (error) => {
  await expect(orphans({ '/admin/users0': error })).rejects.toBe(error)
})

it('leaves what ends by itself until its time is over, unless nobody can tell', async () => {
  const [before, after] = ['1969-12-01T00:00:00', '1970-02-01T00:00:00']
  const from = (id: number, endDate: unknown, svcId = `b${id}`) => ({
    ...{ id, type: 'TaskDelegation', startDate: '1969-11-01T00:00:00', endDate, businessEntity: null },
    ...{ originalPerson: { svcId: 'a' }, substitutePerson: { svcId } },
    activeApplications: { allApplications: true, applications: [], processes: [] },
  })
  const told = async (...substitutions: object[]) => {
    const answers = { '/admin/substitutions0': { substitutions }, '/admin/substitutions1': { substitutions: [] } }
    const found = await orphans(answers as never, [substitution])
    return [found.orphans.map(({ address }) => address), found.unreadable.map(({ address }) => address)]
  }
  const address = (svcId: string) => `substitution/a→${svcId}/TaskDelegation/1969-11-01`
  expect(await told(from(1, before), from(2, after), from(3, 5))).toEqual([[address('b1')], [address('b3')]])
  expect(await told(from(1, before, 'b'), from(2, after, 'b'))).toEqual([[], [address('b')]])
  expect(await told(from(1, after, 'b'), from(2, after, 'b'))).toEqual([[], []])
})
