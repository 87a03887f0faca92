// A project of every kind goes its whole life on an installation that answers as documents of real ones do: names of
// its own, privileges without levels and companies, nothing told that is null, fields and a licence that no document
// has, and a 404 behind the last page.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { openRenamedWire, type RenamedWire } from '../harness/renamed-wire.ts'
import { wordyTenant } from '../harness/whole-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { foreignDocument } from '../openapi/foreign-document.ts'

const behaviour = {
  ...{ privilegeLevel: 'omitted', privilegeCompany: 'omitted', privilegeName: 'name' },
  ...{ pageAfterLast: 'notFound', pageCap: 2, licensesOfDeleted: 'notFound' },
  ...{ newFields: 'told', newWords: 'accepted' },
}

/** An object of each kind. Between the two lie a promotion, a new level, an exchange of licences, and new values. */
const manifest = ({ promoted = false } = {}) => `database: main
users:
  - { svcId: new@example.com, name: New, email: new@example.com, managerSvcId: ewa@example.com${promoted ? ', jobTitle: Clerk' : ''} }
groups:
  - { svcId: newcomers, name: Newcomers, owners: [ewa@example.com], members: [new@example.com${promoted ? ', ola@example.com' : ''}] }
memberships:
  - { group: h, members: [new@example.com] }
licenses:
  - svcId: new@example.com
    licenses: [${promoted ? '{ type: PowerUser }' : '{ type: User }'}, { type: SingleSolutionUser, processes: [P] }]
substitutions:
  - { person: new@example.com, substitute: jan@example.com, type: TaskDelegation, from: 2100-07-01, to: 2100-07-${promoted ? '31' : '15'} }
constants:
  - { name: New, common: ${promoted ? 'b' : 'a'}, dev: d }
connections:
  - { name: New, type: SOAP, soap: { common: { url: ${promoted ? 'v' : 'u'} }, dev: { url: d } } }
  - { name: Crm, type: REST, rest: { common: { baseUrl: b, authentication: CrmSuiteB, connectAs: Application } } }
applications:
  - application: A
    manage: { privileges: whole }
    privileges:
      Administrator: [ewa@example.com${promoted ? ', new@example.com' : ''}]
      ReadOnly: [jan@example.com${promoted ? '' : ', new@example.com'}]
processes:
  - process: P
    constants: [{ name: Own, common: ${promoted ? 'b' : 'a'} }]
    manage: { privileges: additive }
    privileges: { Start: [{ svcId: newcomers, company: PL01 }]${promoted ? ', Modify: [new@example.com]' : ''} }
    workflows:
      - workflow: W
        formTypes:
          - formType: F
            manage: { privileges: additive }
            privileges: { ${promoted ? 'Modify' : 'ReadOnly'}: [newcomers] }
elements:
  - { element: 7, privileges: { ReadOnly: [jan@example.com, ${promoted ? 'newcomers' : 'new@example.com'}] } }
`

describe.each(['6.0', '5.0'] as const)('API %s', { timeout: 300_000 }, (apiVersion) => {
  const names = { seed: 7, names: 'product', additional: true } as const
  const { document, truth } = foreignDocument(interfaceDocument(apiVersion), names)
  let workspace: Workspace
  let wire: RenamedWire
  let remote: GitRemote
  let address = ''

  beforeAll(async () => {
    const absentFields = apiVersion === '6.0' ? 'nullsOmitted' : 'defaultsOmitted'
    const ewa = { svcId: 'ewa@example.com', licenses: ['AgentUser'] }
    const licenses = { assigned: [...wordyTenant.licenses.assigned, ewa], available: { AgentUser: 5 } }
    workspace = await openWorkspace({
      tenant: { ...wordyTenant, licenses, behaviour: { ...behaviour, absentFields } } as never,
      target: `    apiVersion: "${apiVersion}"`,
      settings: 'ledger: { remote: origin }\nguards: { removals: { max: 100 }, deletions: { max: 100 } }\n',
    })
    wire = await openRenamedWire(workspace.emulator.url, truth, document)
    address = `${wire.url}/openapi.json`
    const file = join(workspace.dir, 'svcsync.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(workspace.emulator.url, wire.url))
    workspace.write('.gitignore', '*.jsonl\nlive/\n')
    remote = openGitRemote()
    remote.adopt(workspace.dir)
  })
  afterAll(async () => {
    remote.close()
    await wire.close()
    await workspace.close()
  })

  const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
  const said = async (expected: number, ...args: string[]) => {
    const result = await run(...args)
    expect(result.code, `${args.join(' ')}\n${result.stdout}${result.stderr}`).toBe(expected)
    return result
  }
  /** The order of grants is no difference. */
  const state = () => {
    const { nextIds: _, ...rest } = workspace.emulator.state() as unknown as Part
    return sorted(rest)
  }
  const privilegesOf = (path: (database: Part) => Part) =>
    (path(database()).privileges as { svcId: string; level: string }[]).map(({ svcId, level }) => `${svcId} ${level}`)
  const database = (): Part => ((workspace.emulator.state() as unknown as Part).databases as Part[])[0] as Part
  const applicationOf = (of: Part): Part => (of.applications as Part[])[0] as Part
  const processOf = (of: Part): Part => (applicationOf(of).processes as Part[])[0] as Part
  const commit = (text: string, message: string) => {
    workspace.manifest(text)
    commitAll(workspace.dir, message)
  }

  it('begins with the names of its document, and a doctor that finds nothing', async () => {
    await said(0, 'wire-names', address, '--write')
    const { stdout } = await said(0, 'doctor', '--openapi', address)
    expect(stdout).not.toContain('problem  ')
  })

  it('can be started from what is there, without a difference', async () => {
    const env = { ...workspace.env, SVCSYNC_BASE_URL: wire.url }
    const args = ['init', 'live', '--from-live', '--openapi', address, '--api-version', apiVersion]
    expect(await runCommand(args, workspace.dir, env)).toMatchObject({ code: 0 })
    const dir = join(workspace.dir, 'live')
    const plan = await runCommand(['plan', '--detailed-exitcode'], dir, env)
    expect(plan, plan.stdout + plan.stderr).toMatchObject({ code: 0 })
    rmSync(dir, { recursive: true })
  })

  let before: unknown
  it('is planned and applied, and has nothing to do then', async () => {
    commit(manifest(), 'First')
    await said(2, 'plan', '--detailed-exitcode')
    await said(0, 'apply', '--yes')
    await said(0, 'plan', '--detailed-exitcode')
    await said(0, 'drift')
    before = state()
  })

  it('sends what changes, levels that no list tells included', async () => {
    commit(manifest({ promoted: true }), 'Promoted')
    await said(2, 'plan', '--detailed-exitcode')
    await said(0, 'apply', '--yes', '--journal', 'promotion.jsonl')
    await said(0, 'plan', '--detailed-exitcode')
    const own = (each: string) => each.startsWith('new')
    expect(privilegesOf(applicationOf).filter(own)).toEqual(['new@example.com Administrator'])
    expect(privilegesOf(applicationOf)).toHaveLength(3)
    expect(privilegesOf(processOf).filter(own).sort()).toEqual(['new@example.com Modify', 'newcomers Start'])
  })

  it('finds what was changed by hand, and heals it', async () => {
    const declared = state()
    const tenant = structuredClone(workspace.emulator.state()) as unknown as Record<string, Part[]>
    const find = (list: Part[] | undefined, key: string, name: string): Part =>
      list?.find((each) => each[key] === name) as Part
    find(tenant.users, 'svcId', 'new@example.com').jobTitle = 'Boss'
    find(tenant.groups, 'svcId', 'newcomers').members = ['jan@example.com']
    find((tenant.databases as Part[])[0]?.constants as Part[], 'name', 'New').common = 'by hand'
    const { privileges } = applicationOf((tenant.databases as Part[])[0] as Part)
    ;(privileges as Part[]).push({ svcId: 'ola@example.com', level: 'ReadOnly' })
    workspace.emulator.load(tenant as never)
    const { stdout } = await said(2, 'drift')
    for (const part of ['Boss', 'jan@example.com', 'by hand', 'ola@example.com']) expect(stdout).toContain(part)
    await said(0, 'apply', '--yes')
    await said(0, 'drift')
    expect(state()).toEqual(declared)
  })

  it('is taken back: all but what undo names', async () => {
    // No list shows other Administrators there.
    const allow = ['--allow', 'last-administrator=application/main/A']
    const { stdout } = await said(0, 'undo', 'promotion.jsonl', '--yes', ...allow)
    expect(stdout).not.toContain('Not reverted')
    expect(state()).toEqual(before)
  })

  it('lets somebody go', async () => {
    const leaves = manifest()
      .replace(
        '{ svcId: new@example.com, name: New, email: new@example.com, managerSvcId: ewa@example.com }',
        '{ svcId: new@example.com, absent: true }',
      )
      .replace(/licenses: \[\{ type: User .*\n/, 'licenses: []\n')
      .replace('to: 2100-07-15', 'absent: true')
      .replaceAll(/(?<=[[{ ,])new@example\.com(?=[\]])/g, '')
      .replace(', ]', ']')
    commit(leaves, 'Left')
    await said(0, 'apply', '--yes')
    await said(0, 'plan', '--detailed-exitcode')
    expect(JSON.stringify(state())).not.toContain('new@example.com')
  })
})

type Part = Record<string, unknown>

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  // An unset value reads as null or false, and may be sent so.
  const set = Object.entries(value).filter(([, each]) => each !== null && each !== false)
  return Object.fromEntries(set.map(([key, each]) => [key, sorted(each)]))
}
