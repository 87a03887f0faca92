// Which targets of a project a run is over: by name, by glob, by label, or all of them.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { wildcardMatcher } from '@svcsync/core/model/wildcard.ts'
import { OperatorError } from '@svcsync/errors/index.ts'

/** A target as the project file names it, before anything of it is resolved. */
export interface NamedTarget {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

export interface TargetChoice {
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

/** In the order of the file. Throws an OperatorError for a name, a glob or labels that select nothing: a slip would be left out in silence. */
export function selectTargets(known: readonly NamedTarget[], choice: TargetChoice): readonly NamedTarget[] {
  const names = known.map(({ name }) => name)
  const strange = choice.names.find((name) => !names.includes(name))
  if (strange !== undefined) nothing(`There is no target \`${strange}\``, suggestion(strange, names), names)
  const globs = choice.globs.map((glob) => ({ glob, matches: wildcardMatcher(glob, false) }))
  const idle = globs.find(({ matches }) => !names.some(matches))
  if (idle !== undefined) nothing(`No target matches \`--targets ${idle.glob}\``, undefined, names)
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
  if (known.length === 0) nothing('The project has no targets', undefined, names)
  return nothing(`No target has the labels ${quoted(choice.labels)}`, undefined, labels.sort(), 'labels')
}

function parseLabel(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new OperatorError('SVC2320', `\`--labels ${text}\` is no label`, {
    hint: 'Write it like `--labels ring=canary`.',
  })
}

function nothing(message: string, near: string | undefined, known: readonly string[], what = 'targets'): never {
  const listed =
    known.length === 0 ? `The project file has no ${what}.` : `The ${what} are ${quoted(known.slice(0, 20))}.`
  throw new OperatorError('SVC2320', message, { hint: near ?? listed })
}
