// The commands and their options. What a command does is loaded when it is called.
import { Command, InvalidArgumentError, Option } from 'commander'
import type { ApplyCommandOptions } from './commands/apply.ts'
import type { EmulatorCommandOptions } from './commands/emulator.ts'
import type { FmtOptions } from './commands/fmt.ts'
import type { InitOptions } from './commands/init.ts'
import type { PlanOptions } from './commands/plan.ts'
import type { ValidateOptions } from './commands/validate.ts'
import {
  addPlatformOptions,
  addProjectOptions,
  durationMs,
  problemFormats,
  type SharedOptions,
} from './shared-options.ts'
import { version } from './version.ts'

/** `onExit` takes the exit code of the command that ran. */
export function buildProgram(onExit: (code: number) => void): Command {
  const program = new Command('svcsync')
    .description('Configuration as code for the Svc workflow platform')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .configureHelp({ sortOptions: false })
    .allowExcessArguments(false)
    .exitOverride()

  addPlatformOptions(program.command('plan'))
    .description('read, compare, and print what would change')
    .option('--detailed-exitcode', 'exit with 2 when there are differences')
    .action(async (options: PlanOptions) => onExit(await (await import('./commands/plan.ts')).planCommand(options)))

  addPlatformOptions(program.command('apply'))
    .description('plan, ask, and apply')
    .option('-y, --yes', 'do not ask')
    .action(async (options: ApplyCommandOptions) =>
      onExit(await (await import('./commands/apply.ts')).applyCommand(options)),
    )

  addPlatformOptions(program.command('drift'))
    .description('plan for a schedule: exit with 2 when there are differences')
    .action(async (options: SharedOptions) => onExit(await (await import('./commands/plan.ts')).driftCommand(options)))

  addProjectOptions(program.command('validate'), problemFormats)
    .description('check everything that can be checked without the platform')
    .option('--strict', 'take warnings for errors')
    .action(async (options: ValidateOptions) =>
      onExit(await (await import('./commands/validate.ts')).validateCommand(options)),
    )

  program
    .command('init')
    .description('write a project to begin with: manifests, an emulated tenant, workflows for GitHub Actions')
    .argument('[dir]', 'its folder (default: this one)')
    .option('--no-color', 'no colours')
    .option('-q, --quiet', 'nothing but the list of files')
    .action(async (dir: string | undefined, options: InitOptions) =>
      onExit(await (await import('./commands/init.ts')).initCommand(dir, options)),
    )

  program
    .command('fmt')
    .description('bring manifests into their canonical layout')
    .argument('[paths...]', 'files, folders, globs (default: the manifests of the project)')
    .option('--check', 'write nothing; exit with 1 when a file would change')
    .option('--diff', 'show what changes')
    .option('--cache', 'remember canonical files in .svcsync/cache, and do not lay them out again')
    .option('-p, --project <file>', 'project file (default: svcsync.yaml here or above)')
    .option('-t, --target <name>', 'target, where the project file asks for one')
    .addOption(new Option('--format <format>', 'form of the result').choices(['text', 'json']).default('text'))
    .option('--no-color', 'no colours')
    .option('-v, --verbose', 'more detail')
    .action(async (paths: readonly string[], options: FmtOptions) =>
      onExit(await (await import('./commands/fmt.ts')).fmtCommand(paths, options)),
    )

  program
    .command('emulator')
    .description('run the embedded platform')
    .option('--tenant <file>', 'starting state')
    .option('--state <file>', 'keep the state here between runs')
    .addOption(new Option('--port <n>', 'port on the loopback; 0: any free one').argParser(portNumber).default(0))
    .addOption(
      new Option('--sync-delay <time>', 'how long users and groups take to synchronise')
        .argParser(durationMs)
        .default(0),
    )
    .addOption(new Option('--latency <time>', 'how long every answer takes').argParser(durationMs).default(0))
    .option('--no-color', 'no colours')
    .option('-q, --quiet', 'nothing but the address')
    .action(async (options: EmulatorCommandOptions) =>
      onExit(await (await import('./commands/emulator.ts')).emulatorCommand(options)),
    )
  for (const command of program.commands) command.exitOverride().allowExcessArguments(false)
  return program
}

function portNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError('Write a port from 0 to 65535.')
  return value
}
