// Options of `init` that hold for every new project: its pipelines and its ledger.
import { realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { cwd } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { byCount, OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import { type CiSettings, defaultCi } from '@svcsync/scaffold/ci-files.ts'
import { exists } from '@svcsync/scaffold/write-new-files.ts'
import { flagOf } from '../../program/command.ts'
import type { InitOptions } from '../project.ts'

/** Forges read pipelines at the top of a repository alone. Undefined: the folder is at the top, or in none. */
export function repositoryAbove(dir: string): string | undefined {
  const top = repositoryOf(dir)
  return top === undefined || realPath(top) === realPath(dir) ? undefined : realPath(top)
}

/** One that is not there yet is no link. */
export const realPath = (path: string): string => (exists(path) ? realpathSync(path) : path)

export function ciOfNew(target: string, { ci = 'github', ledger = false, shards }: InitOptions): CiSettings {
  if (shards === undefined) return { ...defaultCi(target), forge: ci, ledger }
  throw initMisuse('`--shards` is for a project that is there', 'Run `svcsync init` first.')
}

export const initMisuse = (message: string, hint = 'Nothing was written.') =>
  new OperatorError('SVC2043', message, { hint })

export function withLedger(files: Readonly<Record<string, string>>, { ledger }: InitOptions) {
  if (!ledger) return files
  return { ...files, 'svcsync.yaml': `${files['svcsync.yaml']}\nledger: { remote: origin }\n` }
}

export function refuseWithoutCi(options: InitOptions): void {
  const given = (['ledger', 'shards'] as const).filter((key) => options[key] !== undefined)
  if (options.ci === undefined && given.length > 0)
    throw idleOption(given, '--ci', 'It says for which forge: github, gitlab or azure.')
}

export function idleOption(
  keys: readonly (keyof InitOptions)[],
  option = '--from-live',
  hint = 'Without it, `init` writes an example and reads nothing.',
): OperatorError {
  const named = quoted(keys.map((key) => flagOf(key)))
  return initMisuse(`${named} ${byCount(keys.length, 'goes', 'go')} with \`${option}\``, hint)
}

export function filesAsText({ written, left }: Readonly<Record<'written' | 'left', readonly string[]>>): string {
  return [
    ...written.map((file) => `written  ${neutralise(file)}`),
    ...left.map((file) => `left     ${neutralise(file)} (it was there already)`),
    `${formatCount(written.length, 'file')} written, ` +
      `${left.length} left as ${byCount(left.length, 'it was', 'they were')}.`,
  ].join('\n')
}

export function cdCommand(dir: string): readonly string[] {
  const way = relative(cwd(), dir)
  return way === '' ? [] : [`  cd ${shellWord(neutralise(way))}`]
}

/** The missing steps of workflows: they run `npm ci`, and `npx` without fetching anything. */
export function ciInstallSteps(dir: string): readonly string[] {
  return namesSvcsync(join(dir, 'package.json'))
    ? []
    : ['The pipelines run `npm ci`: they need svcsync in package.json, and a package-lock.json.']
}

function namesSvcsync(file: string): boolean {
  try {
    const text = readBoundedText(file, 16)
    const read: unknown = isUnread(text) ? undefined : JSON.parse(text)
    if (typeof read !== 'object' || read === null) return false
    return ['dependencies', 'devDependencies'].some((key) => {
      const names = (read as Readonly<Record<string, unknown>>)[key]
      return typeof names === 'object' && names !== null && Object.hasOwn(names, 'svcsync')
    })
  } catch {
    return false
  }
}
