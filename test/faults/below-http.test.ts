// Faults before a request gets out: nothing was sent, so svcsync retries, and a lasting fault ends the run.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failConnections } from '../harness/connection-faults.ts'
import { untruths } from '../harness/report-truth.ts'
import { sharedOut } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant, type WritePath, writePaths } from './write-paths.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: { SECRET: 'a secret that nobody may see' },
    settings: 'settings: { retry: { attempts: 3, maxDelay: 10ms } }',
  })
})
afterAll(async () => {
  await workspace.close()
})
beforeEach(async () => {
  workspace.emulator.load(faultTenant)
  await workspace.control('DELETE', '/requests')
})
afterEach(() => restore())

let restore: () => void = () => undefined
let left = 0

/** The write meets the failure so many times before it gets to the platform. */
function failing(write: WritePath, code: string, times: number): void {
  const pattern = new RegExp(`${write.path.replaceAll('*', '.*')}(?:[?].*)?$`)
  left = times
  restore = failConnections((method, path) => {
    if (left === 0 || method !== write.method || !pattern.test(path)) return undefined
    left--
    return code
  })
}

/** Which failure it is, no write knows: every path meets one that passes and one that stays. */
describe.each([
  ['a connection that is refused, twice', 'ECONNREFUSED', 2, 0],
  ['a name that is not found, once', 'ENOTFOUND', 1, 1],
  ['a name server that does not answer, once', 'EAI_AGAIN', 1, 2],
])('%s', (_name, code, times, which) => {
  it.each(sharedOut(writePaths, which, 3))('$name: is sent again, and done once', async (path) => {
    workspace.manifest(path.manifest)
    failing(path, code, times)
    const { planned, report } = await workspace.run()
    expect(left).toBe(0)
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
    expect(writesOf(workspace.emulator)).toHaveLength(1)
  })
})

describe.each([
  ['a certificate that is not trusted', 'SELF_SIGNED_CERT_IN_CHAIN', 0],
  ['a handshake that fails', 'EPROTO', 1],
  ['a name that is never found', 'ENOTFOUND', 2],
  ['a connection that is always refused', 'ECONNREFUSED', 3],
])('%s', (_name, code, which) => {
  it.each(sharedOut(writePaths, which, 4))('$name: fails, was not sent, and no further step starts', async (path) => {
    workspace.manifest(path.manifest)
    failing(path, code, 3)
    const { planned, report } = await workspace.run()
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 0, failed: 1, unknown: 0 } })
    expect(report.steps[0]?.reason).toContain(code)
    expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
    expect(writesOf(workspace.emulator)).toEqual([])
    restore()
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
  })
})
