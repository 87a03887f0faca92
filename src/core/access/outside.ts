// Roles of the whole installation, which no operation tells: somebody keeps and reviews them by hand.
import type { Place } from '@svcsync/errors/index.ts'
import { page } from '../model/capabilities/page.ts'
import type { Kind } from '../model/kind.ts'

/** A role of the whole installation, as a reviewed file tells it. */
interface GlobalPrivilege {
  readonly svcId: string
  readonly role: string
  /** The place of the look-up. */
  readonly source: string
  /** The day, as written. */
  readonly checked: string
  readonly place: Place
}

export interface GlobalPrivileges {
  /** As messages show it. */
  readonly file: string
  readonly maxAgeDays: number
  /** The day on which the oldest entry was checked. */
  readonly checked: string
  readonly isOld: boolean
  readonly entries: readonly GlobalPrivilege[]
}

/** As documents tell it. */
export interface Outside {
  /** Roles that the interface does not tell. */
  readonly roles: readonly string[]
  /** null: the project names no file. */
  readonly reviewed: GlobalPrivileges | null
  /** Privileges that no list tells: svcsync reads those that a manifest declares. By the titles of their kinds. */
  readonly unlisted: readonly string[]
  /** Accounts of that file that neither the manifests nor the platform name. */
  readonly unknown: readonly string[]
}

const globalRoles = ['system administrators', 'business administrators', 'auditors'] as const

/** `isKnown`: whether a manifest or a list of the platform names an account. */
export function outsideOf(
  reviewed: GlobalPrivileges | undefined,
  kinds: readonly Kind[],
  isKnown: (svcId: string) => boolean,
): Outside {
  const named = (reviewed?.entries ?? []).map(({ svcId }) => svcId)
  return {
    roles: globalRoles,
    reviewed: reviewed ?? null,
    unlisted: kinds.filter((kind) => page.of(kind) !== undefined).map(({ title }) => title.toLowerCase()),
    unknown: [...new Set(named.filter((svcId) => !isKnown(svcId)))],
  }
}
