// The report of an apply says no more than what was done and proven.
import { expect, it } from 'vitest'
import { createStepLedger } from '../../src/apply/step-ledger.ts'
import { type Change, noDifferences } from '../../src/core/compare/change.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Desired } from '../../src/core/model/desired.ts'
import { liveOf } from '../../src/core/model/live.ts'
import type { Step } from '../../src/core/model/step.ts'
import type { Outcome } from '../../src/core/plan/report.ts'
import { user } from '../../src/kinds/user/index.ts'

const target = { name: 't', baseUrl: 'https://svc.example.com', apiVersion: '6.0', databases: {} } as const
type VerifiedObjects = Parameters<ReturnType<typeof createStepLedger>['report']>[0]
const proven: VerifiedObjects = { equal: 0, unequal: [], unverifiable: [], unverified: 0 }
const unequal = (address: string, reason?: string) => ({ address, differences: [], ...(reason && { reason }) })

interface Given {
  readonly verified?: Partial<VerifiedObjects>
  readonly doubles?: VerifiedObjects['unequal']
  readonly interrupted?: true
  readonly unreadable?: readonly { readonly address: string; readonly reason: string }[]
}

function reportOf(outcomes: readonly Outcome[], given: Given = {}) {
  let nowMs = 1000
  const steps = outcomes.map((_, index): Step => {
    const name = `u${index}`
    return { id: name, address: `user/${name}`, kind: 'user', verb: 'delete', at: { name }, dependsOn: [] }
  })
  const changes = steps.map(({ address, at }): Change => {
    const part = { name: at.name as string, self: at.name as string, spec: {}, collections: {}, ready: true }
    const live = liveOf(part, { kind: user, address, at }, normaliserOf('ignore-case'))
    const source = { file: 'a.yaml', placeAt: () => ({ file: 'a.yaml', line: 1, column: 1 }) }
    const desired = { kind: user, declarations: [{ kind: user, section: user.sections[0], item: {}, source }] }
    return { address, action: 'delete', desired: desired as unknown as Desired, live, ...noDifferences }
  })
  const plan = { steps, changes, unreadable: given.unreadable ?? [] } as unknown as Parameters<
    typeof createStepLedger
  >[0]
  const ledger = createStepLedger(plan, { target, clock: () => 0, timer: () => nowMs })
  for (const [index, step] of steps.entries()) {
    const outcome = outcomes[index] as Outcome
    if (outcome !== 'skipped') {
      nowMs += 10
      ledger.started(step)
      nowMs += 5
    }
    const failed = { code: 'SVC3033', reason: 'refused', hint: 'Ask.', written: true, attempts: 2 } as const
    const result = outcome === 'failed' ? { outcome, ...failed } : { outcome, attempts: 1 }
    ledger.ended(step, result, outcome === 'skipped' ? 'u0' : undefined)
  }
  return ledger.report({ ...proven, ...given.verified }, given.doubles ?? [], [], given.interrupted === true)
}

it.each([
  ['nothing-to-do', [], {}],
  ['converged', ['done', 'unchanged'], {}],
  ['converged', ['unchanged'], {}],
  ['partial', ['done', 'failed'], {}],
  ['partial', ['done', 'skipped'], {}],
  ['partial', ['done', 'unknown'], {}],
  ['interrupted', ['done', 'skipped'], { interrupted: true }],
  ['interrupted', ['done', 'unknown'], { interrupted: true }],
  // It came too late to keep anything from being done.
  ['converged', ['done'], { interrupted: true }],
  ['partial', ['failed'], { interrupted: true }],
  ['interrupted', ['done'], { verified: { unverified: 1 } }],
  ['partial', ['failed'], { verified: { unverified: 1 } }],
  ['partial', ['done'], { unreadable: [{ address: 'user/x', reason: 'x' }] }],
  ['partial', [], { unreadable: [{ address: 'user/x', reason: 'x' }] }],
  ['different', ['done'], { verified: { unequal: [unequal('user/u0')] } }],
  ['different', ['done'], { doubles: [unequal('user/u0')] }],
  ['partial', ['failed'], { verified: { unequal: [unequal('user/u0')] } }],
] as const)('%s: %j, %j', (outcome, outcomes, given) => {
  expect(reportOf(outcomes, given as Given).outcome).toBe(outcome)
})

it('takes an object whose name another one has for unproven, once', () => {
  const { verified } = reportOf(['done', 'done', 'done'], {
    verified: {
      equal: 2,
      unequal: [unequal('user/u2', 'it is not there'), unequal('user/u1')],
      unverifiable: [
        { address: 'user/u9', paths: ['password'] },
        { address: 'user/u3', paths: ['password'] },
        { address: 'user/u0', paths: ['password'] },
      ],
    },
    doubles: [unequal('user/u0', 'two'), unequal('user/u2', 'two'), unequal('user/u1', 'two')],
  })
  expect(verified).toEqual({
    equal: 1,
    unequal: [
      unequal('user/u0', 'two'),
      unequal('user/u1', 'two'),
      { ...unequal('user/u2'), reason: 'it is not there; two' },
    ],
    unverifiable: [
      { address: 'user/u3', paths: ['password'] },
      { address: 'user/u9', paths: ['password'] },
    ],
  })
  expect(reportOf(['done'], { doubles: [unequal('user/u0', 'two')] }).verified.equal).toBe(0)
  const unverifiable = [{ address: 'user/u0', paths: ['password'] }]
  expect(reportOf(['done'], { verified: { unverifiable } }).verified.unverifiable).toEqual(unverifiable)
})

it('lists what was done as changed, and tells of each step how it ended and how long it took', () => {
  const report = reportOf(['done', 'failed', 'unchanged', 'skipped', 'unknown'])
  expect(report.changed.map(({ address }) => address)).toEqual(['user/u0'])
  for (const { changed } of [report, reportOf(['done'])]) {
    expect(JSON.stringify(changed)).toMatch(
      /^\[\{"address":"user\/u0","kind":"user","action":"delete","differences":\[/,
    )
    expect(changed[0]?.differences).toBe(changed[0]?.differences)
  }
  expect(report.counts).toEqual({ done: 1, failed: 1, unchanged: 1, skipped: 1, unknown: 1 })
  expect(report.steps.map(({ startedMs, elapsedMs }) => [startedMs, elapsedMs])).toEqual([
    [10, 5],
    [25, 5],
    [40, 5],
    [undefined, 0],
    [55, 5],
  ])
  const [done, failed, , skipped] = report.steps
  // Where to look is said of what went wrong.
  expect(report.steps.map(({ place }) => place !== undefined)).toEqual([false, true, false, false, true])
  expect(done).not.toHaveProperty('written')
  expect(done).not.toHaveProperty('because')
  expect(failed).toMatchObject({ written: true, code: 'SVC3033', reason: 'refused', hint: 'Ask.', attempts: 2 })
  expect(skipped).toMatchObject({ because: 'u0', attempts: 1 })
  expect(report).toMatchObject({ startedAt: '1970-01-01T00:00:00.000Z', elapsedMs: 60 })
  for (const key of ['meanwhile', 'unreadable', 'lacking']) expect(report).not.toHaveProperty(key)
  const unreadable = [{ address: 'user/x', reason: 'x' }]
  expect(reportOf([], { unreadable })).toMatchObject({ unreadable })
  expect(Object.keys(report.verified)).toEqual(['equal', 'unequal'])
})
