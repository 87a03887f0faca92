// Binds each alias to its node before the walk, which may visit a node as often as it is used.
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import { errorAt, type Problem } from '@svcsync/errors/index.ts'
import { EVENT_ID, type Event, getScalarValue } from 'js-yaml'
import { isCredentialName } from './credentials.ts'
import { quoteCode } from './describe-value.ts'
import type { TextSource } from './text-source.ts'

interface Anchor {
  readonly index: number
  /** The number of events of the node: the cost of one more visit. */
  size: number
  open: boolean
}

/** Index of an alias event → what it means. An alias without an entry has been reported. */
type Bindings = ReadonlyMap<number, Readonly<Anchor>>

const none: Bindings = new Map()

/** Unusable aliases that are reported for one file; suggestions look at no more, and no longer, names. */
const maxReported = 100
const maxSuggested = { names: 500, length: 60 }

export function bindAliases(events: readonly Event[], source: TextSource, problems: Problem[]): Bindings {
  // Most manifests have no alias: one search of the text tells.
  if (!source.text.includes('*')) return none
  const binding = new Binding(events, source, problems)
  for (const [index, event] of events.entries()) binding.visit(index, event)
  return binding.bindings
}

class Binding {
  readonly bindings = new Map<number, Anchor>()
  readonly #events: readonly Event[]
  readonly #source: TextSource
  readonly #problems: Problem[]
  readonly #open: (Anchor | undefined)[] = []
  #anchors = new Map<string, Anchor>()
  #reported = 0

  constructor(events: readonly Event[], source: TextSource, problems: Problem[]) {
    this.#events = events
    this.#source = source
    this.#problems = problems
  }

  visit(index: number, event: Event): void {
    if (event.type === EVENT_ID.POP) this.#close(index)
    else if (event.type === EVENT_ID.DOCUMENT) {
      this.#anchors = new Map()
      this.#open.push(undefined)
    } else {
      const name = event.anchorStart < 0 ? '' : this.#source.text.slice(event.anchorStart, event.anchorEnd)
      if (event.type === EVENT_ID.ALIAS) this.#bind(index, name, event.anchorStart - 1)
      else this.#begin(index, name, event.type === EVENT_ID.SCALAR)
    }
  }

  #close(index: number): void {
    const anchor = this.#open.pop()
    if (anchor === undefined) return
    anchor.open = false
    anchor.size = index - anchor.index + 1
  }

  #bind(index: number, name: string, at: number): void {
    const anchor = this.#anchors.get(name)
    if (anchor !== undefined && !anchor.open) this.bindings.set(index, anchor)
    else if (this.#reported++ < maxReported) {
      const key = this.#events[index - 1]
      // A credential may begin like an alias.
      const isCredential = key?.type === EVENT_ID.SCALAR && isCredentialName(getScalarValue(this.#source.text, key))
      const shown = isCredential ? undefined : name
      this.#problems.push(unusable(shown, anchor !== undefined, this.#anchors, this.#source, at))
    }
  }

  #begin(index: number, name: string, isScalar: boolean): void {
    const anchor = name === '' ? undefined : { index, size: 1, open: !isScalar }
    if (anchor !== undefined) this.#anchors.set(name, anchor)
    if (!isScalar) this.#open.push(anchor)
  }
}

/** `name`: undefined where it is not to be shown. */
function unusable(
  name: string | undefined,
  circular: boolean,
  anchors: ReadonlyMap<string, Anchor>,
  source: TextSource,
  offset: number,
): Problem {
  const place = source.placeAt(offset)
  if (circular) {
    const alias = name === undefined ? 'alias' : `alias ${quoteCode(`*${name}`)}`
    return errorAt('SVC1005', `The ${alias} is inside the value that it refers to`, place, 'Write the value out.')
  }
  const anchor = name === undefined ? 'anchor' : `anchor ${quoteCode(`&${name}`)}`
  const mayGuess = name !== undefined && anchors.size <= maxSuggested.names && name.length <= maxSuggested.length
  const hint =
    (mayGuess ? suggestion(name, anchors.keys()) : undefined) ??
    'Put the anchor before its first use in the same document, or put quotes around a text that begins with `*`.'
  return errorAt('SVC1005', `No ${anchor} precedes the alias`, place, hint)
}
