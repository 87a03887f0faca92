// Hides what looks like a credential in a file that has problems: frames show its lines.
import { EVENT_ID, type Event } from 'js-yaml'
import { isCredentialName } from './credential-name.ts'
import { spanOf } from './node-events.ts'
import type { Reading } from './reading.ts'

/**
 * Hides the values of all keys that are called like credentials, but for whole references. Of the whole file, read or
 * not: a credential may stand twice, under a tag, or below a key that nobody knows.
 */
export function hideCredentials(walk: Pick<Reading, 'events' | 'text' | 'source' | 'decode'>): void {
  const { events, text } = walk
  // One flag for each open mapping: true where its next node is a key; undefined for lists and documents.
  const keyNext: (boolean | undefined)[] = []
  for (const [index, event] of events.entries()) {
    if (event.type === EVENT_ID.POP) {
      keyNext.pop()
      continue
    }
    const top = keyNext.length - 1
    const isKey = keyNext[top] === true
    if (keyNext[top] !== undefined) keyNext[top] = !isKey
    if (isKey && event.type === EVENT_ID.SCALAR && isCredentialName(walk.decode(event))) {
      const { start, end } = spanOf(events, index + 1, text)
      if (!isWholeReference(text.slice(start, end))) walk.source.hide(start, end)
    }
    if (event.type === EVENT_ID.MAPPING) keyNext.push(true)
    else if (opens(event)) keyNext.push(undefined)
  }
}

function opens({ type }: Event): boolean {
  return type === EVENT_ID.SEQUENCE || type === EVENT_ID.DOCUMENT
}

/** True for `${…}`, with or without quotes: it may be shown. */
export function isWholeReference(written: string): boolean {
  return /^(["']?)\$\{(?:env|file):[^}"']*\}\1$/.test(written.trim())
}
