// The question before an apply.
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askToApply } from '../../src/cli/planning/ask-to-apply.ts'
import { emptyPlan } from '../render/plan-fixture.ts'

const plan = { ...emptyPlan, counts: { ...emptyPlan.counts, steps: 1 } }

async function ask(...answers: string[]): Promise<{ readonly answer: string; readonly shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let shown = ''
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    // One answer to each question.
    if (shown.endsWith('goes on: ')) setImmediate(() => input.write(`${answers.shift() ?? 'no'}\n`))
  })
  const answer = await askToApply(plan, new AbortController().signal, { input, output })
  return { answer, shown }
}

it('goes on for yes alone, and counts one step as one', async () => {
  const { answer, shown } = await ask('yes')
  expect(answer).toBe('yes')
  expect(shown).toBe('Apply 1 step to test (https://test.example.com)? Only `yes` goes on: ')
})

it.each([
  ['test', 'yes'],
  ['yes', 'no'],
  ['prod', 'no'],
  ['Test', 'no'],
])('takes the name of a target that wants it, and nothing else: %s', async (text, expected) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  output.on('data', () => setImmediate(() => input.write(`${text}\n`)))
  expect(await askToApply(plan, new AbortController().signal, { input, output }, true)).toBe(expected)
})

it.each(['y', 'Y', 'Yes', 'ye'])('says of `%s` that it is not taken for yes, and asks again', async (text) => {
  const { answer, shown } = await ask(text, 'yes')
  expect(answer).toBe('yes')
  expect(shown).toContain(`\`${text}\` is not taken for \`yes\`: write the whole word, in small letters.\n`)
  expect(shown.split('Only `yes` goes on')).toHaveLength(3)
})

it('says of `yes` that it is not the name that is asked for, and asks again', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answers = ['yes', 'test']
  let shown = ''
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    if (shown.endsWith('goes on: ')) setImmediate(() => input.write(`${answers.shift() ?? 'no'}\n`))
  })
  expect(await askToApply(plan, new AbortController().signal, { input, output }, true)).toBe('yes')
  expect(shown).toContain('`yes` is not taken for the name of the target: write it as the question has it.\n')
})

it('asks no more than three times', async () => {
  const { answer, shown } = await ask('y', 'y', 'y', 'yes')
  expect(answer).toBe('no')
  expect(shown.split('Only `yes` goes on')).toHaveLength(4)
})

it.each(['no', '', 'yes please', 'n'])('changes nothing after `%s`', async (text) => {
  expect(await ask(text)).toMatchObject({ answer: 'no' })
})

it('ends where nobody can answer any more', async () => {
  const input = new PassThrough()
  const asked = askToApply(plan, new AbortController().signal, { input, output: new PassThrough() })
  input.end()
  expect(await asked).not.toBe('yes')
})
