// Suggestions for what was probably meant, and names in sentences.
import { inCode } from '@svcsync/errors/index.ts'
import { type Address, addressMatcher } from './address.ts'
import type { Text } from './sensitive.ts'

/** The options that lie near `word`, best first, at most three. Case counts little. */
export function nearMisses(word: string, options: Iterable<string>): string[] {
  const wanted = word.toLowerCase()
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  const scored: { option: string; score: number }[] = []
  for (const option of options) {
    const candidate = option.toLowerCase()
    const score = editDistance(wanted, candidate, limit)
    if (score <= limit || (candidate.startsWith(wanted) && wanted.length >= 3)) scored.push({ option, score })
  }
  scored.sort((a, b) => a.score - b.score || (a.option < b.option ? -1 : 1))
  return scored.slice(0, 3).map(({ option }) => option)
}

/** With a domain, one of the two parts must match; without one, the account may have lost its domain. */
export function nearAccounts(svcId: string, accounts: Iterable<string>): string[] {
  const [name, domain] = partsOf(svcId.toLowerCase())
  const byName: string[] = []
  const elsewhere = new Set<string>()
  const candidates = new Map<string, string>()
  for (const account of accounts) {
    const [otherName, otherDomain] = partsOf(account.toLowerCase())
    if (otherDomain === domain) candidates.set(otherName, account)
    else if (otherName === name && domain === '') elsewhere.add(account)
    else if (otherName === name && nearMisses(domain, [otherDomain]).length > 0) byName.push(account)
  }
  const inDomain = nearMisses(name, candidates.keys()).map((other) => candidates.get(other) as string)
  const whole = elsewhere.size === 1 ? elsewhere : []
  return [...whole, ...inDomain, ...byName.sort()].slice(0, 3)
}

function nearGlobs(glob: string, addresses: readonly Address[], kinds: Parameters<typeof addressMatcher>[1]): string[] {
  // The kind was left out.
  const within = addresses.filter((address) => address.toLowerCase().endsWith(`/${glob.toLowerCase()}`))
  if (within.length > 0) return within.slice(0, 3)
  const wildcard = glob.search(/[*?]/)
  if (wildcard < 0) return (glob.includes('@') ? nearAccounts : nearMisses)(glob, addresses)
  // Compares the text before the first wildcard with as much of each address, give or take one character.
  const [literal, rest] = [glob.slice(0, wildcard), glob.slice(wildcard)]
  for (const length of [wildcard, wildcard + 1, wildcard - 1]) {
    const starts = addresses.map((address) => address.slice(0, length))
    const alike = starts.filter((start) => start.endsWith('/') === literal.endsWith('/'))
    const near = nearMisses(literal, new Set(alike))
    const globs = near.map((start) => start + rest).filter((other) => addresses.some(addressMatcher(other, kinds)))
    if (globs.length > 0) return globs
  }
  return []
}

function partsOf(svcId: string): readonly [name: string, domain: string] {
  const at = svcId.lastIndexOf('@')
  return at < 0 ? [svcId, ''] : [svcId.slice(0, at), svcId.slice(at)]
}

/** `Did you mean X?`, or undefined where nothing is near. */
export function suggestion(word: string, options: Iterable<string>): string | undefined {
  return didYouMean(nearMisses(word, options), word)
}

export function globSuggestion(
  glob: string,
  addresses: readonly Address[],
  kinds: Parameters<typeof addressMatcher>[1],
): string | undefined {
  return didYouMean(nearGlobs(glob, addresses, kinds))
}

/** `word`: what was written. It may look just like what was meant. */
export function didYouMean(near: readonly string[], word = ''): string | undefined {
  const unseen = hasInvisible(word) ? ' What is written has white space at an end, or holds what nobody sees.' : ''
  return near.length === 0 ? undefined : `Did you mean ${quoted(near, ' or ')}?${unseen}`
}

/** Blanks at an end, or what looks like one, or like nothing: a copy from a mail or a page brings it along. */
export function hasInvisible(text: string): boolean {
  return /^\s|\s$|[\u00a0\u00ad\u200b-\u200f\u2007\u2028-\u202f\u2060-\u2064\ufeff]/.test(text)
}

export function quoted(names: Iterable<Text>, between = ', '): string {
  return Array.from(names, inCode).join(between)
}

/** The first of them, each as code, and how many more there are. */
export function firstFew(names: readonly string[], most: number): string {
  const rest = names.length - most
  return `${quoted(names.slice(0, most))}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** The first of them, and how many more there are. */
export function cutLines(lines: readonly string[], most: number): string[] {
  const rest = lines.length - most
  return rest > 0 ? [...lines.slice(0, most), `and ${rest} more`] : [...lines]
}

/** `a, b and c`. */
export function enumerate(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Edits, with a swap of neighbours as one; anything above `limit` is `limit + 1`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let best = row
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] as number) + 1)
      }
      current.push(cost)
      best = Math.min(best, cost)
    }
    if (best > limit) return limit + 1
    beforeLast = last
    last = current
  }
  return last[b.length] as number
}
