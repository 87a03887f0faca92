// Accounts that are to be given something, and of which nobody knows: neither a manifest nor the platform.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { namedIn } from '../assemble/account-uses.ts'
import { unknownAccountHint } from '../assemble/external-accounts.ts'
import { objectAddress } from '../model/address.ts'
import { type Declaration, placeIn } from '../model/declaration.ts'
import { type ProblemPlaces, placeOfField, placesOfElement } from '../model/desired.ts'
import { accountKeys, subjectKey } from '../model/elements.ts'
import { nearAccounts } from '../model/near-misses.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { Change } from './change.ts'

interface GivenAccount {
  readonly svcId: string
  readonly key: string
  readonly address: string
  readonly places: () => ProblemPlaces
  /** For a field (`managerSvcId`), which some installations allow to name a missing account. */
  readonly isField: boolean
}

/** Each account once. `accounts` are keys. */
export function undeclaredAccounts(
  changes: readonly Change[],
  accounts: ReadonlySet<string>,
  isExternal: (account: string) => boolean,
): readonly GivenAccount[] {
  const gives = changes.filter(({ action }) => action === 'create' || action === 'update')
  if (gives.length === 0) return []
  const known = new Set(accounts)
  for (const { desired, live: found } of changes) {
    if (desired?.kind.provides !== undefined) known.add(desired.key)
    for (const account of Object.values(found?.collections ?? {}).flatMap(accountKeys)) known.add(account)
  }
  // Thousands of accounts may be given something, but few are unknown.
  const given = gives.flatMap((change) => givenBy(change, known))
  return given.filter(({ key }) => {
    if (known.has(key)) return false
    known.add(key)
    return !isExternal(key)
  })
}

/** But those in `known`. */
function givenBy(change: Change, known: ReadonlySet<string>): readonly GivenAccount[] {
  const { desired, address, action } = change
  if (desired === undefined) return []
  const added =
    action === 'create'
      ? Object.values(desired.collections).flatMap(({ elements }) => [...elements.values()])
      : change.collections.flatMap((difference) => difference.added)
  const listed = added.flatMap((wanted): GivenAccount[] => {
    const { element } = wanted
    const { svcId } = element
    if (svcId === undefined) return []
    const key = subjectKey(element)
    if (known.has(key)) return []
    return [{ svcId, key, address, places: () => placesOfElement(wanted), isField: false }]
  })
  const isHolder = fieldsOf(desired.declarations[0].section).holder !== undefined
  const isGiven = (field: string): boolean =>
    isHolder ? added.length > 0 : change.fields.some(({ path }) => path[0] === field)
  const named = namedIn(desired).filter(({ field }) => action === 'create' || isGiven(field))
  return [
    ...listed,
    ...named.map(({ field, svcId, key }): GivenAccount => {
      return { svcId, key, address, places: () => ({ place: placeOfField(desired, [field]) }), isField: true }
    }),
  ]
}

interface KnownAccounts {
  readonly accounts: ReadonlySet<string>
  /** Declared accounts that the run does not read: key → declaration. */
  readonly unselected: ReadonlyMap<string, Declaration>
}

/** Suggestions are for slips, and slips are few: beyond this nobody reads them. */
const maxSuggestions = 20

/** Warns of them, the undeclared that nobody found. They may be directory accounts, which cannot be looked up. */
export function unknownAccounts(
  changes: readonly Change[],
  undeclared: readonly GivenAccount[],
  known: KnownAccounts,
): Problem[] {
  const unknown = undeclared.filter(({ key }) => !known.accounts.has(key))
  if (unknown.length === 0) return []
  const names = new Map([...known.accounts].map((svcId) => [svcId, svcId]))
  for (const { desired } of changes) {
    if (desired?.kind.provides !== undefined && !desired.absent) names.set(desired.key, desired.at.name ?? '')
  }
  return unknown.map((given, index) => {
    const { svcId, key, address, isField } = given
    const places = given.places()
    const will = isField ? 'may' : 'will'
    const elsewhere = known.unselected.get(key)
    if (elsewhere !== undefined) return unselectedAccount(svcId, address, places, elsewhere, will)
    const near = index < maxSuggestions ? nearAccounts(svcId, names.values()) : []
    return {
      code: 'SVC1306',
      severity: 'warning',
      address,
      account: svcId,
      message: `${inCode(svcId)} is not declared, and the platform has no such user or group`,
      ...places,
      hint:
        `${unknownAccountHint(near, svcId)}If it is a directory account, ` +
        `list it under \`accounts.external\` of the project file; otherwise the platform ${will} refuse it.`,
    }
  })
}

/** It is declared, and nothing in this run will create it. */
function unselectedAccount(
  svcId: string,
  address: string,
  { place, related = [] }: ProblemPlaces,
  elsewhere: Declaration,
  will: 'may' | 'will',
): Problem {
  const declared = placeIn(elsewhere, [])
  const own = objectAddress(elsewhere.kind, svcId)
  return {
    code: 'SVC1315',
    severity: 'warning',
    address,
    account: svcId,
    message: `${inCode(svcId)} is not on the platform yet, and \`--only\` leaves its declaration out`,
    place,
    hint: `The platform ${will} refuse it: select it as well, with \`--only "${own}"\`.`,
    related: [...related, { message: 'declared here', place: declared }],
  }
}
