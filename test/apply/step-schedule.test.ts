// The effects of an event on the steps of a run: starts, ends, and causes.
import { describe, expect, it } from 'vitest'
import type { StepResult } from '../../src/apply/step-result.ts'
import { StepSchedule } from '../../src/apply/step-schedule.ts'
import type { Step } from '../../src/core/model/step.ts'

const done: StepResult = { outcome: 'done', attempts: 1 }
const failed: StepResult = { outcome: 'failed', attempts: 1, reason: 'no' }

function step(id: string, more: Partial<Step> = {}): Step {
  return { id, address: `user/${id}`, kind: 'user', verb: 'create', dependsOn: [], ...more } as Step
}

function scheduleOf(steps: readonly Step[], needsUsable: readonly string[] = []): StepSchedule {
  return new StepSchedule(steps, ({ id }) => needsUsable.includes(id))
}

const shown = ({ ended, ready }: ReturnType<StepSchedule['open']>) => ({
  ended: ended.map(({ step: { id }, result, because }) =>
    [id, result.outcome, because ?? result.reason].join(' ').trim(),
  ),
  ready: ready.map(({ id }) => id),
})
const open = (schedule: StepSchedule) =>
  shown(schedule.open((_, restsOn) => ({ outcome: 'skipped', reason: `rests on ${restsOn}`, attempts: 0 })))

describe('a schedule', () => {
  it('begins with what depends on nothing, and goes on as what it depends on is usable', () => {
    const [a, b, c] = [step('a'), step('b', { dependsOn: ['a'] }), step('c', { dependsOn: ['a', 'b', 'elsewhere'] })]
    const schedule = scheduleOf([a, b, c])
    expect(open(schedule)).toEqual({ ended: [], ready: ['a'] })
    expect(schedule.begin(a)).toBe(true)
    expect(shown(schedule.written(a, done))).toEqual({ ended: [], ready: [] })
    expect(shown(schedule.settled(a, done))).toEqual({ ended: ['a done'], ready: ['b'] })
    schedule.written(b, done)
    expect(shown(schedule.settled(b, done))).toEqual({ ended: ['b done'], ready: ['c'] })
  })

  it('lets a step on the same object come before that is usable, unless it needs that', () => {
    const first = step('a')
    const [next, needy] = ['n', 'o'].map((id) => step(id, { address: first.address, dependsOn: ['a'] })) as [Step, Step]
    const schedule = scheduleOf([first, next, needy], ['o'])
    open(schedule)
    schedule.begin(first)
    expect(shown(schedule.written(first, done)).ready).toEqual(['n'])
    expect(shown(schedule.settled(first, done)).ready).toEqual(['o'])
  })

  it('skips all that depends on a failure, and says because of which step', () => {
    const [a, b, c] = [step('a'), step('b', { dependsOn: ['a'] }), step('c', { dependsOn: ['b'] })]
    const schedule = scheduleOf([a, b, c])
    open(schedule)
    schedule.begin(a)
    const turn = schedule.written(a, failed)
    expect(shown(turn).ended).toEqual(['a failed no', 'b skipped a', 'c skipped a'])
    expect(turn.ended[1]?.result).toEqual({ outcome: 'skipped', attempts: 0 })
    expect(schedule.begin(b)).toBe(false)
  })

  it('leaves alone what was started before its object turned out not to be usable', () => {
    const [a, b, c] = [step('a'), step('b', { address: 'user/a', dependsOn: ['a'] }), step('c', { dependsOn: ['a'] })]
    const schedule = scheduleOf([a, b, c])
    open(schedule)
    schedule.begin(a)
    schedule.written(a, done)
    expect(schedule.begin(b)).toBe(true)
    expect(shown(schedule.settled(a, failed)).ended).toEqual(['a failed no', 'c skipped a'])
    schedule.written(b, done)
    expect(shown(schedule.settled(b, done)).ended).toEqual(['b done'])
  })

  it('lets a step follow another however that ended', () => {
    const [a, b, c] = [step('a'), step('b', { follows: ['a'] }), step('c', { follows: ['d'] })]
    const schedule = scheduleOf([a, b, c, step('d', { dependsOn: ['a'] })])
    expect(open(schedule).ready).toEqual(['a'])
    schedule.begin(a)
    expect(shown(schedule.written(a, failed))).toEqual({ ended: ['a failed no', 'd skipped a'], ready: ['b', 'c'] })
  })

  it('does not send what rests on something unreadable, nor what depends on that', () => {
    const steps = [step('a', { restsOn: 'user/x' }), step('b', { dependsOn: ['a'] }), step('c', { follows: ['a'] })]
    expect(open(scheduleOf(steps))).toEqual({ ended: ['a skipped rests on user/x', 'b skipped a'], ready: ['c'] })
  })

  it('ends what is left for one reason, each step once', () => {
    const [a, b] = [step('a'), step('b', { dependsOn: ['a'] })]
    const schedule = scheduleOf([a, b])
    open(schedule)
    expect(shown(schedule.giveUp('stopped', [a])).ended).toEqual(['a skipped stopped'])
    expect(shown(schedule.giveUp('over')).ended).toEqual(['b skipped over'])
    expect(shown(schedule.giveUp('again'))).toEqual({ ended: [], ready: [] })
  })
})
