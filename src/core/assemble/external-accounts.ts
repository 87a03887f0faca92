// Accounts that no manifest declares: those that are meant to come from outside, and those that are perhaps a slip.
import { comparePlaces, formatCount, formatPlace, inCode, type Problem } from '@svcsync/errors/index.ts'
import { type NormaliseSvcId, svcIdMatcher } from '../model/address.ts'
import type { Desired, ProblemPlaces } from '../model/desired.ts'
import { didYouMean, nearAccounts } from '../model/near-misses.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { plainText, type Text } from '../model/sensitive.ts'
import { declaredAccounts, visitAccountUses } from './account-uses.ts'

export function externalAccounts(patterns: readonly Text[], normalise: NormaliseSvcId): (svcId: string) => boolean {
  const matchers = patterns.map((pattern) => svcIdMatcher(plainText(pattern), normalise))
  return (svcId) => matchers.some((matches) => matches(svcId))
}

/** More than these are listed by nobody: they say that a whole directory is missing. */
const maxListed = 50

/** Most accounts that go missing are slips or belonged to somebody: said before anything that would keep them. */
export function unknownAccountHint(near: readonly string[], svcId: string): string {
  const meant = didYouMean(near, svcId)
  return `${meant === undefined ? '' : `${meant} `}Has the person left? Then remove the account here. `
}

interface ExternalUse {
  readonly svcId: string
  readonly places: ProblemPlaces[]
  /** All that is declared of it is that it holds nothing. */
  isEmpty: boolean
}

/** One warning for each account, at the first of its places. The platform may well have it. */
export function undeclaredUses(desired: readonly Desired[], isExternal: (svcId: string) => boolean): Problem[] {
  const { users, groups } = declaredAccounts(desired)
  const isUndeclared = (key: string): boolean => users.get(key)?.partial !== false && groups.get(key)?.partial !== false
  const uses = new Map<string, ExternalUse>()
  visitAccountUses(desired, isUndeclared, ({ svcId, key, object, places }) => {
    const isEmpty = holdsNothing(object)
    const known = uses.get(key)
    if (known !== undefined) {
      known.places.push(places())
      known.isEmpty &&= isEmpty
    } else if (!isExternal(svcId)) uses.set(key, { svcId, places: [places()], isEmpty })
  })
  if (uses.size === 0) return []
  const names = desired.flatMap(({ kind, partial, at }) =>
    kind.provides === undefined || partial ? [] : (at.name ?? []),
  )
  return describe([...uses.values()], names)
}

function holdsNothing({ declarations: [{ section }], collections }: Desired): boolean {
  return (
    fieldsOf(section).holder !== undefined && Object.values(collections).every(({ elements }) => elements.size === 0)
  )
}

function describe(uses: readonly ExternalUse[], declared: readonly string[]): Problem[] {
  const sorted = uses
    .map(({ places, ...use }) => ({ ...use, places: distinct([...places].sort(byPlace)) }))
    .sort((a, b) => byPlace(a.places[0], b.places[0]))
  const listed = sorted.slice(0, maxListed).map(({ svcId, places, isEmpty }): Problem => {
    const [first, ...others] = places
    const related = [...(first.related ?? []), ...others.map(({ place }) => ({ message: 'and here', place }))]
    const near = nearAccounts(svcId, declared)
    const left = isEmpty ? 'Has an apply deleted the account? Then remove this entry: it gives nothing. ' : undefined
    const more = others.length === 0 ? '' : `, in ${formatCount(places.length, 'place')}`
    return {
      code: 'SVC1317',
      severity: 'warning',
      message: `${inCode(svcId)} is used${more}, but not declared`,
      place: first.place,
      hint:
        `${left ?? unknownAccountHint(near, svcId)}If it exists without a manifest, list it under ` +
        '`accounts.external` of the project file; patterns such as `*@corp.example.com` are allowed.',
      ...(related.length > 0 && { related }),
    }
  })
  const rest = sorted.slice(maxListed)
  const [next] = rest
  if (next === undefined) return listed
  return [
    ...listed,
    {
      code: 'SVC1317',
      severity: 'warning',
      message:
        `${formatCount(rest.length, 'more account is', 'more accounts are')} used but not declared, ` +
        `the first of them ${inCode(next.svcId)} in ${formatPlace(next.places[0].place)}`,
      place: next.places[0].place,
      hint:
        'Remove the accounts of people who have left, ' +
        'and list patterns for the others under `accounts.external` of the project file.',
    },
  ]
}

function byPlace(a: ProblemPlaces, b: ProblemPlaces): number {
  return comparePlaces(a.place, b.place)
}

/** A set names an account in one line, however many lists use the set. Takes at least one place. */
function distinct(places: readonly ProblemPlaces[]): readonly [ProblemPlaces, ...ProblemPlaces[]] {
  const [first, ...others] = places.filter(
    (place, index) => index === 0 || byPlace(place, places[index - 1] as ProblemPlaces) !== 0,
  )
  return [first as ProblemPlaces, ...others]
}
