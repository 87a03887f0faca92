// The line of progress counts a step once, however it comes to its end.
import { expect, it } from 'vitest'
import { createApplyProgress } from '../../src/cli/planning/run-apply.ts'
import type { Console } from '../../src/cli/terminal/console.ts'
import type { Step } from '../../src/core/model/step.ts'

it('counts a step that was written and then failed once', () => {
  const { lines, onEvent } = progressOf(2)
  const [one, two] = ['1', '2'].map((id) => ({ id, verb: 'create', address: `user/${id}` }) as Step) as [Step, Step]
  onEvent({ type: 'step-written', step: one })
  onEvent({ type: 'step-ended', step: one, outcome: 'failed', reason: 'not synchronised', written: true })
  onEvent({ type: 'step-written', step: two })
  expect(lines.at(-1)).toContain('2 of 2, 1 failed')
})

it('tells what was written, and not confirmed, apart', () => {
  const { notes, onEvent } = progressOf(1)
  const step = { id: '1', verb: 'create', address: 'user/1' } as Step
  onEvent({ type: 'step-ended', step, outcome: 'unknown', reason: 'not seen', written: true })
  expect(notes).toEqual(['create user/1: written, not confirmed: not seen'])
})

it('promises no end after the first interrupt', () => {
  const { lines, onEvent, interrupt } = progressOf(9)
  const step = { id: '1', verb: 'create', address: 'user/1' } as Step
  onEvent({ type: 'step-written', step })
  expect(lines.at(-1)).toContain(' left')
  interrupt()
  onEvent({ type: 'synchronising', waiting: 1 })
  expect(lines.at(-1)).toMatch(/1 of 9 {2}interrupted, running steps end {2}1 to synchronise$/)
})

function progressOf(total: number) {
  const lines: string[] = []
  const notes: string[] = []
  const stop = new AbortController()
  const console = {
    live: true,
    errorForm: { colour: false, width: 100 },
    note: (text: string) => notes.push(text),
    progress: (line: () => string) => lines.push(line()),
  }
  let nowMs = 0
  const clock = () => (nowMs += 500)
  const { onEvent } = createApplyProgress(total, console as unknown as Console, stop.signal, clock)
  return { lines, notes, onEvent, interrupt: () => stop.abort() }
}
