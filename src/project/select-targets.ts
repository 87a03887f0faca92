// Selects the targets of a run by name, glob, label or shard, and divides them into waves.
import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { offsetAt, type Path } from '@svcsync/core/model/source.ts'
import { wildcardMatcher } from '@svcsync/core/model/wildcard.ts'
import { OperatorError, type Problem } from '@svcsync/errors/index.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'

/** A target as the project file names it, before anything of it is resolved. */
export interface NamedTarget {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

interface TargetChoice {
  readonly names: readonly string[]
  readonly all: boolean
  /** Over names: one of them matches. */
  readonly globs: readonly string[]
  /** `ring=canary`: each of them holds. */
  readonly labels: readonly string[]
}

export function namedTargets(root: JsonObject | undefined): readonly NamedTarget[] {
  const targets = root?.targets
  if (!isJsonObject(targets)) return []
  return Object.entries(targets).map(([name, settings]) => {
    const labels = isJsonObject(settings) && isJsonObject(settings.labels) ? settings.labels : {}
    return { name, labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])) }
  })
}

/** In the order of the file. Throws an OperatorError for a name, glob or labels that select nothing. */
export function selectTargets(known: readonly NamedTarget[], choice: TargetChoice): readonly NamedTarget[] {
  const names = known.map(({ name }) => name)
  const strange = choice.names.find((name) => !names.includes(name))
  if (strange !== undefined) refuse(`There is no target \`${strange}\``, suggestion(strange, names), names)
  const globs = choice.globs.map((glob) => ({ glob, matches: wildcardMatcher(glob, false) }))
  const idle = globs.find(({ matches }) => !names.some(matches))
  if (idle !== undefined) refuse(`No target matches \`--targets ${idle.glob}\``, undefined, names)
  const isAny = choice.all || choice.names.length + choice.globs.length === 0
  const named = known.filter(
    ({ name }) => isAny || choice.names.includes(name) || globs.some(({ matches }) => matches(name)),
  )
  const wanted = choice.labels.map(parseLabel)
  const chosen = named.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value))
  if (chosen.length > 0) return chosen
  const labels = [
    ...new Set(known.flatMap((each) => Object.entries(each.labels).map(([key, value]) => `${key}=${value}`))),
  ]
  if (known.length === 0) refuse('The project has no targets', undefined, names)
  return refuse(`No target has the labels ${quoted(choice.labels)}`, undefined, labels.sort(), 'labels')
}

function parseLabel(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new OperatorError('SVC2320', `\`--labels ${text}\` is no label`, {
    hint: 'Write it like `--labels ring=canary`.',
  })
}

function refuse(message: string, near: string | undefined, known: readonly string[], what = 'targets'): never {
  const names =
    known.length === 0 ? `The project file has no ${what}.` : `The ${what} are ${quoted(known.slice(0, 20))}.`
  throw new OperatorError('SVC2320', message, { hint: near ?? names })
}

interface Shard {
  readonly index: number
  readonly of: number
}

/** More processes than that for one project are a slip. */
const mostShards = 10_000

/** `3/8`. Throws an OperatorError for anything else. */
export function parseShard(text: string): Shard {
  const [, index, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim()) ?? []
  const shard = { index: Number(index), of: Number(of) }
  if (shard.index >= 1 && shard.index <= shard.of && shard.of <= mostShards) return shard
  throw new OperatorError('SVC2324', `\`${text}\` is no shard`, {
    hint: 'Write it like `--shard 3/8`: from 1/8 to 8/8.',
  })
}

/** `JOB_COMPLETION_INDEX` of an indexed job of Kubernetes counts from 0; `SVCSYNC_SHARDS` says how many there are. */
export function shardOfJob(env: Readonly<Record<string, string | undefined>>): Shard | undefined {
  const { JOB_COMPLETION_INDEX: index, SVCSYNC_SHARDS: of } = env
  if (!of) return undefined
  if (!index) {
    throw new OperatorError('SVC2324', '`SVCSYNC_SHARDS` is set, but `JOB_COMPLETION_INDEX` is not', {
      hint: 'Use `completionMode: Indexed`, or `--shard`.',
    })
  }
  return parseShard(`${/^\d+$/.test(index) ? Number(index) + 1 : index}/${of}`)
}

/** The shard of a target, from 1: by its name alone. */
export function shardOf(target: string, of: number): number {
  let best = 1
  let most = ''
  for (let index = 1; index <= of; index++) {
    const weight = createHash('sha256').update(`${index}\u0000${target}`).digest('hex')
    if (weight > most) {
      best = index
      most = weight
    }
  }
  return best
}

export function filterByShard<Target extends { readonly name: string }>(
  targets: readonly Target[],
  shard: Shard | undefined,
): readonly Target[] {
  return shard === undefined ? targets : targets.filter(({ name }) => shardOf(name, shard.of) === shard.index)
}

type Wave = {
  /** A target of the wave has each of them. */
  readonly labels: Readonly<Record<string, string>>
  /** So many of its targets may fail before the next wave is begun. */
  readonly failures: number
}

/** In the order of the file. */
export function wavesOf(root: JsonObject | undefined): readonly Wave[] {
  const waves = Array.isArray(root?.waves) ? root.waves : []
  return waves.map((wave) => {
    const { labels = {}, failures = 0 } = isJsonObject(wave) ? wave : {}
    const pairs = isJsonObject(labels) ? Object.entries(labels) : []
    return {
      labels: Object.fromEntries(pairs.map(([key, value]) => [key, String(value)])),
      failures: typeof failures === 'number' ? failures : 0,
    }
  })
}

/** Each is of the first wave that it fits; `wave` undefined: of none, and last. A wave without any is left out. */
export function groupByWave(targets: readonly NamedTarget[], waves: readonly Wave[]) {
  const waveOf = (target: NamedTarget) => waves.find((wave) => fits(target, wave))
  return [...waves, undefined]
    .map((wave) => ({ wave, targets: targets.filter((target) => waveOf(target) === wave) }))
    .filter((each) => each.targets.length > 0)
}

function fits({ labels }: NamedTarget, wave: Wave): boolean {
  return Object.entries(wave.labels).every(([key, value]) => labels[key] === value)
}

/** As `--labels` takes them. */
export function formatWave(wave: Wave | undefined): string {
  return wave === undefined ? 'the rest' : labelsOf(wave).join(' ')
}

const labelsOf = ({ labels }: Pick<NamedTarget, 'labels'>): readonly string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`)

/** A wave without targets would be passed by in silence, where somebody counts on it. */
export function checkWaves(root: JsonObject, source: TextSource, problems: Problem[]): void {
  const targets = namedTargets(root)
  const waves = wavesOf(root)
  const filled = new Set(groupByWave(targets, waves).map(({ wave }) => wave))
  const report = (message: string, path: Path, hint: string) => {
    const place = source.placeAt(offsetAt(source, root, path))
    problems.push({ code: 'SVC1502', severity: 'error', message, place, hint })
  }
  for (const [index, wave] of waves.entries()) {
    const path = ['waves', index, 'labels']
    if (Object.keys(wave.labels).length === 0) {
      report('A wave has no labels', path, 'Name them, like `labels: { ring: canary }`. Targets of no wave come last.')
    } else if (!targets.some((target) => fits(target, wave))) {
      const known = [...new Set(targets.flatMap(labelsOf))].sort()
      const hint = known.length === 0 ? 'No target has `labels`.' : `The labels are ${quoted(known.slice(0, 20))}.`
      report(`No target has the labels \`${formatWave(wave)}\`: the wave has no targets`, path, hint)
    } else if (!filled.has(wave)) {
      const hint = 'Remove the wave, or put it before the one that has its targets.'
      report(`Every target with \`${formatWave(wave)}\` is in an earlier wave`, path, hint)
    }
  }
}
