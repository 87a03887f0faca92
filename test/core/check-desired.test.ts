// Findings about the desired state as a whole.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())

const cycles = (manifest: string) => {
  workspace.manifest(manifest)
  return workspace
    .open()
    .problems.map(({ code, severity, message, place, hint }) => ({ code, severity, message, line: place?.line, hint }))
}

it('warns of groups that contain each other, where the circle begins', () => {
  const manifest = `groups:
  - { svcId: b@example.com, members: [C@example.com] }
  - { svcId: c@example.com, members: [a@example.com] }
  - { svcId: a@example.com, members: [x@example.com, b@example.com] }
  - { svcId: d@example.com, members: [a@example.com] }
`
  expect(cycles(manifest)).toMatchObject([
    {
      code: 'SVC1303',
      severity: 'warning',
      message: 'The groups `a@example.com`, `b@example.com`, `c@example.com` contain each other',
      line: 4,
    },
  ])
})

it('warns of a group that contains itself', () => {
  expect(cycles('groups:\n  - { svcId: a@example.com, members: [A@example.com] }\n')).toMatchObject([
    {
      code: 'SVC1303',
      message: 'The group `a@example.com` contains itself',
      line: 2,
      hint: 'Remove the entry: it adds nobody to the group.',
    },
  ])
})

it('says nothing of groups that share members', () => {
  const manifest =
    'groups:\n  - { svcId: a@x, members: [c@x] }\n  - { svcId: b@x, members: [a@x, c@x] }\n  - { svcId: c@x }\n'
  expect(cycles(manifest)).toEqual([])
})

it('refuses one svcId for a user and a group', () => {
  expect(cycles('users:\n  - { svcId: a@x }\ngroups:\n  - { svcId: A@x }\n')).toMatchObject([
    { code: 'SVC1301', severity: 'error', message: '`a@x` is declared as a group and as a user', line: 2 },
  ])
})

it('refuses one svcId for a user that is to go and a group that is to come', () => {
  expect(cycles('users:\n  - { svcId: a@x, absent: true }\ngroups:\n  - { svcId: a@x, name: A }\n')).toMatchObject([
    { code: 'SVC1301', message: '`a@x` is declared as a group and as a user', line: 2 },
  ])
  const both = 'users:\n  - { svcId: a@x, absent: true }\ngroups:\n  - { svcId: a@x, absent: true }\n'
  expect(cycles(both)).toEqual([])
})

it('refuses to delete what another item declares', () => {
  const manifest = `users:
  - { svcId: a@x, name: A }
  - { svcId: A@x, absent: true }
groups:
  - { svcId: g@x, absent: true }
  - { svcId: g@x, members: [b@x] }
`
  expect(cycles(manifest)).toMatchObject([
    { code: 'SVC1314', message: '`a@x` is declared absent, but declared here', line: 2 },
    { code: 'SVC1314', message: '`g@x` is declared absent, but declared here', line: 6 },
  ])
})
