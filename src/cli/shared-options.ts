// Options that several commands share, and what they mean.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseUrl } from '../core/model/url.ts'
import { isWireName, wireNameRule } from '../core/model/wire-name.ts'
import { parseDuration } from '../project/parse-duration.ts'

const formats = ['text', 'json', 'markdown', 'html'] as const
type Format = (typeof formats)[number]

/** Of problems: for people, for programs, and for the services that show them beside the files. */
export const problemFormats = ['text', 'json', 'github', 'gitlab', 'azure', 'sarif', 'junit'] as const

export interface SharedOptions {
  readonly project?: string
  readonly target?: string
  readonly only: readonly string[]
  /** What guards are to let pass: `deletions=25`. */
  readonly allow: readonly string[]
  /** Leases that may be taken from whoever holds them, as they are named where they refuse. */
  readonly allowLease?: readonly string[]
  /** Entries of the ledger that need no signature. */
  readonly allowUnsigned?: readonly string[]
  /** Of plan and apply: whose credentials are sent anew. */
  readonly rotate?: readonly string[]
  /** A commit or a folder: what was declared before. */
  readonly since?: string
  /** Only what `from` and `until` brought about. */
  readonly due?: boolean
  readonly format: Format
  readonly concurrency?: number
  readonly caFile?: string
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly var: Readonly<Record<string, string>>
  /** Do not ask; and the target that is meant. */
  readonly yes?: boolean
  readonly confirm?: string
  /** The digits of the digest that was reviewed. */
  readonly expect?: string
  /** Files of plans that were approved: nothing but what stands in them is applied. `true`: there are none. */
  readonly approved?: readonly string[] | true
  /** A file to save the plan to. */
  readonly out?: string
  /** Milliseconds that a saved plan may be old. */
  readonly maxAge?: number
  /** A file for the journal, and a journal to go on with. */
  readonly journal?: string
  readonly resume?: string
  /** Milliseconds to wait for another apply to the target. */
  readonly leaseTimeout?: number
  /** Of plan, drift, show and apply: counts. */
  readonly summary?: boolean
  /** False: without what was applied before. */
  readonly ledger?: boolean
  readonly color: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** What is allowed of a lease or an entry has no say about a plan: it is let pass where that is met. */
export function ledgerApart<T extends SharedOptions>(options: T): T {
  const valuesOf = (start: string): string[] =>
    options.allow.flatMap((text) => (text.startsWith(start) ? [text.slice(start.length)] : []))
  const allow = options.allow.filter((text) => !/^(?:lease|unsigned)=/.test(text))
  return { ...options, allow, allowLease: valuesOf('lease='), allowUnsigned: valuesOf('unsigned=') }
}

/** Options that say the same in the help of several commands. */
export const common = {
  project: new Option('-p, --project <file>', 'project file (default: svcsync.yaml here or above)'),
  noLedger: new Option('--no-ledger', 'do without the ledger: what was applied before is not asked, nor noted'),
  unmanaged: new Option('--unmanaged', 'list what no manifest declares, which is counted otherwise'),
  noUnmanaged: new Option('--no-unmanaged', 'do not count it: no list is read for that'),
  due: new Option(
    '--due',
    'only what `from` and `until` brought about since the last apply; the rest is named, and left',
  ),
  since: new Option(
    '--since <ref|folder>',
    'what was declared before: a commit, or a folder with the project as it was',
  ),
  rotate: repeatable(
    '--rotate <address#environment>',
    'send the credentials of this environment of a connection anew; without one, of all',
  ),
  leaseTimeout: new Option(
    '--lease-timeout <time>',
    'wait so long for another apply to the same target (default: 0s)',
  ).argParser(projectDurationMs),
  summary: new Option('--summary', 'the plan on one screen: what nobody may miss, and counts').conflicts([
    'verbose',
    'format',
  ]),
}

export function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices)
}

/** Adds the options of a command that works on a project. `choices` are its formats. */
export function addProjectOptions(command: Command, choices?: readonly string[], target?: string): Command {
  addTargetOptions(command, target).addOption(variableOption()).addOption(formatOption(choices))
  return addOutputOptions(command)
}

export function addTargetOptions(command: Command, target?: string): Command {
  return command.addOption(common.project).addOption(targetOption(target))
}

export function formatOption(choices: readonly string[] = formats): Option {
  return choice('--format <format>', 'form of the result', choices).default('text')
}

/** `quiet`: what is said all the same. */
export function addOutputOptions(command: Command, quiet = 'the result and errors'): Command {
  return command
    .option('--no-color', 'no colours')
    .option('-q, --quiet', `nothing but ${quiet}`)
    .option('-v, --verbose', 'more detail')
}

/** Whoever names two means both: the last one alone would be a surprise. */
export function targetOption(description = 'target of the project file'): Option {
  return new Option('-t, --target <name>', description).argParser((name: string, before?: string): string => {
    if (before === undefined || before === name) return name
    throw new InvalidArgumentError(`\`${before}\` is named already, and a run has one target: run it once for each.`)
  })
}

/** `when`: with which other option it says anything. */
export function variableOption(when = ''): Option {
  return new Option('--var <name=value>', `${when}variable for \${var:…}, before those of the target (repeatable)`)
    .argParser(collectVariable)
    .default({}, 'none')
}

export function completeOption(when: string): Option {
  return new Option('--complete', `${when}write fields that are empty as well, so that they are managed too`)
}

export function sparseOption(when: string): Option {
  const description = `${when}leave out empty lists, and levels that nobody has: they are not managed`
  return new Option('--sparse', description).conflicts('complete')
}

/** Adds the options of a command that plans. */
export function addPlatformOptions(command: Command): Command {
  return addReadingOptions(addProjectOptions(command)).addOption(
    new Option('--allow <guard=what>', 'let pass what a guard or policy refuses, as the plan names it (repeatable)')
      .argParser(collect)
      .default([], 'nothing'),
  )
}

/** Adds the options of a command that reads objects. */
export function addReadingOptions(command: Command): Command {
  const only = repeatable('--only <glob>', 'only objects whose address matches', 'all')
  return addConnectionOptions(command.addOption(only))
}

/** Adds the options of a command that speaks to the platform. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--concurrency <n>', 'requests in flight, reads and writes together', positiveInteger)
    .option('--ca-file <file>', 'certificates to trust beside the usual ones (PEM)')
    .option('--base-url <url>', 'address of the installation, in the place of that of the target')
    .option('--auth-url <url>', 'where tokens come from (default: with --base-url the same)')
}

export function repeatable(flags: string, description: string, none = 'none'): Option {
  return new Option(flags, `${description} (repeatable)`).argParser(collect).default([], none)
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function collectVariable(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at <= 0) throw new InvalidArgumentError('Write NAME=VALUE.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > 1000) {
    throw new InvalidArgumentError('Write a whole number from 1 to 1000.')
  }
  return value
}

/** As it is written into a link: nothing in it ends one, and there is no password in it. */
export function webAddress(text: string): string {
  const url = parseUrl(text)
  if (url?.protocol === 'https:' || url?.protocol === 'http:')
    return `${url.origin}${url.pathname}${url.search}${url.hash}`
  throw new InvalidArgumentError('Write an address that begins with https://.')
}

/** A length of time: `250ms`, `3s`, `2m`, or milliseconds. */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text)
  if (match === null) throw new InvalidArgumentError('Write a length of time, e.g. 250ms, 3s or 2m.')
  const factor = match[2] === 'm' ? 60_000 : match[2] === 's' ? 1000 : 1
  return Math.round(Number(match[1]) * factor)
}

/** The form that project files use: `30s`, `24h`. */
export function projectDurationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Write a number with its unit, up to 24 days: 30m, 24h.')
  return ms
}

/** A name of the interface, and what an installation calls it. */
export function collectWireName(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  const [name, real] = [text.slice(0, at), text.slice(at + 1)]
  if (at <= 0 || real === '') throw new InvalidArgumentError('Write DOCUMENTED=REAL.')
  if (!isWireName(name) || !isWireName(real)) throw new InvalidArgumentError(wireNameRule)
  return { ...before, [name]: real }
}
