// The last look before a write: the step's address, what guards saw and what would be sent are one object, or nothing
// is sent.
import { expect, it } from 'vitest'
import { addressesOthersWaitFor, refersToItself } from '../../src/apply/await-usable.ts'
import { locate, requestOf } from '../../src/apply/step-request.ts'
import { failedResult } from '../../src/apply/step-result.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind, Location } from '../../src/core/model/kind.ts'
import { type Live, liveOf } from '../../src/core/model/live.ts'
import { fieldsOf } from '../../src/core/model/schema-fields.ts'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import type { Step } from '../../src/core/model/step.ts'
import { InternalError, OperatorError } from '../../src/errors/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const normalise = normaliserOf('ignore-case')
const step = (address: string, verb: Step['verb'], at: Location): Step => ({
  id: '1',
  address,
  kind: address.split('/')[0] as string,
  verb,
  at,
  spec: { common: 'x' },
  collection: 'privileges',
  elements: [keyedElement({ svcId: 'jan@x', level: 'Start' }, normalise)],
  dependsOn: [],
})
const seen = (kind: Live['kind'], address: string, at: Location): Live => {
  const part = { name: at.name ?? '', self: at.self ?? '', spec: {}, collections: {}, ready: true }
  return liveOf(part, { kind, address, at }, normalise)
}
const jan = { name: 'Jan@x', self: 'jan@x' }
const hugo = { name: 'hugo@x', self: 'hugo@x' }
const url = { dbId: 1, name: 'Url', self: 'guid-1' }
const approval = { dbId: 1, process: 'guid-1', name: 'Approval' }

it.each([
  ['a user', user, step('user/jan@X', 'delete', jan), jan, seen(user, 'user/jan@X', jan)],
  ['a new user', user, step('user/Jan@x', 'create', jan), jan, undefined],
  ['a constant', constant, step('constant/main/Url', 'update', url), url, seen(constant, 'constant/main/Url', url)],
  [
    'privileges',
    process,
    step('process/main/A/guid-1', 'add', approval),
    approval,
    seen(process, 'process/main/A/guid-1', approval),
  ],
])('%s: is sent', (_what, kind, given, at, live) => {
  expect(requestOf(given, kind, at, { seen: live, normalise })).toMatchObject({ path: expect.any(String) })
})

it.each([
  ['another address', user, step('user/jan@x', 'delete', hugo), hugo, seen(user, 'user/jan@x', hugo)],
  ['another user in the place', user, step('user/jan@x', 'delete', jan), { ...jan, self: 'hugo@x' }, undefined],
  ['another user seen', user, step('user/jan@x', 'delete', jan), jan, seen(user, 'user/jan@x', hugo)],
  [
    'another constant seen',
    constant,
    step('constant/main/Url', 'update', url),
    url,
    seen(constant, 'constant/main/Url', { ...url, self: 'guid-2' }),
  ],
  [
    'another process seen',
    process,
    step('process/main/A/Approval', 'remove', approval),
    approval,
    seen(process, 'process/main/A/Approval', { ...approval, process: 'guid-2' }),
  ],
])('%s: is not', (_what, kind, given, at, live) => {
  expect(() => requestOf(given, kind, at, { seen: live, normalise })).toThrow(InternalError)
})

const both = { svcId: 'jan@x', licenses: [] }
const other = { svcId: 'hugo@x', licenses: [] }
it.each([
  ['its object', 'add', { assign: [both] }, true],
  ['its object and another one', 'add', { assign: [both, other] }, false],
  ['another one', 'add', { assign: [other] }, false],
  ['nobody', 'add', { assign: [] }, false],
  ['a text', 'add', { assign: ['jan@x'] }, false],
  ['nothing that can be read', 'add', 'jan@x', false],
  ['its object', 'create', { svcId: 'jan@x' }, true],
  ['another one', 'create', { svcId: 'hugo@x' }, false],
  ['nothing that can be read', 'create', null, false],
] as const)('a body with %s is sent by %s only if it is about that object alone', (_what, verb, body, isSent) => {
  const request = () => ({ method: 'POST', path: '/x', body: body as Json }) as const
  const collections = {
    privileges: { ...process.collections.privileges, add: request },
  } as unknown as Kind['collections']
  const kind = { ...user, requests: { ...user.requests, create: request }, collections }
  const at = { name: 'jan@x', self: 'jan@x' }
  const send = () => requestOf(step('user/jan@x', verb, at), kind, at, { seen: undefined, normalise })
  if (isSent) expect(send()).toMatchObject({ body })
  else expect(send).toThrow('would name another object')
})

it.each([
  ['its object in the path', '/x/jan%40x', undefined, undefined, true],
  ['another one in the path', '/x/hugo%40x', undefined, undefined, false],
  ['its object in the query', '/x', { svcId: 'jan@x' }, undefined, true],
  ['its object in the body, and another one in the query', '/x', { svcId: 'hugo@x' }, { assign: [both] }, false],
])('a removal with %s is sent only if that is it', (_what, path, query, body, isSent) => {
  const remove = () => ({ method: 'DELETE', path, ...(query && { query }), ...(body && { body }) }) as const
  const kind = { ...user, requests: { ...user.requests, remove } } as Kind
  const at = { name: 'jan@x', self: 'jan@x' }
  const send = () => requestOf(step('user/jan@x', 'delete', at), kind, at, { seen: undefined, normalise })
  // As it was built: there is nothing to reveal.
  if (isSent) expect(send()).toStrictEqual(remove())
  else expect(send).toThrow('would name another object')
})

it('sends unknown fields beside the known ones', () => {
  const { open = '' } = fieldsOf(user.sections[0])
  const given = { ...step('user/jan@x', 'update', jan), spec: { name: 'Jan', [open]: { custom: 1 } } }
  expect(requestOf(given, user, jan, { seen: undefined, normalise }).body).toMatchObject({ name: 'Jan', custom: 1 })
})

it('sends the secret that a step holds, and nothing where the object has no id', () => {
  const given = { ...step('constant/main/Url', 'update', url), spec: { common: new Sensitive('${env:X}', 'hidden') } }
  const request = requestOf(given as never, constant, url, { seen: undefined, normalise })
  expect(JSON.stringify(request.body)).toContain('"hidden"')
  const unknown = { name: 'jan@x' }
  const send = () => requestOf(step('user/jan@x', 'delete', unknown), user, unknown, { seen: undefined, normalise })
  expect(send).toThrow('would name another object')
})

it('has no request that its kind does not word', () => {
  const kind = { ...user, requests: { ...user.requests, remove: undefined } } as unknown as Kind
  const send = () => requestOf(step('user/jan@x', 'delete', jan), kind, jan, { seen: undefined, normalise })
  expect(send).toThrow('The kind user has no request for delete')
})

it('asks for an object by the id that it had, else by the one that this run learnt', () => {
  expect(locate(step('user/jan@x', 'update', jan), () => 'learnt')).toEqual(jan)
  const made = { dbId: 1, name: 'Url' }
  expect(locate(step('constant/main/Url', 'update', made), () => 'learnt')).toEqual({ ...made, self: 'learnt' })
  expect(locate(step('constant/main/Url', 'create', made), () => undefined)).toBe(made)
})

it('waits for what others need, and for itself where an object refers to itself', () => {
  const of = (id: string, address: string, ...dependsOn: string[]) => ({ ...step(address, 'add', jan), id, dependsOn })
  const steps = [of('1', 'user/a'), of('2', 'group/g', '1'), of('3', 'group/g', '2'), of('4', 'user/b', 'elsewhere')]
  expect([...addressesOthersWaitFor(steps)]).toEqual(['user/a'])
  const managed = (managerSvcId: string | null) => ({ ...of('1', 'user/a'), spec: { managerSvcId } })
  expect(['a', 'b', null].map((each) => refersToItself(managed(each), user, 'a'))).toEqual([true, false, false])
  const { spec: _, ...bare } = of('1', 'user/a')
  expect(refersToItself(bare, user, 'a')).toBe(false)
})

it('what the operator can mend fails the step; a defect of ours ends the run', () => {
  const mendable = new OperatorError('SVC3052', 'The file cannot be read', { hint: 'Check the path.' })
  const failed = {
    outcome: 'failed',
    code: 'SVC3052',
    reason: 'The file cannot be read',
    hint: 'Check the path.',
    attempts: 2,
  }
  expect(failedResult(mendable, 2)).toEqual(failed)
  for (const defect of [new InternalError('no such step'), new TypeError('x is undefined')])
    expect(() => failedResult(defect, 2)).toThrow(defect)
})
