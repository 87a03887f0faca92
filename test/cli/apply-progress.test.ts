// The line of progress counts a step once, however it comes to its end.
import { expect, it } from 'vitest'
import { createApplyProgress } from '../../src/cli/terminal/apply-progress.ts'
import type { Console } from '../../src/cli/terminal/console.ts'
import type { Step } from '../../src/core/model/step.ts'

it('counts a step that was written and then failed once', () => {
  const lines: string[] = []
  const note = (): void => undefined
  const console = {
    live: true,
    errorForm: { colour: false, width: 80 },
    note,
    progress: (line: string) => lines.push(line),
  }
  const { onEvent } = createApplyProgress(2, console as unknown as Console)
  const [one, two] = ['1', '2'].map((id) => ({ id, verb: 'create', address: `user/${id}` }) as Step) as [Step, Step]
  onEvent({ type: 'step-written', step: one })
  onEvent({ type: 'step-ended', step: one, outcome: 'failed', reason: 'not synchronised' })
  onEvent({ type: 'step-written', step: two })
  expect(lines.at(-1)).toContain('2/2 · 1 failed')
})
