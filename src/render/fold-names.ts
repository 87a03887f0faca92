// Long lists of names, cut to those that say what the list is about, with the number of the others.
import { formatNumber } from './format-count.ts'

/** Who loses something is worth more lines than who gets something. */
const shownOf = { '+': 10, '-': 50 } as const
/** So few more are named as well: the note about them would take as much room. */
const spared = 2

interface Folded<Item> {
  readonly shown: readonly Item[]
  /** `… and 488 more, --verbose for all`; empty where all are shown. */
  readonly note: string
}

/** `way`: how all are had; none where there is no way. */
export function foldNames<Item>(
  items: readonly Item[],
  sign: '+' | '-',
  { whole = false, way = '--verbose for all' }: { readonly whole?: boolean; readonly way?: string } = {},
): Folded<Item> {
  const rest = items.length - shownOf[sign]
  if (whole || rest <= spared) return { shown: items, note: '' }
  return { shown: items.slice(0, shownOf[sign]), note: `… and ${formatNumber(rest)} more, ${way}` }
}
