// Accounts that no manifest declares: those that are meant to come from outside, and those that are perhaps a slip.
import { comparePlaces, formatPlace, type Place, type Problem } from '../errors/index.ts'
import type { FoldSvcId } from './address.ts'
import { placeIn } from './declaration.ts'
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
  const declared = new Map<string, string>()
  for (const { kind, partial, at } of desired) {
    if (kind.provides !== undefined && !partial && at.name !== undefined) declared.set(fold(at.name), at.name)
  }
  const uses = new Map<string, Use>()
  const use = (svcId: string, place: Place): void => {
    const key = fold(svcId)
    if (declared.has(key)) return
    const known = uses.get(key)
    if (known !== undefined) known.places.push(place)
    else if (!isExternal(svcId)) uses.set(key, { svcId, places: [place] })
  }
  for (const object of desired) {
    for (const { elements } of Object.values(object.collections)) {
      for (const { element, declaration, path, listedAt } of elements.values()) {
        use(element.svcId, listedAt ?? placeIn(declaration, path))
      }
    }
    const { section } = object.declarations[0]
    for (const field of fieldsOf(section).fields) {
      const value = object.spec[field]
      if (typeof value !== 'string' || value === '') continue
      const reference = section.schema.properties[field]?.reference
      if (reference === 'user' || reference === 'account') use(value, placeOfField(object, [field]))
    }
  }
  return describe([...uses.values()], [...declared.values()])
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
