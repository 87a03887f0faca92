// Compares the access of accounts on two sides, through all groups.
import type { NormaliseSvcId } from '../model/address.ts'
import type { AccessEntry } from './describe-access.ts'

/** By account and object. Ways may differ: who can do the same through other groups is on both sides. */
export function accessBetween(
  first: readonly AccessEntry[],
  second: readonly AccessEntry[],
  normalise: NormaliseSvcId,
): readonly (AccessEntry & { readonly on: 'first' | 'second' })[] {
  const keyOf = ({ subject, level, address, company, kind }: AccessEntry): string =>
    JSON.stringify([subject && normalise(subject), address, level, company, kind])
  const [inFirst, inSecond] = [first, second].map((all) => new Map(all.map((entry) => [keyOf(entry), entry])))
  const alone = (own = inFirst, other = inSecond, on: 'first' | 'second' = 'first') =>
    [...(own ?? [])].flatMap(([key, entry]) => (other?.has(key) ? [] : [[key, { ...entry, on }] as const]))
  return [...alone(), ...alone(inSecond, inFirst, 'second')]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, entry]) => entry)
}
