// The commands and their options. What a command does is loaded when it is called.
import { Argument, Command, InvalidArgumentError } from 'commander'
import { helpEnding, helpExamples } from './help-examples.ts'
import { type CommandTable, platformCommands, type Run } from './platform-commands.ts'
import {
  addConnectionOptions,
  addOutputOptions,
  addPlatformOptions,
  addProjectOptions,
  addReadingOptions,
  addTargetOptions,
  choice,
  collectWireName,
  common,
  completeOption,
  durationMs,
  formatOption,
  ledgerApart,
  positiveInteger,
  problemFormats,
  projectDurationMs,
  type SharedOptions,
  sparseOption,
  targetOption,
  variableOption,
  webAddress,
} from './shared-options.ts'
import { version } from './version.ts'

/**
 * `onExit` takes the exit code of the command that ran. Where `called` is a command, it stands alone: to add the options of all
 * takes time. The first argument that is none, or none at all, makes all of them: for help, and for what is near a typing error.
 */
export function buildProgram(onExit: (code: number) => void, called?: string): Command {
  const run: Run =
    (load) =>
    async (...args) =>
      onExit(await (await load())(...args))
  const table: CommandTable = {
    plan: (command) =>
      addPlatformOptions(command)
        .description('read, compare, and print what would change')
        .addOption(common.due)
        .addOption(common.summary)
        .option('--detailed-exitcode', 'exit with 2 when there are differences')
        .addOption(common.rotate)
        .addOption(common.since)
        .addOption(common.noLedger)
        .addOption(common.unmanaged)
        .addOption(common.noUnmanaged)
        .option('--out <file>', 'save the plan, to be applied by `apply <file>`')
        .option('--max-age <time>', 'how long the saved plan may be applied (default: 24h)', projectDurationMs)
        .action(
          run(async () => async (options: SharedOptions) => {
            return (await import('./commands/plan.ts')).planCommand(ledgerApart(options))
          }),
        ),
    apply: (command) =>
      addPlatformOptions(command)
        .description('plan, ask, and apply; or apply a saved plan')
        .argument('[plan]', 'a file that `plan --out` has written')
        .addOption(common.summary)
        .addOption(common.due)
        .addOption(common.rotate)
        .addOption(common.since)
        .addOption(common.noLedger)
        .option('-y, --yes', 'do not ask')
        .option(
          '--confirm <target>',
          'do not ask, and go on only if this is the target: for those with `confirm: name`',
        )
        .option('--expect <digest>', 'go on only if the plan has this digest, and do not ask', digestDigits)
        .option(
          '--approved [files...]',
          'go on only with what stands in these plans (`plan --out`, or its JSON), and do not ask; without any: only if there is nothing to do',
        )
        .option('--max-age <time>', 'refuse a saved plan that is older', projectDurationMs)
        .option(
          '--journal <file>',
          'keep a journal: each write before it is sent and after it was answered; `git:` for a ref beside the ledger',
        )
        .option('--resume <journal>', 'go on with an apply that was broken off; `git:` for the journal in the ref')
        .addOption(common.leaseTimeout)
        .action(
          run(async () => async (file: string | undefined, given: SharedOptions) => {
            const options = ledgerApart(given)
            if (options.resume === undefined) return (await import('./commands/apply.ts')).applyCommand(file, options)
            return (await import('./commands/resume.ts')).resumeCommand(file, options.resume, options)
          }),
        ),
    undo: (command) =>
      addPlatformOptions(command)
        .description('take back what an apply did, by its journal: plan, ask, and apply')
        .argument('<journal>', 'a file that `apply --journal` has written; `git:` for the journal in the ref')
        .option('-y, --yes', 'do not ask')
        .option(
          '--confirm <target>',
          'do not ask, and go on only if this is the target: for those with `confirm: name`',
        )
        .option('--expect <digest>', 'go on only if the plan has this digest, and do not ask', digestDigits)
        .option('--out <file>', 'save the plan, to be applied by `apply <file>`')
        .option('--max-age <time>', 'how long the saved plan may be applied (default: 24h)', projectDurationMs)
        .option('--journal <file>', 'keep a journal of the undo, by which it is gone on with, or undone')
        .addOption(common.noLedger)
        .addOption(common.leaseTimeout)
        .action(
          run(async () => async (journal: string, options: SharedOptions) => {
            return (await import('./commands/undo.ts')).undoCommand(journal, ledgerApart(options))
          }),
        ),
    show: (command) =>
      addOutputOptions(command.addOption(formatOption()), 'the plan and errors')
        .description('show a saved plan')
        .argument('<plan>', 'a file that `plan --out` has written')
        .addOption(common.summary)
        .action(run(async () => (await import('./commands/show.ts')).showCommand)),
    drift: (command) =>
      addPlatformOptions(command)
        .description('plan for a schedule: exit with 2 when there are differences')
        .addOption(common.summary)
        .addOption(common.since)
        .addOption(common.noLedger)
        .addOption(common.unmanaged)
        .addOption(common.noUnmanaged)
        .option('--access', 'also what people can do that nobody declared or accepted: see `access accept`')
        .action(
          run(async () => async (options: SharedOptions) => {
            return (await import('./commands/plan.ts')).driftCommand(ledgerApart(options))
          }),
        ),
    validate: (command) =>
      addProjectOptions(command, problemFormats, 'this target alone (default: every one)')
        .description('check everything that can be checked without the platform')
        .option('--watch', 'stay, and validate again whenever a file changes')
        .option('--strict', 'take warnings for errors')
        .action(run(async () => (await import('./commands/validate.ts')).validateCommand)),
    policies: (command) =>
      addTargetOptions(command, 'target, where the project file asks for one')
        .description('run the tests of policies, and say which policies they reach')
        .addArgument(new Argument('<what>', 'what to do').choices(['test']))
        .addOption(formatOption(['text', 'json']))
        .option('--no-color', 'no colours')
        .option('-q, --quiet', 'nothing but the result and errors')
        .action(run(async () => (await import('./commands/policies.ts')).policiesCommand)),
    status: (command) =>
      addProjectOptions(command, ['text', 'json'], 'this target alone (default: every one)')
        .description('say which commit is applied to each target, and what is pending; asks no platform')
        .action(run(async () => (await import('./commands/status.ts')).statusCommand)),
    doctor: (command) =>
      addConnectionOptions(addProjectOptions(command, ['text', 'json']))
        .description('say whether svcsync can work here, and what to do where it cannot; writes nothing')
        .addOption(
          choice('--for <command>', 'what the application is meant for: scopes to write are needed, or none', [
            'plan',
            'apply',
          ]),
        )
        .option(
          '--openapi <document>',
          "check the interface by the installation's OpenAPI document, a file or an address",
        )
        .action(run(async () => (await import('./commands/doctor.ts')).doctorCommand)),
    'wire-names': (command) => {
      command
        .description('find what an installation calls the names of the interface, from its own OpenAPI document')
        .argument('[document]', 'file or address, JSON or YAML; none with --name alone')
        .option('--write', 'put them into `wireNames` of the target')
        .option(
          '--name <documented=real>',
          'a name that you know, beside those of the document (repeatable)',
          collectWireName,
        )
        .action(run(async () => (await import('./commands/wire-names.ts')).wireNamesCommand))
      addTargetOptions(command)
        .addOption(choice('--api-version <version>', 'default: of the target, else 6.0', ['5.0', '6.0']))
        .option('--ca-file <file>', 'certificates to trust beside the usual ones (PEM)')
        .addOption(formatOption(['text', 'json']))
      addOutputOptions(command)
    },
    export: (command) =>
      addOutputOptions(addReadingOptions(addTargetOptions(command)))
        .description('give what is live as manifests')
        .argument('[dir]', 'folder for the files (default: one stream to stdout)')
        .addOption(completeOption(''))
        .addOption(sparseOption(''))
        .option(
          '--missing',
          'only what no manifest of the project declares; with a folder as new files beside those there',
        )
        .addOption(
          choice('--with <what>', 'tell in comments, too: business entities, and who is permitted in each', [
            'entities',
          ]),
        )
        .addOption(variableOption('with --missing: '))
        .option('--force', 'replace files that are there already')
        .action(run(async () => (await import('./commands/export.ts')).exportCommand)),
    report: (command) => {
      const results = 'what `plan`, `drift` and `apply` printed with `--format json`'
      command
        .description('put results of several targets or jobs together into one comment or page')
        .argument('[files...]', `${results}; none with \`--to\`: there is no result`)
        .addOption(
          choice(
            '--format <format>',
            'all of it; for a service its most serious points beside their lines; or counts for GitLab',
            ['markdown', 'html', 'json', 'github', 'gitlab', 'azure', 'gitlab-plan'],
          ).default('markdown'),
        )
        .option('--check', 'on GitHub, put the verdict beside the commit as a check of its own')
        .option('--page-url <url>', 'address of the page, for a link in the comment', webAddress)
        .option(
          '--max-kb <n>',
          'size of the comment, in thousands of bytes (default: 65,000 characters)',
          positiveInteger,
        )
        .addOption(
          choice(
            '--to <service>',
            'post the comment to the pull request of the job, and keep it up to date there; `auto`: where the job runs',
            ['github', 'gitlab', 'azure', 'auto'],
          ),
        )
        .action(run(async () => (await import('./commands/report.ts')).reportCommand))
      addOutputOptions(command)
    },
    ...platformCommands(run),
    access: (command) =>
      addConnectionOptions(addProjectOptions(command, ['text', 'csv', 'json', 'markdown']))
        .description('say who can do what, live and as declared, through groups in groups')
        .addArgument(
          new Argument('<what>', 'one account, one object, all of it; or accept what nobody declared').choices([
            ...['explain', 'of', 'list', 'accept'],
          ]),
        )
        .argument('[subject]', 'explain: a svcId; of: an address or a glob over addresses')
        .argument('[address]', 'explain: only what is on these objects')
        .option('--person <svcId>', 'accept: what this account can do')
        .option('--level <level>', 'accept: this level; `owner` of groups')
        .option('--object <glob>', 'accept: what is on these objects')
        .option('--company <name>', 'accept: what is limited to this business entity')
        .option('--all', 'accept: everything that `drift --access` shows')
        .option('--until <date>', 'accept: up to and with this day')
        .option('--reason <text>', 'accept: why, for whoever reads it later')
        .addOption(common.since)
        .addOption(common.noLedger)
        .action(run(async () => (await import('./commands/access.ts')).accessCommand)),
    init: (command) =>
      command
        .description('write a project to begin with: an example, or what an installation is like now')
        .argument('[dir]', 'its folder (default: this one)')
        .option('--from-live', 'with the manifests of an installation as it is now, in place of the example')
        .addOption(targetOption('with --from-live: what the target is called (default: prod)'))
        .option('--base-url <url>', 'with --from-live: its address (default: SVCSYNC_BASE_URL)')
        .option('--auth-url <url>', 'with --from-live: where tokens come from (default: the same)')
        .addOption(choice('--api-version <version>', 'with --from-live: default 6.0', ['5.0', '6.0']))
        .option(
          '--database <name=id>',
          'with --from-live: a database, and its name in manifests (repeatable)',
          collectDatabase,
        )
        .option('--wire-name <documented=real>', 'with --from-live: see wireNames (repeatable)', collectWireName)
        .option('--openapi <document>', "with --from-live: take those from the installation's document: see wire-names")
        .addOption(completeOption('with --from-live: '))
        .addOption(sparseOption('with --from-live: '))
        .option('--concurrency <n>', 'with --from-live: requests in flight', positiveInteger)
        .option('--ca-file <file>', 'with --from-live: certificates to trust beside the usual ones (PEM)')
        .option('--no-color', 'no colours')
        .option('-q, --quiet', 'nothing but the list of files')
        .option('-v, --verbose', 'more detail')
        .action(run(async () => (await import('./commands/init.ts')).initCommand)),
    fmt: (command) =>
      command
        .description('bring manifests and policies into their canonical layout')
        .argument('[paths...]', 'files, folders, globs (default: the manifests and policies of the project)')
        .option('--check', 'write nothing; exit with 1 when a file would change')
        .option('--diff', 'the same, and show what would change')
        .option('--cache', 'remember canonical files in .svcsync/cache, and do not lay them out again')
        .addOption(common.project)
        .addOption(targetOption('target, where the project file asks for one'))
        .addOption(formatOption(['text', 'json']))
        .option('--no-color', 'no colours')
        .option('-v, --verbose', 'more detail')
        .action(run(async () => (await import('./commands/fmt.ts')).fmtCommand)),
    emulator: (command) =>
      command
        .description('run the embedded platform')
        .option('--tenant <file>', 'starting state')
        .option('--state <file>', 'keep the state here between runs')
        .option('--port <n>', 'port on the loopback; 0: any free one', portNumber, 0)
        .option('--sync-delay <time>', 'how long users and groups take to synchronise', durationMs, 0)
        .option('--latency <time>', 'how long every answer takes', durationMs, 0)
        .option('--no-color', 'no colours')
        .option('-q, --quiet', 'nothing but the address')
        .action(run(async () => (await import('./commands/emulator.ts')).emulatorCommand)),
    explain: (command) =>
      command
        .description('say what the code of a problem means, and what to do')
        .argument('[code]', 'as it stands beside the problem (default: all are listed)')
        .option('--no-color', 'no colours')
        .action(run(async () => (await import('./commands/explain.ts')).explainCommand)),
    completion: (command) =>
      command
        .description('print what a shell takes to complete commands, options and their values')
        .addArgument(new Argument('<shell>', 'for which one').choices(['bash', 'zsh', 'fish']))
        .argument('[words...]', 'what is typed so far, behind `--`: what can follow is printed')
        .option('--no-color', 'no colours')
        .action(run(async () => (await import('./commands/completion.ts')).completionCommand)),
  }
  const program = new Command('svcsync')
    .description('Configuration as code for the Svc workflow platform')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .configureHelp({ sortOptions: false })
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`${text}${hintFor(text)}`) })

  // What completes the others has to know them.
  const isAlone = called !== undefined && called !== 'completion' && Object.hasOwn(table, called)
  for (const [name, addTo] of Object.entries(table)) {
    if (!isAlone || name === called) addTo(program.command(name))
  }

  for (const command of program.commands) {
    command.exitOverride().allowExcessArguments(false)
    command.addHelpText('after', () =>
      [helpExamples(command.name()), helpEnding(command.name())].filter(Boolean).join('\n'),
    )
  }
  program.addHelpText('after', () => helpEnding())
  program.hook('preAction', (_, command) => refuseEmpty(command))
  return program
}

/** A variable of a pipeline that is not set leaves `--since=`: taken for left out, it would plan something else. */
function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (value === '' || (Array.isArray(value) && value.includes('')))
      command.error(`error: option '${option.flags}' argument '' is invalid. Write a value, or leave the option out.`)
  }
}

/** Most who name a file mean that file alone. */
function hintFor(error: string): string {
  const [, command] = /^error: too many arguments for '(plan|drift|validate)'/.exec(error) ?? []
  if (command === undefined) return ''
  const part = command === 'validate' ? '' : ' `--only` selects objects by their address.'
  return `  hint: Files are not named: it takes the whole project.${part}\n`
}

/**
 * Asked for help with a command that is not there, commander shows that of all: the name alone is an error that says what is
 * near. The command `help` is the option, since commander ends it with the exit code that stands for no result yet.
 */
export function argumentsFor(program: Command, args: readonly string[]): readonly string[] {
  const asksHelp = args[0] === 'help'
  const named = asksHelp ? args[1] : args[0]
  if (named === undefined || named === 'help' || named.startsWith('-')) return asksHelp ? ['--help'] : args
  if (!program.commands.some((command) => command.name() === named)) return [named]
  return asksHelp ? [named, '--help'] : args
}

function collectDatabase(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const match = /^([A-Za-z][\w-]*)=([1-9]\d{0,8})$/.exec(text)
  if (match === null) throw new InvalidArgumentError('Write NAME=ID, for instance main=1.')
  const id = Number(match[2])
  if (Object.values(before).includes(id)) throw new InvalidArgumentError(`Database ${id} has a name already.`)
  return { ...before, [match[1] as string]: id }
}

/** The digits of a digest, short as it is shown (`shortDigest`) or whole. */
function digestDigits(text: string): string {
  const digits = text
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')
  if (!/^[0-9a-f]{16,64}$/.test(digits))
    throw new InvalidArgumentError('Write the digest as `svcsync plan` shows it, or all of it.')
  return digits
}

function portNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError('Write a port from 0 to 65535.')
  return value
}
