// The scope of a target: its own files, and its `only`. Plans, guards, prune, drift, counts and export keep to it, and
// a ledger counts it as the whole.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuthorError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { driftAccessRun } from '../../src/runs/access/drift-access-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { validateRun } from '../../src/runs/open/validate-run.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
const people = ['ann', 'bob', 'cy'].map((name) => ({ svcId: `${name}@example.com`, name }))
const group = (svcId: string, members: readonly string[] = []) => ({ svcId, name: svcId, members, owners: [] })
const tenant = {
  users: people,
  groups: [group('fin@example.com', ['ann@example.com', 'bob@example.com']), group('hr@example.com')],
  databases: [
    {
      id: 1,
      constants: [{ name: 'Url', common: 'u' }],
      applications: [{ name: 'Buying', processes: [{ name: 'Order' }] }],
    },
  ],
}

beforeEach(async () => {
  workspace = await openWorkspace({ tenant: tenant as never })
})
afterEach(() => workspace.close())

interface Told {
  readonly own?: string
  readonly top?: string
  readonly folder?: string
}

/** `own`: lines of the target; `top`: of the file. */
function project({ own = '', top = 'manifests: [manifests]', folder = '.' }: Told = {}): void {
  workspace.write(
    `${folder}/svcsync.yaml`,
    `version: 1
${top}
target: test
targets:
  test:
    baseUrl: ${workspace.emulator.url}
    clientId: "\${env:SVCSYNC_CLIENT_ID}"
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
    databases: { main: 1 }
    ${own}
  other: { baseUrl: "http://127.0.0.1:9", clientId: a, manifests: [theirs] }
`,
  )
}

const onlyFinance = { own: 'only: ["group/fin*", "constant/**"]' }
const manifest = `database: main
constants: [{ name: Url, common: new }]
users: [{ svcId: dee@example.com, name: Dee }]
groups:
  - { svcId: fin@example.com, members: [ann@example.com] }
  - { svcId: hr@example.com, members: [ann@example.com] }
`
const problemsOf = (run: Promise<unknown>) =>
  run.then(
    () => [],
    (error: unknown) => (error instanceof AuthorError ? error.problems : [{ code: String(error) }]),
  )

describe('`only` of a target', () => {
  it('is the whole for plans, guards and counts', async () => {
    project(onlyFinance)
    workspace.manifest(manifest)
    const { document } = await workspace.plan({ unmanaged: { everywhere: true } })
    expect(document.changes.map(({ address }) => address)).toEqual(['constant/main/Url', 'group/fin@example.com'])
    expect(document.target.only).toEqual(['group/fin*', 'constant/**'])
    expect(document.unmanaged).toEqual({
      constant: { live: 1, declared: 1, percent: 100, addresses: [] },
      group: { live: 1, declared: 1, percent: 100, addresses: [] },
    })
  })

  it('keeps prune to it, and what others of the same manifests name is no orphan', async () => {
    project({ own: 'only: ["group/*", "user/b*", "user/c*"]\n    prune: { users: ["*"], groups: ["*"] }' })
    workspace.manifest('groups: [{ svcId: fin@example.com, members: [] }]\n')
    workspace.write('manifests/more.yaml', 'licenses: [{ svcId: cy@example.com, licenses: [{ type: User }] }]\n')
    const { document } = await workspace.plan()
    expect(document.changes.filter(({ action }) => action === 'delete').map(({ address }) => address)).toEqual([
      'group/hr@example.com',
      'user/bob@example.com',
    ])
    expect(document.prune?.kept.map(({ address }) => address)).toEqual(['user/cy@example.com'])
  })

  it('counts a share of what it selects', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ svcId: `u${index}@example.com`, name: `U${index}` }))
    const few = Array.from({ length: 6 }, (_, index) => ({ svcId: `x${index}@example.com`, name: `X${index}` }))
    workspace.emulator.load({ ...tenant, groups: [], users: [...many, ...few] } as never)
    const gone = few.slice(0, 5).map(({ svcId }) => `{ svcId: ${svcId}, absent: true }`)
    workspace.manifest(`users: [${gone.join(', ')}]\n`)
    project()
    expect((await workspace.plan()).document.guards.find(({ guard }) => guard === 'deletions')?.verdict).toBe('passed')
    project({ own: 'only: ["user/x*"]' })
    const scoped = (await workspace.plan()).document.guards.find(({ guard }) => guard === 'deletions')
    expect(scoped).toMatchObject({ verdict: 'refused' })
  })

  it.each([
    ['only: ["group/*"]', 0],
    ['only: ["application/**"]', 1],
    ['', 1],
  ])('bounds the access that nobody declared (%s)', async (own, found) => {
    const [database] = tenant.databases
    const applications = [{ name: 'Buying', privileges: [{ svcId: 'bob@example.com', level: 'Administrator' }] }]
    workspace.emulator.load({ ...tenant, databases: [{ ...database, applications }] } as never)
    project({ own })
    workspace.manifest('database: main\n')
    const read = workspace.open()
    const client = connect(read.project, { version: 'test', env: {} })
    const { access } = await driftAccessRun(read, client, await workspace.plan(), undefined)
    await client.close()
    expect(access.lost.filter(({ level }) => level === 'Administrator')).toHaveLength(found)
  })

  it('is all that an export tells', async () => {
    project(onlyFinance)
    const { files } = await workspace.export()
    expect(files.map(({ file }) => file)).toEqual(['groups.yaml', 'constants.yaml'])
    expect(files.map(({ text }) => text).join('')).not.toContain('hr@example.com')
  })
})

describe('what a target says in `only`', () => {
  it('refuses what only the platform could tell, at each place', async () => {
    project({ own: 'only: ["process/main/Buying/**"]' })
    workspace.manifest(
      'database: main\nprocesses:\n  - { process: Order, privileges: { Start: [] } }\n' +
        '  - { process: Order, application: Buying, privileges: { Modify: [] } }\n',
    )
    expect(await problemsOf(workspace.plan())).toMatchObject([{ code: 'SVC1506', place: { line: 3, column: 16 } }])
    project({ own: 'only: ["process/**"]' })
    expect(await problemsOf(workspace.plan())).toEqual([])
  })

  it('is no glob that matches no address', async () => {
    project({ own: 'only: ["grup/fin*", "fin@example.com"]' })
    const problems = await problemsOf(Promise.resolve().then(() => workspace.plan()))
    expect(problems).toMatchObject([
      { code: 'SVC1501', message: '`grup/fin*` matches no address, and would select nothing' },
      { code: 'SVC1501', message: '`fin@example.com` matches no address, and would select nothing' },
    ])
  })

  it('does not warn of accounts that the same manifests declare for others', async () => {
    project({ own: 'only: ["group/*"]' })
    workspace.manifest(
      'users: [{ svcId: dee@example.com, name: Dee }]\n' +
        'groups: [{ svcId: g, name: G, members: [dee@example.com, eve@example.com] }]\n',
    )
    const { problems } = await validateRun({
      ...{
        project: join(workspace.dir, 'svcsync.yaml'),
        target: 'test',
        cwd: workspace.dir,
        env: workspace.env,
        kinds,
      },
      nowMs: 0,
    })
    expect(problems.map(({ message }) => message)).toEqual(['`eve@example.com` is used, but not declared'])
  })
})

describe('`manifests` of a target', () => {
  it('take the place of those at the top', async () => {
    project({ own: 'manifests: [mine]' })
    workspace.manifest(manifest)
    workspace.write('mine/main.yaml', 'users: [{ svcId: ann@example.com, name: Anna }]\n')
    expect(await workspace.changes()).toEqual(['update user/ann@example.com'])
  })

  it('need not stand at the top, and have to stand somewhere', async () => {
    project({ own: 'manifests: [manifests]', top: '' })
    expect(await workspace.changes()).toEqual([])
    project({ top: '' })
    expect(await problemsOf(Promise.resolve().then(() => workspace.plan()))).toMatchObject([
      { code: 'SVC1501', message: 'The target `test` has no `manifests`', place: { line: 6 } },
    ])
  })
})

describe('against what was declared before', () => {
  const declared = (told: Told, files: Readonly<Record<string, string>>): void => {
    rmSync(join(workspace.dir, 'base'), { recursive: true, force: true })
    project({ ...told, folder: 'base' })
    for (const [file, text] of Object.entries(files)) workspace.write(`base/${file}`, text)
  }
  const plan = async () => {
    const { document } = await workspace.plan({ base: 'ledger' })
    const lost = document.warnings.find(({ code }) => code === 'SVC2247')
    return {
      removed: (document.noLongerDeclared ?? []).map(({ address, element, becomes }) =>
        [address, element?.svcId, becomes].filter(Boolean).join(' '),
      ),
      kept: lost?.related?.map(({ message }) => message) ?? [],
    }
  }
  const memberships = 'memberships:\n  - { group: fin@example.com, members: [ann@example.com, bob@example.com] }\n'

  it('a deleted line inside is revoked', async () => {
    declared(onlyFinance, { 'manifests/main.yaml': memberships })
    project(onlyFinance)
    workspace.manifest('memberships:\n  - { group: fin@example.com, members: [ann@example.com] }\n')
    expect(await plan()).toEqual({ removed: ['group/fin@example.com bob@example.com removed'], kept: [] })
  })

  it('a line outside stays out, deleted or not', async () => {
    const scope = { own: 'only: ["group/hr*"]' }
    declared(scope, { 'manifests/main.yaml': memberships })
    project(scope)
    workspace.manifest('')
    expect(await plan()).toEqual({ removed: [], kept: [] })
  })

  it('a narrower `only` revokes nothing, and names what it leaves', async () => {
    declared({}, { 'manifests/main.yaml': memberships })
    project({ own: 'only: ["group/hr*"]' })
    workspace.manifest('')
    expect(await plan()).toEqual({ removed: [], kept: ['group/fin@example.com'] })
  })

  it('narrower `manifests` revoke nothing, whether the file is still there or not', async () => {
    declared({}, { 'manifests/all/main.yaml': memberships, 'manifests/own/a.yaml': 'users: []\n' })
    workspace.write('manifests/own/a.yaml', 'users: []\n')
    for (const patterns of ['manifests/own', 'manifests/{own,none}/*.yaml', 'manifests/**/a.yaml']) {
      project({ own: `manifests: ["${patterns}"]` })
      expect(await plan(), patterns).toEqual({ removed: [], kept: ['group/fin@example.com'] })
    }
    for (const patterns of ['manifests/**/main.yaml', 'manifests/*/*.yaml', 'manifests']) {
      workspace.write('manifests/x/main.yaml', 'users: []\n')
      project({ own: `manifests: ["${patterns}"]` })
      const all = ['ann', 'bob'].map((name) => `group/fin@example.com ${name}@example.com removed`)
      expect(await plan(), patterns).toEqual({ removed: all, kept: [] })
    }
  })
})
