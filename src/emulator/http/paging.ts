// Divides lists into pages.
import { badQuery, notFound } from './refusal.ts'
import type { Call } from './route.ts'

export const paging = { page: 'optional', size: 'optional' } as const
const defaultSize = 20

/** Pages before the first show the first: clients that count from 0 read such a list twice, and miss nothing. */
export function pageOf<T>(items: readonly T[], call: Call, documentedFirst: 0 | 1): readonly T[] {
  const { firstPage, pageAfterLast, pageCap } = call.state.behaviour
  const first = firstPage === 'documented' ? documentedFirst : firstPage
  const asked = wholeNumber(call, 'size', defaultSize, 1)
  const size = pageCap === null ? asked : Math.min(asked, Math.max(1, pageCap))
  const page = Math.max(0, wholeNumber(call, 'page', first, 0) - first)
  // The documents give the 404 for substitutions, and there for an empty list, too.
  const mayBeMissing = page > 0 || documentedFirst === 1
  if (pageAfterLast === 'notFound' && mayBeMissing && page * size >= items.length)
    throw notFound(`page ${page + first}`)
  return items.slice(page * size, (page + 1) * size)
}

function wholeNumber(call: Call, name: string, absent: number, least: number): number {
  const given = call.query[name]
  if (given === undefined) return absent
  const value = Number(given)
  if (!/^\d{1,9}$/.test(given) || value < least) {
    throw badQuery(`"${name}" must be a whole number, ${least} or more.`)
  }
  return value
}
