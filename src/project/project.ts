// The types of a project file that was read: the target, its settings, limits and patterns.
import type { Limits } from '@svcsync/core/guards/guard.ts'
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import type { AssemblySettings, WrittenMode } from '@svcsync/core/model/desired.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Sensitive, Text } from '@svcsync/core/model/sensitive.ts'
import type { Place } from '@svcsync/errors/index.ts'
import type { wavesOf } from './select-targets.ts'

export interface Target {
  readonly name: string
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly authUrl: string
  readonly apiVersion: '5.0' | '6.0'
  /** Empty where it is missing: that is reported where it is needed. */
  readonly clientId: Text
  readonly clientSecret: Sensitive | undefined
  /** Name → dbId. */
  readonly databases: Readonly<Record<string, number>>
  readonly variables: Readonly<Record<string, Text>>
  /** Documented name → name on this installation. */
  readonly wireNames: Readonly<Record<string, string>>
  readonly allowInsecureHttp: boolean
  /** Globs over addresses, as manifests write them: what of the manifests the target has. Absent: all. */
  readonly only?: readonly Text[] | undefined
  /** `name`: who applies has to say its name. */
  readonly confirm?: 'name' | undefined
  /** By what its installation is known; undefined: any will do. */
  readonly expect?: ExpectedInstallation | undefined
  /** Tells if svcIds that differ only in case name the same account. */
  readonly svcIds: 'ignore-case' | 'case-sensitive'
}

interface ExpectedInstallation {
  /** Accounts of API applications: svcsync signs in as one of them. Empty: not checked. */
  readonly signsInAs: readonly Text[]
  /** Name of a database → names, guids or ids of applications: all of them are there. */
  readonly applications: Readonly<Record<string, readonly Text[]>>
}

interface ProjectSettings {
  readonly concurrency: number
  /** Largest answer of the platform, unpacked. */
  readonly maxAnswerMb?: number | undefined
  readonly pageSize: number
  readonly retry: { readonly attempts: number; readonly maxDelayMs: number }
  readonly sync: { readonly timeoutMs: number }
  readonly collections: AssemblySettings['collections']
  /** Undefined: as `collections`. */
  readonly privileges?: WrittenMode | undefined
  readonly identifiers: 'warn' | 'ignore'
  /** The rule for unreadable objects: apply the rest, or nothing. */
  readonly unreadable: 'skip' | 'refuse'
  /** IANA name. */
  readonly timeZone: string
  /** Absolute folders outside the project in which `${file:…}` may read. */
  readonly readFilesFrom: readonly string[]
}

export interface Project {
  readonly file: string
  /** Its folder: what paths in it are relative to. */
  readonly dir: string
  readonly kinds: readonly Kind[]
  readonly manifests: readonly Text[]
  /** The manifests of other targets that have their own. */
  readonly manifestsOfOthers: readonly string[]
  readonly manifestPlaces: readonly Place[]
  /** Files, folders and globs with policies, with places; none where the folder is the usual one. */
  readonly policies: readonly { readonly pattern: Text; readonly place: Place | undefined }[]
  /** The target's files, folders and globs whose declarations replace others, with their places. */
  readonly overrides: readonly { readonly pattern: Text; readonly place: Place }[]
  /** The same of other targets: what they mean is no manifest of this one. */
  readonly overridesOfOthers: readonly string[]
  readonly targetName: string
  readonly target: Target
  /** Variables of the target whose value is missing here. */
  readonly unknownVariables: readonly string[]
  /** Variables of the environment that the target names in the project file, and that need not be set here. */
  readonly notSet: readonly string[]
  readonly settings: ProjectSettings
  /** The remote of the repository in which git keeps what was applied. */
  readonly ledger?: { readonly remote: string; readonly signed: 'accept' | 'require' } | undefined
  /** Patterns over the names of live objects, by the key of their section: `groups`, `users`. */
  readonly prune: Readonly<Record<string, readonly Text[]>>
  /** The hand-written file about roles of the whole installation. Undefined: there is none. */
  readonly globalPrivileges: { readonly file: string; readonly maxAgeDays: number; readonly place: Place } | undefined
  /** The file of exceptions, from the folder of the project. Undefined: the usual one, where it is there. */
  readonly exceptions: { readonly file: string; readonly place: Place } | undefined
  /** The scope of a plan's statements about access. */
  readonly access: 'declared' | 'full' | 'none'
  /** How an apply over several targets goes: see `groupByWave`. */
  readonly waves: ReturnType<typeof wavesOf>
  readonly guards: {
    readonly deletions: Limits
    readonly removals: Limits
    readonly overwrites: 'show' | 'refuse'
    /** A target: what is applied here has to be applied there first. */
    readonly promotedFrom?: string | undefined
    /** The rule for plans that make somebody Administrator. */
    readonly administratorGained: 'show' | 'refuse'
  }
  /** The rules for declarations that were dropped. */
  readonly removed: {
    readonly entries: 'remove' | 'keep'
    readonly objects: 'keep' | 'delete'
    readonly values: 'keep' | 'inherit'
  }
  /** Named sets of accounts that the project file declares. */
  readonly sets: ReadonlyMap<string, AccountSet>
  readonly externalAccounts: readonly Text[]
  /** Webhooks by name. Only whoever is to be told one follows its reference. */
  readonly notify: Readonly<Record<string, { readonly url: string; readonly as: 'json' | 'teams' }>>
  /** Globs over addresses. */
  readonly protect: readonly Text[]
}
