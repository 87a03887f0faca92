// A write is read again, and counts as proven only if it is as wanted and nothing beside it has gone.
import { expect, it } from 'vitest'
import { createRunState } from '../../src/apply/run-state.ts'
import { createVerifications } from '../../src/apply/verifications.ts'
import { type Change, changeOf, noDifferences } from '../../src/core/compare/change.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Desired } from '../../src/core/model/desired.ts'
import { elementKey, keyedElement } from '../../src/core/model/elements.ts'
import type { Json, JsonObject } from '../../src/core/model/json.ts'
import type { Element, Kind, LivePart, Location } from '../../src/core/model/kind.ts'
import { liveOf } from '../../src/core/model/live.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import type { Step } from '../../src/core/model/step.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const normalise = normaliserOf('ignore-case')
type Lists = Readonly<Record<string, readonly Element[]>>
const failed = (status: number, code: string, message = `answered ${status}`) =>
  new PlatformError(code, message, { kind: 'status', method: 'GET', path: '/x', status })
const gone = failed(404, failureCodes.notFound)

const place = { file: 'a.yaml', line: 1, column: 1 }
const source = { offsets: new Map(), offsetsOf: () => undefined, placeAt: () => place }

function wanted(kind: Kind, at: Location, spec: JsonObject, lists: Lists = {}, more: Partial<Desired> = {}): Desired {
  const declaration = { kind, section: kind.sections[0], item: spec, source }
  const collections = Object.entries(lists).map(([name, elements]) => {
    const keyed = elements.map((each) => keyedElement(each, normalise))
    const map = new Map(keyed.map((element) => [elementKey(element), { element, declaration, field: name, path: [] }]))
    return [name, { mode: 'exclusive', parts: [...new Set(elements.map(({ level = '' }) => level))], elements: map }]
  })
  const address = `${kind.name}/${at.name}`
  const own = { kind, at, address, key: at.name, spec, collections: Object.fromEntries(collections) }
  return {
    ...own,
    fieldKeys: {},
    declarations: [declaration],
    ...more,
  } as unknown as Desired
}
const part = (name: string, spec: JsonObject, collections: Lists = {}): LivePart => {
  return { name, self: name, spec, collections, ready: true }
}
const changeFrom = (desired: Desired, before: LivePart): Change => changeOf(desired, liveOf(before, desired, normalise))

/** `answers`: one after the other, whatever is asked. */
function verifying(changes: readonly Change[], answers: readonly (Json | Error)[], deleted: readonly string[] = []) {
  const asked: string[] = []
  const sleeps: number[] = []
  const progress: number[] = []
  const left = [...answers]
  const port: PlatformPort = {
    ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
    async send({ path }) {
      asked.push(path)
      const answer = left.shift() ?? new TypeError('not expected')
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  const step = (address: string): Step => {
    const [kind = '', name = ''] = address.split('/')
    return { id: address, address, kind, verb: 'update', at: { name }, dependsOn: [] }
  }
  const steps = changes.map(({ address }) => step(address))
  const run = createRunState(undefined, () => undefined)
  const changeAt = new Map(changes.map((change) => [change.address, change]))
  const verifications = createVerifications({ steps } as unknown as Plan, changeAt, {
    ...{ port, pageSize: 9, run, deleted: new Set(deleted), kinds: new Map(kinds.map((kind) => [kind.name, kind])) },
    sleep: async (delayMs) => void sleeps.push(delayMs),
    selfOf: () => undefined,
    onVerified: (objects) => void progress.push(objects),
  })
  return { ...verifications, asked, sleeps, progress, run, steps }
}

const person = (name: string) => ({
  ...{ svcId: 'jan', name, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})
const renamed = changeFrom(wanted(user, { name: 'jan', self: 'jan' }, { name: 'New' }), part('jan', { name: 'Old' }))
const deletion: Change = { ...renamed, action: 'delete', desired: undefined, ...noDifferences }
const start = (svcId: string): Element => ({ svcId, level: 'Start', company: null })
const admin = (svcId: string): Element => ({ svcId, level: 'Administrator', company: null })
const approval = { dbId: 1, process: 'p', name: 'P', self: 'p' }
const taking = changeFrom(
  wanted(process, approval, {}, { privileges: [start('ola')] }),
  part('P', {}, { privileges: [start('ola'), start('jan'), admin('jan'), admin('ewa')] }),
)
const privileges = (...list: readonly Element[]) => ({
  privileges: list.map(({ svcId, level, company }) => ({ svcId, level, ...(company === null && { company }) })) as Json,
})

it.each([
  ['as wanted', renamed, [person('New')], undefined, []],
  ['as wanted a moment later', renamed, [person('Old'), person('New')], undefined, [250]],
  ['as wanted once it can be read', renamed, [failed(500, 'SVC3034'), person('New')], undefined, [250]],
  ['not as wanted', renamed, [1, 2, 3].map(() => person('Old')), { differences: [{}] }, [250, 1000]],
  ['not there', renamed, [gone, gone, gone], { reason: 'it is not there' }, [250, 1000]],
  ['not to be read', renamed, [1, 2, 3].map(() => failed(500, 'SVC3034')), { reason: 'answered 500' }, [250, 1000]],
  ['gone', deletion, [gone], undefined, []],
  ['still there', deletion, [1, 2, 3].map(() => person('Old')), { reason: 'it is still there' }, [250, 1000]],
  ['left with what nobody manages', taking, [privileges(start('ola'), admin('jan'), admin('ewa'))], undefined, []],
  [
    'left with less than that',
    taking,
    [1, 2, 3].map(() => privileges(start('ola'), admin('ewa'))),
    { differences: [], reason: 'the platform removed more than svcsync sent: jan Administrator' },
    [250, 1000],
  ],
] as const)('an object that is %s', async (_what, change, answers, unequal, pauses) => {
  const { stepEnded, all, steps, sleeps, progress, run } = verifying([change], answers as readonly (Json | Error)[])
  stepEnded(steps[0] as Step, 'done')
  const verified = await all()
  expect(run.defect()).toBeUndefined()
  expect(verified).toMatchObject({ equal: unequal ? 0 : 1, unverified: 0, unverifiable: [] })
  expect(verified.unequal).toMatchObject(unequal ? [{ address: change.address, ...unequal }] : [])
  expect([sleeps, progress]).toEqual([pauses, [1]])
})

it('says nothing of what an account had that goes with its deletion', async () => {
  const { stepEnded, all, steps } = verifying([taking], [privileges(start('ola'), admin('ewa'))], ['jan'])
  stepEnded(steps[0] as Step, 'done')
  expect(await all()).toMatchObject({ equal: 1, unequal: [] })
})

it('keeps a secret out of what the platform quotes', async () => {
  const name = new Sensitive('${env:NAME}', 'hunter2') as unknown as string
  const change = changeFrom(wanted(user, { name: 'jan', self: 'jan' }, { name }), part('jan', { name: 'Old' }))
  const quoting = failed(500, 'SVC3034', 'hunter2 is odd')
  const { stepEnded, all, steps } = verifying([change], [quoting, quoting, quoting])
  stepEnded(steps[0] as Step, 'done')
  expect((await all()).unequal).toMatchObject([{ reason: '${env:NAME} is odd' }])
})

it('waits for the last step of an object, and proves none of which one did not end well', async () => {
  const { stepEnded, all, asked, steps } = verifying([renamed, renamed], [person('New')])
  stepEnded(steps[0] as Step, 'unchanged')
  expect(asked).toEqual([])
  stepEnded(steps[1] as Step, 'done')
  expect(await all()).toMatchObject({ equal: 1 })
  const troubled = verifying([renamed, renamed], [])
  troubled.stepEnded(steps[0] as Step, 'failed')
  troubled.stepEnded(steps[1] as Step, 'done')
  expect(await troubled.all()).toMatchObject({ equal: 0, unequal: [], unverified: 0 })
})

it('reads no object again that synchronisation saw whole, and a group all the same', async () => {
  const seen = verifying([renamed], [])
  seen.seen(seen.steps[0] as Step, part('jan', { name: 'New' }))
  seen.stepEnded(seen.steps[0] as Step, 'done')
  expect([await seen.all(), seen.asked]).toMatchObject([{ equal: 1 }, []])
  const members = { members: [{ svcId: 'jan' }] }
  const change = changeFrom(wanted(group, { name: 'g', self: 'g' }, {}, members), part('g', {}, { members: [] }))
  const full = { svcId: 'g', name: 'G', email: null, status: 'Synchronized', owners: [], ...members }
  const listed = verifying([change], [full])
  listed.seen(listed.steps[0] as Step, part('g', {}))
  listed.stepEnded(listed.steps[0] as Step, 'done')
  expect([await listed.all(), listed.asked]).toMatchObject([{ equal: 1 }, ['/admin/group']])
})

it('leaves unproven what the end of a run kept from being read', async () => {
  const { stepEnded, all, steps, run, progress } = verifying([renamed, { ...renamed, address: 'user/b' }], [])
  run.halt('not started')
  for (const step of steps) stepEnded(step, 'done')
  expect(await all()).toEqual({ equal: 0, unequal: [], unverifiable: [], unverified: 2 })
  expect(progress).toEqual([])
})

const holders = ['a', 'b', 'c'].map((name) => {
  const held = { licenses: [{ item: 'Process' }] }
  return changeFrom(wanted(license, { name, self: name }, {}, held), part(name, {}, { licenses: [] }))
})
const holds = (svcId: string, ...types: string[]) => ({ svcId, licenses: types.map((type) => ({ type })) })

it.each([
  [
    'all at once',
    3,
    [{ assignedLicenses: ['a', 'b', 'c'].map((each) => holds(each, 'Process')) }],
    ['/admin/licenses'],
  ],
  [
    'by itself where the list does not show it',
    3,
    [{ assignedLicenses: [holds('a', 'Process'), holds('b', 'Process'), holds('c')] }, holds('c', 'Process')],
    ['/admin/licenses', '/admin/license'],
  ],
  [
    'each where the list cannot be read',
    3,
    [failed(500, 'SVC3034'), ...['a', 'b', 'c'].map((each) => holds(each, 'Process'))],
    ['/admin/licenses', '/admin/license', '/admin/license', '/admin/license'],
  ],
  [
    'each where they are few',
    2,
    ['a', 'b'].map((each) => holds(each, 'Process')),
    ['/admin/license', '/admin/license'],
  ],
] as const)('proves licences %s', async (_what, count, answers, paths) => {
  const { stepEnded, all, asked, steps } = verifying(holders.slice(0, count), answers as readonly (Json | Error)[])
  for (const step of steps) stepEnded(step, 'done')
  const verified = await all()
  expect(asked).toEqual(paths)
  expect(verified).toMatchObject({ equal: count, unequal: [], unverified: 0 })
})
