// A folder of manifests that is empty looks like a checkout that failed: prune deletes nothing then, and all else goes
// on.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openWorkspace } from '../harness/workspace.ts'

it.each([
  ['prune: { users: ["tmp-*"] }', ['disappeared=more']],
  ['', []],
])('%s: refuses %j', async (settings, refused) => {
  const users = ['anna', 'jan', 'tmp-1'].map((name) => ({ svcId: `${name}@example.com`, name }))
  const groups = [{ svcId: 'staff@example.com', name: 'Staff', members: ['anna@example.com', 'jan@example.com'] }]
  const workspace = await openWorkspace({ tenant: { users, groups }, settings })
  try {
    const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
    workspace.write('svcsync.yaml', project.replace('[manifests]', '[manifests, more]'))
    mkdirSync(join(workspace.dir, 'more'))
    workspace.manifest(`users: [{ svcId: anna@example.com, name: anna }]
groups: [{ svcId: staff@example.com, members: [anna@example.com] }]
`)
    const { guards, counts } = (await workspace.plan()).document
    expect(counts.removed).toBe(1)
    expect(guards.flatMap(({ verdict, allow }) => (verdict === 'refused' ? [allow] : []))).toEqual(refused)
  } finally {
    await workspace.close()
  }
})
