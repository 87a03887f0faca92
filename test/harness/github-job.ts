// Plays a job of a workflow for GitHub: its scripts by bash, its action, artifacts as folders. All other actions are
// what a runner has done already.
import { spawn } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { globSync } from 'tinyglobby'
import { parse } from 'yaml'
import { withoutInputs } from '../../src/cli/action/inputs.ts'
import { runAction } from '../../src/cli/action/run-action.ts'
import { relativePath } from '../../src/files/paths.ts'
import { repositoryOf } from '../../src/git/repository.ts'
import { runCommand } from './command.ts'
import { isThorough } from './thorough.ts'

interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly run?: string
  readonly uses?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
}
interface Job {
  readonly env?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  readonly outputs?: Readonly<Record<string, string>>
}

export interface RunnerOptions {
  /** Holds the repository. */
  readonly dir: string
  /** Holds everything else. */
  readonly work: string
  /** The programs of a job. */
  readonly bin: string
  readonly env: Readonly<Record<string, string>>
  /** `secrets`, `vars`, `github`. */
  readonly context: Readonly<Record<string, object>>
  readonly event: { readonly name: string; readonly value: object }
}

interface EndOfJob {
  /** The code of the first failed step, else 0. */
  readonly code: number
  readonly log: string
  readonly summary: string
  /** The outputs of steps, by id and name. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export const action = parse(readFileSync('action.yml', 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, unknown>>
  readonly runs: { readonly using: string; readonly main: string }
}
const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''] as const)

/** `more`: `inputs`, `matrix`, `needs`, `strategy`. */
export async function playJob(
  workflow: string,
  name: string,
  { dir, work, bin, env, context, event }: RunnerOptions,
  more: Readonly<Record<string, object>> = {},
): Promise<EndOfJob> {
  const { jobs } = parse(readFileSync(join(dir, '.github/workflows', workflow), 'utf8')) as {
    jobs: Record<string, Job>
  }
  const { steps = [], env: ofJob = {} } = jobs[name] as Job
  const temporary = mkdtempSync(join(work, 'job-'))
  const file = (each: string, text = ''): string => {
    writeFileSync(join(temporary, each), text)
    return join(temporary, each)
  }
  const outputs: Record<string, Record<string, string>> = {}
  const all = { ...context, ...more }
  const value = (text: unknown): string => evaluateIn(String(text), { ...all, steps: stepsOf(outputs) })
  const summary = file('summary')
  const usual = {
    ...{ PATH: `${bin}:${process.env.PATH}`, CI: 'true', GITHUB_ACTIONS: 'true', RUNNER_TEMP: temporary },
    ...{ GITHUB_STEP_SUMMARY: summary, GITHUB_EVENT_NAME: event.name },
    ...{ GITHUB_EVENT_PATH: file('event', JSON.stringify(event.value)), GITHUB_RUN_ID: '42' },
  }
  const begin = (step: Step): Promise<Ended> => {
    const given = Object.fromEntries(Object.entries(step.with ?? {}).map(([key, each]) => [key, value(each)]))
    const artifact = /upload|download/.exec(step.uses ?? '')?.[0]
    if (artifact !== undefined) moveArtifact(artifact, given, dir, join(work, 'artifacts'))
    const isAction = step.uses?.endsWith('/node_modules/svcsync') === true
    if (step.run === undefined && !isAction) return Promise.resolve({ code: 0, log: '' })
    const own = Object.entries({ ...ofJob, ...step.env }).map(([key, each]) => [key, value(each)])
    const inputs = Object.entries({ ...Object.fromEntries(defaults), ...given }).map(([key, each]) => [
      `INPUT_${key.toUpperCase()}`,
      value(each),
    ])
    const ofStep = { ...usual, ...env, GITHUB_OUTPUT: file('output'), ...Object.fromEntries(own) }
    if (isAction) return playAction(dir, { ...ofStep, ...Object.fromEntries(inputs) })
    return startScript(['bash', '-eo', 'pipefail', '-c', step.run ?? ''], dir, ofStep)
  }
  let log = ''
  let code = 0
  for (const step of steps) {
    const isDue = code === 0 || step.if?.startsWith('always()')
    if (!isDue || (step.if?.includes("inputs.after != ''") && value('${{ inputs.after }}') === '')) continue
    file('output')
    const ended = await begin(step)
    log += ended.log
    if (step.id !== undefined) outputs[step.id] = readOutputs(join(temporary, 'output'))
    if (code === 0) code = ended.code
  }
  return { code, log, summary: readFileSync(summary, 'utf8'), outputs }
}

const stepsOf = (outputs: Readonly<Record<string, object>>): object =>
  Object.fromEntries(Object.entries(outputs).map(([id, each]) => [id, { outputs: each }]))

/**
 * The part of GitHub's expressions that the workflows take for values: names, texts, and `||`, `&&`, `!=` between them.
 */
function evaluateIn(text: string, context: Readonly<Record<string, object>>): string {
  const look = (path: string): unknown =>
    path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], context)
  const one = (term: string): unknown => {
    const [left = '', right] = term.split(' != ')
    const [a, b] = [left, right].map((each) => (each?.startsWith("'") ? each.slice(1, -1) : (look(each ?? '') ?? '')))
    return right === undefined ? a : a !== b
  }
  const both = (term: string): unknown =>
    term
      .split(' && ')
      .map(one)
      .reduce((a, b) => a && b)
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    return String(
      expression
        .split(' || ')
        .map(both)
        .reduce((a, b) => a || b),
    )
  })
}

function readOutputs(file: string): Record<string, string> {
  const all = [...readFileSync(file, 'utf8').matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2$/gm)]
  return Object.fromEntries(all.map(([, name = '', , value = '']) => [name, value]))
}

function moveArtifact(way: string, given: Readonly<Record<string, string>>, dir: string, store: string): void {
  const { name = 'page', pattern, path = '' } = given
  if (way === 'upload') {
    const found = existsSync(join(dir, path)) ? [join(dir, path)] : globSync([path], { cwd: dir, absolute: true })
    for (const each of found) cpSync(each, join(store, name, basename(each)), { recursive: true })
    return
  }
  mkdirSync(join(dir, path), { recursive: true })
  for (const each of globSync([`${pattern ?? name}/**/*`], { cwd: store, absolute: true }))
    copyFileSync(each, join(dir, path, basename(each)))
}

/** The programs of a job besides svcsync. */
export function putJobTools(bin: string): void {
  const put = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 })
  put('npm', 'exit 0')
  put(
    'jq',
    'PATH=${PATH#*:}; command -v jq > /dev/null && exec jq "$@"; ' +
      `exec "${process.execPath}" "${resolve('test/docs/jq.mjs')}" "$@"`,
  )
}

interface Ended {
  readonly code: number
  readonly log: string
}

/** A process of its own, as action.yml starts it. `cancel`: true as soon as the job is to be cancelled. */
export interface WholeProcess {
  readonly cancel?: () => boolean
}

/** The action in this process, with the warm command. */
export async function playAction(
  cwd: string,
  env: Readonly<Record<string, string>>,
  whole: WholeProcess | undefined = isThorough ? {} : undefined,
): Promise<Ended> {
  if (whole !== undefined) return startScript([process.execPath, resolve(action.runs.main)], cwd, env, whole)
  let log = ''
  const svcsync: Parameters<typeof runAction>[2] = async (args, { taken = false, env: more = {} } = {}) => {
    const { code, stdout, stderr } = await runCommand(args, cwd, { ...withoutInputs(env), ...more })
    log += taken ? stderr : `${stdout}${stderr}`
    return { code: code ?? 1, stdout }
  }
  const code = await runAction(env, placeOf(cwd), svcsync, (text) => {
    log += text
  })
  return { code, log }
}

function placeOf(cwd: string): string {
  const top = repositoryOf(cwd)
  return top === undefined ? '' : relativePath(top, cwd)
}

export function startScript(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  { cancel = () => false }: WholeProcess = {},
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const looking = setInterval(() => cancel() && child.kill('SIGINT') && clearInterval(looking), 5)
  return new Promise<Ended>((done) => {
    child.on('close', (code) => {
      clearInterval(looking)
      done({ code: code ?? 1, log })
    })
  })
}
