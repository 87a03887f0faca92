// Reads a workflow's inputs for the action. Inputs are data: arguments of a process, and never a part of a script.
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import type { Env } from '@svcsync/platform/agents.ts'

const commands = ['plan', 'apply', 'drift', 'validate'] as const

/** No `targets`: that of the project file. Throws an OperatorError that names all that is wrong. */
export function readInputs(env: Env) {
  const findings: string[] = []
  const text = (name: string): string => env[`INPUT_${name.toUpperCase()}`]?.trim() ?? ''
  const lines = (name: string): readonly string[] =>
    text(name)
      .split(/\s*\n\s*/)
      .filter((line) => line !== '')
  const flag = (name: string): boolean => {
    const value = text(name).toLowerCase()
    if (!['true', 'false', ''].includes(value))
      findings.push(`\`${name}\` is \`true\` or \`false\`, and not \`${value}\``)
    return value === 'true'
  }
  const wanted = text('command')
  const command = commands.find((each) => each === wanted)
  if (command === undefined) findings.push(`\`command\` is one of ${commands.join(', ')}, and not \`${wanted}\``)
  const targets = text('target')
    .split(/\s+/)
    .filter((name) => name !== '')
  if (command === 'apply' && targets.length > 1) findings.push('`apply` takes one target: use a job for each')
  const flags = { comment: flag('comment'), check: flag('check'), html: flag('html') }
  if (findings.length > 0 || command === undefined)
    throw new OperatorError('SVC2816', `The inputs of the action cannot be used: ${findings.join('; ')}`, {
      hint: 'Correct them below `with`.',
    })
  const project = text('project') === '' ? undefined : text('project')
  return { command, targets, project, ...flags, allow: lines('allow'), args: lines('args'), token: text('token') }
}

const largestEvent = 25

/** The event that GitHub names to a job; undefined: none that is readable, and its other variables must do. */
export function eventOfJob({ GITHUB_EVENT_PATH: path }: Env): unknown {
  const text = path === undefined ? undefined : readBoundedText(path, largestEvent)
  return text === undefined || isUnread(text) ? undefined : parseJson(text)
}

interface JobEvent {
  readonly pull_request?: { readonly head?: { readonly repo?: HeadRepository } }
  /** For a workflow that runs behind another one, with the secrets that the other lacks. */
  readonly workflow_run?: { readonly head_repository?: HeadRepository }
}

/** A repository; null where it was deleted. */
type HeadRepository = { readonly full_name?: unknown } | null | undefined

/** Events that may get credentials, by where their files come from. `own`: only who may push brings them about. */
const knownEvents = new Map<string | undefined, (event: JobEvent) => HeadRepository | 'own'>([
  ['push', () => 'own'],
  ['schedule', () => 'own'],
  ['workflow_dispatch', () => 'own'],
  ['merge_group', () => 'own'],
  ['pull_request', ({ pull_request: pull }) => pull?.head?.repo],
  ['workflow_run', ({ workflow_run: run }) => run?.head_repository],
])

export const knownEventNames = [...knownEvents.keys()].join(', ')

/** The files of a fork are a stranger's, and get no credentials; the same holds for unknown events. */
export function originOf({ GITHUB_EVENT_NAME, GITHUB_REPOSITORY }: Env, event: unknown): 'own' | 'fork' | 'unknown' {
  const sourceOf = knownEvents.get(GITHUB_EVENT_NAME)
  if (sourceOf === undefined || !isJsonObject(event)) return 'unknown'
  const source = sourceOf(event)
  if (source === 'own') return event.pull_request === undefined && event.workflow_run === undefined ? 'own' : 'unknown'
  const name = source?.full_name
  return typeof name === 'string' && name === GITHUB_REPOSITORY ? 'own' : 'fork'
}

export function withoutInputs(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('INPUT_') ? [] : [[name, value] as const],
    ),
  )
}
