// Reads values by path, and follows references when asked: a variable of another target may be missing.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { ProblemCode } from '@svcsync/core/model/problem-codes.ts'
import { plainText, Sensitive, type Text } from '@svcsync/core/model/sensitive.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import type { Place, Problem } from '@svcsync/errors/index.ts'
import { emptyCredential, isText, type Resolver } from '@svcsync/manifests/resolver.ts'
import { isReference, joinParts, parseTemplate } from '@svcsync/manifests/template.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { findSource, type ProjectText, placeIn } from './target-files.ts'

/** The settings that a target may have itself. */
export const targetKeys = [
  'manifests',
  'settings',
  'accounts',
  'prune',
  'removed',
  'guards',
  'access',
  'exceptions',
  'globalPrivileges',
  'protect',
]

/** Without a line in the target, they are taken from the environment as well. */
export const defaultVariables: Readonly<Record<string, string>> = {
  clientId: 'SVCSYNC_CLIENT_ID',
  clientSecret: 'SVCSYNC_CLIENT_SECRET',
}

/** The path of the value that applies to the target. */
export function effectivePath(root: JsonObject, target: string, path: Path): Path {
  if (!targetKeys.includes(String(path[0]))) return path
  const own = ['targets', target, ...path]
  return valueAt(root, own) === undefined ? path : own
}

export function valueAt(root: JsonObject, path: Path): Json | undefined {
  let value: Json | undefined = root
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)] as Json | undefined
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

/** Mappings of a target and of the top are put together key by key; any other value replaces that of the top. */
export class ProjectReader {
  readonly root: JsonObject
  readonly problems: Problem[]
  readonly #project: ProjectText
  readonly #resolver: Resolver
  readonly #path: string
  readonly #withholds: boolean
  /** Variables of the environment that are not set, where that is no problem here. */
  readonly withheld = new Set<string>()
  #target: string | undefined

  /** `withholds`: a variable of the environment that is not set is noted, and no problem. */
  constructor(project: ProjectText, path: string, resolver: Resolver, problems: Problem[], withholds: boolean) {
    this.#withholds = withholds
    this.root = project.root
    this.#project = project
    this.problems = problems
    this.#resolver = resolver
    this.#path = path
  }

  readFor(target: string): void {
    this.#target = target
  }

  at(path: Path): Json | undefined {
    return this.#written(this.#effective(path))
  }

  #effective(path: Path): Path {
    return this.#target === undefined ? path : effectivePath(this.root, this.#target, path)
  }

  #written(path: Path): Json | undefined {
    return valueAt(this.root, path)
  }

  /** True if the effective value is in a target: all targets need a value at the top. */
  #isOfTarget(path: Path): boolean {
    return this.#effective(path)[0] === 'targets'
  }

  place(path: Path): Place {
    return placeIn(this.#project, this.#effective(path))
  }

  /** The file in which it is written. */
  sourceOf(path: Path): TextSource {
    return findSource(this.#project, this.#effective(path)).source
  }

  report(
    code: ProblemCode,
    message: string,
    path: Path,
    hint?: string,
    severity: Problem['severity'] = 'error',
  ): undefined {
    this.problems.push({ code, severity, message, place: this.place(path), hint })
    return undefined
  }

  number(path: Path, whenAbsent: number): number {
    const value = this.at(path)
    return typeof value === 'number' ? value : whenAbsent
  }

  /** One of some words. The first: where it is absent. */
  word<Word extends string>(path: Path, ...words: readonly [Word, ...Word[]]): Word {
    const value = this.at(path)
    return words.find((word) => word === value) ?? words[0]
  }

  /** The text with its references resolved, maybe sensitive. Undefined: absent, or a problem was reported. */
  written(path: Path): Text | undefined {
    const value = this.at(path)
    if (typeof value !== 'string') return undefined
    const text = this.#expand(value, path)
    return text === undefined || !parseTemplate(value).some(isReference) ? text : new Sensitive(value, text)
  }

  /** The same in clear: for what is never shown, and for addresses. */
  text(path: Path): string | undefined {
    const value = this.at(path)
    return typeof value === 'string' ? this.#expand(value, path) : undefined
  }

  secret(path: Path): Sensitive | undefined {
    const template = this.at(path)
    if (typeof template !== 'string') return undefined
    const value = this.#expand(template, path)
    if (value === undefined) return undefined
    if (value !== '') return new Sensitive(template, value)
    return this.report('SVC1201', `The credential behind \`${template}\` is empty`, path, emptyCredential)
  }

  texts(path: Path): Text[] {
    const list = this.at(path)
    if (!Array.isArray(list)) return []
    return list.flatMap((_, index) => this.written([...path, index]) ?? [])
  }

  textMap(path: Path): Record<string, Text> {
    const result: Record<string, Text> = {}
    for (const key of this.keys(path)) {
      const value = this.written([...path, key])
      if (value !== undefined) result[key] = value
    }
    return result
  }

  keys(path: Path): string[] {
    const both = [this.#written(path), this.at(path)]
    return [...new Set(both.flatMap((value) => (isJsonObject(value) ? Object.keys(value) : [])))]
  }

  /** Reports malformed references in any string, without resolving them. */
  checkReferences(path: Path = []): void {
    const value = this.at(path)
    if (typeof value === 'string') {
      for (const part of parseTemplate(value)) {
        if (typeof part === 'string') continue
        if (!isReference(part)) this.report(part.code, part.message, path, part.hint)
        else if (part.scheme === 'var') {
          this.report(
            'SVC1204',
            'Variables are for manifests, not for the project file',
            path,
            'Use `${env:NAME}`, or write the value.',
          )
        }
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) this.checkReferences([...path, Array.isArray(value) ? Number(key) : key])
    }
  }

  #expand(text: string, path: Path): string | undefined {
    return joinParts(parseTemplate(text), (part) => {
      // `checkReferences` has reported those.
      if (!isReference(part) || part.scheme === 'var') return undefined
      const isOwn = path.length === 3 && path[0] === 'targets' && defaultVariables[String(path[2])] === part.name
      const resolved = this.#resolver.resolve(part, this.#path, isOwn)
      if (isText(resolved)) return plainText(resolved)
      if (resolved.withheld !== undefined) return undefined
      if (!this.#withholds || part.scheme !== 'env' || !this.#isOfTarget(path)) {
        return this.report(resolved.code, resolved.message, path, resolved.hint)
      }
      this.withheld.add(part.name)
      return undefined
    })
  }
}
