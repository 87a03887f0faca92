// Reads from answers which variant of the platform this is. Variants that only a write would show are named as such.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { TokenAnswer } from '@svcsync/core/model/platform-port.ts'
import type { Variant } from '@svcsync/core/plan/doctor-report.ts'
import type { checkSvcIdCase } from './check-installation.ts'
import { type checkPages, firstPageOf, pageCapOf } from './check-pages.ts'

interface Observations {
  /** Items of lists of privileges, each list by itself. */
  readonly privileges: readonly (readonly Json[])[]
  readonly svcIdCase: Parameters<typeof checkSvcIdCase>[0]
  readonly pages: Parameters<typeof checkPages>[0]
  /** Groups as they are read one by one. */
  readonly groups: readonly JsonObject[]
  /** Users and groups, from lists and reads. */
  readonly accounts: readonly JsonObject[]
  /** The accounts that are users. */
  readonly users: readonly JsonObject[]
  /** Keys in answers that svcsync does not know. */
  readonly unknownKeys: ReadonlySet<string>
  /** Constants as they are read one by one. */
  readonly constants: readonly JsonObject[]
  readonly token: TokenAnswer | undefined
  /** The platform refused a token before its end. */
  readonly isTokenRefusedEarly: boolean
}

type Observed = readonly [state: string | undefined, found: string]

const onlyByWriting: Observed = [undefined, 'Only a write would show it.']
const onlyByDeleting: Observed = [undefined, 'Only an account that is deleted would show it.']

export function findVariants(seen: Observations): readonly Variant[] {
  const all: readonly (readonly [number, string, string, Observed])[] = [
    [1, 'privilegeLevels', 'a second level for one subject', levels(seen)],
    [1, 'privilegeRemoval', 'what removing one level takes', onlyByWriting],
    [1, 'privilegeCompany', 'the business entity of a privilege', fromPrivileges(seen, company)],
    [1, 'privilegeName', 'the key of names in lists of privileges', fromPrivileges(seen, nameKey)],
    [2, 'svcIdCase', 'svcIds that differ in case only', svcIdCase(seen)],
    [3, 'pageCap', 'the longest page', pageCap(seen)],
    [3, 'firstPage', 'the number of the first page', firstPage(seen)],
    [4, 'emptyMembers', 'a group without members or owners', emptyMembers(seen)],
    [5, 'afterDelete', 'reading a deleted object at once', onlyByWriting],
    [6, 'writeWhileWaiting', 'a write to an object that waits for synchronisation', onlyByWriting],
    [7, 'emptyText', 'empty texts and null', emptyText(seen)],
    [8, 'inheritedEnvironments', 'environments of constants that inherit', inherited(seen)],
    [9, 'tokenExpiry', '`expires_in` of a token', tokenExpiry(seen)],
    [9, 'tokenRejectedAfterMs', 'tokens that are refused before their end', refusedEarly(seen)],
    [10, 'lostWrites', 'a write whose answer was lost', onlyByWriting],
    [11, 'privilegeLevel', 'the level of a privilege', fromPrivileges(seen, levelTold)],
    [12, 'absentUserFields', 'fields of a user that an update leaves out', onlyByWriting],
    [13, 'apiApplicationMembers', 'accounts of API applications as members', onlyByWriting],
    [14, 'newUsers', 'new users that an import would refuse', onlyByWriting],
    [15, 'absentFields', 'fields of answers that are not set', absentFields(seen)],
    [16, 'newFields', 'fields that no document has', newFields(seen)],
    [16, 'newWords', 'words that no document has', onlyByWriting],
    [17, 'pageAfterLast', 'the page after the last', pageAfterLast(seen)],
    [18, 'licensesOfDeleted', 'licences of a deleted account', onlyByDeleting],
  ]
  return all.map(([number, name, about, [state, found]]) => ({
    number,
    switch: name,
    about,
    ...(state !== undefined && { state }),
    found,
  }))
}

function levels({ privileges }: Observations): Observed {
  const twice = privileges.some((list) => {
    const subjects = list.filter(isJsonObject).map(({ svcId, company }) => JSON.stringify([svcId, company ?? null]))
    return new Set(subjects).size < subjects.length
  })
  if (twice) return ['several', 'An account was seen with several levels on one object.']
  return [undefined, 'Nobody was seen with several levels on one object: they may not be possible, or not in use.']
}

/** `of`: given those that were read, of which there is one at least. */
function fromPrivileges({ privileges }: Observations, of: (items: readonly JsonObject[]) => Observed): Observed {
  const items = privileges.flat().filter(isJsonObject)
  return items.length === 0 ? [undefined, 'No privilege was read.'] : of(items)
}

function company(items: readonly JsonObject[]): Observed {
  if (items.some((item) => 'company' in item)) return ['returned', 'A privilege was read that tells it.']
  return [undefined, 'No privilege has one: the platform omits it, or no privilege is limited to one.']
}

function levelTold(items: readonly JsonObject[]): Observed {
  if (items.some((item) => 'level' in item)) return ['returned', 'A privilege was read that tells it.']
  return [
    'omitted',
    'No privilege tells it: lists of privileges can only be added to, with `manage`, and not compared.',
  ]
}

function nameKey(items: readonly JsonObject[]): Observed {
  for (const key of ['username', 'name']) {
    if (items.some((item) => key in item)) return [key, 'Seen in the privileges that svcsync read.']
  }
  return [undefined, 'The privileges that were read have no name.']
}

function svcIdCase({ svcIdCase: seen }: Observations): Observed {
  if (seen === undefined) return [undefined, 'The lists have no account that could be read in another case.']
  return seen.isFound
    ? ['insensitive', 'An account was read by its svcId in another case.']
    : ['sensitive', 'An account was not found by its svcId in another case.']
}

function pageCap({ pages }: Observations): Observed {
  const told = pages.map(pageCapOf).find((cap) => cap !== 'too-short-to-tell')
  if (told === undefined) return [undefined, 'No list that was read is longer than a page.']
  if (told !== 'as-asked') return [String(told), 'svcsync requested a longer page.']
  return [undefined, `A page of the ${pages[0]?.size ?? 0} requested items came: a limit, if any, is not lower.`]
}

function firstPage({ pages }: Observations): Observed {
  const first = pages.map(firstPageOf).find((number) => number !== undefined)
  if (first === undefined) return [undefined, 'No list with pages that was read holds anything.']
  return [
    String(first),
    first === 1 ? 'Page 0 is refused, empty, or page 1 again.' : 'Page 0 holds what page 1 does not.',
  ]
}

function emptyMembers({ groups }: Observations): Observed {
  const lists = groups.flatMap(({ members, owners }) => [members, owners])
  if (lists.includes(null)) return ['null', 'A group was read that shows it.']
  if (lists.some((list) => Array.isArray(list) && list.length === 0))
    return ['emptyList', 'A group was read that shows it.']
  return [
    undefined,
    groups.length === 0 ? 'No group was read.' : 'No group that was read is without members or owners.',
  ]
}

/** For one field: other empty fields may be read-only. */
function emptyText({ accounts, constants }: Observations): Observed {
  const found = new Map<string, Set<Json | undefined>>()
  for (const [what, items] of [['account', accounts] as const, ['other', constants] as const]) {
    for (const item of items) {
      for (const [key, value] of Object.entries(item)) {
        if (value !== null && value !== '') continue
        const field = `${what} ${key}`
        found.set(field, (found.get(field) ?? new Set()).add(value))
      }
    }
  }
  if ([...found.values()].some(({ size }) => size > 1))
    return ['asWritten', 'One field was read both as `null` and as an empty text.']
  if (found.size === 0) return [undefined, 'No field that was read is empty.']
  return [
    undefined,
    'No field was read both as `null` and as an empty text: whether both are kept, only a write would show.',
  ]
}

function inherited({ constants }: Observations): Observed {
  const parts = constants.flatMap(({ dev, test, prod }) => [dev, test, prod])
  if (parts.some((part) => isJsonObject(part) && part.breakInheritance === false)) {
    return ['shown', 'A constant was read that shows them.']
  }
  if (parts.some((part) => part === undefined)) return ['omitted', 'A constant was read that leaves them out.']
  return [undefined, constants.length === 0 ? 'No constant was read.' : 'No environment that was read inherits.']
}

/** For users and groups only: other objects leave out fields by their type. */
function absentFields({ users, groups, constants }: Observations): Observed {
  if (users.some((user) => Object.values(user).includes(null)))
    return ['told', 'A user was read with a field that is `null`.']
  if (![users, groups].some(differInKeys))
    return [undefined, 'Nobody was read with a field that is `null`, or without one that others have.']
  const parts = [
    ...users,
    ...groups,
    ...constants.flatMap((each) => [each, ...Object.values(each).filter(isJsonObject)]),
  ]
  if (parts.some((part) => Object.values(part).some((value) => value === false || value === 0)))
    return ['nullsOmitted', 'Fields are left out, and others are `false` or 0.']
  return [undefined, 'Fields are left out; no answer shows if that includes `false` and 0.']
}

function differInKeys(items: readonly JsonObject[]): boolean {
  return new Set(items.map((item) => Object.keys(item).sort().join('\n'))).size > 1
}

function newFields({ unknownKeys, accounts }: Observations): Observed {
  if (unknownKeys.size > 0)
    return ['told', 'Answers have keys that svcsync does not know: the check `answers` names them.']
  return accounts.length === 0
    ? [undefined, 'No account was read.']
    : ['none', 'All keys that were read are documented.']
}

function pageAfterLast({ pages }: Observations): Observed {
  const ends = pages.map(pageAfterLastOf).find((end) => end !== undefined)
  if (ends === undefined) return [undefined, 'svcsync requested no page behind the last one of a list.']
  return ends === 'empty'
    ? ['empty', 'A page behind the last one of a list holds nothing.']
    : ['notFound', 'A page behind the last one of a list is not found.']
}

function tokenExpiry({ token }: Observations): Observed {
  if (token === undefined) return [undefined, 'No token was given.']
  if (token.lifetimeMs === undefined) return ['notReported', 'The answer with the token does not tell.']
  return ['reported', `${Math.round(token.lifetimeMs / 1000)} s.`]
}

function refusedEarly({ isTokenRefusedEarly }: Observations): Observed {
  if (isTokenRefusedEarly) return ['refused', 'A token was refused before its end while doctor ran.']
  return [undefined, 'None was refused while doctor ran, which is not long.']
}

/** The key that every account has, in the documents' word for it. */
const accountKey = 'svcId'

/** The installation's key for `svcId`: `crmId` gives the advice `svcId: crmId`. Undefined: no similar key. */
export function suggestKeys(items: readonly Json[]): string | undefined {
  const [first] = items
  if (!isJsonObject(first) || accountKey in first) return undefined
  return Object.keys(first).find((key) => /^[a-z][A-Za-z0-9]*Id$/.test(key) && typeof first[key] === 'string')
}

/** The page after the last one of a list; undefined: none was requested, or it was refused for another reason. */
function pageAfterLastOf(seen: Observations['pages'][number]): 'empty' | 'notFound' | undefined {
  const first = firstPageOf(seen)
  if (first === undefined) return undefined
  const at = first + 1
  if (seen.pages[at]?.length === 0) return 'empty'
  return seen.missing?.includes(at) ? 'notFound' : undefined
}
