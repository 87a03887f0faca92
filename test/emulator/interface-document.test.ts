// The interface's documents: generated from the routes, and true of each exchange that the tests see.
import { expect, it } from 'vitest'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { breachesOf } from '../harness/interface-check.ts'
import { startPlatform } from './start-platform.ts'

const seen = { api: '6.0', method: 'GET', path: '/admin/user', body: undefined } as const
const user = { svcId: 'a', name: 'A', email: null, phoneNumber: null, managerSvcId: null, jobTitle: null }

it('an answer that they do not describe is a breach', () => {
  expect(breachesOf({ ...seen, answer: { ...user, status: 'Synchronized' } })).toEqual([])
  expect(breachesOf({ ...seen, answer: { ...user, status: 'Done' } })[0]).toContain('/status must be equal to one of')
  expect(breachesOf({ ...seen, answer: user })[0]).toContain('must have required property')
  expect(breachesOf({ ...seen, answer: { ...user, status: 'Synchronized', login: 'a' } })[0]).toContain('login')
  expect(breachesOf({ ...seen, path: '/admin/nobody', answer: {} })[0]).toContain('the document has none')
})

it('every read has an answer, and 5.0 has what it has', () => {
  for (const version of ['5.0', '6.0'] as const) {
    const { paths } = interfaceDocument(version) as {
      paths: Record<string, Record<string, { responses: { 200: object } }>>
    }
    const reads = Object.entries(paths).flatMap(([path, { get }]) => (get === undefined ? [] : [[path, get] as const]))
    expect(reads.length).toBeGreaterThan(30)
    expect(reads.filter(([, { responses }]) => !('content' in responses[200])).map(([path]) => path)).toEqual([])
  }
  expect(JSON.stringify(interfaceDocument('5.0'))).not.toContain('trustCertificate')
  expect(JSON.stringify(interfaceDocument('6.0'))).toContain('trustCertificate')
})

it('every read of an empty platform is as they say', async () => {
  const { get, post } = await startPlatform()
  await post('/admin/users', { svcId: 'a@example.com' })
  for (const path of ['/me', '/admin/users', '/admin/groups', '/db/1/applications', '/admin/substitutions']) {
    expect((await get(path)).status).toBe(200)
  }
})
