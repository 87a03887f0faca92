// Accounts that no manifest declares: those that are meant to come from outside, and those that are perhaps a slip.
import { comparePlaces, formatPlace, type Place, type Problem } from '../errors/index.ts'
import type { FoldSvcId } from './address.ts'
import { placeIn } from './declaration.ts'
import { declaredAccounts } from './declared-accounts.ts'
import { type Desired, placeOfField } from './desired.ts'
import { nearAccounts } from './near-misses.ts'
import { fieldsOf } from './schema-fields.ts'
import { svcIdMatcher } from './svc-id-matcher.ts'

/** Whether a svcId matches one of the patterns: `*` is any text, `?` one character. Compared as svcIds are. */
export function externalAccounts(patterns: readonly string[], fold: FoldSvcId): (svcId: string) => boolean {
  const matchers = patterns.map((pattern) => svcIdMatcher(pattern, fold))
  return (svcId) => matchers.some((matches) => matches(svcId))
}

/** More than these are listed by nobody: they say that a whole directory is missing. */
const maxListed = 50

interface Use {
  readonly svcId: string
  readonly places: Place[]
}

/**
 * One warning for each account that is used without being declared and is not external, at the first of its places. What
 * the platform has is not known here: such an account may well exist.
 */
export function undeclaredUses(
  desired: readonly Desired[],
  fold: FoldSvcId,
  isExternal: (svcId: string) => boolean,
): Problem[] {
  const { users, groups } = declaredAccounts(desired, fold)
  const isDeclared = (key: string): boolean => users.get(key)?.partial === false || groups.get(key)?.partial === false
  const uses = new Map<string, Use>()
  // Nearly every account is declared: its place is not asked for.
  const use = (svcId: string, key: string, place: () => Place): void => {
    const known = uses.get(key)
    if (known !== undefined) known.places.push(place())
    else if (!isExternal(svcId)) uses.set(key, { svcId, places: [place()] })
  }
  for (const object of desired) {
    for (const { elements } of Object.values(object.collections)) {
      for (const [elementKey, { element, declaration, path, listedAt }] of elements) {
        // Where there are no levels, an element's key is the svcId as it compares.
        const key = element.level === undefined ? elementKey : fold(element.svcId)
        if (!isDeclared(key)) use(element.svcId, key, () => listedAt ?? placeIn(declaration, path))
      }
    }
    const { section } = object.declarations[0]
    for (const { field, to } of fieldsOf(section).references) {
      const value = object.spec[field]
      if (typeof value !== 'string' || value === '' || (to !== 'user' && to !== 'account')) continue
      const key = fold(value)
      if (!isDeclared(key)) use(value, key, () => placeOfField(object, [field]))
    }
  }
  if (uses.size === 0) return []
  const names = desired.flatMap(({ kind, partial, at }) =>
    kind.provides === undefined || partial ? [] : (at.name ?? []),
  )
  return describe([...uses.values()], names)
}

function describe(uses: readonly Use[], declared: readonly string[]): Problem[] {
  const sorted = uses
    .map(({ svcId, places }) => ({ svcId, places: distinct([...places].sort(comparePlaces)) }))
    .sort((a, b) => comparePlaces(a.places[0] as Place, b.places[0] as Place))
  const listed = sorted.slice(0, maxListed).map(({ svcId, places }): Problem => {
    const [first, ...others] = places
    const near = nearAccounts(svcId, declared)
    const meant = near.length === 0 ? '' : `Did you mean ${near.map((name) => `\`${name}\``).join(' or ')}? `
    const more = others.length === 0 ? '' : `, in ${places.length} places`
    return {
      code: 'SVC1317',
      severity: 'warning',
      message: `\`${svcId}\` is used${more}, and declared nowhere`,
      place: first,
      hint: `${meant}If it exists without a manifest, list it under \`accounts.external\` of the project file; patterns like \`*@corp.example.com\` will do.`,
      ...(others.length > 0 && { related: others.map((place) => ({ message: 'and here', place })) }),
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
      message: `${rest.length} more accounts are used and declared nowhere, the first of them \`${next.svcId}\` in ${formatPlace(next.places[0] as Place)}`,
      place: next.places[0],
      hint: 'List where they come from under `accounts.external` of the project file.',
    },
  ]
}

/** A set names an account in one line, however many lists it goes into. */
function distinct(places: readonly Place[]): Place[] {
  return places.filter((place, index) => index === 0 || comparePlaces(place, places[index - 1] as Place) !== 0)
}
