// Refusals of the platform: what each status means, by the answer's own words where they are the platform's.
import { expect, it } from 'vitest'
import { failureCodes } from '../../src/errors/index.ts'
import type { HttpReply } from '../../src/platform/in-flight.ts'
import { statusError } from '../../src/platform/refusal.ts'
import { createScrub } from '../../src/platform/scrub.ts'

const asked = { method: 'GET', path: '/x', url: 'https://svc.test/x?realId=1', setting: 'baseUrl' } as const
const scrub = createScrub(
  () => [],
  () => [],
)

function errorOf(status: number, body: unknown = '', more: Partial<HttpReply> = {}, scopes: readonly string[] = []) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const empty = { retryAfter: null, location: null, contentType: null, date: null, headers: {}, flaw: undefined }
  const reply: HttpReply = { status, ...empty, text, bytes: Buffer.from(text), ...more }
  const namedIn = (said: string) => (said.includes('realId') ? ['svcId'] : [])
  return statusError(reply, asked, scopes, scrub, namedIn)
}
const own = { type: 'Odd', description: 'because' }

it.each([
  [400, own, 'rejected', undefined],
  [400, '', 'rejected', /^The target renames `svcId` in `wireNames`/],
  [400, { type: 'Odd', description: 'realId?' }, 'rejected', /^The target renames `svcId` in `wireNames`/],
  [422, { type: 'Odd', description: 'realId?' }, 'rejected', undefined],
  [401, own, 'tokenRefused', /asked to carry all scopes of the application\.$/],
  [403, own, 'permissionMissing', /^The token carries all scopes of the application\./],
  [402, { ...own, type: 'LicenseError' }, 'conflict', /^No licence of this type is left/],
  [409, { ...own, type: 'LicenseError' }, 'conflict', /^No licence of this type is left/],
  [400, { ...own, type: 'LicenseError' }, 'rejected', undefined],
  [402, own, 'rejected', undefined],
  [404, own, 'notFound', undefined],
  [404, { ...own, type: 'Not Found' }, 'foreignNotFound', /a gateway may have answered/],
  [404, { type: 'Odd' }, 'foreignNotFound', /a gateway may have answered/],
  [404, { description: 'because' }, 'foreignNotFound', /a gateway may have answered/],
  [404, 'nothing', 'foreignNotFound', /a gateway may have answered/],
  [404, '<html>', 'notJson', /^A web page answered/],
  [405, own, 'notAllowedHere', /^Either the installation lacks/],
  [409, own, 'conflict', undefined],
  [409, { ...own, type: 'ResourceIsLocked' }, 'locked', /^Somebody else has locked/],
  [400, { ...own, type: 'ResourceIsLocked' }, 'rejected', undefined],
  [423, '', 'locked', /^Somebody else has locked/],
  [429, '', 'tooManyRequests', 'Lower the concurrency.'],
  [499, own, 'rejected', undefined],
  [500, own, 'serverFailed', undefined],
] as const)('%i %j is %s', (status, body, name, hint) => {
  const error = errorOf(status, body)
  expect(error).toMatchObject({ code: failureCodes[name], kind: 'status', status, method: 'GET', path: '/x' })
  if (hint === undefined) expect(error.hint).toBeUndefined()
  else expect(error.hint).toMatch(hint)
})

it.each([
  [{ type: 'Odd', error: 'other', description: 'a', detail: 'b', errorGuid: 'g' }, ' (Odd)', ': a', 'g'],
  [{ type: '', error: 'odd', error_description: 'b' }, ' (odd)', ': b', undefined],
  [{ detail: 'c', title: 'd' }, '', ': c', undefined],
  [{ title: 'd', message: 'e' }, '', ': d', undefined],
  [{ message: 'e', errorGuid: 7 }, '', ': e', undefined],
  ['bare text', '', ': bare text', undefined],
  ['"text"', '', ': text', undefined],
  ['<html>page', '', '', undefined],
  ['', '', '', undefined],
])('%j is quoted', (body, type, said, errorGuid) => {
  const error = errorOf(500, body)
  expect(error.message).toBe(`The platform answered 500${type} to GET /x${said}`)
  expect(error.errorGuid).toBe(errorGuid)
})

it('says when to come again, and which scopes were asked for', () => {
  expect(errorOf(503, '', { retryAfter: '1' })).toMatchObject({ asksToWait: true })
  expect(errorOf(503)).toMatchObject({ asksToWait: false })
  expect(errorOf(403, own, {}, ['A', 'B']).hint).toMatch(/^The token carries A, B\./)
})
