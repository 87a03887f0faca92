// Right before a run takes an owner or Administrator, it looks who would be left: another writer may have taken others.
import { expect, it } from 'vitest'
import { OtherWriters } from '../../src/apply/other-writers.ts'
import { type Change, noDifferences } from '../../src/core/compare/change.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Element, Kind } from '../../src/core/model/kind.ts'
import { liveOf } from '../../src/core/model/live.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import type { Step } from '../../src/core/model/step.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { process } from '../../src/kinds/process/index.ts'

const normalise = normaliserOf('ignore-case')
const keyed = (elements: readonly Element[]) => elements.map((each) => keyedElement(each, normalise))
const accounts = (...svcIds: string[]): Element[] => svcIds.map((svcId) => ({ svcId }))
const at = (level: string, ...svcIds: string[]): Element[] => svcIds.map((svcId) => ({ svcId, level, company: null }))
const failed = (code: string, status: number) =>
  new PlatformError(code, `answered ${status}`, { kind: 'status', method: 'GET', path: '/x', status })
const gone = failed(failureCodes.notFound, 404)
const refused = failed(failureCodes.permissionMissing, 403)

const places = {
  group: { kind: group, address: 'group/g@x', at: { name: 'g@x', self: 'g@x' }, collection: 'owners' },
  process: {
    kind: process,
    address: 'process/main/A/P',
    at: { dbId: 1, process: 'p', name: 'P' },
    collection: 'privileges',
  },
} as const
interface Planned {
  readonly before: readonly Element[]
  readonly removed: readonly Element[]
  readonly added?: readonly Element[]
  readonly verb?: Step['verb']
  readonly collection?: string
}

/** What the plan saw and takes; then what is read, one answer after the other. */
function writersOf(of: keyof typeof places, planned: Planned, ...answers: readonly (readonly Element[] | Error)[]) {
  const { kind, address, at, collection } = places[of]
  const { before, removed, added = [], verb = 'remove' } = planned
  const part = { name: at.name, self: at.name, spec: {}, collections: { [collection]: before }, ready: true }
  const live = liveOf(part, { kind, address, at }, normalise)
  const elements = keyed(removed)
  const difference = { collection, removed: elements, added: keyed(added).map((element) => ({ element }) as never) }
  const change: Change = { address, action: 'update', desired: undefined, live, ...noDifferences }
  const changes = new Map([[address, { ...change, collections: [difference] }]])
  let reads = 0
  const told = (list: readonly Element[]): Json =>
    of === 'process'
      ? { privileges: list.map(({ svcId, level }) => ({ svcId, ...(level && { level }) })) as Json }
      : { svcId: 'g@x', name: 'G', email: null, status: 'Synchronized', members: [], owners: list as unknown as Json }
  const port: PlatformPort = {
    ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
    async send() {
      const answer = answers[reads++] ?? new TypeError('not expected')
      if (answer instanceof Error) throw answer
      return told(answer)
    },
  }
  const writers = new OtherWriters({ port, pageSize: 9, changes, selfOf: () => undefined })
  const step: Step = {
    ...{ id: '1', address, kind: kind.name, verb, at, collection: planned.collection ?? collection },
    ...{ elements, dependsOn: [] },
  }
  return {
    ask: () => writers.leavesNobody(step, kind as Kind),
    lookAgain: (...addresses: string[]) =>
      writers.lookAgain(addresses.map((each) => ({ address: each, differences: [] }))),
    told: () => writers.changes().map(({ sentence }) => sentence),
    reads: () => reads,
  }
}

const anna = { before: accounts('anna', 'jan'), removed: accounts('anna') }
const admin = { before: at('Administrator', 'anna', 'jan'), removed: at('Administrator', 'anna') }

it.each([
  ['who is left is still there', 'group', anna, accounts('anna', 'Jan'), []],
  ['who goes has gone', 'group', anna, accounts('jan'), []],
  ['the object has gone', 'group', anna, gone, []],
  [
    'another one has come',
    'group',
    anna,
    accounts('anna', 'ola'),
    ['another writer took jan from owners', 'another writer added ola to owners'],
  ],
  ['an Administrator is left', 'process', admin, at('Administrator', 'jan'), []],
  ['levels are not told', 'process', admin, accounts('anna', 'jan'), []],
  [
    'levels are not told, not even of whom this run brings',
    'process',
    { ...admin, added: at('Administrator', 'ola') },
    accounts('anna', 'jan', 'ola'),
    [],
  ],
] as const)('is sent where %s', async (_what, of, planned, read, told) => {
  const writers = writersOf(of, planned, read)
  expect(await writers.ask()).toBeUndefined()
  expect([writers.told(), writers.reads()]).toEqual([told, 1])
})

it.each([
  ['the group', 'group', anna, accounts('anna'), 'among the owners'],
  [
    'the process',
    'process',
    admin,
    [...at('Administrator', 'anna'), ...at('Start', 'jan')],
    'with the level Administrator',
  ],
  // Whom this run brings was nobody's before, and would not be left either.
  [
    'the group with one who is to come',
    'group',
    { ...anna, removed: accounts('anna', 'jan'), added: accounts('ola') },
    accounts('anna'),
    undefined,
  ],
] as const)('is not sent where %s would be left to nobody', async (_what, of, planned, read, where) => {
  const writers = writersOf(of, planned, read)
  const result = await writers.ask()
  if (where === undefined) expect(result).toBeUndefined()
  else
    expect(result).toMatchObject({
      ...{ outcome: 'skipped', code: 'SVC2130', attempts: 0 },
      reason: `it was not sent: another writer has removed others meanwhile, and nobody would be left ${where}`,
    })
})

it('is not sent where nobody can say who would be left', async () => {
  const reason = 'it was not sent, because svcsync could not read again who would be left: answered 403'
  const skipped = { outcome: 'skipped', attempts: 0, code: failureCodes.permissionMissing, reason }
  expect(await writersOf('group', anna, refused).ask()).toMatchObject(skipped)
  await expect(writersOf('group', anna, new TypeError('x')).ask()).rejects.toThrow('x')
})

it.each([
  ['leave nobody, as it was allowed to', 'process', { ...admin, before: admin.removed }],
  ['take members', 'group', { ...anna, collection: 'members' }],
  ['add owners', 'group', { ...anna, verb: 'add' }],
  ['take another level', 'process', { before: admin.before, removed: at('Start', 'anna') }],
] as const)('asks nobody where it is to %s', async (_what, of, planned) => {
  const writers = writersOf(of, planned)
  expect([await writers.ask(), writers.reads()]).toEqual([undefined, 0])
})

const many = Array.from({ length: 11 }, (_, index) => `u${index + 10}`)
it.each([
  ['group', anna, accounts('jan'), []],
  ['group', anna, accounts(), ['another writer took jan from owners', 'nobody is left among the owners']],
  ['group', anna, refused, []],
  ['process', admin, at('Administrator', 'jan'), []],
  [
    'process',
    { ...admin, before: [...admin.before, ...at('Start', 'ewa')] },
    at('Start', 'ewa'),
    [
      'another writer took jan (Administrator) from privileges',
      'nobody is left with the level Administrator; still there: ewa (Start)',
    ],
  ],
  [
    'process',
    { ...admin, before: [...admin.before, ...at('Start', ...many)] },
    at('Start', ...many),
    [
      'another writer took jan (Administrator) from privileges',
      expect.stringMatching(/still there: u10 \(Start\), .*, u19 \(Start\), and 1 more$/),
    ],
  ],
  [
    'process',
    { ...admin, before: [...admin.before, ...at('Start', ...many)] },
    at('Start', ...many.slice(1)),
    expect.arrayContaining([expect.stringMatching(/still there: u11 \(Start\), .*, u20 \(Start\)$/)]),
  ],
] as const)('tells afterwards who is left of the %s', async (of, planned, read, told) => {
  const writers = writersOf(of, planned, planned.before, read)
  const { address } = places[of]
  await writers.ask()
  await writers.lookAgain('group/other')
  expect(writers.reads()).toBe(1)
  await writers.lookAgain(address)
  expect(writers.told()).toEqual(told)
})
