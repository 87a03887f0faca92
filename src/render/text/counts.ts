// Counts and durations in sentences, and long lists cut to those that say what the list is about.

import { formatNumber } from '@svcsync/errors/index.ts'

export { byCount, formatCount, formatNumber } from '@svcsync/errors/index.ts'

/** `340 ms`, `12.4 s`, `3 min 5 s`, `2 h 4 min`. */
export function formatDuration(elapsedMs: number): string {
  if (elapsedMs < 1000) return `${Math.round(elapsedMs)} ms`
  if (elapsedMs < 59_950) return `${(elapsedMs / 1000).toFixed(1)} s`
  const seconds = Math.round(elapsedMs / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** A loss gets more lines than a gain. */
const shownOf = { '+': 10, '-': 50 } as const
/** So few more are named as well: the note about them would take as much room. */
const spareNames = 2

/** `way`: how all are had; none where there is no way. */
export function foldNames<Item>(
  items: readonly Item[],
  sign: '+' | '-',
  { whole = false, way = '--verbose for all' }: { readonly whole?: boolean | undefined; readonly way?: string } = {},
) {
  const rest = items.length - shownOf[sign]
  if (whole || rest <= spareNames) return { shown: items, note: '' }
  return { shown: items.slice(0, shownOf[sign]), note: `… and ${formatNumber(rest)} more, ${way}` }
}
