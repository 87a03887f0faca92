// Resolves references: environment variables, files, and the target's variables.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import type { ProblemCode } from '@svcsync/core/model/problem-codes.ts'
import { Sensitive, type Text } from '@svcsync/core/model/sensitive.ts'
import { wildcardMatcher } from '@svcsync/core/model/wildcard.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import { isUnread, readBounded } from '@svcsync/files/read-bounded.ts'
import { isIgnoredByGit } from '@svcsync/git/repository.ts'
import type { Reference } from './template.ts'

interface ResolverOptions {
  /** The variables of the target, for `${var:…}`. */
  readonly variables: Readonly<Record<string, Text>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables of the target without a value. The message names their place in the target. */
  readonly unknownVariables?: readonly string[] | undefined
  /** May be named by write-only fields, and anywhere in `anywhereIn` (absolute paths). */
  readonly withhold?: { readonly anywhereIn: readonly string[] } | undefined
  readonly projectDir: string
  /** Absolute folders: `${file:…}` may read in these, and in the project. Default: none. */
  readonly readFilesFrom?: readonly string[] | undefined
  /** Reads no environment variable or file: each reference keeps its name as the value. */
  readonly asWritten?: boolean | undefined
}

export interface Unresolved {
  readonly code: ProblemCode
  readonly message: string
  readonly hint?: string | undefined
  /** It is missing, and that is no problem of the place where it is named. */
  readonly withheld?: 'anywhere' | 'where nothing is compared' | undefined
}

export function isText(result: Text | Unresolved): result is Text {
  return typeof result === 'string' || result instanceof Sensitive
}

const notFollowed: Unresolved = { code: 'SVC1201', message: 'References are not followed here', withheld: 'anywhere' }

const noSuchFile = 'there is no such file'

const maxSize = 1

/** Resolves references of all files of a project; a file is read once. */
export class Resolver {
  readonly #options: ResolverOptions
  readonly #anywhereIn: ReadonlySet<string>
  readonly #files = new Map<string, string | Unresolved>()
  /** Outside the project, or hidden in it: what is named is meant. */
  readonly #folders: string[]
  readonly #mayName: (variable: string) => boolean
  /** Undefined: nobody has asked. */
  #hasDotEnv: boolean | undefined

  constructor(options: ResolverOptions) {
    this.#options = options
    this.#folders = [...(options.readFilesFrom ?? [])]
    this.#mayName = allowedBy(options.env.SVCSYNC_ALLOW_ENV)
    this.#anywhereIn = new Set(options.withhold?.anywhereIn)
  }

  /** Lets references read in these folders, too: the project file says which, and may itself refer to files in them. */
  allow(folders: readonly string[]): void {
    this.#folders.push(...folders)
  }

  /**
   * `from`: absolute path of the file with the reference. `isOwn`: the environment says the same by itself, so that
   * nobody has to allow it.
   */
  resolve(reference: Reference, from: string, isOwn = false): Text | Unresolved {
    if (this.#options.asWritten && reference.scheme !== 'var') return notFollowed
    switch (reference.scheme) {
      case 'env':
        if (!isOwn && !this.#mayName(reference.name)) return notAllowed(reference.name)
        return this.#variableOfEnvironment(reference.name, this.#anywhereIn.has(from))
      case 'var':
        return this.#variableOfTarget(reference.name)
      case 'file':
        return this.#file(reference.name, from)
    }
  }

  #variableOfEnvironment(name: string, anywhere: boolean): string | Unresolved {
    const value = this.#options.env[name]
    // Pipelines set what they have not got to the empty text.
    if (anywhere && !value) return { ...this.#missingVariable(name), withheld: 'anywhere' }
    // Objects have more than was set: `toString` is no variable.
    if (typeof value === 'string') return value
    return this.#missing(this.#missingVariable(name))
  }

  #missing(what: Unresolved): Unresolved {
    return this.#options.withhold === undefined ? what : { ...what, withheld: 'where nothing is compared' }
  }

  #missingVariable(name: string): Unresolved {
    // The project's file, and no file that a manifest names. It is not read: it holds secrets.
    this.#hasDotEnv ??= existsSync(resolve(this.#options.projectDir, '.env'))
    return {
      code: 'SVC1201',
      message: `The environment variable \`${name}\` is not set`,
      hint: `Set \`${name}\` where svcsync runs.${this.#hasDotEnv ? ` ${dotEnvHint}` : ''}`,
    }
  }

  #variableOfTarget(name: string): Text | Unresolved {
    const { variables, unknownVariables } = this.#options
    if (Object.hasOwn(variables, name)) return variables[name] as Text
    const message = `The target has no variable \`${name}\``
    if (unknownVariables?.includes(name)) return { code: 'SVC1203', message, withheld: 'anywhere' }
    return {
      code: 'SVC1203',
      message,
      hint:
        suggestion(name, Object.keys(variables)) ??
        `Write it under \`variables\` of the target, or use \`--var ${name}=…\`.`,
    }
  }

  #file(name: string, from: string): string | Unresolved {
    const path = resolve(dirname(from), name)
    const result = getOrInsert(this.#files, path, () => this.#readFile(path, name))
    if (typeof result === 'string' || !result.message.endsWith(noSuchFile)) return result
    return this.#missing(result)
  }

  #readFile(path: string, name: string): string | Unresolved {
    if (path.includes('\0')) return unreadable(name, 'its name holds a NUL character')
    try {
      const { projectDir } = this.#options
      // As written first: whether there is a file outside is nobody's business.
      const isNamed = this.#folders.some((folder) => liesWithin(folder, path))
      if (!isNamed && !liesWithin(projectDir, path)) return outside(name)
      if (!isNamed && isHidden(projectDir, path)) return hidden(name, whyHidden)
      const real = realpathSync(path)
      if (!this.#folders.some((folder) => existsSync(folder) && liesWithin(realpathSync(folder), real))) {
        const realDir = realpathSync(projectDir)
        if (!liesWithin(realDir, real)) return outside(name)
        if (isHidden(realDir, real)) return hidden(name, whyHidden)
        if (isIgnoredByGit(real)) return hidden(name, 'git ignores it, or cannot say')
      }
      const bytes = readBounded(real, maxSize)
      if (isUnread(bytes)) return unreadable(name, bytes.reason)
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      return text.replace(/\r?\n$/, '')
    } catch (error) {
      const reason =
        error instanceof TypeError
          ? 'it is not UTF-8 text'
          : ({ ENOENT: noSuchFile }[String((error as { readonly code?: unknown }).code)] ??
            'the system does not let svcsync')
      return unreadable(name, reason)
    }
  }
}

export const emptyCredential = 'Set it: a pipeline passes a missing or withheld secret as an empty text.'

const dotEnvHint =
  'svcsync does not read the `.env` beside the project file: run `set -a; . ./.env; set +a` in its folder.'

function notAllowed(name: string): Unresolved {
  return {
    code: 'SVC1205',
    message: `Files may not name the environment variable \`${name}\` here`,
    hint: 'The owner of the credentials can add it to `SVCSYNC_ALLOW_ENV`, separated by commas.',
  }
}

const whyHidden = 'its name, or that of a folder above it, begins with a dot'

function isHidden(folder: string, path: string): boolean {
  return relative(folder, path)
    .split(sep)
    .some((part) => part.startsWith('.'))
}

function hidden(name: string, reason: string): Unresolved {
  return {
    code: 'SVC1206',
    message: `The file \`${name}\` is not read: ${reason}`,
    hint:
      'Such files are not meant for manifests. ' +
      'If this one is, list it or its folder under `settings.readFilesFrom` of the project file.',
  }
}

const liesOutside = 'is outside the project'

/** True if the reference names a file that no reference may read. */
export function isOutside({ message }: Unresolved): boolean {
  return message.endsWith(liesOutside)
}

function outside(name: string): Unresolved {
  return {
    code: 'SVC1202',
    message: `The file \`${name}\` ${liesOutside}`,
    hint:
      'Put it into the project, ' +
      'name its folder under `settings.readFilesFrom` of the project file, or use `${env:…}`.',
  }
}

function unreadable(name: string, reason: string): Unresolved {
  return {
    code: 'SVC1202',
    message: `The file \`${name}\` cannot be read: ${reason}`,
    hint: 'The path is relative to the folder of the manifest.',
  }
}

/** Not set, they limit nothing. Set to nothing, they allow nothing: a limit may have got lost on its way. */
export function allowedBy(
  patterns: string | undefined,
  fold: (name: string) => string = (name) => name,
): (name: string) => boolean {
  if (patterns === undefined) return () => true
  const matchers = patterns
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '')
    .map((pattern) => wildcardMatcher(fold(pattern), false))
  return (name) => matchers.some((matches) => matches(fold(name)))
}
