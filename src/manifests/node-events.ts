// Finds where nodes begin and end in the text, from the parser's events.
import { EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import type { Span } from './text-source.ts'

/** Offset of the node's first character: of the quote, of `|`, of `*`. `fallback`: for a value that is left empty. */
export function startOf(event: Event, index: number, events: readonly Event[], text: string, fallback: number): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      if (event.style === SCALAR_STYLE.PLAIN) return event.valueStart < 0 ? fallback : event.valueStart
      if (event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED) {
        return event.valueStart - 1
      }
      return blockHeader(event, index, events, text)
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.start
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1
    default:
      return fallback
  }
}

export function skipNode(events: readonly Event[], index: number): number {
  let depth = 0
  let next = index
  do {
    const event = events[next++] as Event
    if (event.type === EVENT_ID.POP) depth--
    else if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.ALIAS) depth++
  } while (depth > 0)
  return next
}

/** From the node's first character to the end of the last scalar in it. */
export function spanOf(events: readonly Event[], index: number, text: string): Span {
  const first = events[index] as Event
  const start = startOf(first, index, events, text, 0)
  let end = start
  const after = skipNode(events, index)
  for (let each = index; each < after; each++) end = Math.max(end, endOf(events[each] as Event))
  return { start, end }
}

function endOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) {
    const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
    return Math.max(event.valueEnd + (quoted ? 1 : 0), event.tagEnd, event.anchorEnd)
  }
  if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
    return Math.max(event.start, event.tagEnd, event.anchorEnd)
  }
  return event.type === EVENT_ID.ALIAS ? event.anchorEnd : 0
}

/** The parser tells where the content of a block scalar begins; its `|` or `>` stands after whatever came before. */
function blockHeader(event: ScalarEvent, index: number, events: readonly Event[], text: string): number {
  let from = Math.max(event.tagEnd, event.anchorEnd, 0)
  // A value that is left empty has no end: what stands before it tells.
  for (let before = index - 1; before >= 0 && from <= 0; before--) from = Math.max(endOf(events[before] as Event), 0)
  for (let at = from; at < event.valueStart; at++) {
    const char = text[at]
    if (char === '|' || char === '>') return at
    if (char === '#') {
      const end = text.indexOf('\n', at)
      if (end < 0) break
      at = end
    }
  }
  return event.valueStart
}
