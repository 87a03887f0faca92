// Holds a formatted text to the one it was made from, by the parser that decides what manifests mean. The last line of
// defence: whatever the layout got wrong, a file whose content would change is not written.

import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'

interface Parsed {
  readonly text: string
  readonly events: readonly Event[]
}

/** True if both have equal values, anchors, aliases, tags and comments in any order of keys. */
export function meansTheSame(before: Parsed, after: Parsed): boolean {
  return contentOf(before) === contentOf(after) && commentsOf(before) === commentsOf(after)
}

/** Sorted. They are whatever follows a `#` behind a space, outside of scalars. */
function commentsOf({ text, events }: Parsed): string {
  const comments: string[] = []
  let at = text.indexOf('#')
  const readTo = (end: number): void => {
    while (at >= 0 && at < end) {
      const isComment = at === 0 || ' \t\n\ufeff'.includes(text[at - 1] as string)
      const lineEnd = text.indexOf('\n', at)
      const after = !isComment ? at + 1 : lineEnd < 0 ? text.length : lineEnd
      if (isComment) comments.push(text.slice(at, after).trimEnd())
      at = text.indexOf('#', after)
    }
  }
  for (const event of events) {
    if (at < 0) break
    if (event.type !== EVENT_ID.SCALAR) continue
    readTo(event.valueStart)
    if (at < event.valueEnd) at = text.indexOf('#', event.valueEnd)
  }
  readTo(text.length)
  return comments.sort().join('\n')
}

/** A text that is equal for equal content. Anchors and tags hold neither spaces nor brackets. */
function contentOf({ text, events }: Parsed): string {
  /** Anchor → the path of its node, at this point of the document. */
  const anchors = new Map<string, string>()
  let index = 0
  const read = (path: string): string => {
    const event = events[index++] as Event
    if (event.type === EVENT_ID.DOCUMENT) {
      anchors.clear()
      return `${JSON.stringify(event.directives)} ${readParts(path)}`
    }
    if (event.type === EVENT_ID.POP) return ''
    const anchor = event.anchorStart < 0 ? '' : text.slice(event.anchorStart, event.anchorEnd)
    if (event.type === EVENT_ID.ALIAS) return JSON.stringify([anchor, anchors.get(anchor)])
    if (anchor !== '') anchors.set(anchor, path)
    const props = `${anchor} ${event.tagStart < 0 ? '' : text.slice(event.tagStart, event.tagEnd)}`
    if (event.type !== EVENT_ID.SCALAR) return `${props} ${readParts(path, event.type === EVENT_ID.MAPPING)}`
    const style = event.style === SCALAR_STYLE.PLAIN ? 'plain' : 'text'
    return `${props} ${style} ${JSON.stringify(getScalarValue(text, event))}`
  }
  const readParts = (path: string, arePairs = false): string => {
    const parts: string[] = []
    while (events[index] !== undefined && events[index]?.type !== EVENT_ID.POP) {
      const key = arePairs ? read(`${path}/?`) : parts.length
      parts.push(`${key}: ${read(`${path}/${key}`)}`)
    }
    index++
    return arePairs ? `{${parts.sort().join()}}` : `[${parts.join()}]`
  }
  return readParts('')
}
