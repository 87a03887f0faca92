// A command that does not fit its table does not compile: `tsc` reports an error that was expected and is not there.
import { expect, expectTypeOf, it } from 'vitest'
import type { apply, plan } from '../../src/cli/commands/changes.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { choice, command, flag, flagOf, many, optional, required, type Values } from '../../src/cli/program/command.ts'
import { exitCodes } from '../../src/cli/program/exit-codes.ts'
import { exitsOf } from '../../src/cli/program/program.ts'

const table = { detailedExitcode: flag('exit with 2'), for: choice('<command>', 'purpose', ['plan', 'apply']) }
const entry = { does: 'try', examples: [] }

it('gives a handler the options and arguments of its table alone', () => {
  const renamed = { detailedExitCode: flag('exit with 2') }
  const read = ({ detailedExitcode }: Values<typeof table>) => detailedExitcode
  const broken = command({
    ...{ ...entry, options: renamed },
    // @ts-expect-error: the handler reads an option that has another name in the table
    load: async () => async (options) => (options.detailedExitcode ? 1 : 0),
  })
  const args = { file: required('a file'), more: many('more files'), folder: optional('a folder') }
  const sound = command({
    ...{ ...entry, options: table, args },
    load:
      async () =>
      async (options, _, { file, more, folder }) => {
        expectTypeOf(file).toEqualTypeOf<string>()
        expectTypeOf(more).toEqualTypeOf<readonly string[]>()
        expectTypeOf(folder).toEqualTypeOf<string | undefined>()
        return read(options) ? exitCodes.error : exitCodes.done
      },
  })
  expect([broken, sound]).toHaveLength(2)
  expectTypeOf<Values<typeof table>['for']>().toEqualTypeOf<'plan' | 'apply' | undefined>()
  expectTypeOf<Values<typeof plan>['format']>().toEqualTypeOf<'text' | 'json' | 'markdown' | 'html'>()
  expectTypeOf<Values<typeof plan>>().not.toHaveProperty('journal')
  expectTypeOf<Values<typeof apply>['approved']>().toEqualTypeOf<readonly string[] | true | undefined>()
})

it('lets no handler end with an exit code that is not listed', () => {
  // @ts-expect-error: 4 is not listed
  const unlisted = command({ ...entry, options: table, load: async () => async () => exitCodes.refused })
  const listed = command({
    ...entry,
    options: table,
    exits: { refused: true },
    load: async () => async () => exitCodes.refused,
  })
  expect(exitsOf(unlisted).map(([code]) => code)).toEqual([0, 1])
  expect(exitsOf(listed).map(([code]) => code)).toEqual([0, 1, 4])
})

it('names each option after its key', () => {
  expect(flagOf('detailedExitcode')).toBe('--detailed-exitcode')
  expect(flagOf('color', true)).toBe('--no-color')
})

it.each(Object.entries(commands))('%s lists every exit code once, and says when', (_, each) => {
  const listed = exitsOf(each)
  expect(new Set(listed.map(([code]) => code)).size).toBe(listed.length)
  for (const [, words] of listed) expect(words).not.toBe('')
})
