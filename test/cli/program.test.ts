// A command that is called stands alone, and is what it is among all.
import { expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/program/program.ts'

const namesOf = (called?: string) => buildProgram(() => undefined, called).commands.map((command) => command.name())
const all = buildProgram(() => undefined).commands

it.each(all.map((command) => [command.name(), command] as const))(
  '%s alone has the help that it has among all',
  (name, among) => {
    const alone = buildProgram(() => undefined, name).commands
    expect(alone).toHaveLength(1)
    expect(alone[0]!.helpInformation()).toBe(among.helpInformation())
  },
)

it.each([undefined, '', 'help', '--help', '-h', 'validat', 'toString', '__proto__'])(
  'all are made for %j',
  (called) => {
    expect(namesOf(called)).toEqual(all.map((command) => command.name()))
  },
)
