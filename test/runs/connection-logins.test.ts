// Logins of connections: what is lost when an environment stops inheriting, and what only says one half.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRewording } from '../harness/rewording.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    tenant: {
      databases: [
        {
          id: 1,
          connections: [
            {
              name: 'ERP',
              type: 'SQL',
              sql: {
                common: { server: 's', database: 'd', integratedAuthentication: false, user: 'u', password: 'p' },
                prod: { server: 'sp', database: 'd', integratedAuthentication: false, user: 'u', password: 'p' },
              },
            },
            {
              name: 'Own',
              type: 'SQL',
              sql: { common: { server: 's', database: 'd', integratedAuthentication: true } },
            },
            { name: 'Portal', type: 'REST', rest: { common: { baseUrl: 'https://x', authentication: 'OAuth2App' } } },
          ],
        },
      ],
    },
    env: { SECRET: 'nobody-may-see-it' },
  })
})
afterAll(() => workspace.close())

const warningsOf = async (connection: string, settings: string) => {
  workspace.manifest(`connections:\n  - name: ${connection}\n${settings}\n`)
  const { document } = await workspace.plan()
  return document.warnings.map(({ code, message, place }) => `${code} ${place?.line} ${message}`)
}
const sql = (node: string) => `    type: SQL\n    sql:\n${node.replace(/^/gm, '      ')}`
const password = 'password: "${env:SECRET}"'

describe('an environment that stops inheriting', () => {
  it('is said to lose the login of `common` that nobody declares', async () => {
    expect(await warningsOf('ERP', sql('test: { server: st }'))).toEqual([
      'SVC1318 5 `test` stops inheriting and loses `user` and `password` of `common`, ' +
        'which the platform does not return',
    ])
    const rest = '    type: REST\n    rest: { dev: { inherit: false } }'
    expect(await warningsOf('Portal', rest)).toEqual([
      'SVC1318 4 `dev` stops inheriting and loses `clientId` and `clientSecret` of `common`, ' +
        'which the platform does not return',
    ])
  })

  it.each([
    ['declares it', 'ERP', `test: { server: st, user: u, ${password} }`],
    ['takes it from what `common` declares', 'ERP', `common: { user: u, ${password} }\ntest: { server: st }`],
    ['uses none any more', 'ERP', 'test: { server: st, integratedAuthentication: true }'],
    ['never used one', 'Own', 'test: { server: st }'],
    ['has settings of its own already, as declared', 'ERP', 'prod: { server: sp }'],
    ['has settings of its own, and says the login', 'ERP', `prod: { server: other, user: u, ${password} }`],
    ['inherits again', 'ERP', 'prod: null'],
  ])('is fine where it %s', async (_, connection, node) => {
    expect(await warningsOf(connection, sql(node))).toEqual([])
  })
})

it('says of an environment that is sent that its login is not, and keeps what is declared', async () => {
  const settings = (rest: string) => `common: { server: other${rest} }\nprod: { server: sp${rest} }`
  expect(await warningsOf('ERP', sql(settings('')))).toEqual([
    'SVC1318 5 `common` is sent without `user` and `password`, ' +
      'which the platform does not return and no manifest declares',
  ])
  const replacing = await openWorkspace({
    tenant: workspace.emulator.state(),
    behaviour: { connectionUpdates: 'replaced' },
    env: { SECRET: 'nobody-may-see-it' },
  })
  try {
    const commonNow = async (manifest: string) => {
      replacing.manifest(`connections:\n  - name: ERP\n${sql(manifest)}\n`)
      expect(await replacing.apply()).toMatchObject({ outcome: 'converged' })
      const [erp] = replacing.emulator.state().databases?.[0]?.connections ?? []
      return (erp as { sql?: { common?: object } } | undefined)?.sql?.common
    }
    const told = { database: 'd', integratedAuthentication: false }
    const login = { user: expect.anything(), password: expect.anything() }
    expect(await commonNow(settings(`, user: u, ${password}`))).toEqual({ server: 'other', ...told, ...login })
    // The subject of the warning.
    expect(await commonNow('common: { server: third }')).toEqual({ server: 'third', ...told })
  } finally {
    await replacing.close()
  }
})

it.each([
  [{}, 'connectionType: SqlLogin', 'connectionType', 'integratedAuthentication'],
  [
    { sqlConnections: 'connectionType' },
    'integratedAuthentication: false',
    'integratedAuthentication',
    'connectionType',
  ],
] as const)(
  'refuses what the live connections of an installation show it not to have',
  async (behaviour, field, said, told) => {
    const other = await openWorkspace({ tenant: workspace.emulator.state(), behaviour })
    try {
      const of = (name: string, rest: string) => `  - name: ${name}\n${sql(`common: { server: s2${rest} }`)}\n`
      for (const manifest of [of('ERP', `, ${field}`), of('ERP', '') + of('New', `, ${field}`)]) {
        other.manifest(`connections:\n${manifest}`)
        const message = `This installation has no \`${said}\`: its connections have \`${told}\``
        const place = expect.objectContaining({ line: manifest.split('\n').length })
        await expect(other.plan()).rejects.toMatchObject({
          problems: expect.arrayContaining([expect.objectContaining({ code: 'SVC1321', message, place })]),
        })
      }
    } finally {
      await other.close()
    }
  },
)

it('does not send back what a later installation tells of a connection, and says so', async () => {
  const newer = await openWorkspace({ tenant: workspace.emulator.state() })
  const wire = await openRewording(newer.emulator.url)
  try {
    wire.reword = (path, answer) =>
      /connections\/./.test(path)
        ? JSON.parse(JSON.stringify(answer).replaceAll('"server":', '"isolationLevel":"Snapshot","server":'))
        : answer
    newer.write(
      'svcsync.yaml',
      readFileSync(join(newer.dir, 'svcsync.yaml'), 'utf8').replace(newer.emulator.url, wire.url),
    )
    newer.manifest('connections: [{ name: Own, type: SQL, sql: { common: { server: other } } }]')
    const { planned, report } = await newer.run()
    expect(planned.document.warnings).toMatchObject([
      {
        code: 'SVC1323',
        message: '`common` is sent without `isolationLevel`, which svcsync does not know',
      },
    ])
    expect(report).toMatchObject({ outcome: 'converged' })
    expect((await newer.plan()).document).toMatchObject({ changes: [], warnings: [] })
  } finally {
    await wire.close()
    await newer.close()
  }
})

it('names settings inside others that it does not send back', async () => {
  const mailserver = { common: { serverType: 'OnPremises', mailWebService: { url: 'https://m.example.com' } } }
  const databases = [{ id: 1, connections: [{ name: 'Mail', type: 'MailServer', mailserver }] }]
  const newer = await openWorkspace({ tenant: { behaviour: { newFields: 'told' }, databases } as never })
  try {
    newer.manifest(
      'connections: [{ name: Mail, type: MailServer, mailserver: { common: { serverType: EwsBasicAuth } } }]',
    )
    const { planned, report } = await newer.run()
    expect(planned.document.warnings.find(({ code }) => code === 'SVC1323')?.message).toContain(
      '`common` is sent without `mailWebService.addedText`, ',
    )
    expect(report).toMatchObject({ outcome: 'converged' })
  } finally {
    await newer.close()
  }
})

describe('half a login', () => {
  it('is a warning, once', async () => {
    expect(await warningsOf('ERP', sql('test: { server: st, user: u }'))).toEqual([
      'SVC1318 5 `test` has `user` and no `password`',
    ])
    expect(workspace.open().problems).toMatchObject([{ code: 'SVC1318', severity: 'warning' }])
  })

  it('is none where the other half could not be read', () => {
    workspace.manifest(`connections:\n  - name: ERP\n${sql('test: { user: u, password: "${env:NOT_SET}" }')}\n`)
    expect(workspace.open().problems).toMatchObject([{ code: 'SVC1201' }])
  })

  it('is none where `common` has the other', async () => {
    expect(await warningsOf('ERP', sql(`common: { user: u, ${password} }\ntest: { user: other }`))).toEqual([])
  })
})

describe('a new connection', () => {
  it('is said to have no login, once', async () => {
    const node = 'common: { server: s, integratedAuthentication: false }\ndev: { server: d }'
    expect(await warningsOf('New', sql(node))).toEqual([
      'SVC1318 5 `common` of the new connection logs in, but no manifest declares its `user` and `password`',
    ])
  })

  it('needs its settings', async () => {
    workspace.manifest('connections: [{ name: New, type: SQL }]\n')
    await expect(workspace.plan()).rejects.toMatchObject({ problems: [{ code: 'SVC1103', severity: 'error' }] })
    // An apply would end in the middle: the platform refuses it.
    workspace.manifest('connections: [{ name: New, type: SQL, sql: { test: { server: s } } }]\n')
    const message = '`sql.common` is missing, and the connection does not exist yet'
    await expect(workspace.plan()).rejects.toMatchObject({
      problems: [{ code: 'SVC1103', message, place: { column: 44 } }],
    })
    workspace.manifest('connections: [{ name: ERP, type: SQL }]\n')
    expect(await workspace.changes()).toEqual([])
  })
})

it('refuses two ways to log in, and in API 5.0 what is only there later', async () => {
  const both = sql('common: { integratedAuthentication: true, connectionType: ADDefault }')
  workspace.manifest(`connections:\n  - name: ERP\n${both}\n`)
  expect(workspace.open().problems).toMatchObject([{ code: 'SVC1305', place: { line: 5, column: 65 } }])
  const older = await openWorkspace({ target: '    apiVersion: "5.0"' })
  older.manifest(`connections:\n  - name: ERP\n${sql('common: { trustCertificate: true, server: s }')}\n`)
  expect(older.open().problems).toMatchObject([
    { code: 'SVC1405', message: '`sql.common.trustCertificate` is not offered by API version 5.0', place: { line: 5 } },
  ])
  await older.close()
})
