// Commands that speak to the platform past the manifests, and their options.
import type { Command } from 'commander'
import {
  addConnectionOptions,
  addOutputOptions,
  addTargetOptions,
  choice,
  formatOption,
  positiveInteger,
  projectDurationMs,
  repeatable,
} from './shared-options.ts'

/** Loads what a command does when it is called, and passes its exit code on. */
export type Run = <Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Promise<number>>,
) => (...args: Args) => Promise<void>

/** By the name of a command, in the order of the help: what adds its description, options, arguments and action. */
export type CommandTable = Readonly<Record<string, (command: Command) => void>>

export function platformCommands(run: Run): CommandTable {
  return {
    api: (command) => {
      command
        .description('send one request to any endpoint, with the token, names and retries of every other run')
        .argument('[method]', 'GET, POST, PATCH, DELETE (default: GET)')
        .argument('[path]', 'below `/api/data/v6.0`, or with that')
        .option('--list [word]', 'list the endpoints, with their scopes')
        .addOption(repeatable('--query <name=value>', 'parameter behind the path'))
        .addOption(repeatable('--field <name=value>', 'field of the body; `name:=value` for what is JSON and no text'))
        .option('--input <file>', 'the body, as JSON; `-`: stdin')
        .option('--output <file>', 'put the answer into a file, as it came')
        .option('--paginate', 'read a list to its last page')
        .option('--dry-run', 'show the request, and send nothing')
        .option('-y, --yes', 'do not ask before a write; replace the file of --output')
        .option('--confirm <target>', 'do not ask, and go on only if this is the target')
        .action(run(async () => (await import('./commands/api.ts')).apiCommand))
      addConnectionOptions(addOutputOptions(addTargetOptions(command)))
    },

    locate: (command) => {
      command
        .description('say what an address of the browser leads to, as the manifest to start from')
        .argument('<url>', 'as the browser shows it')
        .action(run(async () => (await import('./commands/locate.ts')).locateCommand))
      addConnectionOptions(addOutputOptions(addTargetOptions(command).addOption(formatOption(['text', 'json']))))
    },

    import: (command) => {
      command
        .description('import a package of configuration, and say how it ended')
        .argument('<file>', 'the package')
        .requiredOption('--config <file>', 'what of it is imported, and what it may overwrite (YAML)')
        .option('--session <id>', 'go on with a session that was begun, with the same file and chunks')
        .option('--chunk-size <n>', 'size of what is sent at once, in MB', positiveInteger, 4)
        .option('--timeout <time>', 'how long its end is waited for (default: 1h)', projectDurationMs)
        .option('--logs <file>', 'put the log of the platform into a file')
        .option('--check', 'check the configuration, and send nothing')
        .addOption(
          choice('--then <command>', 'what comes after it: see what it changed, or take that back', ['plan', 'apply']),
        )
        .option('--before <file>', 'a plan from before: what `--then plan` has beyond it is told apart')
        .option('-y, --yes', 'do not ask')
        .option('--confirm <target>', 'do not ask, and go on only if this is the target')
        .action(run(async () => (await import('./commands/import.ts')).importCommand))
      addConnectionOptions(addOutputOptions(addTargetOptions(command).addOption(formatOption(['text', 'json']))))
    },
  }
}
