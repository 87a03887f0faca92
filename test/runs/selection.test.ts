// The scope of a run: `--only`, the API version, and its access.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const manifest = `users:
  - { svcId: a@example.com }
groups:
  - { svcId: g@example.com, name: G, members: [a@example.com] }
processes:
  - process: Sample process
    privileges: { Start: [{ svcId: g@example.com, company: PL01 }] }
    workflows:
      - workflow: Sample workflow
        formTypes: [{ formType: Sample form, privileges: { Modify: [g@example.com] } }]
`

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant })
  workspace.manifest(manifest)
})
afterAll(() => workspace.close())

const askedFor = async (only: readonly string[]) => {
  await workspace.control('DELETE', '/requests')
  const { document } = await workspace.plan({ only })
  const { requests } = (await workspace.control('GET', '/requests')) as {
    requests: { path: string; body?: { scope?: string } | string }[]
  }
  const scopes = requests
    .filter(({ path }) => path.endsWith('/token'))
    .flatMap(({ body }) => /scope=([^&]*)/.exec(typeof body === 'string' ? body : `scope=${body?.scope}`)?.[1] ?? '')
  return {
    changes: document.changes.map(({ address }) => address),
    warnings: document.warnings,
    paths: requests.map(({ path }) => path),
    scopes: scopes.join(' '),
  }
}

it('reads what is selected, and asks for no more access than that', async () => {
  const { changes, paths, scopes } = await askedFor(['user/*'])
  expect(changes).toEqual(['user/a@example.com'])
  expect(scopes).toContain('Admin.Users.Read')
  expect(scopes).not.toContain('Metadata')
  expect(scopes).not.toContain('Groups')
  expect(paths.filter((path) => path.includes('/db/'))).toEqual([])
})

it('warns of an account that is declared, not selected, and not there yet; not of one that is there', async () => {
  const { changes, warnings } = await askedFor(['process/**'])
  expect(changes).toHaveLength(2)
  expect(warnings).toMatchObject([
    {
      code: 'SVC1315',
      severity: 'warning',
      message: '`g@example.com` is not on the platform yet, and `--only` leaves its declaration out',
      hint: expect.stringContaining('--only "group/g@example.com"`.'),
      place: { line: 7 },
      related: [{ message: 'declared here', place: { line: 4, column: 5 } }],
    },
  ])
  await workspace.apply({ only: ['user/*', 'group/*'] })
  expect((await askedFor(['process/**'])).warnings).toEqual([])
})

it('refuses a glob that selects nothing', async () => {
  await expect(workspace.plan({ only: ['user/*', 'gruop/*'] })).rejects.toMatchObject({
    code: 'SVC2004',
    message: expect.stringContaining('gruop/*'),
  })
})

it('plans, applies and exports workflows and form types in API 5.0, too', async () => {
  const old = await openWorkspace({ tenant: sampleTenant, target: '    apiVersion: "5.0"' })
  try {
    old.manifest(manifest)
    expect(await old.apply()).toMatchObject({ outcome: 'converged' })
    const address = 'process/main/Sample application/Sample process/workflow/Sample workflow/form-type/Sample form'
    const { document } = await old.plan({ unmanaged: { everywhere: true } })
    expect(document.changes).toEqual([])
    const { files } = await old.export({ only: [address] })
    expect(JSON.stringify(files)).toContain('formType: Sample form')
  } finally {
    await old.close()
  }
})
