// Chooses the targets of a run and their order, and refuses combinations.
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { cwd, env } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { disk } from '@svcsync/files/file-tree.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { isUnread, largestDocument, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { commitOf } from '@svcsync/git/commit-tree.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { baselineFile, exceptionsFile } from '@svcsync/project/exceptions.ts'
import { findProjectFiles } from '@svcsync/project/find-project.ts'
import { readTargetOf } from '@svcsync/project/load-project.ts'
import { type ParsedProject, parseProject, sourcesOf } from '@svcsync/project/parse-project.ts'
import type { Project } from '@svcsync/project/project.ts'
import { addressOfTarget } from '@svcsync/project/read-target.ts'
import type { NamedTarget } from '@svcsync/project/select-targets.ts'
import {
  filterByShard,
  groupByWave,
  namedTargets,
  parseShard,
  selectTargets,
  shardOfJob,
  wavesOf,
} from '@svcsync/project/select-targets.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import { findPolicyFiles, hasErrors } from '@svcsync/runs/open/open-project.ts'
import { sha256 } from '@svcsync/runs/open/sha256.ts'
import { flagOf } from '../program/command.ts'
import { optionsOfPlan } from './render-plan.ts'
import { prepareResults, readRun } from './result-files.ts'

/** Throws UnusableFiles where the project file, or a file of targets, cannot be read. */
export function parseForCommand(file: string): ParsedProject & { readonly root: JsonObject } {
  const parsed = parseProject(file, { kinds, displayBase: cwd() })
  const { root, problems } = parsed
  if (root !== undefined && !hasErrors(problems)) return { ...parsed, root }
  throw new UnusableFiles(problems, sourcesOf(parsed))
}

/** What a run over targets takes of the command line. `resume`: a folder of results, the run that is resumed. */
interface RunSelection extends Readonly<Record<'shard' | 'results' | 'resume', string | undefined>> {
  readonly command: string
  readonly choice: Parameters<typeof selectTargets>[1]
  readonly confirm: readonly string[]
}

type ResumedResults = ReturnType<typeof readRun> | undefined

/** `chosen`: of this shard; `waves`: those left, in order. Throws an OperatorError for what cannot run together. */
export function resolveRun(how: RunSelection, parsed: ParsedProject, options: ScopeOptions) {
  const { command } = how
  const isKept = how.results !== undefined || how.resume !== undefined
  const now = isKept ? stateOf(parsed, options) : { commit: null, manifests: '', scope: '' }
  const resumed = how.resume === undefined ? undefined : readRun(how.resume, command, now)
  const all = selectTargets(namedTargets(parsed.root), choiceOf(how.choice, parsed, resumed))
  if (resumed !== undefined) refuseOtherRun(resumed, all)
  refuseOneAddress(all, parsed)
  refuseConfirmed(how.confirm, all)
  const shard = how.shard === undefined ? shardOfJob(env) : parseShard(how.shard)
  const chosen = filterByShard(all, shard)
  const defined = command === 'apply' ? wavesOf(parsed.root) : []
  if (shard !== undefined) refuseWaves(groupByWave(all, defined))
  const done = resumed?.done ?? new Set<string>()
  const waves = groupByWave(
    chosen.filter(({ name }) => !done.has(name)),
    defined,
  )
  const targets = all.map(({ name }) => name)
  const results = how.results === undefined ? resumed : prepareResults({ shown: how.results, targets, ...now }, chosen)
  return { chosen, waves, results, done }
}

type ScopeOptions = Partial<Parameters<typeof optionsOfPlan>[0]> & { readonly only?: readonly string[] }

function stateOf(parsed: ParsedProject, options: ScopeOptions) {
  const only = (options.only ?? []).map((each) => `--only ${shellWord(each)}`)
  const scope = [...only, ...optionsOfPlan({ var: {}, ...options, target: undefined })].join(' ')
  return { commit: checkedOut(parsed), manifests: digestOf(parsed), scope }
}

/** Covers all targets: each shard of a run has the same. */
function digestOf(parsed: ParsedProject): string {
  const dir = dirname(parsed.path)
  // References are not followed: what differs between machines is no edit.
  const [target] = namedTargets(parsed.root)
  const options = { env: {}, needCredentials: false, displayBase: dir, base: disk, target: target?.name }
  const { project } = readTargetOf(parsed, options)
  const own = [parsed.path, ...parsed.targetFiles.map(({ path }) => path)]
  const all = new Set([...own, ...(project ? decidingFiles(project) : [])])
  const texts = [...all].sort().map((path) => {
    const text = readBoundedText(path, largestDocument)
    // The run itself reports a file that nobody can read.
    return [relativePath(dir, path), isUnread(text) ? null : text]
  })
  return sha256([JSON.stringify(texts)])
}

/** The files that decide for all targets. Some may not exist. */
function decidingFiles(project: Project): readonly string[] {
  const { files, overrides, others, elsewhere } = findProjectFiles(project)
  const { dir, globalPrivileges } = project
  const named = globalPrivileges === undefined ? [] : [resolve(dir, globalPrivileges.file)]
  const excepted = [exceptionsFile(project), baselineFile(project)]
  return [...files, ...overrides, ...others, ...elsewhere, ...findPolicyFiles(project).files, ...excepted, ...named]
}

/** null: there is no repository, or none that git can read. */
function checkedOut({ path }: ParsedProject): string | null {
  try {
    const dir = repositoryOf(realpathSync(dirname(path)))
    return (dir && commitOf(dir, 'HEAD')) ?? null
  } catch {
    return null
  }
}

function refuseOtherRun({ shown, targets }: NonNullable<ResumedResults>, all: readonly NamedTarget[]): void {
  const own = new Set(all.map(({ name }) => name))
  const other = targets.find((name) => !own.delete(name)) ?? [...own][0]
  if (other === undefined) return
  throw new OperatorError(
    'SVC2323',
    `The folder \`${shown}\` holds results of a run over other targets: \`${other}\``,
    {
      hint: 'Nothing was begun. Leave the choice of targets out: `--resume` takes those of the folder.',
    },
  )
}

/** Another process cannot see how the targets of this one end. */
function refuseWaves(waves: ReturnType<typeof groupByWave>): void {
  const [first] = waves
  if (first === undefined || waves.length === 1) return
  const pairs = Object.entries(first.wave?.labels ?? {})
  const labels = pairs.map(([key, value]) => ` --labels ${shellWord(`${key}=${value}`)}`).join('')
  throw new OperatorError(
    'SVC2324',
    `These targets are of ${formatCount(waves.length, 'wave')}, and a shard is of one`,
    {
      hint: `Nothing was begun. Run the shards of one wave at a time: \`svcsync apply${labels} --shard I/N\`.`,
    },
  )
}

/** Without a choice: the default target, as for a run of one. */
function choiceOf(choice: RunSelection['choice'], { root }: ParsedProject, resumed: ResumedResults) {
  const { names, all, globs, labels } = choice
  if (all || names.length + globs.length + labels.length > 0) return choice
  if (resumed !== undefined) return { ...choice, names: resumed.targets }
  const usual = env.SVCSYNC_TARGET || root?.target
  return typeof usual === 'string' ? { ...choice, names: [usual] } : choice
}

/** Options for one installation, or one plan, do not fit several. */
const ofOne = ['baseUrl', 'authUrl', 'expect', 'approved', 'approvedBy', 'out', 'resume', 'openapi'] as const

export function refuseSingleOptions(command: string, options: object): void {
  const given = options as Readonly<Record<string, unknown>>
  const allows = command === 'apply' && Array.isArray(given.allow) && given.allow.length > 0
  const journals = typeof given.journal === 'string' && given.journal !== 'git:'
  const idle = [
    ...ofOne.filter((key) => given[key] !== undefined && String(given[key]) !== ''),
    ...(allows ? ['allow'] : []),
    ...(journals ? ['journal'] : []),
  ]
  if (idle.length === 0) return
  const named = quoted(idle.map((key) => flagOf(key)))
  throw new OperatorError('SVC2322', `${named} ${byCount(idle.length, 'is', 'are')} for a run over one target`, {
    hint: `Nothing was begun. Run that target alone with it${resumeHint(given, journals)}.`,
  })
}

function resumeHint({ resume }: Readonly<Record<string, unknown>>, journals: boolean): string {
  if (journals) return ', or write `--journal git:`'
  return resume === undefined ? '' : ', or name a folder that `--results` has written'
}

/** Two targets of one installation would change it at the same time, or tell of it twice. */
function refuseOneAddress(chosen: readonly NamedTarget[], parsed: ParsedProject): void {
  const known = new Map<string, string>()
  for (const { name } of chosen) {
    const baseUrl = addressOfTarget(parsed, name, env)
    if (baseUrl === undefined) continue
    const address = sameAddress(baseUrl)
    const other = known.get(address)
    if (other !== undefined)
      throw new OperatorError('SVC2321', `The targets \`${other}\` and \`${name}\` have one address: ${baseUrl}`, {
        hint: 'Nothing was begun. Choose one of them.',
      })
    known.set(address, name)
  }
}

/** One form for all ways to write an address that are the same without asking anybody. */
function sameAddress(baseUrl: string): string {
  const url = parseUrl(baseUrl)
  if (url === undefined) return baseUrl
  const host = url.hostname.replace(/\.$/, '')
  const isLoopback = /^(?:(?:.+\.)?localhost|127\.0\.0\.1|\[::1\]|\[::ffff:7f00:1\])$/.test(host)
  return [url.protocol, isLoopback ? 'localhost' : host, url.port, url.pathname.replace(/\/+$/, '')].join(' ')
}

function refuseConfirmed(confirm: readonly string[], chosen: readonly NamedTarget[]): void {
  const strange = confirm.find((name) => chosen.every((target) => target.name !== name))
  if (strange === undefined) return
  throw new OperatorError('SVC2152', `\`--confirm\` names \`${strange}\`, which this run is not for`, {
    hint: `Nothing was written. It is for ${quoted(chosen.slice(0, 10).map(({ name }) => name))}.`,
  })
}
