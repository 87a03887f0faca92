// Waves: in which order an apply goes over several targets, and how many of a wave may fail before the next one is
// begun.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { offsetAt, type Path } from '@svcsync/core/model/source.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { type NamedTarget, namedTargets } from './select-targets.ts'

interface Wave {
  /** A target of the wave has each of them. */
  readonly labels: Readonly<Record<string, string>>
  /** So many of its targets may fail before the next wave is begun. */
  readonly failures: number
}

/** The targets of one wave; `wave` undefined: those that no wave names, which come last. */
export interface InWave {
  readonly wave: Wave | undefined
  readonly targets: readonly NamedTarget[]
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

/** A target is of the first wave that it fits. A wave without any of `targets` is left out. */
export function inWaves(targets: readonly NamedTarget[], waves: readonly Wave[]): readonly InWave[] {
  const waveOf = (target: NamedTarget) => waves.find((wave) => fits(target, wave))
  return [...waves, undefined]
    .map((wave) => ({ wave, targets: targets.filter((target) => waveOf(target) === wave) }))
    .filter((each) => each.targets.length > 0)
}

function fits({ labels }: NamedTarget, wave: Wave): boolean {
  return Object.entries(wave.labels).every(([key, value]) => labels[key] === value)
}

/** As `--labels` takes them. */
export function sayWave(wave: Wave | undefined): string {
  return wave === undefined ? 'the rest' : labelsOf(wave).join(' ')
}

const labelsOf = ({ labels }: Pick<NamedTarget, 'labels'>): readonly string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`)

/** A wave without targets would be passed by in silence, where somebody counts on it. */
export function checkWaves(root: JsonObject, source: TextSource, problems: Problem[]): void {
  const targets = namedTargets(root)
  const waves = wavesOf(root)
  const filled = new Set(inWaves(targets, waves).map(({ wave }) => wave))
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
      report(`No target has the labels \`${sayWave(wave)}\`: the wave has no targets`, path, hint)
    } else if (!filled.has(wave)) {
      const hint = 'Remove the wave, or put it before the one that has its targets.'
      report(`Every target with \`${sayWave(wave)}\` is in an earlier wave`, path, hint)
    }
  }
}
