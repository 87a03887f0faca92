// Compares the access of accounts on two sides, through all groups.
import type { NormaliseSvcId } from '../model/address.ts'
import { compareBy } from '../model/group-by.ts'
import type { AccessEntry } from './describe-access.ts'

/** By account and object. Ways may differ: who can do the same through other groups is on both sides. */
export function accessBetween(
  first: readonly AccessEntry[],
  second: readonly AccessEntry[],
  normalise: NormaliseSvcId,
): readonly (AccessEntry & { readonly on: 'first' | 'second' })[] {
  const keyOf = ({ subject, level, address, company, kind }: AccessEntry): string =>
    JSON.stringify([subject && normalise(subject), address, level, company, kind])
  const byKey = (all: readonly AccessEntry[]) => new Map(all.map((entry) => [keyOf(entry), entry]))
  const [inFirst, inSecond] = [byKey(first), byKey(second)]
  const alone = (own: typeof inFirst, other: typeof inFirst, on: 'first' | 'second') =>
    [...own].flatMap(([key, entry]) => (other.has(key) ? [] : [[key, { ...entry, on }] as const]))
  return [...alone(inFirst, inSecond, 'first'), ...alone(inSecond, inFirst, 'second')]
    .sort(compareBy(([key]) => key))
    .map(([, entry]) => entry)
}
