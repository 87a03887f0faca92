// The runs of steps under any graph and any order of answers: no step starts too early, too late, or twice.
import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StepResult } from '../../src/apply/step-result.ts'
import { runSteps } from '../../src/apply/step-scheduler.ts'
import type { Step } from '../../src/core/model/step.ts'

type Options = Parameters<typeof runSteps>[1]
type Phase = 'waiting' | 'sent' | 'written' | 'usable' | 'failed' | 'skipped'

interface Shape {
  readonly address: number
  /** Of the steps before it, by bits. */
  readonly on: number
  readonly after: number
  readonly sort: 'quick' | 'long' | 'k' | 'l'
  readonly needy: boolean
  readonly rests: boolean
}

const done: StepResult = { outcome: 'done', attempts: 1 }
const failed: StepResult = { outcome: 'failed', attempts: 1 }

/** A run whose answers come when `answer` says so. */
function createRun(shapes: readonly Shape[], concurrency: number) {
  const steps = shapes.map(({ address, on, after, rests }, index): Step => {
    const among = (bits: number) => [...Array(index).keys()].filter((at) => (bits >> at) % 2 === 1).map(String)
    const own = { id: String(index), address: `user/${address}`, dependsOn: [...among(on), 'elsewhere'] }
    return { ...own, follows: among(after), ...(rests && { restsOn: 'user/x' }) } as unknown as Step
  })
  const phases = new Map<string, Phase>(steps.map(({ id }) => [id, 'waiting']))
  const causes = new Map<string, string | undefined>()
  const sorts = new Map(steps.map(({ id }, index) => [id, shapes[index] as Shape]))
  const sortOf = ({ id }: Step): string => sorts.get(id)?.sort ?? ''
  const isNeedy = ({ id }: Step): boolean => sorts.get(id)?.needy === true
  const phaseOf = (id: string): Phase => phases.get(id) ?? 'usable'
  const isReady = (step: Step): boolean =>
    step.restsOn === undefined &&
    step.dependsOn.every((id) => {
      const isOnSame = steps.find((each) => each.id === id)?.address === step.address
      return phaseOf(id) === 'usable' || (phaseOf(id) === 'written' && isOnSame && !isNeedy(step))
    }) &&
    step.follows?.every((id) => !['waiting', 'sent'].includes(phaseOf(id))) === true
  const pending: ((isWell: boolean) => void)[] = []
  const later = () => new Promise<boolean>((resolve) => pending.push(resolve))
  const underWay: string[] = []
  const log: string[] = []
  const state = { running: 0, starving: false, isOver: false, why: undefined as string | undefined }
  const stop = new AbortController()
  const options: Options = {
    concurrency,
    stop: stop.signal,
    halted: () => state.why,
    takesLong: (step) => sortOf(step) === 'long',
    needsUsable: isNeedy,
    sharing: {
      keyOf: (step) => (/^[kl]$/.test(sortOf(step)) ? sortOf(step) : undefined),
      fitting: (waiting) => Math.min(waiting.length, 2),
      async send(batch) {
        const key = sortOf(batch[0] as Step)
        log.push(`send ${batch.map(({ id }) => id)}`)
        expect(batch.length).toBeGreaterThan(0)
        expect(batch.every((step) => sortOf(step) === key && phaseOf(step.id) === 'sent')).toBe(true)
        expect(state.running++).toBeLessThan(concurrency)
        underWay.push(key)
        await later()
        underWay.splice(underWay.indexOf(key), 1)
        state.running--
      },
    },
    async run(step) {
      expect(phaseOf(step.id)).toBe('sent')
      state.running++
      const isWell = await later()
      state.running--
      phases.set(step.id, isWell ? 'written' : 'failed')
      const result = isWell ? done : failed
      return {
        result,
        usable: isWell ? later().then((isUsable) => (isUsable ? done : failed)) : Promise.resolve(result),
      }
    },
    unsent: (_, restsOn) => ({ outcome: 'skipped', reason: restsOn, attempts: 0 }),
    onStart(step) {
      log.push(`start ${step.id}`)
      expect([phaseOf(step.id), isReady(step), stop.signal.aborted, state.why]).toEqual([
        'waiting',
        true,
        false,
        undefined,
      ])
      if (!/^[kl]$/.test(sortOf(step))) expect(state.running).toBeLessThan(concurrency)
      const isSlower = (other: Step) => sortOf(other) === 'long' && phaseOf(other.id) === 'waiting' && isReady(other)
      if (sortOf(step) === 'quick') expect(steps.filter(isSlower)).toEqual([])
      phases.set(step.id, 'sent')
    },
    onEnd(step, { outcome, reason }, because) {
      expect(causes.has(step.id)).toBe(false)
      causes.set(step.id, because ?? reason)
      if (outcome === 'skipped') expect(phaseOf(step.id)).toBe('waiting')
      phases.set(step.id, outcome === 'done' ? 'usable' : (outcome as Phase))
    },
    onStarving: (starving) => {
      state.starving = starving
    },
  }
  const finished = runSteps(steps, options).then(() => {
    state.isOver = true
  })
  return { steps, phaseOf, isReady, sortOf, causes, pending, underWay, log, state, stop, options, finished }
}

type Run = ReturnType<typeof createRun>

/** Whatever could have happened by now has happened, and nothing else. */
function checkRest({ steps, phaseOf, isReady, sortOf, causes, pending, underWay, state, stop }: Run, most: number) {
  const waiting = steps.filter(({ id }) => phaseOf(id) === 'waiting')
  const isHeldBack = (step: Step) => state.running >= most || underWay.includes(sortOf(step))
  const over = stop.signal.aborted ? 'the run was interrupted' : state.why
  const isDead = (id: string) => ['failed', 'skipped'].includes(phaseOf(id))
  const isBehind = (step: Step) => (isReady(step) && !isHeldBack(step)) || step.dependsOn.some(isDead)
  if (over === undefined) expect(waiting.filter(isBehind)).toEqual([])
  for (const { id, dependsOn, restsOn } of steps.filter((step) => phaseOf(step.id) === 'skipped')) {
    const roots = [restsOn, over, ...(dependsOn.some(isDead) ? steps.map((each) => each.id).filter(isDead) : [])]
    expect(roots).toContain(causes.get(id))
  }
  expect(state.isOver).toBe(pending.length === 0)
  if (!state.isOver) expect(state.starving).toBe(state.running < most)
  else expect([...causes.keys()].sort()).toEqual(steps.map(({ id }) => id).sort())
}

const bits = fc.nat(15).map((each) => each & (each >> 1))
const shape: fc.Arbitrary<Shape> = fc.record({
  address: fc.nat(3),
  ...{ on: bits, after: bits, needy: fc.boolean() },
  sort: fc.constantFrom('quick', 'long', 'k', 'k', 'l'),
  rests: fc.nat(9).map((each) => each === 0),
})
const act = fc.record({ which: fc.nat(9), how: fc.constantFrom('well', 'well', 'well', 'badly', 'stop', 'halt') })

async function rest(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await turn()
}

it('starts each step as soon as it may, and no sooner, until all have ended', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(shape, { minLength: 1, maxLength: 9 }),
      fc.array(act, { maxLength: 30 }),
      fc.integer({ min: 1, max: 3 }),
      async (shapes, acts, concurrency) => {
        const run = createRun(shapes, concurrency)
        await rest()
        checkRest(run, concurrency)
        const all = [...acts, ...Array<(typeof acts)[0]>(40).fill({ which: 0, how: 'well' })]
        for (const { which, how } of all) {
          if (run.state.isOver) break
          if (how === 'stop' && which > 6) run.stop.abort()
          if (how === 'halt' && which > 6) run.state.why = 'down'
          const [answer] = run.pending.splice(which % run.pending.length, 1)
          answer?.(how !== 'badly')
          await rest()
          checkRest(run, concurrency)
        }
        await run.finished
      },
    ),
    { numRuns: 240 },
  )
})

const quick: Shape = { address: 0, on: 0, after: 0, sort: 'quick', needy: false, rests: false }

describe('a run', () => {
  it.each([
    ['one by one', [quick, { ...quick, sort: 'long' }], ['start 1', 'start 0']],
    ['together, as soon as they are full', Array(3).fill({ ...quick, sort: 'k' }), ['start 0', 'start 1', 'send 0,1']],
  ] as const)('sends steps %s, as far as there is room', async (_, shapes, log) => {
    const run = createRun(shapes, 2)
    await rest()
    expect(run.log).toEqual(log)
    run.stop.abort()
    for (let answer = run.pending.pop(); answer !== undefined; answer = run.pending.pop()) {
      answer(true)
      await rest()
    }
    await run.finished
    expect([run.causes.get('0'), run.causes.get('2')]).toContain(
      _ === 'one by one' ? undefined : 'the run was interrupted',
    )
  })

  it('sends together what becomes ready in one turn, and what is alone at once', async () => {
    const shared = { ...quick, sort: 'k', needy: true } as const
    const run = createRun([quick, quick, { ...shared, on: 1 }, { ...shared, on: 2 }, { ...quick, on: 1 }], 2)
    await rest()
    const settle = async (): Promise<void> => {
      for (const answer of run.pending.splice(0)) answer(true)
      await rest()
    }
    await settle()
    expect(run.log).toEqual(['start 0', 'start 1', 'start 4'])
    run.log.length = 0
    while (!run.state.isOver) await settle()
    expect(run.log).toEqual(['start 2', 'start 3', 'send 2,3'])
  })

  it.each(['quick', 'k'] as const)('is over as soon as one does what it must not, sent %s', async (sort) => {
    const run = createRun([], 1)
    const step = { id: '0', address: 'user/0', dependsOn: [] } as unknown as Step
    const sharing = { ...run.options.sharing, keyOf: () => (sort === 'k' ? 'k' : undefined), send: async () => {} }
    const broken = { ...run.options, sharing, onStart() {}, run: () => Promise.reject(new TypeError('a defect')) }
    await expect(runSteps([step], broken)).rejects.toThrow('a defect')
    const send = () => Promise.reject(new TypeError('another'))
    if (sort === 'k')
      await expect(runSteps([step], { ...broken, sharing: { ...sharing, send } })).rejects.toThrow('another')
    const onStart = (): never => {
      throw new TypeError('a third')
    }
    await expect(runSteps([step], { ...broken, onStart })).rejects.toThrow('a third')
  })

  it('that is to end tells at once what it has not sent, while others are under way', async () => {
    const run = createRun([quick, quick, quick, { ...quick, sort: 'long' }, quick], 2)
    await rest()
    run.state.why = 'a reason'
    run.pending.pop()?.(false)
    await rest()
    expect([...run.causes.values()].filter((cause) => cause === 'a reason')).toHaveLength(3)
    run.pending.pop()?.(false)
    await run.finished
  })

  it('ends what waits for itself', async () => {
    const run = createRun([], 1)
    const ends: string[] = []
    const onEnd: Options['onEnd'] = ({ id }, { outcome, reason }) => void ends.push(`${id} ${outcome} ${reason}`)
    const [a, b] = ['a', 'b'].map((id) => ({ id, dependsOn: [id === 'a' ? 'b' : 'a'] }) as unknown as Step) as [
      Step,
      Step,
    ]
    const { signal: stop } = new AbortController()
    await runSteps([a, b], { ...run.options, stop, onEnd })
    expect(getEventListeners(stop, 'abort')).toEqual([])
    expect(ends).toEqual(['a', 'b'].map((id) => `${id} skipped nothing it depends on ended`))
  })
})
