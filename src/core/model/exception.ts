// A difference from the manifests that the file of exceptions allows, with its end and its reason.
import type { Place } from '@svcsync/errors/index.ts'
import type { Address } from './address.ts'

interface ExceptionTerms {
  /** Absent: of every target. */
  readonly target?: string | undefined
  readonly until: string
  /** Counts up to, and not including, this; milliseconds since 1970. */
  readonly untilMs: number
  readonly reason: string
  /** The place of the exception, or of the key that is wrong. */
  readonly place: Place
  /** The offset at which its item begins in the file. */
  readonly offset: number
  placeOf(key: string): Place
}

export interface AccessException extends ExceptionTerms {
  readonly person: string
  /** `owner` of who owns a group. */
  readonly level: string
  readonly object: Address
  /** Absent: whatever it is limited to. */
  readonly company?: string | undefined
}

export interface DifferenceException extends ExceptionTerms {
  readonly address: Address
  /** Dotted, as differences have it; of a list its name. All that is below it is meant as well. */
  readonly path?: string | undefined
  /** The svcId or item, for a list. */
  readonly entry?: string | undefined
  /** The level, for a list of levels. */
  readonly level?: string | undefined
  /** Absent: it is limited to none. */
  readonly company?: string | undefined
}

export type Exception = AccessException | DifferenceException

export function isAccessException(each: Exception): each is AccessException {
  return 'person' in each
}

/** Two with one key are about the same thing, of one target or another. */
export function exceptedKey(each: Exception, normalise: (svcId: string) => string): string {
  const { company = null } = each
  return isAccessException(each)
    ? JSON.stringify([normalise(each.person), each.level, each.object, company])
    : JSON.stringify([
        each.address,
        each.path ?? null,
        each.entry === undefined ? null : normalise(each.entry),
        each.level ?? null,
        company,
      ])
}

/** `constant/main/ErpUrl test`, `Administrator of eve@example.com on …`: for sentences. */
export function showException(each: Exception): string {
  if (isAccessException(each)) {
    const limit = each.company === undefined ? '' : ` (${each.company})`
    return `${each.level}${limit} of ${each.person} on ${each.object}`
  }
  const { address, path, entry, level, company } = each
  const limits = [level, company].filter((limit) => limit !== undefined)
  const limited = entry === undefined || limits.length === 0 ? entry : `${entry} (${limits.join(', ')})`
  return [address, path, limited].filter((part) => part !== undefined).join(' ')
}

export function accessExceptions(all: readonly Exception[]): AccessException[] {
  return all.filter(isAccessException)
}
