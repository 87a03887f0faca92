// The table of what is done about an attempt, row by row, and the promises that hold for all of it.
import { describe, expect, it } from 'vitest'
import { nextAction } from '../../src/apply/next-action.ts'
import type { Step } from '../../src/core/model/step.ts'

type NextAct = ReturnType<typeof nextAction>

const end = (outcome: 'done' | 'unchanged' | 'failed' | 'unknown', stops?: true): NextAct =>
  stops ? { act: 'end', outcome, stops } : { act: 'end', outcome }
const readBack: NextAct = { act: 'read-back' }
const repeat: NextAct = { act: 'repeat-later' }

type Answer = Parameters<typeof nextAction>[0]
type Sight = NonNullable<Parameters<typeof nextAction>[1]>
type Situation = Parameters<typeof nextAction>[2]
type Row = readonly [Step['verb'], Answer, Sight | undefined, string, NextAct]

/** The fourth column: what holds besides. `patient`: there is time, and few answers were lost. */
const rows: readonly Row[] = [
  ['update', 'done', undefined, '', end('done')],
  ['update', 'locked', undefined, 'patient', repeat],
  ['update', 'locked', undefined, '', end('failed')],
  ['update', 'locked', undefined, 'lost before', readBack],
  ['update', 'locked', 'effect', 'lost before', end('done')],
  ['update', 'not-sent', undefined, 'patient', end('failed', true)],
  ['update', 'not-sent', undefined, 'lost before', end('unknown', true)],
  ['update', 'token-refused', undefined, '', end('failed', true)],
  ['update', 'token-refused', undefined, 'lost before', readBack],
  ['delete', 'absent', undefined, '', end('unchanged')],
  ['delete', 'absent', undefined, 'lost before', end('done')],
  ['update', 'absent', undefined, '', readBack],
  ['update', 'absent', 'nothing', 'new, patient', repeat],
  ['update', 'absent', 'nothing', 'new', end('failed')],
  ['update', 'absent', 'nothing', 'patient', end('failed')],
  ['update', 'lost', undefined, '', readBack],
  ['update', 'lost', 'effect', '', end('done')],
  ['update', 'lost', 'other', 'patient', repeat],
  ['update', 'lost', 'other', '', end('unknown')],
  ['delete', 'lost', 'other', 'patient', repeat],
  ['create', 'lost', 'nothing', 'patient', repeat],
  ['create', 'lost', 'other', 'patient', { act: 'update-instead' }],
  ['create', 'lost', 'unreadable', 'patient', end('unknown')],
  ['update', 'refused', undefined, '', readBack],
  ['update', 'refused', 'effect', '', end('unchanged')],
  ['update', 'refused', 'effect', 'lost before', end('done')],
  ['update', 'refused', 'other', 'patient', end('failed')],
  ['update', 'refused', 'other', 'lost before, patient', end('unknown')],
  // It was lost, is refused now, and is shown still: it may be on its way out.
  ['delete', 'refused', 'other', 'lost before, patient', end('unknown')],
  ['update', 'refused', 'unreadable', 'patient', end('failed')],
  ['update', 'refused', 'unreadable', 'lost before', end('unknown')],
  ['create', 'refused', 'other', '', { act: 'update-instead' }],
  ['create', 'refused', 'nothing', 'patient', end('failed')],
  // Somebody else in the request may be why it was refused, and a part of it may have been carried out.
  ['add', 'refused', undefined, 'shared', readBack],
  ['add', 'refused', 'effect', 'shared', end('done')],
  ['add', 'refused', 'other', 'shared', { act: 'repeat-alone' }],
  ['add', 'refused', 'unreadable', 'shared', end('unknown')],
  ['add', 'locked', undefined, 'shared, patient', readBack],
  ['add', 'locked', 'other', 'shared, patient', { act: 'repeat-alone' }],
  ['add', 'lost', 'other', 'shared, patient', repeat],
  ['add', 'lost', 'other', 'shared', end('unknown')],
  ['add', 'not-sent', undefined, 'shared', end('failed', true)],
  ['add', 'token-refused', undefined, 'shared', end('failed', true)],
  // It was lost, is said to exist now, and is not shown yet.
  ['create', 'refused', 'nothing', 'lost before, patient', repeat],
  ['create', 'refused', 'nothing', 'lost before', end('unknown')],
]

const situation = (verb: Step['verb'], what: string): Situation => ({
  verb,
  lostBefore: what.includes('lost before'),
  isNew: what.includes('new'),
  mayWait: what.includes('patient'),
  mayLoseMore: what.includes('patient'),
  shared: what.includes('shared'),
})

it.each(rows)('%s, %s, found %s, %s', (verb, answer, found, what, expected) => {
  expect(nextAction(answer, found, situation(verb, what))).toEqual(expected)
})

describe('in every situation', () => {
  const both = [true, false]
  const all = (['create', 'update', 'delete', 'add', 'remove'] as const).flatMap((verb) =>
    both.flatMap((lostBefore) =>
      both.flatMap((isNew) =>
        both.flatMap((mayWait) =>
          both.flatMap((mayLoseMore) =>
            both.map((shared): Situation => ({ verb, lostBefore, isNew, mayWait, mayLoseMore, shared })),
          ),
        ),
      ),
    ),
  )
  const answers = ['done', 'locked', 'not-sent', 'token-refused', 'absent', 'lost', 'refused'] as const
  const finds = [undefined, 'effect', 'other', 'nothing', 'unreadable'] as const
  const cases = answers.flatMap((answer) =>
    finds.flatMap((found) => all.map((each) => ({ answer, found, each, next: nextAction(answer, found, each) }))),
  )
  /** What is refused to several may have been carried out for some. */
  const wasPart = ({ answer, each }: (typeof cases)[number]): boolean =>
    each.shared && ['locked', 'absent', 'refused'].includes(answer)
  const wasLost = (one: (typeof cases)[number]): boolean => one.answer === 'lost' || one.each.lostBefore || wasPart(one)

  it('what is lost is not repeated before it was read back', () => {
    const blind = cases.filter(
      (one) => (one.answer === 'lost' || wasPart(one)) && one.found === undefined && one.next.act.startsWith('repeat'),
    )
    expect(blind).toEqual([])
  })

  it('done is said only of what was answered so, or lost and found', () => {
    const said = cases.filter(({ next }) => next.act === 'end' && next.outcome === 'done')
    expect(
      said.filter((each) => {
        const settled = each.found === 'effect' || (each.answer === 'absent' && each.each.verb === 'delete')
        return each.answer !== 'done' && !(wasLost(each) && settled)
      }),
    ).toEqual([])
  })

  it('what was lost ends as done or unknown, and what was not lost never as unknown', () => {
    const ends = cases.flatMap((each) => (each.next.act === 'end' ? [{ ...each, outcome: each.next.outcome }] : []))
    const settled = ['done', 'unknown']
    expect(ends.filter((each) => wasLost(each) && !settled.includes(each.outcome))).toEqual([])
    expect(ends.filter((each) => !wasLost(each) && each.outcome === 'unknown')).toEqual([])
  })

  it('reading back leads to an act that needs no more reading, and patience comes to an end', () => {
    expect(cases.filter(({ found, next }) => found !== undefined && next.act === 'read-back')).toEqual([])
    const impatient = cases.filter(({ each }) => !each.mayWait && !each.mayLoseMore)
    expect(impatient.filter(({ next }) => next.act === 'repeat-later')).toEqual([])
  })
})
