// From declarations to live state: what is selected is read, and what could not be looked for is in doubt.
import { expect, it } from 'vitest'
import { asWrittenDirectory } from '../../src/core/assemble/as-written-directory.ts'
import { assembleDesired } from '../../src/core/assemble/assemble-desired.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Declaration } from '../../src/core/model/declaration.ts'
import type { AssemblySettings } from '../../src/core/model/desired.ts'
import type { Json, JsonObject } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { AccessError, failureCodes, PlatformError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { observe } from '../../src/live/observe.ts'
import { joinedAsWritten } from '../../src/live/observe-base.ts'

const normalise = normaliserOf('ignore-case')
const databases = { main: 1 }
const assembly: AssemblySettings = {
  ...{ normalise, collections: 'exclusive', sets: new Map(), ends: new Map() },
  time: { nowMs: 0, timeZone: 'UTC' },
}
const options = { ...assembly, databases, kinds }
const source = { file: 'a.yaml', placeAt: () => ({ file: 'a.yaml', line: 1, column: 1 }) }
const declare = (kind: Kind, item: JsonObject): Declaration =>
  ({ kind, section: kind.sections[0], item, source, database: 'main' }) as unknown as Declaration
const asWrittenOf = (declarations: readonly Declaration[]) =>
  assembleDesired(declarations, asWrittenDirectory(databases, options.kinds), assembly).desired
const failed = (status: number, hint?: string, code: string = failureCodes.serverFailed) =>
  new PlatformError(code, `answered ${status}`, { kind: 'status', method: 'GET', path: '/x', status }, { hint })

const person = (svcId: string) => ({
  ...{ svcId, name: svcId, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})
const named = (name: string, id: number) => ({ id, guid: `g-${id}`, name })
const poland = { businessEntities: [{ id: 1, guid: 'e1', name: 'Poland', code: 'PL' }] }
const usual: Readonly<Record<string, Json | Error>> = {
  '/admin/user a': person('a'),
  '/admin/user b': person('b'),
  '/db/1/applications': { applications: [named('Sales', 1)] },
  '/db/1/applications/g-1/processes': { processes: [named('Approval', 2), named('Twice', 3), named('Twice', 4)] },
  '/db/1/processes/g-2/admin/privileges': { privileges: [{ svcId: 'a', level: 'Start' }] },
}

async function observed(
  declarations: readonly Declaration[],
  more: Partial<Parameters<typeof observe>[3]> = {},
  answers: typeof usual = {},
) {
  const asked: string[] = []
  const port = {
    ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
    async send({ path, query }: { readonly path: string; readonly query?: Readonly<Record<string, unknown>> }) {
      const name = `${path}${query?.svcId === undefined ? '' : ` ${query.svcId}`}`
      asked.push(name)
      const answer = { ...usual, ...answers }[name] ?? failed(404, undefined, failureCodes.notFound)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as PlatformPort
  const { desired, live, problems, unmanaged, prune } = await observe(port, declarations, asWrittenOf(declarations), {
    ...{ ...options, only: [], pageSize: 9, ...more },
  })
  const addresses = desired.map(({ address }) => address)
  return {
    ...{ asked, desired, live, problems, unmanaged, prune },
    addresses,
    there: [...live.objects.keys()],
    unreadable: [...live.unreadable.values()],
  }
}

const users = ['a', 'b'].map((svcId) => declare(user, { svcId }))
const processes = (...names: string[]) =>
  names.map((name) => declare(process, { process: name, privileges: { Start: ['a'] } }))

it('reads what is selected, by globs or by addresses, once the token is there', async () => {
  expect(await observed(users, { only: ['user/a'] })).toMatchObject({ addresses: ['user/a'], there: ['user/a'] })
  const addresses = new Set(['user/b'])
  const authorised = Promise.reject(failed(401))
  authorised.catch(() => undefined)
  expect(await observed(users, { only: ['user/a'], addresses })).toMatchObject({ there: ['user/b'] })
  await expect(observed(users, { authorised })).rejects.toMatchObject({ status: 401 })
  expect((await observed(users, { authorised: Promise.resolve() })).there).toEqual(['user/a', 'user/b'])
})

it('knows the accounts of each list, and business entities by their codes where it may read them', async () => {
  const some = ['a', 'b', 'c', 'd'].map((svcId) => declare(user, { svcId }))
  const lists = { '/admin/users': { users: ['a', 'B', 'z'].map(person) } }
  expect([...(await observed(some, {}, lists)).live.accounts]).toEqual(['a', 'b', 'z'])
  const privilege = (guid: string) => ({ svcId: 'a', level: 'Start', company: { guid } })
  const privileges = { privileges: [privilege('E1'), privilege('e9'), { svcId: 'b', level: 'Start' }] }
  const answers = {
    '/db/1/processes/g-2/admin/privileges': privileges,
    '/admin/db/1/businessentities': poland,
  }
  const names = async (more: typeof usual) => {
    const { live } = await observed(processes('Approval'), {}, { ...answers, ...more })
    const [found] = live.objects.values()
    return found?.collections.privileges?.map(({ company }) => company?.name)
  }
  expect(await names({})).toEqual(['PL', 'e9', undefined])
  const withList = (answer: Error) => names({ '/admin/db/1/businessentities': answer })
  expect(await withList(failed(403))).toEqual(['E1', 'e9', undefined])
  const lost = { kind: 'lost', method: 'GET', path: '/x' } as const
  expect(await withList(new AccessError(failureCodes.scopesMissing, 'x', lost))).toEqual(['E1', 'e9', undefined])
  for (const error of [new PlatformError(failureCodes.connectionLost, 'x', lost), new TypeError('x')])
    await expect(withList(error)).rejects.toBe(error)
})

it('plans nothing for what it could not look for, and reads the others', async () => {
  const refused = { '/db/1/applications': failed(403, 'Ask.') }
  const found = await observed([...users, ...processes('Approval')], {}, refused)
  expect(found).toMatchObject({
    addresses: ['process/main/*/Approval', 'user/a', 'user/b'],
    there: ['user/a', 'user/b'],
  })
  expect(found.unreadable).toMatchObject([{ address: 'process/main/*/Approval', reason: 'answered 403', hint: 'Ask.' }])
  const whole = await observed([...users, ...processes('Approval')])
  expect(whole).toMatchObject({ there: ['user/a', 'user/b', 'process/main/Sales/Approval'], unreadable: [] })
})

const baseOf = (
  declarations: readonly Declaration[],
  begun: readonly object[] = [],
  now: readonly Declaration[] = [],
  entries = 'remove',
) => {
  const base = {
    ...{ declarations, assembly, asWritten: asWrittenOf(declarations), rules: { entries, values: 'keep' } },
    begun: begun.map((each) => ({ assembly, commit: 'c', isSelected: () => true, ...each })),
  } as never as Parameters<typeof joinedAsWritten>[1]
  return { base: { ...base, joined: joinedAsWritten(asWrittenOf(now), base) } }
}

it('is in doubt of what is no longer declared, and could not be looked for; and knows what is gone', async () => {
  const gone = await observed([], baseOf(processes('Approval', 'Nowhere')))
  expect(gone).toMatchObject({ there: ['process/main/Sales/Approval'], unreadable: [] })
  const said = async (declarations: readonly Declaration[], answers: typeof usual, begun: readonly object[] = []) =>
    (await observed([], baseOf(declarations, begun), answers)).unreadable.map(({ address, code, reason, hint }) =>
      [address, code, reason.replace('It is no longer declared, and svcsync could not look for it: ', ''), hint].join(),
    )
  const check = 'Check on the platform who still has access to it.'
  expect(await said(processes('Twice'), {})).toEqual([`process/main/*/Twice,SVC2220,several have its name,${check}`])
  const refused = (hint?: string) => ({ '/db/1/applications': failed(403, hint) })
  expect(await said(processes('Approval'), refused())).toEqual([
    `process/main/*/Approval,SVC2220,answered 403,${check}`,
  ])
  expect(await said(processes('Approval'), refused('Ask.'))).toEqual([
    'process/main/*/Approval,SVC2220,answered 403,Ask.',
  ])
  const limited = { svcId: 'a', company: 'PL' }
  const [twice] = [declare(process, { application: 'Sales', process: 'Twice', privileges: { Start: [limited] } })]
  const entities = { '/admin/db/1/businessentities': poland }
  expect(await said([twice], entities)).toEqual([`process/main/Sales/Twice,SVC2220,several have its name,${check}`])
  const begun = processes('Approval')
  expect(await said([], refused('Ask.'), [{ declarations: begun, asWritten: asWrittenOf(begun) }])).toEqual([
    'process/main/*/Approval,SVC2220,answered 403,Ask.',
  ])
})

it('looks for what an entry that is declared no more was limited to, and for nothing that nobody takes', async () => {
  const own = (...Start: Json[]) => declare(process, { process: 'Approval', privileges: { Start } })
  const limited = { svcId: 'a', company: 'PL' }
  const answers = { '/admin/db/1/businessentities': poland }
  const before = async (base: Declaration, now: Declaration, entries?: string) => {
    const found = await observed([now], baseOf([base], [], [now], entries), answers)
    const [object] = found.desired
    const gone = [...(object?.since?.entries.privileges?.values() ?? [])].map(({ element }) => element.company?.guid)
    return [found.asked.includes('/admin/db/1/businessentities'), gone]
  }
  expect(await before(own('b', limited), own('b'))).toEqual([true, ['e1']])
  expect(await before(own('b', limited), own('b'), 'keep')).toEqual([false, []])
})

it('counts what no manifest declares, without what prune is to delete', async () => {
  const page = (...svcIds: string[]) => ({ users: svcIds.map(person) })
  const counts = async (prune?: Parameters<typeof observe>[3]['prune']) => {
    const unmanaged = { everywhere: false, refused: Promise.resolve(new Map()) }
    const answers = { '/admin/users': page('a', 'b', 'z') as Json }
    const { unmanaged: counted, prune: found } = await observed(users, { unmanaged, ...(prune && { prune }) }, answers)
    return [counted?.user?.addresses, found?.orphans.map(({ address }) => address)]
  }
  expect(await counts()).toEqual([['user/z'], undefined])
  const judge = (_: Kind, name: string) => (name === 'z' ? { pattern: 'z' } : undefined) as never
  expect(await counts({ kinds: [user], judge })).toEqual([[], ['user/z']])
})
