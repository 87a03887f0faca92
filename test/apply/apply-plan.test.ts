// An apply from its plan to its report: what starts, what waits, what stops the rest, and what is said of each step.
import { expect, it, vi } from 'vitest'
import type { ApplyEvent } from '../../src/apply/apply-event.ts'
import { type ApplyOptions, applyPlan, BrokenApplyError } from '../../src/apply/apply-plan.ts'
import { OtherWriters } from '../../src/apply/other-writers.ts'
import { type Change, noDifferences } from '../../src/core/compare/change.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import { liveOf } from '../../src/core/model/live.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import type { Step } from '../../src/core/model/step.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const normalise = normaliserOf('ignore-case')
const failed = (code: string, kind: PlatformError['kind'], status?: number) =>
  new PlatformError(code, 'no', { kind, status, method: 'DELETE', path: '/x' })
const gone = failed(failureCodes.notFound, 'status', 404)
const refused = failed(failureCodes.rejected, 'status', 400)
const away = failed(failureCodes.unreachable, 'unreachable')
const person = (svcId: string) => ({
  ...{ svcId, name: svcId, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})

interface Given extends Partial<Omit<ApplyOptions, 'log'>> {
  /** How the deletion of somebody is answered; and whether they are shown all the same. */
  readonly answers?: Readonly<Record<string, Error>>
  readonly stays?: readonly string[]
  readonly steps?: (steps: Step[]) => Step[]
  readonly on?: (event: ApplyEvent) => void
}

/** Deletes `a` and `b`. */
async function apply({ answers = {}, stays = [], steps = (all) => all, on, ...more }: Given = {}) {
  const events: string[] = []
  const answered: string[] = []
  const time = { nowMs: 0 }
  const left = new Set(['a', 'b'])
  const port: PlatformPort = {
    ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
    async send({ method, query = {} }) {
      const svcId = String(query.svcId)
      if (method === 'GET' && !left.has(svcId) && !stays.includes(svcId)) throw gone
      if (method === 'GET') return person(svcId)
      if (answers[svcId] !== undefined) throw answers[svcId]
      left.delete(svcId)
      return {}
    },
  }
  const made = ['a', 'b'].map((name): { step: Step; change: Change } => {
    const at = { name, self: name }
    const address = `user/${name}`
    const part = { name, self: name, spec: {}, collections: {}, ready: true }
    const live = liveOf(part, { kind: user, address, at }, normalise)
    return {
      step: { id: name, address, kind: 'user', verb: 'delete', at, dependsOn: [] },
      change: { address, action: 'delete', desired: undefined, live, ...noDifferences },
    }
  })
  const changes = made.map(({ change }) => change)
  const plan = { steps: steps(made.map(({ step }) => step)), changes, unreadable: [] } as unknown as Plan
  const options: ApplyOptions = {
    ...{ port, kinds, concurrency: 1, pageSize: 9 },
    target: { name: 't', baseUrl: 'https://svc.example.com', apiVersion: '6.0', databases: {} },
    ...{ retry: { attempts: 2, maxDelayMs: 100 }, syncTimeoutMs: 5000, stop: new AbortController().signal },
    clock: () => 0,
    timer: () => time.nowMs,
    async sleep(delayMs) {
      await new Promise((resolve) => setImmediate(resolve))
      time.nowMs += delayMs
    },
    onEvent(event) {
      events.push('step' in event ? `${event.type} ${event.step.id}` : event.type)
      on?.(event)
    },
    log: { sending: async () => undefined, answered: ({ id }, { outcome }) => answered.push(`${id} ${outcome}`) },
    ...more,
  }
  const report = await applyPlan(plan, options)
  const ended = report.steps.map(({ id, outcome, reason, because }) => [id, outcome, reason ?? because])
  return { report, ended, events, answered }
}

it('does each step, waits until the platform has taken it in, and reads again what it has written', async () => {
  const { report, ended, events, answered } = await apply()
  expect(report).toMatchObject({ outcome: 'converged', verified: { equal: 2, unequal: [] } })
  expect(ended).toEqual([
    ['a', 'done', undefined],
    ['b', 'done', undefined],
  ])
  const own = (id: string) => events.filter((each) => each.endsWith(` ${id}`))
  for (const id of ['a', 'b']) expect(own(id)).toEqual([`step-started ${id}`, `step-written ${id}`, `step-ended ${id}`])
  expect(events).toContain('synchronising')
  expect(events.filter((each) => each === 'verified')).toHaveLength(2)
  expect(answered).toEqual(['a done', 'b done'])
  for (const { startedMs } of report.steps) expect(startedMs).toBeGreaterThanOrEqual(0)
})

it('skips what depends on a step that failed, and goes on with the others', async () => {
  const answers = { a: refused }
  const alone = await apply({ answers, stays: ['a'] })
  expect(alone.ended).toEqual([
    ['a', 'failed', 'no'],
    ['b', 'done', undefined],
  ])
  expect(alone.events).not.toContain('step-written a')
  const steps = ([a, b]: Step[]) => [a as Step, { ...(b as Step), dependsOn: ['a'] }]
  const { report, ended } = await apply({ answers, stays: ['a'], steps })
  expect([report.outcome, ended]).toEqual([
    'partial',
    [
      ['a', 'failed', 'no'],
      ['b', 'skipped', 'a'],
    ],
  ])
})

it('starts nothing more once nobody answers, or the run is to end', async () => {
  const lost = await apply({ answers: { a: away } })
  expect(lost.ended).toEqual([
    ['a', 'failed', 'no'],
    ['b', 'skipped', 'not started, because an earlier step failed for all: no'],
  ])
  const stop = AbortSignal.abort()
  const { report, ended, answered } = await apply({ stop })
  expect([report.outcome, answered]).toEqual(['interrupted', []])
  expect(ended.map(([, outcome, reason]) => [outcome, reason])).toEqual(
    [1, 2].map(() => ['skipped', 'the run was interrupted']),
  )
})

it('says of what is written, and not taken in, that it was late, or that the run ended before', async () => {
  const late = await apply({ stays: ['a'], syncTimeoutMs: 1000 })
  expect(late.ended[0]).toEqual([
    ...['a', 'failed', 'it was written, but the platform had not synchronised it within 1 s'],
  ])
  const kill = new AbortController()
  const on = ({ type }: ApplyEvent): void => {
    if (type === 'step-written') kill.abort()
  }
  const killed = await apply({ kill: kill.signal, on, stays: ['a', 'b'] })
  expect(killed.ended[0]).toEqual([
    ...['a', 'unknown', 'it was written, but the run ended before the platform had synchronised it'],
  ])
  expect(killed.report.verified).toMatchObject({ equal: 0, unequal: [] })
})

it('sends nothing that rests on what could not be read, and is unsure of it where another run may have', async () => {
  const steps = ([a, b]: Step[]) => [{ ...(a as Step), restsOn: 'user/c' }, b as Step]
  const { ended } = await apply({ steps })
  expect(ended).toEqual([
    ['a', 'skipped', 'user/c could not be read'],
    ['b', 'done', undefined],
  ])
  expect((await apply({ steps, maybeSent: new Set(['a']) })).ended[0]?.[1]).toBe('unknown')
})

it.each([
  [new TypeError('x is undefined'), 'x is undefined'],
  ['a text', 'a text'],
])('loses nothing of the report by a defect of ours: %s', async (defect, said) => {
  const on = (event: ApplyEvent): void => {
    if (event.type === 'step-written') throw defect
  }
  const error = await apply({ on }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(BrokenApplyError)
  const { message, report } = error as BrokenApplyError
  expect(message).toBe(`The apply broke off for a defect of svcsync: ${said}`)
  expect(report.steps.map(({ id, reason }) => `${id} ${reason ?? ''}`)).toContain(
    'b not started, because svcsync failed',
  )
  const thrown = await apply({ answers: { a: new RangeError('y') } }).catch((reason: unknown) => reason)
  expect((thrown as BrokenApplyError).report.steps[0]).toMatchObject({ outcome: 'unknown', attempts: 1 })
})

it('looks for other writers at its end, unless it broke off, and loses nothing by a defect in that', async () => {
  for (const look of ['doubles', 'lookAgain'] as const) {
    const looking = vi.spyOn(OtherWriters.prototype, look)
    const { report } = await apply({ stays: ['a'], syncTimeoutMs: 1000 })
    expect(looking.mock.calls).toEqual([look === 'doubles' ? [] : [report.verified.unequal]])
    await apply({ answers: { a: away } })
    expect(looking).toHaveBeenCalledTimes(1)
    looking.mockRejectedValue(new TypeError('x'))
    const error = await apply().catch((reason: unknown) => reason)
    looking.mockRestore()
    expect(error).toBeInstanceOf(BrokenApplyError)
    expect((error as BrokenApplyError).report).toMatchObject({ outcome: 'converged', verified: { equal: 2 } })
  }
})
