// Files of `--results`: what several targets, or several shards of them, have written, taken apart again.
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cwd } from 'node:process'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'

/** The result of one target, as a run over several has written it. */
export interface ResultOfTarget {
  readonly file: string
  readonly name: string
  readonly command: string
  readonly exitCode: number | null
  readonly sentence: string
  /** null: the command printed none. */
  readonly result: JsonObject | null
  /** Names of all targets of the run, of every shard. */
  readonly targets: readonly string[]
}

/** A folder stands for the JSON files in it. */
export function filesNamed(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const isFolder = statSync(resolve(cwd(), path), { throwIfNoEntry: false })?.isDirectory() === true
    if (!isFolder) return [path]
    const files = readdirSync(resolve(cwd(), path)).filter((file) => /^[^.].*\.json$/.test(file))
    if (files.length > 0) return files.sort().map((file) => join(path, file))
    throw new OperatorError('SVC2818', `The folder \`${path}\` holds no results`, {
      hint: 'Name a folder that `--results` has written.',
    })
  })
}

/** Undefined: it is something else. */
export function resultOfTarget(data: JsonObject, file: string): ResultOfTarget | undefined {
  const { name, command, exitCode, verdict, result, targets } = data
  const isOne = typeof name === 'string' && typeof command === 'string' && Array.isArray(targets)
  if (!isOne || !(isJsonObject(result) || result === null)) return undefined
  return {
    ...{ file, name, command, result },
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    sentence: isJsonObject(verdict) && typeof verdict.sentence === 'string' ? verdict.sentence : 'no verdict',
    targets: targets.filter((each) => typeof each === 'string'),
  }
}

/** Throws an OperatorError where they are not of one run: an old result would pass for a new one. */
export function refuseMixed(all: readonly ResultOfTarget[]): void {
  const [first] = all
  if (first === undefined) return
  const runOf = ({ command, targets }: ResultOfTarget): string => JSON.stringify([command, [...targets].sort()])
  const other = all.find((each) => runOf(each) !== runOf(first))
  if (other === undefined) return
  throw new OperatorError('SVC2323', `\`${first.file}\` and \`${other.file}\` are results of different runs`, {
    hint: 'Give each run a folder of its own: `--results DIR`.',
  })
}

/** Targets of the run of which there is no file: their shard was not run, or ended before them. */
export function withoutResult(all: readonly ResultOfTarget[]): readonly string[] {
  const there = new Set(all.map(({ name }) => name))
  return [...new Set(all.flatMap(({ targets }) => targets))].filter((name) => !there.has(name))
}

export function sayMissing(names: readonly string[]): string {
  const rest = names.length > 20 ? `, and ${names.length - 20} more` : ''
  return `${formatCount(names.length, 'target')} without a result: ${quoted(names.slice(0, 20))}${rest}. No shard ran to their end`
}
