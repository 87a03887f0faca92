// What is live and what of it is declared, from lists alone; and which lists were not read.
import { expect, it } from 'vitest'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Desired } from '../../src/core/model/desired.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { application } from '../../src/kinds/application/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { element } from '../../src/kinds/element/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { processConstant } from '../../src/kinds/process-constant/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { countUnmanaged } from '../../src/live/count-unmanaged.ts'
import { MetadataLists } from '../../src/live/metadata-lists.ts'
import { ObjectLists } from '../../src/live/object-lists.ts'

const normalise = normaliserOf('ignore-case')
const person = (svcId: string) => ({
  ...{ svcId, name: svcId, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})
const failed = (status: number) =>
  new PlatformError(failureCodes.serverFailed, `answered ${status}`, {
    kind: 'status',
    method: 'GET',
    path: '/x',
    status,
  })
const named = (name: string, id: number) => ({ id, guid: `g-${id}`, name })
const applications = { request: { method: 'GET', path: '/db/1/applications' }, key: 'applications' } as const
const usual: Readonly<Record<string, Json | Error>> = {
  '/admin/users0': { users: ['a', 'b', 'c'].map(person) },
  '/admin/users1': { users: [] },
  '/db/1/applications': { applications: [named('Sales', 1), named('Stock', 2)] },
  '/db/1/applications/g-1/processes': { processes: [named('Approval', 3)] },
  '/db/1/applications/g-2/processes': { processes: [named('Count', 4)] },
}
const wanted = (kind: Kind, address: string, key: string, previously?: string): Desired =>
  ({ kind, address, key, previously, at: { name: key } }) as unknown as Desired

async function count(
  desired: readonly Desired[],
  more: Partial<Parameters<typeof countUnmanaged>[2]> = {},
  answers: typeof usual = {},
) {
  const asked: string[] = []
  const port = {
    ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
    async send({ path, query }: { readonly path: string; readonly query?: Readonly<Record<string, unknown>> }) {
      asked.push(`${path}${query?.page ?? ''}`)
      const answer = { ...usual, ...answers }[`${path}${query?.page ?? ''}`] ?? failed(500)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as PlatformPort
  const metadata = new MetadataLists()
  const options = { kinds: [user, application, process], databases: { main: 1 }, refused: new Map(), pageSize: 9 }
  const counted = await countUnmanaged(port, desired, {
    ...{ ...options, metadata, lists: new ObjectLists(), everywhere: false, isPruned: () => false, ...more },
  })
  return { asked, counted }
}

it('counts what is declared, under its old name too, and looks only into what is', async () => {
  const desired = [wanted(user, 'user/A', 'a'), wanted(user, 'user/x', 'x', 'b')]
  const { counted, asked } = await count([...desired, wanted(application, 'application/main/Sales', 'sales')])
  expect(counted).toEqual({
    user: { live: 3, declared: 2, addresses: ['user/c'] },
    application: { live: 2, declared: 1, addresses: ['application/main/Stock'] },
    process: { live: 1, declared: 0, addresses: ['process/main/Sales/Approval'], skippedLists: 1 },
  })
  expect(asked).not.toContain('/db/1/applications/g-2/processes')
  expect((await count([])).counted.process).toEqual({ live: 0, declared: 0, addresses: [], skippedLists: 2 })
  const { counted: all } = await count([], {
    everywhere: true,
    isPruned: (kind, name) => kind === user && name === 'a',
  })
  expect(all).toMatchObject({ user: { live: 2, declared: 0 }, process: { live: 2, addresses: { length: 2 } } })
  expect(all.process).not.toHaveProperty('skippedLists')
})

it('uses lists that were read for something else, whoever declares what they are in', async () => {
  const metadata = new MetadataLists()
  const list = { request: { method: 'GET', path: '/db/1/applications/g-2/processes' }, key: 'processes' } as const
  const port = { send: () => Promise.resolve(usual['/db/1/applications/g-2/processes']) } as unknown as PlatformPort
  await metadata.read(port, list)
  await metadata.read({ send: () => Promise.resolve(usual['/db/1/applications']) } as never, applications)
  const { counted, asked } = await count([], { metadata })
  expect(counted.process).toMatchObject({ addresses: ['process/main/Stock/Count'], skippedLists: 1 })
  expect(asked).toEqual(['/admin/users0', '/admin/users1'])
})

it('counts constants of processes where something else has read their list', async () => {
  const at = { dbId: 1, application: 'g-1', process: 'g-3' }
  const list = processConstant.requests.list?.(at) as NonNullable<ReturnType<NonNullable<Kind['requests']['list']>>>
  const answer = { [list.key]: [named('Limit', 9)] }
  const lists = new ObjectLists()
  const port = { normalise, send: () => Promise.resolve(answer) } as unknown as PlatformPort
  await lists.read(port, processConstant, at, list, { pageSize: 9 })
  const options = { everywhere: true, kinds: [application, process, processConstant] }
  const { counted } = await count([], { ...options, lists })
  expect(counted[processConstant.name]).toMatchObject({ live: 1, declared: 0 })
  expect((await count([], options)).counted).not.toHaveProperty(processConstant.name)
})

it('says of a list that fails that nobody knows how many there are, and of none that it does not list', async () => {
  const refused = { '/db/1/applications': failed(403), '/admin/users0': failed(403) }
  const { counted } = await count([], { kinds: [user, application, process, processConstant, element] }, refused)
  const unlisted = (address: string) => [{ address, reason: 'answered 403' }]
  expect(counted).toEqual({
    user: { live: null, declared: 0, addresses: [], unlisted: unlisted('user') },
    application: { live: null, declared: 0, addresses: [], unlisted: unlisted('application/main') },
    process: { live: 0, declared: 0, addresses: [] },
  })
  const one = { '/db/1/applications/g-2/processes': failed(403) }
  const { counted: part } = await count([], { everywhere: true }, one)
  expect(part.process).toMatchObject({ live: 1, unlisted: unlisted('process/main/Stock') })
  const { counted: within } = await count([], { within: ['user/**'] }, { '/admin/users0': { users: [] } })
  expect(within).toEqual({})
})

it('takes an object of two databases of one number for one, and the declared address for its own', async () => {
  const kinds = [constant, application]
  const url = (name: string) => ({ id: 1, guid: `g-${name}`, name, description: null, groupId: 1, groupName: 'G' })
  const answers = { '/db/1/admin/constants': { constants: ['Url', 'Path'].map(url) } }
  const names = (...addresses: string[]) => addresses.map((each) => `constant/${each}`)
  for (const databases of [
    { main: 1, alias: 1 },
    { alias: 1, main: 1 },
  ]) {
    const { counted } = await count([], { kinds, databases }, answers)
    expect(counted.constant).toEqual({ live: 2, declared: 0, addresses: names('alias/Path', 'alias/Url') })
    const declared = [wanted(constant, 'constant/main/Url', 'Url')]
    const { counted: one } = await count(declared, { kinds, databases }, answers)
    expect(one.constant).toEqual({ live: 2, declared: 1, addresses: names('alias/Path') })
  }
})

it('ends with what is no failure of the platform, and knows nothing where all of it fails', async () => {
  await expect(count([], {}, { '/admin/users0': new TypeError('x') })).rejects.toThrow('x')
  const { counted } = await count([], {}, { '/db/1/applications': failed(401) })
  const unlisted = (address: string) => ({ live: null, unlisted: [{ address, reason: 'answered 401' }] })
  expect(counted).toMatchObject({ user: { unlisted: [{ address: 'user' }] }, application: unlisted('application') })
})
