// What a problem says in plain sentences, for places that have no layout of their own.
import { formatPlace, type Problem } from '../errors/index.ts'
import { neutralise } from './neutralise.ts'

/** What is wrong, for which targets, then what to do, then the other places: one harmless line each. */
export function problemSentences({ message, hint, targets, related = [] }: Problem): string[] {
  const others = related.map((other) => `${startLarge(other.message)}: ${formatPlace(other.place)}`)
  const where = targets === undefined ? [] : [sentence(startLarge(inTargets(targets)))]
  return [sentence(message), ...where, ...(hint === undefined ? [] : [sentence(hint)]), ...others.map(neutralise)]
}

/** `in the targets dev and test`. */
export function inTargets(names: readonly string[]): string {
  return `in the ${names.length === 1 ? 'target' : 'targets'} ${enumerate(names)}`
}

/** `a, b and c`. */
export function enumerate(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
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
