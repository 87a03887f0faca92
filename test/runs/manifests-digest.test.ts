// The digest of what manifests say.
import { afterEach, describe, expect, it } from 'vitest'
import { manifestsText } from '../../src/core/plan/plan-digest.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const manifest = `database: main
users: [{ svcId: zoe@example.com, name: Zoe }, { svcId: Adam@example.com, name: Adam }]
groups: [{ svcId: new@example.com, name: New, members: [zoe@example.com] }]
memberships: [{ group: clerks@example.com, members: [adam@example.com] }]
constants: [{ name: B, common: "1" }, { name: A, common: "2" }]
processes:
  - process: Sample process
    privileges: { Start: [{ svcId: jan.kos@example.com, company: PL01 }] }
    constants: [{ name: C, common: "3" }]
`
let workspace: Workspace
afterEach(() => workspace.close())

async function digests(only: readonly string[] = []) {
  const { plan, document } = await workspace.plan({ only })
  const desired = plan.changes.flatMap((change) => (change.desired === undefined ? [] : [change.desired]))
  expect(document.manifestsDigest).toBe(sha256(manifestsText(desired)))
  return { plan, digest: document.manifestsDigest }
}

describe('the digest of manifests', () => {
  it('is that of what the plan desires, selected or whole', async () => {
    workspace = await openWorkspace({ tenant: sampleTenant })
    workspace.write('manifests/main.yaml', manifest)
    const whole = await digests()
    expect((await digests(['user/*', 'process/**'])).digest).not.toBe(whole.digest)
    workspace.write('manifests/main.yaml', manifest.replace('name: Zoe', 'name: Zoë'))
    expect((await digests()).digest).not.toBe(whole.digest)
  })

  it('leaves out what could not be read', async () => {
    workspace = await openWorkspace({ tenant: sampleTenant })
    workspace.write('manifests/main.yaml', manifest)
    const whole = await digests()
    workspace.emulator.addFault({
      match: { method: 'GET', path: '/api/data/v6.0/db/1/processes/*/admin/privileges' },
      effect: { kind: 'status', status: 403 },
    })
    const lacking = await digests()
    expect(lacking.plan.unreadable).toHaveLength(1)
    expect(lacking.digest).not.toBe(whole.digest)
  })
})
