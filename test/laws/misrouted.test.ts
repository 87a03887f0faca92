// The law of misrouted answers: whichever read is answered with another object, no write names an object that the plan
// does not name, and nothing that nobody declares is touched.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { isWriteOf } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { type LoggedWrite, writesOf } from '../harness/write-log.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { groupIds, secrets, tenantOf, userIds, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: secrets,
    settings: 'settings: { retry: { attempts: 2, maxDelay: 5ms }, sync: { timeout: 300ms } }',
  })
})
afterAll(() => workspace.close())

const account = (kind: string, ids: readonly string[]) =>
  ids.map((svcId) => `/admin/${kind}?svcId=${encodeURIComponent(svcId)}`)
const numbered = (path: string) => [1, 2, 3].map((id) => `${path}/${id}`)
const homes = ['/db/1/admin/constants', '/db/1/admin/connections', '/db/1/processes/1/admin/constants']
const misroutings: fc.Arbitrary<Fault[]> = fc.array(
  fc.record({
    match: fc.record({
      method: fc.constant('GET'),
      path: fc.constantFrom('/admin/user', '/admin/group', ...homes.map((path) => `${path.replace('/1/a', '/*/a')}/*`)),
    }),
    nth: fc.integer({ min: 1, max: 4 }),
    count: fc.constantFrom(1, 3, null),
    effect: fc.record({
      kind: fc.constant('misroute' as const),
      as: fc.constantFrom(...account('user', userIds), ...account('group', groupIds), ...homes.flatMap(numbered)),
    }),
  }),
  { minLength: 1, maxLength: 4 },
)

it('no write names an object that the plan does not name', async () => {
  let misrouted = 0
  await tryLaw(
    fc.asyncProperty(situations, misroutings, async ({ live, items }, faults) => {
      const { emulator } = workspace
      emulator.clearFaults()
      emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      await workspace.control('DELETE', '/requests')
      for (const fault of faults) emulator.addFault(fault)
      const run = await workspace.run({ guarded: 'as-allowed' }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(SvcsyncError)
        return undefined
      })
      misrouted += emulator.requests().filter(({ fault }) => fault !== null).length
      const writes = writesOf(emulator)
      if (run === undefined) {
        expect(writes).toEqual([])
        return
      }
      const { steps } = run.planned.plan
      const planned = new Set(steps.map(({ address }) => address))
      const names = namesById(emulator.state())
      const isPlanned = (write: LoggedWrite): boolean =>
        /^\/(?:admin\/(?:licenses|substitutions)|db\/1\/elements)/.test(write.path)
          ? steps.some((step) => isWriteOf(write, step))
          : planned.has(addressOf(write, names))
      expect(writes.filter((write) => !isPlanned(write))).toEqual([])
    }),
  )
  expect(misrouted).toBeGreaterThan(0)
})

/** Names of constants and connections by the paths that lead to them. */
function namesById({ databases = [] }: Tenant): ReadonlyMap<string, string> {
  const [{ constants = [], connections = [], applications = [] } = {}] = databases
  const [process] = applications[0]?.processes ?? []
  const entries = (path: string, items: readonly { readonly name: string; readonly guid?: string | undefined }[]) =>
    items.map(({ name, guid }) => [`${path}/${guid}`, name] as const)
  return new Map([
    ...entries('/db/1/admin/constants', constants),
    ...entries('/db/1/admin/connections', connections),
    ...entries(`/db/1/processes/${process?.guid}/admin/constants`, process?.constants ?? []),
  ])
}

/** What a write is about, told by the request alone. */
function addressOf({ path, query, body }: LoggedWrite, names: ReadonlyMap<string, string>): string {
  const [, kind] = /^\/admin\/(user|group)/.exec(path) ?? []
  const given = (body ?? {}) as { readonly svcId?: string; readonly name?: string }
  if (kind !== undefined) return `${kind}/${query.svcId ?? given.svcId}`
  if (path.includes('/privileges/')) {
    return path.includes('/workflows/')
      ? 'process/main/A/P/workflow/W/form-type/F'
      : path.includes('/processes/')
        ? 'process/main/A/P'
        : 'application/main/A'
  }
  const [, part] = /\/admin\/(constant|connection)s/.exec(path) ?? []
  const name = (names.get(path) ?? given.name ?? path).replace(/[\\/]/g, '\\$&')
  return path.includes('/processes/') ? `process/main/A/P/constant/${name}` : `${part}/main/${name}`
}
