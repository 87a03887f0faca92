// The examples of the help are lines that their commands take.
import { expect, it } from 'vitest'
import { exampleLinesOf, helpExamples } from '../../src/cli/help-examples.ts'
import { buildProgram } from '../../src/cli/program.ts'

const commands = buildProgram(() => undefined).commands

it.each(commands.map((command) => command.name()))('%s has examples that fit it', (name) => {
  const lines = exampleLinesOf(name)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) {
    const command = buildProgram(() => undefined).commands.find((one) => one.name() === name)
    const [program, first, ...rest] = line
      .replace(/ > \S+$/, '')
      .replaceAll("'", '')
      .split(' ')
    expect([program, first]).toEqual(['svcsync', name])
    const { operands, unknown } = command!.parseOptions(rest)
    expect(unknown).toEqual([])
    const taken = command!.registeredArguments
    if (!taken.at(-1)?.variadic) expect(operands.length).toBeLessThanOrEqual(taken.length)
    expect(operands.length).toBeGreaterThanOrEqual(taken.filter((one) => one.required).length)
  }
  for (const line of helpExamples(name).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})
