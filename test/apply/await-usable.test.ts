// When the object of a step is usable: at once, once it is seen, or never within the time.
import { expect, it } from 'vitest'
import { awaitUsable } from '../../src/apply/await-usable.ts'
import type { StepResult } from '../../src/apply/step-result.ts'
import type { Synchronisation } from '../../src/apply/synchronisation.ts'
import type { Kind, LivePart } from '../../src/core/model/kind.ts'
import type { Step } from '../../src/core/model/step.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { user } from '../../src/kinds/user/index.ts'

type Target = Parameters<Synchronisation['wait']>[0]
const result: StepResult = { outcome: 'done', attempts: 2 }
const part: LivePart = { name: 'a', self: 'a', spec: {}, collections: {}, ready: true }

interface Given extends Partial<Pick<Step, 'verb' | 'address' | 'at'>> {
  readonly isOver?: boolean
  readonly kind?: Kind
  readonly trouble?: string
}

async function waited(waitsFor: LivePart | 'gone' | 'late', given: Given = {}) {
  const { isOver = false, kind = user, trouble, ...own } = given
  const targets: Target[] = []
  const seen: unknown[] = []
  const step = {
    id: '1',
    address: 'user/a',
    kind: 'user',
    verb: 'create',
    at: { name: 'a' },
    dependsOn: [],
    ...own,
  } as Step
  const ended = await awaitUsable(step, kind, result, {
    synchronisation: {
      wait: async (target: Target) => {
        targets.push(target)
        return waitsFor
      },
      troubleAt: (address: string) => (address === 'user/a' ? trouble : undefined),
    } as Synchronisation,
    run: { isOver: () => isOver },
    syncTimeoutMs: 1500,
    selfOf: (address) => (address === 'user/b' ? 'learnt' : undefined),
    isAwaited: (address) => address === 'user/b',
    onSeen: (_, live) => seen.push(live),
  })
  return { ended, target: targets[0], seen }
}

it.each([
  [{}, { until: 'ready', at: { name: 'a', self: 'a' }, urgent: false }],
  [
    { verb: 'delete', at: { name: 'a', self: 'known' } },
    { until: 'gone', at: { name: 'a', self: 'known' } },
  ],
  [
    { verb: 'add', address: 'user/b' },
    { until: 'ready', at: { name: 'a', self: 'learnt' }, urgent: true },
  ],
] as const)('of %j is waited for as %j', async (more, target) => {
  expect((await waited(part, more)).target).toMatchObject(target)
})

it('is usable at once where the platform synchronises nothing, and once it was seen elsewhere', async () => {
  expect(await waited('late', { kind: constant })).toEqual({ ended: result, target: undefined, seen: [] })
  expect(await waited(part)).toMatchObject({ ended: result, seen: [part] })
  expect(await waited('gone')).toMatchObject({ ended: result, seen: [undefined] })
})

it('is not usable where nobody saw it in time, and says why', async () => {
  const written = { written: true, attempts: 2 } as const
  const reason = 'it was written, but the platform had not synchronised it within 1.5 s'
  expect(await waited('late')).toMatchObject({ ended: { ...written, outcome: 'failed', reason }, seen: [] })
  const last = `${reason}, and the last look at it failed: no answer`
  expect((await waited('late', { trouble: 'no answer' })).ended).toMatchObject({ outcome: 'failed', reason: last })
  const over = 'it was written, but the run ended before the platform had synchronised it'
  expect((await waited('late', { isOver: true })).ended).toMatchObject({ ...written, outcome: 'unknown', reason: over })
})
