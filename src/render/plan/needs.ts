// What an apply will need, and neither a plan nor a validation does.
import { enumerate } from '../problems/problem-sentences.ts'

const shown = 10

/** One sentence; empty: everything is there. `who`: `The target prod`. */
export function sayNeeds(needs: readonly string[] = [], who?: string): string {
  if (needs.length === 0) return ''
  const rest = needs.length - shown
  const names = rest > 1 ? [...needs.slice(0, shown), `${rest} more`] : needs
  const begin = who === undefined ? 'Needs' : `${who} needs`
  return `${begin} ${enumerate(names)} to apply, which ${needs.length === 1 ? 'is' : 'are'} not here.`
}
