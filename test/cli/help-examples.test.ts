// The examples of the help are lines that their commands take.
import { expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { buildProgram, helpExamples } from '../../src/cli/program/program.ts'

it.each(Object.entries(commands))('%s has examples that fit it', (name, { examples }) => {
  expect(examples.length).toBeGreaterThan(0)
  for (const [line] of examples) {
    const command = buildProgram(() => undefined, name).commands[0]!
    const words = line.replace(/ > \S+$/, '').match(/"[^"]*"|[^\s"]+/g) ?? []
    const [program, first, ...rest] = words.map((word) => word.replaceAll('"', ''))
    expect([program, first]).toEqual(['svcsync', name])
    const { operands, unknown } = command.parseOptions(rest)
    expect(unknown).toEqual([])
    const taken = command.registeredArguments
    if (!taken.at(-1)?.variadic) expect(operands.length).toBeLessThanOrEqual(taken.length)
    expect(operands.length).toBeGreaterThanOrEqual(taken.filter((one) => one.required).length)
  }
  for (const line of helpExamples(examples).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})
