// Options that several commands share, and what they take.

import { isWireName, wireNameRule } from '@svcsync/core/model/wire-name.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { forgeNames } from '@svcsync/forge/forge-name.ts'
import { parseDuration } from '@svcsync/project/parse-duration.ts'
import type { SharedReads } from '@svcsync/runs/open/open-project.ts'
import { InvalidArgumentError } from 'commander'
import { choice, flag, negated, parsed, preset, repeatable, text, type Values, valued } from './command.ts'
import { formatsOf } from './formats.ts'

/** Refuses two options that contradict each other. */
export function contradiction(one: string, other: string, hint = 'Remove one of the two.', why = ''): OperatorError {
  const reason = why === '' ? '' : `: ${why}`
  return new OperatorError('SVC2109', `\`${one}\` and \`${other}\` exclude each other${reason}`, { hint })
}

export const missingOption = (option: string, needed: string, hint: string): OperatorError =>
  new OperatorError('SVC2109', `\`${option}\` needs ${needed}`, { hint })

export const format = <Format extends string>(
  choices: readonly Format[],
  does = 'form of the result',
  initial = choices[0] as Format,
) => preset('<format>', does, initial, { choices })

export const dataFormats = ['text', 'json'] as const

/** `quiet`: what is printed all the same. */
export function output(quiet = 'the result and errors') {
  return {
    color: negated('no colours'),
    quiet: flag(`print only ${quiet}`, { short: 'q' }),
    verbose: flag('print more detail', { short: 'v' }),
  }
}

/** Two targets on one command line are both meant: the last one alone would be a surprise. */
export function target(does = 'target of the project file') {
  return text('<name>', does, {
    short: 't',
    parse: (name, before) => {
      if (before === undefined || before === name) return name
      throw new InvalidArgumentError(`A run has one target, and \`${before}\` is named already: run it once for each.`)
    },
  })
}

/** `when`: the option that it goes with. */
export function variables(when = '') {
  const does = `${when}variable for \${var:…}; overrides that of the target (repeatable)`
  const parse = (pair: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
    const at = pair.indexOf('=')
    if (at <= 0) throw new InvalidArgumentError('Write NAME=VALUE.')
    return { ...before, [pair.slice(0, at)]: pair.slice(at + 1) }
  }
  return preset<ReturnType<typeof parse>>('<name=value>', does, {}, { initially: 'none', parse })
}

export const project = text('<file>', 'project file (default: svcsync.yaml here or above)', { short: 'p' })

export const ofTarget = { project, target: target() }

/** For commands that run over several targets. */
export const ofTargets = {
  // As where it is said once.
  target: {
    ...parsed('<name>', 'target of the project file', (name, before: readonly string[] = []) => [...before, name]),
    short: 't',
  },
  allTargets: flag('run over every target of the project'),
  targets: repeatable('<glob>', 'run over targets by name'),
  labels: repeatable('<key=value>', 'run over targets by label; each has to hold'),
}

export const overTargets = {
  ...ofTargets,
  parallel: parsed('<n>', 'targets at a time, of several (default: 4)', positiveInteger),
  failFast: flag('begin no further target after one that failed'),
  shard: text('<i/n>', 'run over this share of the targets, such as 3/8; also JOB_COMPLETION_INDEX and SVCSYNC_SHARDS'),
  results: text('<dir>', 'write the result of each target here, as JSON'),
}

export const connection = {
  concurrency: parsed('<n>', 'requests in flight', positiveInteger),
  caFile: text('<file>', 'trust these certificates, too (PEM)'),
  baseUrl: text('<url>', "address of the installation, instead of the target's"),
  authUrl: text('<url>', 'address that issues tokens (default: with --base-url the same)'),
}

export const reading = { only: repeatable('<glob>', 'only objects whose address matches', 'all'), ...connection }

export const service = (does: string) => choice('<service>', does, [...forgeNames, 'auto'])

/** Options of every command that plans. */
export const planning = {
  ...ofTarget,
  var: variables(),
  format: format(formatsOf('plan')),
  ...output(),
  ...reading,
  allow: repeatable('<guard=what>', 'let one refusal of a guard or policy pass', 'nothing'),
}

/** Options that some of them have. */
export const ofPlans = {
  summary: { ...flag('print one screen: the verdict and counts'), conflicts: ['verbose', 'format'] },
  due: flag('apply only entries that begin or end; list the rest'),
  rotate: repeatable(
    '<address#environment>',
    'send the credentials of a connection again; without `#environment`, of all environments',
  ),
  since: text('<ref|folder>', 'take the manifests of a commit or folder as those last applied'),
  ledger: negated('neither read nor write the ledger of applied commits'),
  unmanaged: flag('list undeclared objects instead of counting them', {
    not: 'neither count nor read undeclared objects',
  }),
  yes: flag('do not ask', { short: 'y' }),
  confirm: text('<target>', 'apply only to this target, without a question; for `confirm: name`'),
  expect: text('<digest>', 'apply only a plan with this digest, without a question', { parse: digestDigits }),
  approved: valued<readonly string[]>(
    '[files...]',
    'apply only changes of these plans, without a question; without a file: only an empty plan',
  ),
  approvedBy: repeatable('<name>', 'note in the ledger who approved the plan', 'nobody'),
  approvals: choice('<service>', 'note in the ledger who approved the pull requests, as the service tells', ['github']),
  out: text('<file>', 'save the plan for `apply <file>`'),
  maxAge: parsed('<time>', 'lifetime of the saved plan (default: 24h)', projectDurationMs),
  journal: text('<file>', 'write a journal of every request; `git:` keeps it in a ref beside the ledger'),
  resume: text('<journal>', 'resume an interrupted apply: its journal, `git:` for the ref, or a folder of `--results`'),
  leaseTimeout: parsed('<time>', 'wait for another apply to the target (default: 0s)', projectDurationMs),
}

/** The options on the way from a command line to a plan, and to its apply. */
export type SharedOptions = Values<typeof planning> &
  Partial<Values<typeof ofPlans>> & {
    /** For one of several targets: the files read so far. */
    readonly shared?: SharedReads | undefined
    /** For `since`: only entries in force at this time count. */
    readonly asOfMs?: number | undefined
  }

/** The values of `--allow` of one sort: a lease, an entry, an Administrator kept, or guards and policies. */
export function allowed(
  { allow }: Pick<SharedOptions, 'allow'>,
  of: 'lease' | 'unsigned' | 'exception-administrator' | 'plan',
): readonly string[] {
  return allow.flatMap((text) => {
    const [start, what = 'plan'] = /^(lease|unsigned|exception-administrator)=/.exec(text) ?? ['']
    return what === of ? [text.slice(start.length)] : []
  })
}

export const apiVersion = (does: string) => choice('<version>', does, ['5.0', '6.0'])

export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > 1000)
    throw new InvalidArgumentError('Write a whole number from 1 to 1000.')
  return value
}

/** The form that project files use: `30s`, `24h`. */
export function projectDurationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Write a number with its unit, up to 24 days: 30m, 24h.')
  return ms
}

/** A name of the interface, and what an installation calls it. */
export const wireName = (does: string) => parsed('<documented=real>', `${does} (repeatable)`, realName)

function realName(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  const [name, real] = [text.slice(0, at), text.slice(at + 1)]
  if (at <= 0 || !isWireName(name) || !isWireName(real))
    throw new OperatorError('SVC2176', `\`${text}\` names no name of the interface and no other for it`, {
      hint: `Write \`DOCUMENTED=REAL\`. ${wireNameRule}`,
    })
  return { ...before, [name]: real }
}

/** The digits of a digest, short (`shortDigest`) or whole. */
function digestDigits(text: string): string {
  const digits = text
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')
  if (!/^[0-9a-f]{16,64}$/.test(digits))
    throw new InvalidArgumentError('Write the digest as `svcsync plan` shows it, or all of it.')
  return digits
}
