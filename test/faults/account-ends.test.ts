// An account whose time is over, taken out by a schedule: whatever becomes of a write, the next run ends clean, and
// nothing is done twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { accountEndsManifest, accountEndsTenant } from '../harness/account-ends.ts'
import { applyUntilKilled, resume } from '../harness/journals.ts'
import { type Lanes, openLanes } from '../harness/lanes.ts'
import { tooEarly, untruths } from '../harness/report-truth.ts'
import { requestClock } from '../harness/request-clock.ts'
import { sharedOut } from '../harness/thorough.ts'
import type { Workspace } from '../harness/workspace.ts'
import { unsharedSteps, unsharedWrites, writesOf } from '../harness/write-log.ts'

const due = { nowMs: Date.parse('2026-06-15T12:00:00Z'), due: {}, guarded: true } as const

let lanes: Lanes
beforeAll(async () => {
  lanes = await openLanes(3, () => ({
    settings: 'settings: { retry: { attempts: 3, maxDelay: 10ms }, sync: { timeout: 2s } }',
    clock: requestClock(),
  }))
})
afterAll(() => lanes.close())

const onEnded = (use: (workspace: Workspace) => Promise<void>): Promise<void> =>
  lanes.take(async (workspace) => {
    workspace.emulator.clearFaults()
    workspace.emulator.load(accountEndsTenant)
    workspace.manifest(accountEndsManifest)
    await workspace.apply({ nowMs: Date.parse('2026-05-25T12:00:00Z') })
    await workspace.control('DELETE', '/requests')
    await use(workspace)
  })

/** Nothing of Tom is left, and the others are as declared; each write took effect once. */
async function isClean(workspace: Workspace): Promise<void> {
  workspace.emulator.clearFaults()
  expect(await workspace.changes({ nowMs: due.nowMs })).toEqual([])
  expect(JSON.stringify(workspace.emulator.state()).toLowerCase()).not.toContain('tom@example.com')
  const carriedOut = writesOf(workspace.emulator).filter((write) => write.carriedOut)
  const lines = carriedOut.map(({ method, path, query, body }) => JSON.stringify([method, path, query, body]))
  expect(new Set(lines).size).toBe(lines.length)
}

const writes = [
  ['DELETE', '/admin/substitutions/*'],
  ['POST', '/admin/group/members/remove'],
  ['POST', '/db/1/processes/*/admin/privileges/remove'],
  ['POST', '/admin/licenses/assign'],
  ['DELETE', '/admin/user'],
] as const
const locked = { type: 'ResourceIsLocked', description: 'Somebody is at it.' }
const passing: readonly (readonly [string, Fault['effect']])[] = [
  ['its answer is lost', { kind: 'reset', carriedOut: true }],
  ['it is lost', { kind: 'reset', carriedOut: false }],
  ['500, and it took effect', { kind: 'status', status: 500, carriedOut: true }],
  ['500, and it did not', { kind: 'status', status: 500, carriedOut: false }],
  ['429', { kind: 'status', status: 429, headers: { 'Retry-After': '0' } }],
  ['409, locked', { kind: 'status', status: 409, body: locked }],
  ['the token is over', { kind: 'expireTokens' }],
]

describe.each(writes)('%s %s', (method, path) => {
  const at = writes.findIndex((each) => each[1] === path && each[0] === method)
  it.concurrent.each(sharedOut(passing, at, 3))('%s: is done once, in one run', (_what, effect) =>
    onEnded(async (workspace) => {
      workspace.emulator.addFault({ match: { method, path }, effect })
      const { planned, report } = await workspace.run(due)
      expect(report).toMatchObject({ outcome: 'converged' })
      const own = { ...report, steps: unsharedSteps(report.steps) }
      const logged = unsharedWrites(writesOf(workspace.emulator))
      expect(untruths(own, unsharedSteps(planned.plan.steps), logged)).toEqual([])
      await isClean(workspace)
    }),
  )

  it.concurrent.each([400, 403, 409, 500])(
    '%i for as long as it runs: the account stays, and the next run ends clean',
    (status) =>
      onEnded(async (workspace) => {
        workspace.emulator.addFault({
          match: { method, path },
          count: null,
          effect: { kind: 'status', status, carriedOut: false },
        })
        const { planned, report } = await workspace.run(due)
        expect(report.outcome).toBe('partial')
        expect(tooEarly(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
        const users = workspace.emulator.state().users as { svcId: string }[]
        expect(users.map(({ svcId }) => svcId.toLowerCase())).toContain('tom@example.com')
        workspace.emulator.clearFaults()
        expect(await workspace.run(due)).toMatchObject({ report: { outcome: 'converged' } })
        await isClean(workspace)
      }),
  )
})

const kills = [1, 2, 3, 4, 5, 6].flatMap((atWrite) => [true, false].map((sent) => ({ atWrite, sent })))
it.concurrent.each(kills)('killed at write $atWrite, sent: $sent: the next schedule ends clean', (kill) =>
  onEnded(async (workspace) => {
    await applyUntilKilled(workspace, `killed-${kill.atWrite}-${kill.sent}.jsonl`, kill, due)
    const { outcome } = (await workspace.run(due)).report
    expect(outcome).toBe(kill.atWrite === 6 && kill.sent ? 'nothing-to-do' : 'converged')
    await isClean(workspace)
  }),
)

it.concurrent.each(sharedOut(kills, 0, 3))(
  'killed at write $atWrite, sent: $sent: its journal is gone on with',
  (kill) =>
    onEnded(async (workspace) => {
      const file = `resumed-${kill.atWrite}-${kill.sent}.jsonl`
      await applyUntilKilled(workspace, file, kill, due)
      const { report } = await resume(workspace, file, due)
      expect(report).toMatchObject({ outcome: 'converged' })
      await isClean(workspace)
    }),
)
