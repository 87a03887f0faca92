// A name stands for an id only where live objects tell one; nothing is read for what needs none.
import { expect, it } from 'vitest'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Desired } from '../../src/core/model/desired.ts'
import type { Json, JsonObject } from '../../src/core/model/json.ts'
import { type Live, type LiveSnapshot, liveOf } from '../../src/core/model/live.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { AccessError, failureCodes, PlatformError } from '../../src/errors/index.ts'
import { connection } from '../../src/kinds/connection/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { withNamedIds } from '../../src/live/named-ids.ts'
import { ObjectLists } from '../../src/live/object-lists.ts'

const normalise = normaliserOf('ignore-case')
const list = '/db/1/admin/constants'
const failed = (status: number) =>
  new PlatformError(failureCodes.serverFailed, 'x', { kind: 'status', method: 'GET', path: list, status })
const source = { file: 'a.yaml', placeAt: () => ({ file: 'a.yaml', line: 1, column: 1 }) }
const wanted = (name: string, spec: JsonObject, more: Partial<Desired> = {}): Desired => {
  const at = { dbId: 1, name }
  const declarations = [{ kind: constant, section: constant.sections[0], item: spec, source }]
  return { kind: constant, at, address: `constant/main/${name}`, spec, declarations, ...more } as unknown as Desired
}
const there = (name: string, spec: JsonObject, kind: Live['kind'] = constant, dbId = 1): Live => {
  const part = { name, self: `g-${name}`, spec, collections: {}, ready: true }
  return liveOf(part, { kind, address: `${kind.name}/main/${name}`, at: { dbId, name } }, normalise)
}
const item = (name: string) => ({ id: 1, guid: `g-${name}`, name })
const told = (name: string, groupName: string | null, groupId: number | null) => ({
  ...{ ...item(name), groupName, groupId, description: null, common: { value: '' }, dev: {}, test: {}, prod: {} },
})

async function complete(
  desired: readonly Desired[],
  live: readonly Live[],
  answers: Readonly<Record<string, Json | Error>> = {},
  unreadable: readonly string[] = [],
) {
  const asked: string[] = []
  const port = {
    normalise,
    async send({ path }: { readonly path: string }) {
      asked.push(path)
      const answer = answers[path] ?? failed(500)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as PlatformPort
  const objects = new Map(live.map((each) => [each.address, each]))
  const snapshot = { objects, unreadable: new Map(unreadable.map((each) => [each, {}])) } as unknown as LiveSnapshot
  const result = await withNamedIds(port, desired, snapshot, { pageSize: 9, lists: new ObjectLists() })
  return { asked, specs: result.desired.map(({ spec }) => spec), problems: result.problems }
}

const url = wanted('Url', { groupName: 'Portal', common: 'x' })

it.each([
  ['what names nothing', [wanted('Url', { common: 'x' })], [], []],
  ['what is to be gone', [{ ...url, absent: true }], [], []],
  ['what could not be read', [url], [], [url.address]],
  ['what has the name already', [url], [there('Url', { groupName: 'Portal', groupId: 7 })], []],
  ['a kind without such names', [{ ...url, kind: connection }], [], []],
] as const)('reads nothing for %s', async (_what, desired, live, unreadable) => {
  const { asked, specs, problems } = await complete(desired as readonly Desired[], live, {}, unreadable)
  expect([asked, specs, problems]).toEqual([[], desired.map(({ spec }) => spec), []])
})

it('takes the id from what was read, and reads the rest of the list only where that does not tell it', async () => {
  const peer = there('Peer', { groupName: 'Portal', groupId: 7 })
  const id = { groupName: 'Portal', groupId: 7, common: 'x' }
  expect(await complete([url], [peer])).toEqual({ asked: [], specs: [id], problems: [] })
  const elsewhere = [
    there('Peer', { groupName: 'Portal', groupId: 8 }, constant, 2),
    there('C', { groupName: 'Portal', groupId: 9 }, connection),
  ]
  const misread = { [list]: { constants: [item('Known'), item('Far'), item('Gone')] } }
  const answers = { ...misread, [`${list}/g-Far`]: told('Far', 'Portal', 7), [`${list}/g-Gone`]: failed(500) }
  const found = await complete([url], [...elsewhere, there('Known', { groupName: 'Other', groupId: 3 })], answers)
  expect(found).toEqual({ asked: [list, `${list}/g-Far`, `${list}/g-Gone`], specs: [id], problems: [] })
  const refused = new AccessError(failureCodes.tokenRefused, 'x', {
    kind: 'status',
    method: 'GET',
    path: '/',
    status: 401,
  })
  await expect(complete([url], [], { [list]: refused })).rejects.toBe(refused)
})

it('leaves out a name that leads nowhere, with one warning for all who want it', async () => {
  const more = wanted('More', { groupName: 'Portal' })
  const answers = { [list]: { constants: [item('Far')] }, [`${list}/g-Far`]: told('Far', 'Portals', 7) }
  const { specs, problems } = await complete([url, more], [], answers)
  expect(specs).toEqual([{ common: 'x' }, {}])
  expect(problems).toMatchObject([
    {
      ...{ code: 'SVC1406', severity: 'warning', address: url.address, place: { line: 1 } },
      message: expect.stringMatching(
        /^`Url` \(and 1 more\): .* of global constants, and creates them without a group$/,
      ),
      hint: expect.stringContaining('Portals'),
    },
  ])
  const own = there('Url', { groupName: null, groupId: null })
  const unread = await complete([url], [own], { [list]: { constants: [item('Far')] } })
  expect(unread.problems).toMatchObject([
    {
      message: expect.stringMatching(/^`Url`: .* in what it could read \(1 could not be\), and leaves it where it is$/),
      hint: expect.stringMatching(/sees none that is empty\. Put one constant/),
    },
  ])
  const both = [own, there('More', { groupName: 'Zebra', groupId: 2 })]
  const none = await complete([url, { ...more, spec: { groupName: 'Portal' } }], both, { [list]: { constants: [] } })
  expect(none.problems).toMatchObject([
    {
      message: expect.stringContaining('leaves them where they are'),
      hint: expect.stringContaining('There are `Zebra`.'),
    },
  ])
  const many = [...'987654321'].map((name) => there(name, { groupName: name, groupId: Number(name) }))
  const first = await complete([url], many, { [list]: { constants: [] } })
  expect(first.problems[0]?.hint).toMatch(/ There are `1`, (?:`[2-7]`, ){6}`8`\. /)
})

it('refuses a name of several ids, and plans nothing for it', async () => {
  const peers = [9, 7, 8].map((groupId) => there(`P${groupId}`, { groupName: 'Portal', groupId }))
  const { asked, specs, problems } = await complete([url], peers)
  expect([asked, specs]).toEqual([[], []])
  expect(problems).toMatchObject([{ code: 'SVC1402', severity: 'error', hint: 'Write `groupId` instead: 7, 8, 9.' }])
})

it('looks for one name although another is known, and counts what a list misreads as unread', async () => {
  const peer = there('Peer', { groupName: 'Portal', groupId: 7 })
  const far = wanted('Path', { groupName: 'Far' })
  const answers = { [list]: { constants: [item('Far'), item('Odd')] }, [`${list}/g-Far`]: told('Far', 'Far', 9) }
  const both = await complete([url, far], [peer], { ...answers, [`${list}/g-Odd`]: told('Odd', null, null) })
  expect(both.specs).toEqual([
    { groupName: 'Portal', groupId: 7, common: 'x' },
    { groupName: 'Far', groupId: 9 },
  ])
  const misread = await complete([far], [], { [list]: { constants: [item('Odd'), { ...item('B'), name: 5 }] } })
  expect(misread.problems).toMatchObject([{ message: expect.stringMatching(/[12] could not be/) }])
})
