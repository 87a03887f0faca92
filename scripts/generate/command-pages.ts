// The part of each page below docs/commands that follows from the program: how a command is called, and its options.
import { existsSync, readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { commands as entries } from '../../src/cli/commands/index.ts'
import { buildProgram, exitsOf } from '../../src/cli/program/program.ts'
import { begin, end, list, type Row, replaced } from './page-part.ts'

const folder = 'docs/commands'

/** Path of the page → its content. Text around the generated part stays; a new command gets a page with a heading. */
export function commandPages(): Record<string, () => string> {
  const program = buildProgram(() => undefined)
  const { commands } = program
  const shared = sharedRows(commands)
  const pages = commands.map((command) => [`${folder}/${command.name()}.md`, () => page(command, shared)] as const)
  return { 'docs/commands.md': () => overview(commands, shared), ...Object.fromEntries(pages) }
}

/** Said once for all: the options that so many commands have in the same words. */
const severalCommands = 4

function rowOf(option: Option): Row {
  return [code(option.flags), described(option)]
}

/** By their texts, in the order in which commands have them. */
function sharedRows(commands: readonly Command[]): ReadonlyMap<string, Row> {
  const rows = commands.flatMap(({ options }) => options.map(rowOf))
  const times = (row: Row): number => rows.filter((other) => other.join() === row.join()).length
  const shared = new Map<string, Row>()
  for (const row of rows) {
    // If commands word an option differently, their own pages have it.
    const isTold = [...shared.values()].some(([flags]) => flags === row[0])
    if (!isTold && times(row) >= severalCommands) shared.set(row.join(), row)
  }
  return shared
}

function page(command: Command, shared: ReadonlyMap<string, Row>): string {
  const path = `${folder}/${command.name()}.md`
  const heading = `# svcsync ${command.name()}\n\n${sentence(command.description())}\n\n${begin}\n${end}\n`
  const usage = `\`\`\`text\nsvcsync ${command.name()} ${command.usage()}\n\`\`\``
  const args = command.registeredArguments.map((argument) => {
    const name = argument.required ? `<${argument.name()}>` : `[${argument.name()}${argument.variadic ? '...' : ''}]`
    return [code(name), argument.description] as const
  })
  const options = command.options.map(rowOf)
  const own = [...args, ...options.filter((row) => !shared.has(row.join()))]
  const isSharing = options.some((row) => shared.has(row.join()))
  return replaced(existsSync(path) ? readFileSync(path, 'utf8') : heading, [
    ...(args.length > 0 ? [usage] : []),
    ...(own.length > 0 ? [list(own)] : []),
    ...(isSharing ? ['[More options](../commands.md#options-of-several-commands)'] : []),
    exitLine(exitsOf(entries[command.name()])),
  ])
}

/** One page has the general meaning of a code; this line has the command's own. */
function exitLine(exits: ReturnType<typeof exitsOf>): string {
  const usual = new Map(exitsOf())
  const said = exits.map(([number, when]) =>
    usual.get(number) === when ? String(number) : `${number}: ${plain(when)}`,
  )
  return `[Exit codes](../commands.md#exit-codes): ${said.join('; ')}.`
}

function overview(commands: readonly Command[], shared: ReadonlyMap<string, Row>): string {
  const rows = commands.map((command) => {
    const name = command.name()
    return [`[${name}](commands/${name}.md)`, plain(command.description())] as const
  })
  return replaced(readFileSync('docs/commands.md', 'utf8'), [
    list(rows),
    '## Options of several commands',
    list([...shared.values()]),
  ])
}

function described({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const choices = argChoices?.map((choice) => code(String(choice))).join(', ')
  // The first format is the default, as the page of all commands says.
  if (description === 'form of the result') return choices ?? ''
  const isTold = defaultValue !== undefined && defaultValue !== true && defaultValueDescription === undefined
  const preset = isTold ? `. Default: ${code(String(defaultValue))}` : ''
  return `${plain(description)}${choices === undefined ? '' : `: ${choices}`}${preset}`
}

function code(text: string): string {
  return `\`${text}\``
}

/** A tag of HTML would vanish. */
function plain(text: string): string {
  return text.replace(/(?<!`[^`]*)<([\w=]+)>(?![^`]*`)/g, '`<$1>`')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
