// Hides what looks like a credential in a part of a file that is not read: its fields are unknown, but it may be shown.
import { EVENT_ID, type Event } from 'js-yaml'
import { isCredentialName } from './credential-name.ts'
import { skipNode, spanOf } from './node-events.ts'
import type { Reading } from './reading.ts'

/** Hides the values of keys that are called like credentials, in the node at `index`. Returns the index behind it. */
export function hideCredentials(walk: Reading, index: number): number {
  const { events, text } = walk
  const after = skipNode(events, index)
  // One flag for each open mapping: true where its next node is a key; undefined for lists.
  const keyNext: (boolean | undefined)[] = []
  for (let each = index; each < after; each++) {
    const event = events[each] as Event
    if (event.type === EVENT_ID.POP) {
      keyNext.pop()
      continue
    }
    const top = keyNext.length - 1
    const isKey = keyNext[top] === true
    if (keyNext[top] !== undefined) keyNext[top] = !isKey
    if (isKey && event.type === EVENT_ID.SCALAR && isCredentialName(walk.decode(event))) {
      const { start, end } = spanOf(events, each + 1, text)
      if (!isWholeReference(text.slice(start, end))) walk.source.hide(start, end)
    }
    if (event.type === EVENT_ID.MAPPING) keyNext.push(true)
    else if (event.type === EVENT_ID.SEQUENCE) keyNext.push(undefined)
  }
  return after
}

/** True for `${…}`, with or without quotes: it may be shown. */
export function isWholeReference(written: string): boolean {
  return /^(["']?)\$\{(?:env|file):[^}"']*\}\1$/.test(written.trim())
}
