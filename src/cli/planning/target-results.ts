// `--results DIR`: the result of each target as a file of its own, written as soon as the target has ended.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cwd } from 'node:process'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { OperatorError, type Problem, whyUnwritable } from '@svcsync/errors/index.ts'
import { disk } from '@svcsync/files/file-tree.ts'
import { putInPlace } from '@svcsync/files/write-atomically.ts'
import type { namedTargets } from '@svcsync/project/select-targets.ts'
import type { TargetEnd } from '@svcsync/render/report/targets-summary.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'

type NamedTarget = ReturnType<typeof namedTargets>[number]

/** Where results go, and of which run they are. */
interface ResultsFolder {
  readonly dir: string
  /** Names of all targets of the run: what has no file has no result. */
  readonly targets: readonly string[]
}

interface TargetResult extends TargetEnd {
  readonly command: string
  readonly startedAt: string | null
  readonly problems: readonly Problem[]
  /** As the command prints it with `--format json`; null: it printed none. */
  readonly result: JsonObject | null
}

const resultFormat = '1.0'

function fileOfTarget(name: string): string {
  return `${encodeURIComponent(name)}.json`
}

/** `all`: of every shard. Throws an OperatorError where a file of one of the targets is there, or the folder cannot be written to. */
export function prepareResults(
  shown: string,
  chosen: readonly NamedTarget[],
  all: readonly NamedTarget[],
): ResultsFolder {
  const dir = resolve(cwd(), shown)
  try {
    mkdirSync(dir, { recursive: true })
  } catch (error) {
    throw new OperatorError(
      'SVC2042',
      `The folder \`${shown}\` cannot be made: ${whyUnwritable(String((error as { readonly code?: unknown }).code))}`,
      {
        hint: 'Name another folder with `--results`.',
      },
    )
  }
  const there = chosen.map(({ name }) => fileOfTarget(name)).find((file) => disk.exists(join(dir, file)))
  if (there === undefined) return { dir, targets: all.map(({ name }) => name) }
  throw new OperatorError('SVC2323', `The folder \`${shown}\` holds results of another run: \`${there}\``, {
    hint: 'Nothing was begun. Name an empty folder: old results must not pass for new ones.',
  })
}

export function writeResult({ dir, targets }: ResultsFolder, { severity, sentence, ...result }: TargetResult): void {
  const whole = { formatVersion: resultFormat, ...result, verdict: { severity, sentence }, targets }
  putInPlace(join(dir, fileOfTarget(result.name)), `${safeJson(whole)}\n`, 0o600)
}
