// `previously`: an object that bears its old name is renamed in place.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { brief } from '../manifests/manifest-fixture.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant })
})
afterAll(() => workspace.close())

const named = (constant: string, connection: string, own: string) => `constants: [{ ${constant}, common: c }]
connections: [{ ${connection}, type: SQL, sql: { common: { server: s } } }]
processes: [{ process: Sample process, constants: [{ ${own}, common: p, test: t }] }]
`
const before = named('name: A', 'name: B', 'name: C')
const after = named('name: A2, previously: A', 'name: B2, previously: B', 'name: C2, previously: C')

beforeEach(async () => {
  await workspace.control('PUT', '/state', sampleTenant)
  workspace.manifest(before)
  await workspace.apply()
  workspace.manifest(after)
})

describe('a new name', () => {
  const guids = async () => {
    const { plan } = await workspace.plan()
    return plan.changes.flatMap(({ live }) => (live?.self ? [live.self] : []))
  }

  it('is given in place: the object keeps its id, and nothing is created', async () => {
    const known = await guids()
    const { document } = await workspace.plan()
    expect(
      document.changes.map(({ action, differences }) => [
        action,
        ...differences.map(({ path, before: was, after: is }) => [path, was, is]),
      ]),
    ).toEqual([
      ['update', ['name', 'B', 'B2']],
      ['update', ['name', 'A', 'A2']],
      ['update', ['name', 'C', 'C2']],
    ])
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 3 } })
    expect(await workspace.changes()).toEqual([])
    expect(await guids()).toEqual(known)
  })

  it('is settled by reading back when its answer is lost', async () => {
    for (const carriedOut of [true, false]) {
      await workspace.control('POST', '/faults', {
        match: { method: 'PATCH', path: '*' },
        count: 3,
        effect: { kind: 'reset', carriedOut },
      })
      expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
      workspace.manifest(named('name: A3, previously: A2', 'name: B3, previously: B2', 'name: C3, previously: C2'))
    }
    expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
  })
})

it('cannot be given to what bears its svcId for ever, nor to what is only found', () => {
  workspace.manifest(`users: [{ svcId: b@x, previously: a@x }]
processes: [{ process: Sample process, previously: Other }]
`)
  expect(workspace.open().problems).toMatchObject([
    { code: 'SVC1404', message: expect.stringContaining('`svcId`') },
    { code: 'SVC1404', message: expect.stringContaining('finds') },
  ])
})

it('is refused where the old name is declared as well, or where two have it: one object would be both', () => {
  workspace.manifest(`constants:
  - { name: A, common: a }
  - { name: A2, previously: A, common: a }
  - { name: B1, previously: B, common: b }
  - { name: B2, previously: B, common: b }
  - { name: C, previously: C, common: c }
processes:
  - process: Sample process
    constants: [{ name: D, previously: A, common: d }, { name: E, previously: D, common: d }]
`)
  const { problems } = workspace.open()
  expect([problems[0], problems.at(-1)].map((each) => each?.hint)).toEqual([
    expect.stringContaining('Remove it, or `previously` once the renaming is done.'),
    expect.stringContaining('It is renamed, too: apply this renaming alone, then the other one.'),
  ])
  expect(brief(problems)).toEqual([
    'SVC1320 manifests/main.yaml:3:29 `A2` was called `A`, and a constant of that name is declared as well',
    'SVC1320 manifests/main.yaml:5:29 `B2` and `B1` cannot both have been `B`',
    'SVC1320 manifests/main.yaml:6:28 `C` is the current name of the constant',
    'SVC1320 manifests/main.yaml:9:79 `E` was called `D`, and a process-constant of that name is declared as well',
  ])
})

it('without `previously` is hinted at where there is a base, and nothing else could be meant', async () => {
  workspace.baseManifest(before)
  const hinted = async (manifest: string) => {
    workspace.manifest(manifest)
    const { document } = await workspace.plan({ base: 'folder' })
    return document.warnings.flatMap(({ code, hint = '' }) =>
      code === 'SVC2194' ? (/`(.*)`/.exec(hint)?.[1] ?? '') : [],
    )
  }
  expect(await hinted(named('name: Address', 'name: Archive', 'name: Limit'))).toEqual([
    'previously: A',
    'previously: B',
    'previously: C',
  ])
  expect(await hinted(after)).toEqual([])
  const two = '{ name: Address, common: c }, { name: Archive, common: c }'
  expect(await hinted(`constants: [${two}]\n`)).toEqual([])
  expect(await hinted('constants: [{ name: Something else, common: other }]\n')).toEqual([])
})
