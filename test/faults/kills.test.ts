// An apply that is killed at any of its writes is gone on with: nothing is done twice, and nothing is said that is not
// so.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import { RefusedError } from '../../src/errors/index.ts'
import { applyUntilKilled, resume } from '../harness/journals.ts'
import { type Lanes, openLanes } from '../harness/lanes.ts'
import { documentValidator, journalSchema } from '../harness/plan-schema.ts'
import { tooEarly, untruths } from '../harness/report-truth.ts'
import { sixtyStepsManifest, sixtyStepsTenant } from '../harness/sixty-steps.ts'
import { sharedOut } from '../harness/thorough.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type LoggedWrite, writesOf } from '../harness/write-log.ts'

const secret = 'a secret that nobody may see'
let lanes: Lanes
beforeAll(async () => {
  lanes = await openLanes(3, {
    // A create that is repeated in error leaves a trace.
    behaviour: { duplicateNames: 'accepted', managerMustExist: true, afterCreate: 'visibleAfterSync' },
    env: { SECRET: secret },
    settings: 'settings: { retry: { attempts: 3, maxDelay: 10ms }, sync: { timeout: 2s } }',
  })
})
afterAll(() => lanes.close())

const onFresh = (use: (workspace: Workspace) => Promise<void>): Promise<void> =>
  lanes.take(async (workspace) => {
    workspace.manifest(sixtyStepsManifest)
    workspace.emulator.load(sixtyStepsTenant)
    await workspace.control('PATCH', '/settings', { syncDelayMs: 5 })
    await workspace.control('DELETE', '/requests')
    await use(workspace)
  })

function createdTwice(writes: readonly LoggedWrite[]): string[] {
  const created = writes
    .filter(({ method, path, carriedOut }) => carriedOut && method === 'POST' && !/\/(?:add|remove)$/.test(path))
    .map(({ path, body }) => `${path} ${(body as { svcId?: string }).svcId ?? (body as { name?: string }).name}`)
  return created.filter((each, index) => created.indexOf(each) !== index)
}

let next = 0
/** Before the platform gets it and afterwards: both of each write, or each fifth pair of a write and one of the two. */
const kills = sharedOut(
  Array.from({ length: 60 }, (_, index) => index + 1).flatMap((atWrite) =>
    [true, false].map((sent) => ({ atWrite, sent })),
  ),
  0,
  5,
)

it.concurrent.each(kills)('killed at write $atWrite, sent: $sent', (kill) =>
  onFresh(async (workspace) => {
    const file = `journal-${next++}.jsonl`
    const { plan } = await applyUntilKilled(workspace, file, kill, { concurrency: 4 })
    expect(plan.steps).toHaveLength(60)
    const { report } = await resume(workspace, file, { concurrency: 4 })
    expect(report).toMatchObject({ outcome: 'converged', counts: { failed: 0, skipped: 0, unknown: 0 } })
    // The credentials of what was written before the kill are as unknown as those of the rest.
    const uncompared = report.verified.unverifiable?.map(({ address }) => address)
    expect(uncompared).toEqual(['connection/main/ERP', 'connection/main/Second'])
    expect(report.steps.map(({ id }) => id)).toEqual(plan.steps.map(({ id }) => id))
    const writes = writesOf(workspace.emulator)
    expect(createdTwice(writes)).toEqual([])
    expect(writes.filter(({ carriedOut }) => carriedOut)).toHaveLength(60)
    expect(untruths(report, plan.steps, writes)).toEqual([])
    expect(tooEarly(report, plan.steps, writes)).toEqual([])
    expect(readFileSync(join(workspace.dir, file), 'utf8')).not.toContain(secret)
    if (kill.atWrite % 10 === 1) expect(await workspace.changes()).toEqual([])
  }),
)

it('writes lines that the published schema describes', () =>
  onFresh(async (workspace) => {
    const file = `journal-${next++}.jsonl`
    await applyUntilKilled(workspace, file, { atWrite: 31, sent: true }, { concurrency: 4 })
    await resume(workspace, file, { concurrency: 4 })
    const validate = documentValidator(journalSchema)
    const lines = readFileSync(join(workspace.dir, file), 'utf8').trim().split('\n')
    for (const line of lines.map((each) => JSON.parse(each))) {
      validate(line)
      expect(validate.errors ?? []).toEqual([])
    }
    expect(validate({ event: 'sending', at: '2026-01-01T00:00:00Z' })).toBe(false)
  }))

describe('what is not as it was is told field by field, and nothing is written', () => {
  const reasonsAfter = async (
    atWrite: number,
    edit: JsonObject,
    change: (workspace: Workspace) => void = () => undefined,
  ) => {
    let refusal: unknown
    await onFresh(async (workspace) => {
      const file = `edited-${next++}.jsonl`
      await applyUntilKilled(workspace, file, { atWrite, sent: true }, { concurrency: 1 })
      workspace.emulator.edit(edit)
      const before = writesOf(workspace.emulator).length
      change(workspace)
      refusal = await resume(workspace, file).catch((error: unknown) => error)
      expect(writesOf(workspace.emulator)).toHaveLength(before)
    })
    expect(refusal).toBeInstanceOf(RefusedError)
    return refusal as RefusedError
  }
  const harmless: JsonObject = { upsertUser: { svcId: 'other@example.com', name: 'Other' } }

  it.each<[string, number, JsonObject, string]>([
    [
      'of what was written',
      30,
      { upsertUser: { svcId: 'u0@example.com', name: 'Renamed' } },
      'user/u0@example.com: name: was to be "User 0", and is "Renamed" now',
    ],
    [
      'that was deleted, and so is in no list',
      30,
      { deleteUser: 'u0@example.com' },
      `group/staff@example.com: members: is without u0@example.com now
user/u0@example.com: was written, and is gone`,
    ],
    [
      'of what was not begun',
      3,
      { upsertConstant: { constant: { name: 'Old 3', common: 'else' } } },
      'constant/main/Old 3: common: was "old", and is "else" now',
    ],
    [
      'that was to be created',
      3,
      { upsertConstant: { constant: { name: 'New 9', common: 'x' } } },
      'constant/main/New 9: did not exist, and is there now',
    ],
  ])('%s', async (_what, atWrite, edit, sentence) => {
    const refusal = await reasonsAfter(atWrite, edit)
    expect(refusal.code).toBe('SVC2126')
    expect(refusal.reasons.join('\n')).toContain(sentence)
  })

  it('in the manifests', async () => {
    const edited = (workspace: Workspace): void =>
      workspace.manifest(sixtyStepsManifest.replace('common: c9', 'common: d9'))
    expect((await reasonsAfter(30, harmless, edited)).code).toBe('SVC2125')
  })
})
