// One step, from its first request to its outcome: what is sent, in which order, and what is said of it.
import { expect, it } from 'vitest'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import type { Step } from '../../src/core/model/step.ts'
import { failureCodes, OperatorError, PlatformError } from '../../src/errors/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { absent, at, away, createStepRunner, failed, forbidden, locked, lost, refused } from './step-runner.ts'

const down = new PlatformError(failureCodes.platformDown, 'The platform is down', { kind: 'unreachable', ...at })
const garbled = new PlatformError(failureCodes.otherShape, 'no object', { ...at, kind: 'unreadable', method: 'GET' })
const person = (name: string) => ({
  ...{ svcId: 'jan@x', name, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})
const stepOf = (verb: Step['verb']): Step => ({
  ...{ id: '1', address: 'user/jan@x', kind: 'user', verb, spec: { name: 'New' }, dependsOn: [] },
  at: { name: 'jan@x', self: 'jan@x' },
})
const update = stepOf('update')
const change = 'PATCH /admin/user'
const look = 'GET /admin/user'
const remove = 'DELETE /admin/user'
const isSo = [look, person('New')] as const
const isNot = [look, person('Old')] as const
const doubt = 'svcsync does not know whether the platform carried it out:'

it.each([
  ['an answer', update, [[change, {}]], { outcome: 'done', attempts: 1 }, []],
  ['a lost one, and the effect', update, [[change, lost], isSo], { outcome: 'done', attempts: 1 }, []],
  ['a lost one, and none', update, [[change, lost], isNot, [change, {}]], { outcome: 'done', attempts: 2 }, [250]],
  [
    'lost ones alone',
    update,
    [[change, lost], isNot, [change, lost], [look, absent], [change, lost], isNot],
    {
      ...{ outcome: 'unknown', attempts: 3, code: failureCodes.connectionLost },
      reason: `${doubt} the connection broke`,
    },
    [250, 250],
  ],
  [
    'a lost one, and no sight',
    update,
    [
      [change, lost],
      [look, garbled],
    ],
    { outcome: 'unknown', attempts: 1, code: failureCodes.otherShape, reason: `${doubt} no object` },
    [],
  ],
  ['a refusal of what is so', update, [[change, refused], isSo], { outcome: 'unchanged', attempts: 1 }, []],
  [
    'a refusal',
    update,
    [[change, refused], isNot],
    { outcome: 'failed', attempts: 1, code: failureCodes.rejected, reason: 'answered 400' },
    [],
  ],
  [
    'a refusal after a lost one',
    update,
    [[change, lost], isNot, [change, refused], isNot],
    { outcome: 'unknown', attempts: 2, code: failureCodes.rejected },
    [250],
  ],
  [
    'a lock that ends',
    update,
    [
      [change, locked],
      [change, {}],
    ],
    { outcome: 'done', attempts: 2 },
    [250],
  ],
  [
    'a lock that stays',
    update,
    [1, 2, 3, 4, 5].map(() => [change, locked] as const),
    { outcome: 'failed', attempts: 5, reason: 'locked: somebody works on it' },
    [250, 250, 250, 250],
  ],
  [
    'nobody there',
    update,
    [[change, away]],
    { outcome: 'failed', stops: 'not started, because an earlier step failed for all: nobody there' },
    [],
  ],
  ['a platform that is down', update, [[change, down]], { stops: 'not started, because the platform is down' }, []],
  ['a refused token', update, [[change, forbidden]], { stops: expect.stringContaining('no token') }, []],
  [
    'what no request can carry',
    update,
    [[change, new OperatorError('SVC3052', 'no file')]],
    { outcome: 'failed', attempts: 1, code: 'SVC3052', reason: 'no file' },
    [],
  ],
  ['a deletion of what is gone', stepOf('delete'), [[remove, absent]], { outcome: 'unchanged' }, []],
  [
    'a deletion that is lost',
    stepOf('delete'),
    [
      [remove, lost],
      [look, absent],
    ],
    { outcome: 'done', attempts: 1 },
    [],
  ],
  [
    'one that was lost, and found gone',
    stepOf('delete'),
    [[remove, lost], isNot, [remove, absent]],
    { outcome: 'done', attempts: 2 },
    [250],
  ],
  ['a deletion that is refused', stepOf('delete'), [[remove, refused], isNot], { outcome: 'failed' }, []],
] as const)('%s', async (_what, step, exchanges, expected, pauses) => {
  const { carryOut, sleeps, locks } = createStepRunner()
  const result = await carryOut(step, user, ...exchanges)
  expect(result).toMatchObject(expected)
  expect(result.stops !== undefined).toBe('stops' in expected)
  expect(sleeps).toEqual(pauses)
  expect(locks).toEqual(exchanges[0][1] === locked ? pauses : [])
})

it('ends with a defect of ours, and repeats nothing', async () => {
  const broken = createStepRunner().carryOut(update, user, [change, new TypeError('x is undefined')])
  await expect(broken).rejects.toThrow('x is undefined')
})

it('gives attempts, and not time, to what the platform does not synchronise', async () => {
  const { carryOut, sleeps } = createStepRunner()
  const url = ['PATCH /db/1/admin/constants/g-1', locked] as const
  const step = { ...update, address: 'constant/main/Url', at: { dbId: 1, name: 'Url', self: 'g-1' } }
  expect(await carryOut(step, constant, url, url, url)).toMatchObject({ outcome: 'failed', attempts: 3 })
  expect(sleeps).toEqual([250, 500])
})

it('takes what another process may have sent for done where it is there, and for unknown where it is not', async () => {
  const maybeSent = new Set(['1'])
  const run = (seen: typeof isSo) => createStepRunner({ maybeSent }).carryOut(update, user, [change, refused], seen)
  expect(await run(isSo)).toMatchObject({ outcome: 'done' })
  expect(await run(isNot)).toMatchObject({ outcome: 'unknown' })
})

const stops = 'not started, because the journal cannot be written'
it.each([
  ['before it is sent', 0, [], { outcome: 'skipped', attempts: 0, reason: 'disk full', code: 'SVC2040', stops }],
  ['after a lock', 1, [[change, locked]], { outcome: 'failed', attempts: 1, reason: 'disk full', stops }],
  [
    'after a lost answer',
    1,
    [[change, lost], isNot],
    { outcome: 'unknown', attempts: 1, reason: `${doubt} disk full`, stops },
  ],
] as const)(
  'a journal that fails %s stops the run: nothing is sent without its line',
  async (_what, after, given, result) => {
    let lines = 0
    const sending = async (): Promise<void> => {
      if (lines++ >= after) throw new OperatorError('SVC2040', 'disk full')
    }
    const { carryOut } = createStepRunner({ log: { sending, answered: () => undefined } })
    expect(await carryOut(update, user, ...given)).toMatchObject(result)
  },
)

it('shows the reference of a secret that the platform quotes, in the reason and in what stops the others', async () => {
  const step = { ...update, spec: { name: new Sensitive('${env:NAME}', 'hunter2') as unknown as string } }
  const quoting = failed(failureCodes.rejected, 400, 'hunter2 is no name')
  expect((await createStepRunner().carryOut(step, user, [change, quoting], isNot)).reason).toBe(
    '${env:NAME} is no name',
  )
  const away = new PlatformError(failureCodes.unreachable, 'no way for hunter2', { kind: 'unreachable', ...at })
  expect((await createStepRunner().carryOut(step, user, [change, away])).stops).toContain('no way for ${env:NAME}')
})

const held = (...types: string[]) => ({ svcId: 'jan@x', licenses: types.map((type) => ({ type })) })
const assign = ['POST /admin/licenses/assign', {}] as const
const own = 'GET /admin/license'

it.each([
  ['answered', undefined, 2, [], { outcome: 'done', attempts: 1 }],
  ['refused, and not there', refused, 2, [[own, held()], assign], { outcome: 'done', attempts: 2 }],
  ['refused, and there', refused, 2, [[own, held('Process')]], { outcome: 'done', attempts: 1 }],
  ['refused, for one who is not known', refused, 2, [[own, absent], assign], { outcome: 'done', attempts: 2 }],
  ['refused, and not to be seen', refused, 2, [[own, garbled]], { outcome: 'unknown', attempts: 1 }],
  ['not sent', away, 2, [], { outcome: 'failed', stops: expect.any(String) }],
  ['sent for one alone, and refused', refused, 1, [[own, held()]], { outcome: 'failed', attempts: 1 }],
] as const)('a request with others that is %s', async (_what, error, steps, exchanges, expected) => {
  const step: Step = {
    ...{ id: '1', address: 'license/jan@x', kind: 'license', verb: 'add', collection: 'licenses', dependsOn: [] },
    ...{ at: { name: 'jan@x', self: 'jan@x' }, elements: [{ item: 'Process' } as never] },
  }
  const sharing = { answerTo: () => ({ steps, ...(error && { error }) }) }
  const { carryOut, sleeps } = createStepRunner({ sharing })
  expect(await carryOut(step, license, ...exchanges)).toMatchObject(expected)
  expect(sleeps).toEqual([])
})
