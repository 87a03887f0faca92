// Finds out which node each alias means, before the walk, so that the walk may visit a node as often as it is used.
import { EVENT_ID, type Event, getScalarValue } from 'js-yaml'
import { suggestion } from '../core/model/near-misses.ts'
import { errorAt, type Problem } from '../errors/index.ts'
import { isCredentialName } from './credentials.ts'
import { quoteCode } from './describe-value.ts'
import type { TextSource } from './text-source.ts'

/** What an alias stands for. */
export interface Anchored {
  /** Of the node's first event. */
  readonly index: number
  /** How many events the node has: what visiting it once more costs. */
  readonly size: number
}

/** Index of an alias event → what it means. An alias without an entry has been reported. */
type Bindings = ReadonlyMap<number, Anchored>

interface Anchor {
  readonly index: number
  size: number
  open: boolean
}

const none: Bindings = new Map()

/** Unusable aliases that are reported for one file; suggestions look at no more, and no longer, names. */
const maxReported = 100
const maxSuggested = { names: 500, length: 60 }

export function bindAliases(events: readonly Event[], source: TextSource, problems: Problem[]): Bindings {
  // Most manifests have no alias: one search of the text tells.
  if (!source.text.includes('*')) return none
  const bindings = new Map<number, Anchor>()
  let anchors = new Map<string, Anchor>()
  const open: (Anchor | undefined)[] = []
  let reported = 0

  for (const [index, event] of events.entries()) {
    if (event.type === EVENT_ID.POP) {
      const anchor = open.pop()
      if (anchor !== undefined) {
        anchor.open = false
        anchor.size = index - anchor.index + 1
      }
      continue
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      anchors = new Map()
      open.push(undefined)
      continue
    }
    const name = event.anchorStart < 0 ? '' : source.text.slice(event.anchorStart, event.anchorEnd)
    if (event.type === EVENT_ID.ALIAS) {
      const anchor = anchors.get(name)
      if (anchor !== undefined && !anchor.open) bindings.set(index, anchor)
      else if (reported++ < maxReported) {
        const key = events[index - 1]
        // A credential may begin like an alias.
        const isCredential = key?.type === EVENT_ID.SCALAR && isCredentialName(getScalarValue(source.text, key))
        const shown = isCredential ? undefined : name
        problems.push(unusable(shown, anchor !== undefined, anchors, source, event.anchorStart - 1))
      }
      continue
    }
    const isScalar = event.type === EVENT_ID.SCALAR
    const anchor = name === '' ? undefined : { index, size: 1, open: !isScalar }
    if (anchor !== undefined) anchors.set(name, anchor)
    if (!isScalar) open.push(anchor)
  }
  return bindings
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
    return errorAt('SVC1005', `The ${alias} stands inside what it means`, place, 'Write the value out.')
  }
  const anchor = name === undefined ? 'anchor' : `anchor ${quoteCode(`&${name}`)}`
  const mayGuess = name !== undefined && anchors.size <= maxSuggested.names && name.length <= maxSuggested.length
  const hint =
    (mayGuess ? suggestion(name, anchors.keys()) : undefined) ??
    'Put the anchor before its first use in the same document, or put quotes around a text that begins with `*`.'
  return errorAt('SVC1005', `No ${anchor} stands before the alias`, place, hint)
}
