// The command line, made of the table of commands. The code of a command is loaded when it is called.
import { requireRoom } from '@svcsync/platform/memory-budget.ts'
import { Argument, Command as Commander, Option } from 'commander'
import { commands } from '../commands/index.ts'
import { openConsole } from '../terminal/console.ts'
import { exposeCollector } from '../v8-settings.ts'
import { version } from '../version.ts'
import { type Command, flagOf } from './command.ts'
import { exitCodes, exitWords } from './exit-codes.ts'

export { setProgramName } from '@svcsync/render/text/program-name.ts'

/** `onExit` takes the exit code. If `called` is a command, only that is built: the options of all take time. */
export function buildProgram(onExit: (code: number) => void, called?: string): Commander {
  const program = new Commander('svcsync')
    .description('Configuration as code for the Svc workflow platform')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .configureHelp({ sortOptions: false, subcommandTerm: (command) => command.name() })
    .allowExcessArguments(false)
    .exitOverride()
  const names = called !== undefined && Object.hasOwn(commands, called) ? [called] : Object.keys(commands)
  for (const name of names) addCommand(program, name, commands[name] as Command, onExit)
  program.addHelpText('after', () => helpEnding())
  program.hook('preAction', (_, command) => refuseEmpty(command))
  return program
}

function addCommand(program: Commander, name: string, entry: Command, onExit: (code: number) => void): void {
  const added = program.command(name).description(entry.does).exitOverride().allowExcessArguments(false)
  added.configureOutput({ outputError: (text, write) => write(`${text}${hintFor(text, name, entry)}`) })
  const args = Object.entries(entry.args ?? {})
  for (const [key, each] of args) added.addArgument(argumentOf(key, each))
  for (const [key, each] of Object.entries(entry.options))
    for (const option of optionsOf(key, each)) added.addOption(option)
  added.addHelpText('after', () => [helpExamples(entry.examples), helpEnding(name, entry)].join('\n'))
  added.action(async (...given: unknown[]) => {
    const values = Object.fromEntries(args.map(([key], index) => [key, given[index]]))
    if ('project' in entry.options) {
      requireRoom()
      exposeCollector()
    }
    const run = await entry.load()
    onExit(await run(added.opts() as never, openConsole(added.opts()), values as never, commands))
  })
}

function argumentOf(key: string, { does, form, choices }: NonNullable<Command['args']>[string]): Argument {
  const shown = { required: `<${key}>`, optional: `[${key}]`, many: `[${key}...]` }
  const argument = new Argument(shown[form], does)
  return choices === undefined ? argument : argument.choices(choices)
}

function optionsOf(key: string, entry: Command['options'][string]): Option[] {
  const { does, not, short, takes, choices, initial, initially, conflicts, isRequired } = entry
  const options: Option[] = []
  if (does !== undefined) {
    const flags = [short && `-${short},`, flagOf(key), takes].filter(Boolean).join(' ')
    const option = new Option(flags, does)
    if (entry.parse !== undefined) option.argParser((text, before) => entry.parse?.(text, before))
    if (choices !== undefined) option.choices(choices)
    if (initial !== undefined) option.default(initial, initially)
    if (conflicts !== undefined) option.conflicts([...conflicts])
    options.push(option.makeOptionMandatory(isRequired === true))
  }
  if (not !== undefined) options.push(new Option(flagOf(key, true), not))
  return options
}

/** A variable of a pipeline that is not set leaves `--since=`: taken for left out, it would plan something else. */
function refuseEmpty(command: Commander): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (value === '' || (Array.isArray(value) && value.includes('')))
      command.error(`error: option '${option.flags}' argument '' is invalid. Write a value, or leave the option out.`)
  }
}

function hintFor(error: string, name: string, { examples }: Pick<Command, 'examples'>): string {
  // Most who name a file mean that file alone.
  if (/^error: too many arguments for '(?:plan|drift|validate)'/.test(error)) {
    const part = name === 'validate' ? '' : ' `--only` selects objects by their address.'
    return `  hint: \`${name}\` takes the whole project, and no files.${part}\n`
  }
  const [example] = examples[0] ?? []
  if (!/^error: (?:required option|missing required argument)/.test(error) || example === undefined) return ''
  return `  hint: For example \`${example}\`. \`svcsync ${name} --help\` shows every option.\n`
}

/** For help with an unknown command, commander would show that of all: the name alone is an error with near ones. */
export function argumentsFor(program: Commander, args: readonly string[]): readonly string[] {
  const asksHelp = args[0] === 'help'
  const named = asksHelp ? args[1] : args[0]
  if (named === undefined || named === 'help' || named.startsWith('-')) return asksHelp ? ['--help'] : args
  if (!program.commands.some((command) => command.name() === named)) return [named]
  return asksHelp ? [named, '--help'] : args
}

export function helpExamples(examples: readonly Command['examples'][number][]): string {
  const width = Math.max(0, ...examples.map(([line, purpose]) => (purpose === undefined ? 0 : line.length)))
  const lines = examples.map(
    ([line, purpose]) => `  ${purpose === undefined ? line : `${line.padEnd(width)}  # ${purpose}`}`,
  )
  return ['', 'Examples:', ...lines].join('\n')
}

/** The exit codes of a command with their words; without a command, those of all. */
export function exitsOf(command?: Pick<Command, 'exits'>): readonly (readonly [code: number, words: string])[] {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  const own: Partial<Record<keyof typeof exitCodes, string | true>> = { done: true, error: true, ...command?.exits }
  return names.flatMap((name) => {
    const words = command === undefined ? true : own[name]
    return words === undefined ? [] : [[exitCodes[name], words === true ? exitWords[name] : words] as const]
  })
}

function helpEnding(name?: string, command?: Command): string {
  const page = name === undefined ? 'docs/commands.md' : `docs/commands/${name}.md`
  return [
    '',
    'Exit codes:',
    ...exitsOf(command).map(([code, words]) => `  ${code}  ${words}`),
    '',
    `Documentation: README.md and ${page} of the package.\nsvcsync explain CODE explains a code.`,
  ].join('\n')
}
