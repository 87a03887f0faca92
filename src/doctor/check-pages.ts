// Measures how the platform numbers pages of lists, and their length.
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { formatCount } from '@svcsync/errors/index.ts'
import { check, notChecked } from './make-check.ts'

/** The ids on a page; undefined: its number was refused. */
type Page = readonly string[] | undefined

interface PageProbe {
  /** In plural: `Users`. */
  readonly what: string
  /** Items that were asked for. */
  readonly size: number
  /** By number from 0; the third only if the first two do not settle it. */
  readonly pages: readonly [Page, Page, Page?]
  /** The refused pages that are missing. */
  readonly missing?: readonly number[]
}

/** Undefined: the list is empty. */
export function firstPageOf({ pages: [zero, one] }: PageProbe): 0 | 1 | undefined {
  if (zero === undefined || zero.length === 0) return one === undefined || one.length === 0 ? undefined : 1
  return one !== undefined && isSame(zero, one) ? 1 : 0
}

/** The size to which pages are cut. */
export function pageCapOf(seen: PageProbe): number | 'as-asked' | 'too-short-to-tell' {
  const first = firstPageOf(seen)
  if (first === undefined) return 'too-short-to-tell'
  const page = seen.pages[first] ?? []
  if (page.length >= seen.size) return 'as-asked'
  const next = seen.pages[first + 1]
  return next !== undefined && next.length > 0 && !isSame(page, next) ? page.length : 'too-short-to-tell'
}

/** Every page is the same one. */
function ignoresPage(seen: PageProbe): boolean {
  const [, one, two] = seen.pages
  return firstPageOf(seen) === 1 && one !== undefined && two !== undefined && one.length > 0 && isSame(one, two)
}

export function checkPages(lists: readonly PageProbe[]): Check {
  const known = lists.filter((seen) => firstPageOf(seen) !== undefined)
  if (known.length === 0) return notChecked('pages', 'No list with pages was read that holds anything.')
  const details = known.map((seen) => {
    const cap = pageCapOf(seen)
    const length =
      cap === 'too-short-to-tell'
        ? 'fits on one page'
        : cap === 'as-asked'
          ? `${formatCount(seen.size ?? 0, 'item')} a page, as requested`
          : `at most ${formatCount(cap, 'item')} a page`
    return `${seen.what}: pages count from ${firstPageOf(seen)}; ${length}`
  })
  const endless = known.filter(ignoresPage).map(({ what }) => what)
  if (endless.length > 0) {
    return check('pages', 'warning', `The platform gives the same page for every number: ${endless.join(', ')}.`, {
      todo: "Check for more objects than one page holds: svcsync would not see them. Tell the platform's operators.",
      details,
    })
  }
  const cut = known.map(pageCapOf).find((cap) => typeof cap === 'number')
  const found =
    cut === undefined
      ? 'Lists can be read to their end.'
      : `Lists can be read to their end; pages are cut to ${cut} items, whatever size svcsync requests.`
  return check('pages', 'ok', found, { details })
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index])
}
