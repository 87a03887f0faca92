// A project with every kind on an installation with names of its own, in both versions, from its document to
// `init --from-live`, without one name given by hand.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { openRenamedWire, type RenamedWire } from '../harness/renamed-wire.ts'
import { wordyTenant } from '../harness/whole-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { foreignDocument, standIns } from '../openapi/foreign-document.ts'

describe.each(['6.0', '5.0'] as const)('API %s', (apiVersion) => {
  const { document, truth } = foreignDocument(interfaceDocument(apiVersion), {
    seed: 7,
    names: 'product',
    additional: true,
  })
  let workspace: Workspace
  let wire: RenamedWire

  beforeAll(async () => {
    const tenant = { ...wordyTenant, behaviour: { undocumentedFields: 'told' } }
    workspace = await openWorkspace({ tenant: tenant as never, target: `    apiVersion: "${apiVersion}"` })
    wire = await openRenamedWire(workspace.emulator.url, truth, document)
    const file = join(workspace.dir, 'svcsync.yaml')
    writeFileSync(file, `# Kept.\n${readFileSync(file, 'utf8').replace(workspace.emulator.url, wire.url)}`)
  })
  afterAll(async () => {
    await wire.close()
    await workspace.close()
  })

  const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })

  it('goes from the document to a project that stays', { timeout: 300_000 }, async () => {
    const address = `${wire.url}/openapi.json`
    const env = { ...workspace.env, SVCSYNC_BASE_URL: wire.url }
    const blind = await runCommand(['init', 'blind', '--from-live', '--api-version', apiVersion], workspace.dir, env)
    expect(blind.code).toBe(1)
    expect(blind.stderr).toContain('cannot be read as an application')
    expect(blind.stderr).toContain('folder, and run again with `--openapi FILE|URL`.')
    const strange = await run('doctor', '--openapi', address)
    expect(strange.code).toBe(1)
    expect(strange.stdout).toContain('(SVC3081)')
    expect(strange.stdout).toContain(`\`svcId\` is \`${truth.get('svcId')}\` there`)

    const shown = await run('wire-names', address, '--format', 'json')
    expect(shown.code).toBe(0)
    const { wireNames, ...rest } = JSON.parse(shown.stdout) as Record<string, unknown>
    expect(rest).toMatchObject({ written: null, notAligned: [] })
    expect(wireNames).toEqual(Object.fromEntries(standIns.map((name) => [name, truth.get(name)])))
    const put = await run('wire-names', address, '--write')
    expect(put).toMatchObject({ code: 0, stderr: '' })
    expect(put.stdout).toContain(`${standIns.length} added, 0 changed.`)
    expect(readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')).toMatch(/^# Kept\./)
    expect((await run('wire-names', address, '--write')).stdout).toContain('nothing to write: all are there')

    const exported = await run('export', 'live', '--complete')
    expect(exported).toMatchObject({ code: 0 })
    const live = join(workspace.dir, 'live')
    const written = readdirSync(live, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
    const manifests = written.map((name) => readFileSync(join(live, name), 'utf8')).join('\n')
    for (const part of ['jan@example.com', 'PowerUser', 'CrmSuiteB', 'Portal2019', 'managerSvcId', 'Svc App'])
      expect(manifests).toContain(part)
    const file = join(workspace.dir, 'svcsync.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('manifests: [manifests]', 'manifests: [live]'))
    const doctor = await run('doctor', '--openapi', address)
    expect(doctor.stdout).not.toContain('problem  ')
    expect(doctor.code).toBe(0)
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0)

    mkdirSync(join(workspace.dir, 'live'), { recursive: true })
    writeFileSync(join(workspace.dir, 'live/more.yaml'), more)
    for (const name of written) {
      const file = join(live, name)
      const text = readFileSync(file, 'utf8').replace(/(PortalDesigner|Modify): \[\]/g, '$1: [neue]')
      writeFileSync(file, text.replace('ReadOnly: []', 'ReadOnly: [{ svcId: neu@example.com, company: PL01 }]'))
    }
    const planned = await run('plan', '--detailed-exitcode')
    expect(planned.stderr).toBe('')
    expect(planned.code).toBe(2)
    const applied = await run('apply', '--yes', '--format', 'json')
    expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: 'converged' })
    expect(applied.code).toBe(0)
    const text = JSON.stringify(workspace.emulator.state())
    for (const there of [
      'neu@example.com',
      'neue',
      'PortalOnline2',
      'Crm2',
      'NeuP',
      'DesignerDeskUser',
      'PortalDesigner',
    ])
      expect(text).toContain(there)
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0)
    expect((await run('drift')).code).toBe(0)

    const again = await runCommand(
      ['init', 'again', '--from-live', '--openapi', address, '--api-version', apiVersion],
      workspace.dir,
      env,
    )
    expect(again).toMatchObject({ code: 0 })
    const dir = join(workspace.dir, 'again')
    expect(existsSync(join(dir, 'svcsync.yaml'))).toBe(true)
    expect(await runCommand(['plan', '--detailed-exitcode'], dir, env)).toMatchObject({ code: 0 })
  })

  it('lists what it cannot align with its candidates, and writes nothing of it', async () => {
    const parameter = (name: string) => ({ name, in: 'query', required: true, schema: { type: 'string' } })
    const removed = (...names: string[]) => ({ delete: { parameters: names.map(parameter), responses: {} } })
    const two = {
      openapi: '3.0.3',
      paths: {
        [`/api/data/v${apiVersion}/admin/user`]: removed('crmId', 'loginId'),
        [`/api/data/v${apiVersion}/admin/group`]: removed('groupId', 'placeId'),
      },
    }
    workspace.write('two.json', JSON.stringify(two))
    const found = await run('wire-names', 'two.json')
    expect(found.stderr).toBe('')
    expect(found.code).toBe(1)
    expect(found.stdout).toContain('svcId  could be `groupId`, `placeId` (DELETE /admin/group)')
    workspace.write(
      'two.json',
      JSON.stringify({
        ...two,
        paths: {
          ...two.paths,
          [`/api/data/v${apiVersion}/admin/user`]: removed('crmId'),
          [`/api/data/v${apiVersion}/admin/group`]: removed('groupId'),
        },
      }),
    )
    const before = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
    const contrary = await run('wire-names', 'two.json', '--write', '--format', 'json')
    expect(contrary.code).toBe(1)
    expect(JSON.parse(contrary.stdout)).toMatchObject({
      names: [],
      notAligned: [{ name: 'svcId', reason: 'contradictory', candidates: ['groupId', 'crmId'] }],
      wireNames: {},
    })
    expect(readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')).toBe(before)
  })

  it('begins a project although two words are open, and takes the one that somebody knows', async () => {
    const text = JSON.stringify(document).replaceAll(`"${truth.get('SvcSelf')}"`, '"Itself"')
    workspace.write('open.json', text)
    const env = { ...workspace.env, SVCSYNC_BASE_URL: wire.url }
    const dir = join(workspace.dir, 'open')
    const begun = await runCommand(
      ['init', 'open', '--from-live', '--openapi', 'open.json', '--api-version', apiVersion],
      workspace.dir,
      env,
    )
    expect(begun.stderr).toMatch(/The document does not tell which of .*`Itself`.* is `(?:SvcSelf|CrmSuiteB)`/)
    expect(begun.stderr).toContain('svcsync wire-names --name CrmSuiteB=WORD --write --target prod')
    expect(existsSync(join(dir, 'svcsync.yaml'))).toBe(true)
    expect(readFileSync(join(dir, 'svcsync.yaml'), 'utf8')).not.toContain('CrmSuiteB')
    const put = await runCommand(['wire-names', '--name', `CrmSuiteB=${truth.get('CrmSuiteB')}`, '--write'], dir, env)
    expect(put).toMatchObject({ code: 0, stdout: expect.stringContaining('1 added, 0 changed.') })
    expect(put.stdout).toContain('it was given by hand')
    expect(readFileSync(join(dir, 'svcsync.yaml'), 'utf8')).toContain(`CrmSuiteB: ${truth.get('CrmSuiteB')}`)
    // Objects exported by the installation's word have the documented one from now on.
    for (const name of readdirSync(join(dir, 'manifests'), { recursive: true, encoding: 'utf8' })) {
      const file = join(dir, 'manifests', name)
      if (!name.endsWith('.yaml')) continue
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(String(truth.get('CrmSuiteB')), 'CrmSuiteB'))
    }
    const planned = await runCommand(['plan', '--detailed-exitcode'], dir, env)
    expect([planned.code, planned.stderr]).toEqual([0, expect.any(String)])
    const by = (name: string, real: string | undefined) => ['--name', `${name}=${real}`]
    const whole = await runCommand(
      [
        'wire-names',
        '../open.json',
        ...by('CrmSuiteB', truth.get('CrmSuiteB')),
        ...by('SvcSelf', 'Itself'),
        '--format=json',
      ],
      dir,
      env,
    )
    expect(whole.code).toBe(0)
    expect(JSON.parse(whole.stdout)).toMatchObject({ notAligned: [], wireNames: { SvcSelf: 'Itself' } })
    const wrong = await runCommand(['wire-names', '--name', 'svcid=x'], dir, env)
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean `svcId`?') })
    for (const given of ['svcId=${env:TOKEN}', 'svcId=', 'svcId=a b', '__proto__=x'])
      expect(await runCommand(['wire-names', '--name', given], dir, env)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('error SVC2176'),
      })
    expect((await runCommand(['wire-names'], dir, env)).stderr).toContain('needs a document or')
  })

  it('takes no reference for a name, from a document or in the project file', async () => {
    const file = join(workspace.dir, 'svcsync.yaml')
    const before = readFileSync(file, 'utf8')
    const stolen = '${env:GITHUB_TOKEN}'
    const text = JSON.stringify(document).replaceAll(`"${truth.get('svcId')}"`, JSON.stringify(stolen))
    workspace.write('stolen.json', text)
    const shown = await run('wire-names', 'stolen.json', '--write', '--format', 'json')
    expect(shown.code).toBe(1)
    expect(JSON.parse(shown.stdout)).toMatchObject({
      notAligned: [
        { name: 'svcId', reason: 'unusable', where: expect.stringContaining('/admin/'), candidates: [stolen] },
      ],
    })
    expect((await run('wire-names', 'stolen.json')).stdout).toContain(
      `svcId  is \`${stolen}\` there, which is no valid name`,
    )
    expect(readFileSync(file, 'utf8')).toBe(before)
    const env = { ...workspace.env, SVCSYNC_BASE_URL: wire.url }
    const begun = await runCommand(
      ['init', 'stolen', '--from-live', '--openapi', 'stolen.json', '--api-version', apiVersion],
      workspace.dir,
      env,
    )
    expect(begun).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2176') })
    expect(existsSync(join(workspace.dir, 'stolen'))).toBe(false)

    writeFileSync(file, before.replace(`svcId: ${truth.get('svcId')}`, `svcId: "${stolen}"`))
    const validated = await runCommand(['validate'], workspace.dir, { ...workspace.env, GITHUB_TOKEN: 'svcId' })
    expect(validated.stderr + validated.stdout).toContain('A name in `wireNames` holds no reference')
    expect(validated.code).toBe(1)
    writeFileSync(file, before)
  })
})

const more = `users:
  - { svcId: neu@example.com, name: Neu, email: neu@example.com, managerSvcId: ewa@example.com, extra: { costCentre: A-12 } }
groups:
  - { svcId: neue, name: Neue, owners: [ewa@example.com], extra: { region: North } }
memberships:
  - { group: neue, members: [neu@example.com] }
licenses:
  - svcId: neu@example.com
    licenses: [{ type: DesignerDeskUser, allowProjectCreation: true }, { type: SingleSolutionUser, processes: [P] }]
database: main
connections:
  - name: PortalOnline2
    type: DocPortal
    docportal: { common: { url: u, environment: PortalOnline, credentials: Svc App }, dev: { environment: Portal2016 } }
  - name: Crm2
    type: REST
    rest: { common: { baseUrl: b, authentication: CrmSuiteB, connectAs: Application } }
  - name: Mail2
    type: MailServer
    mailserver: { common: { serverType: DirectoryGraph, directoryGraph: { tenantId: t } } }
  - name: Base2
    type: DbB
    dbb: { common: { serviceName: s, integratedAuthentication: true } }
constants:
  - { name: Neu, common: a, dev: b, groupName: Addresses, extra: { tags: [a, 1] } }
processes:
  - process: P
    constants:
      - { name: NeuP, common: a, groupName: Addresses }
`
