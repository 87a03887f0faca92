// Names that stand for a product's, on an installation that may call them otherwise: a doubt costs the field, and never
// an object.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { footnotes } from '../../src/render/plan/unmanaged.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant } from './write-paths.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({ tenant: faultTenant, settings: 'settings: { retry: { maxDelay: 10ms } }' })
})
afterEach(() => workspace.close())

const answer = (path: string, body: unknown) =>
  workspace.emulator.addFault({
    match: { method: 'GET', path },
    count: null,
    effect: { kind: 'text', status: 200, contentType: 'application/json', body: JSON.stringify(body) },
  })

const ready = { status: 'Synchronized' }
const person = (svcId: string, more: object) => ({ svcId, name: svcId, ...more, ...ready })
const declared = (...users: string[]) => `users: [${users.map((each) => `{ ${each} }`).join(', ')}]`
const managed = (svcId: string, rest = '') => `svcId: ${svcId}, managerSvcId: boss@example.com${rest}`

/** The list of users as an installation tells it, and what a plan makes of two of them. */
async function planUsers(users: readonly object[], manifest: string) {
  answer('/admin/users', { users })
  workspace.manifest(manifest)
  return (await workspace.plan()).document
}

const renamed = ['a', 'b', 'c'].map((svcId) => person(svcId, { managerAcmeId: 'boss@example.com' }))

describe('the manager of users', () => {
  it('is not compared where another key stands in its place, and that is told once', async () => {
    const manifest = declared(managed('a'), managed('b'), managed('c'))
    const document = await planUsers(renamed, manifest)
    const { changes, unreadable, unverifiable, warnings } = document
    expect({ changes, unreadable }).toEqual({ changes: [], unreadable: [] })
    expect(unverifiable.map(({ paths }) => paths)).toEqual([['managerSvcId'], ['managerSvcId'], ['managerSvcId']])
    expect(unverifiable[0]?.doubted).toEqual({ kind: 'user', paths: ['managerSvcId'] })
    expect(footnotes(document)[0]).toBe('Not compared, since names may be others here: managerSvcId of 3 users.')
    const never = { address: 'connection/main/C', paths: ['soap.common.password'] }
    expect(footnotes({ ...document, unverifiable: [...unverifiable, never] }).slice(0, 2)).toEqual([
      'Not compared: 1 field of 1 object, which the Svc platform does not return.',
      'Not compared, since names may be others here: managerSvcId of 3 users.',
    ])
    const doubts = warnings.filter(({ code }) => code === 'SVC1350')
    expect(doubts).toMatchObject([
      {
        message:
          'Users: `managerSvcId` of 3 cannot be compared: ' +
          'answers lack it, and hold `managerAcmeId`, which svcsync does not know',
        hint: expect.stringContaining('`wireNames: { managerSvcId: managerAcmeId }`'),
      },
    ])
  })

  it('is none where it is left out, and nothing unknown could be it', async () => {
    const users = ['a', 'b', 'c'].map((svcId) => person(svcId, { isExternal: true, score: 7 }))
    const manifest = declared('svcId: a, managerSvcId: null', 'svcId: b, managerSvcId: ""', managed('c'))
    const { changes, warnings } = await planUsers(users, manifest)
    expect(changes).toMatchObject([{ address: 'user/c', differences: [{ path: 'managerSvcId', before: null }] }])
    expect(warnings.filter(({ code }) => code === 'SVC1350')).toEqual([])
  })

  it('is confirmed by any other user of the run', async () => {
    const users = [...renamed.slice(0, 2), person('c', { managerSvcId: 'boss@example.com' })]
    const { changes } = await planUsers(users, declared(managed('a'), managed('b'), managed('c')))
    expect(changes.map(({ address }) => address)).toEqual(['user/a', 'user/b'])
  })

  it('is confirmed by `wireNames`, and by a declaration that the unknown field is one', async () => {
    const manifest = declared('svcId: a, extra: { managerAcmeId: boss@example.com }', managed('b'), managed('c'))
    expect((await planUsers(renamed, manifest)).changes).toHaveLength(2)
    await workspace.close()
    const target = '    wireNames: { managerSvcId: managerSvcId }'
    workspace = await openWorkspace({ tenant: faultTenant, target })
    expect((await planUsers(renamed, declared(managed('a'), managed('b'), managed('c')))).changes).toHaveLength(3)
  })
})

describe('the manager of users', () => {
  it('keeps a user from every update, and the others get theirs', async () => {
    const users = [
      person('a', { managerAcmeId: 'x' }),
      person('b', { managerAcmeId: 'x' }),
      person('jan@example.com', {}),
    ]
    const manifest = declared('svcId: a, name: New', 'svcId: b, name: New', 'svcId: jan@example.com, name: New')
    const { steps, unreadable, warnings } = await planUsers(users, manifest)
    expect(steps.map(({ address, restsOn }) => `${address} ${restsOn}`)).toEqual([
      'user/a user/a',
      'user/b user/b',
      'user/jan@example.com undefined',
    ])
    expect(unreadable).toEqual([])
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('2 updates would send it')])
    const report = await workspace.apply()
    expect(report).toMatchObject({ outcome: 'partial', counts: { skipped: 2, failed: 0 } })
    expect(report.steps[0]?.reason).toBe('it would send `managerSvcId` along, which may have another name here')
    expect(writesOf(workspace.emulator).map(({ query }) => query.svcId)).toEqual(['jan@example.com'])
  })

  it('is not in doubt for a new field that the installation cannot call so', async () => {
    // Nulls are left out, nobody has a manager, and a release has added a text to all users.
    const users = ['a', 'b'].map((svcId) => person(svcId, { costCentre: '4711' }))
    const { changes, warnings } = await planUsers(users, declared('svcId: a, name: New', managed('b')))
    expect(changes.map(({ differences }) => differences.map(({ path }) => path))).toEqual([['name'], ['managerSvcId']])
    expect(warnings.filter(({ code }) => code === 'SVC1350')).toEqual([])
  })

  it('of a new user is sent as it is called here, which the plan tells, and never passes for done', async () => {
    const users = ['a', 'b'].map((svcId) => person(svcId, { managerAcmeId: 'x' }))
    const others = ['svcId: a, name: a', 'svcId: b, name: b']
    const { warnings } = await planUsers(users, declared(...others, 'svcId: n@example.com, name: N, managerSvcId: a'))
    expect(warnings.filter(({ code }) => code === 'SVC1350')).toMatchObject([
      {
        message: expect.stringMatching(
          /^Users: `managerSvcId` may have .*`managerAcmeId`.*; 1 new object is sent with it$/,
        ),
      },
    ])
    // This installation passes over a name that it does not know.
    const body = JSON.stringify(person('n@example.com', { name: 'N', managerAcmeId: null }))
    workspace.emulator.addFault({
      match: { method: 'GET', path: '/admin/user', query: 'n%40' },
      count: null,
      effect: { kind: 'text', status: 200, contentType: 'application/json', body },
    })
    expect((await workspace.apply()).verified.unverifiable).toEqual([
      { address: 'user/n@example.com', paths: ['managerSvcId'] },
    ])
  })
})

describe('connections', () => {
  const item = { id: 1, guid: 'c0000000-0000-4000-8000-000000000001', name: 'C' }
  async function planOne(told: object, connection: object) {
    workspace.emulator.clearFaults()
    answer('/db/1/admin/connections', { connections: [item] })
    answer('/db/1/admin/connections/*', { ...item, ...told })
    workspace.manifest(`database: main\nconnections: [${JSON.stringify({ name: 'C', ...connection })}]`)
    return (await workspace.plan()).document
  }
  const dbb = { common: { serviceName: 'S', integratedAuthentication: false } }

  it.each([
    ['the node', { type: 'DbB', acmedb: dbb }, { type: 'DbB', dbb }, ['dbb']],
    ['the type', { type: 'AcmeDb', dbb }, { type: 'DbB', dbb }, ['type']],
    ['type and node', { type: 'AcmeDb', acmedb: dbb }, { type: 'DbB', dbb }, ['type', 'dbb']],
    [
      'a word',
      { type: 'REST', rest: { common: { baseUrl: 'u', authentication: 'AcmeCrm' } } },
      { type: 'REST', rest: { common: { baseUrl: 'u', authentication: 'CrmSuiteB' } } },
      ['rest.common.authentication'],
    ],
    [
      'a part of a node',
      { type: 'MailServer', mailserver: { common: { serverType: 'OnPremises', acmeService: { url: 'u' } } } },
      { type: 'MailServer', mailserver: { common: { mailWebService: { url: 'u' } } } },
      ['mailserver.common.mailWebService'],
    ],
  ])('%s that may have another name is not compared', async (_what, told, connection, paths) => {
    const { changes, unreadable, unverifiable, warnings } = await planOne(told, connection)
    expect({ changes, unreadable }).toEqual({ changes: [], unreadable: [] })
    expect(unverifiable).toMatchObject([{ address: 'connection/main/C', paths }])
    expect(warnings.filter(({ code }) => code === 'SVC1350').length).toBeGreaterThan(0)
  })

  it('are compared with what is told under a new word, where another one is declared', async () => {
    const told = { type: 'REST', rest: { common: { baseUrl: 'u', authentication: 'OAuth3' } } }
    const connection = { type: 'REST', rest: { common: { baseUrl: 'u', authentication: 'Basic' } } }
    const { changes, steps } = await planOne(told, connection)
    expect(changes).toMatchObject([{ differences: [{ before: 'OAuth3', after: 'Basic' }] }])
    expect(steps).toMatchObject([{ verb: 'update' }])
  })

  it('have one node: a new field beside it is no other one', async () => {
    const sql = { common: { server: 's' } }
    const { changes, warnings } = await planOne({ type: 'SQL', sql, later: { key: 'x' } }, { type: 'SQL', sql })
    expect({ changes, warnings }).toEqual({ changes: [], warnings: [] })
  })
})

it('an export leaves the field out, and says so once', async () => {
  const users = ['a', 'b', 'c'].map((svcId) => person(svcId, { managerAcmeId: 'boss@example.com' }))
  answer('/admin/users', { users })
  const { files, leftOut } = await workspace.export({ only: ['user/*'] })
  expect(leftOut).toMatchObject([
    { address: 'user', field: 'managerSvcId', reason: expect.stringContaining('Users, 3') },
  ])
  expect(files.map(({ text }) => text).join('')).toMatch(/svcId: a\b[\s\S]*svcId: b\b[\s\S]*svcId: c\b/)
})
