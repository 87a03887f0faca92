// What a problem says in plain sentences, for places that have no layout of their own.
import { formatPlace, type Problem } from '../errors/index.ts'
import { neutralise } from './neutralise.ts'

/** What is wrong, then what to do, then the other places: one harmless line each. */
export function problemSentences({ message, hint, related = [] }: Problem): string[] {
  const others = related.map((other) => `${startLarge(other.message)}: ${formatPlace(other.place)}`)
  return [sentence(message), ...(hint === undefined ? [] : [sentence(hint)]), ...others.map(neutralise)]
}

/** Messages have no full stop; side by side they need one. */
export function sentence(text: string): string {
  const line = neutralise(text)
  return /[.!?…:]$/.test(line) ? line : `${line}.`
}

/** As the beginning of a sentence. */
export function startLarge(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
