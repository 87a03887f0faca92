// JSON that is harmless on its way: in a terminal, in a review, and in the log of a pipeline.
import { neutralise } from './neutralise.ts'

/**
 * What `JSON.stringify` leaves as it is and `neutralise` would not is written as an escape: the same data to every
 * reader. So is a `#` before another one, since runners take `##[…]` and `##vso[…]` anywhere in a log for a command.
 */
export function safeJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  const escaped = text.replace(/#(?=#)|[^\n -~]/gu, (char) => {
    return char !== '#' && neutralise(char) === char ? char : escapeUnits(char)
  })
  return `${escaped}\n`
}

function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, index) => {
    return `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
}
