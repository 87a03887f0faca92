// A plan in a file: the document that was shown, and what it takes to make it again without the manifests.
import type { Place } from '@svcsync/errors/index.ts'
import type { AccountEnd, AssemblySettings, WrittenMode } from '../model/desired.ts'
import type { Json } from '../model/json.ts'
import type { ActingApplication, PlanDocument } from '../plan/plan-document.ts'
import type { Preconditions } from '../plan/preconditions.ts'

export interface SavedPlan extends PlanDocument {
  readonly expiresAt: string
  readonly application: ActingApplication
  readonly saved: SavedState
  /** SHA-256 of the file with this value empty. Against accidents: who can write the file can write it, too. */
  readonly checksum: string
}

/** The parts of the project and the manifests that the steps were made of. Unchanged objects are left out. */
export interface SavedState extends Preconditions {
  readonly collections: AssemblySettings['collections']
  /** The same of privileges; absent: as `collections`. */
  readonly privileges?: WrittenMode
  readonly timeZone: string
  /** Variables of the target that occur beside references in values from the environment or a file. */
  readonly variables: Readonly<Record<string, string>>
  readonly sets: readonly { readonly name: string; readonly items: Json; readonly place: Place }[]
  /** Accounts that end; absent: none does. */
  readonly ends?: readonly Pick<AccountEnd, 'svcId' | 'until' | 'place'>[]
  readonly overrides: readonly string[]
  /** A container comes before its items. */
  readonly declarations: readonly SavedDeclaration[]
  /** For a project with a ledger: the commit that the plan was made of, complete and without other edits. */
  readonly commit?: string
  /** The base's declarations of these objects; absent: there is no base. */
  readonly base?: SavedBase
  /** Objects that are deleted since they match a pattern and stand in no manifest; they are among `objects`, too. */
  readonly pruned: readonly { readonly kind: string; readonly name: string; readonly pattern: string }[]
}

export type SavedDeclared = Pick<
  SavedState,
  'collections' | 'privileges' | 'timeZone' | 'sets' | 'ends' | 'overrides' | 'declarations'
>

/** Earlier declarations of objects with steps. Their references are never resolved. */
interface SavedBase extends SavedDeclared {
  /** For each unfinished apply, in the order of the plan's `base.begun`; absent: there are none. */
  readonly begun?: readonly SavedDeclared[]
  /** The project's rules for dropped entries and values. */
  readonly removed: { readonly entries: 'remove' | 'keep'; readonly values: 'keep' | 'inherit' }
  /** Addresses of objects that are deleted since nothing declares them any more. */
  readonly deleted: readonly string[]
}

interface SavedDeclaration {
  readonly kind: string
  /** The key of its section. */
  readonly section: string
  /** As in the manifest; what is sensitive is `{ "reference": "${env:…}" }`. */
  readonly item: Json
  /** The manifest, from the folder of the project: what `${file:…}` is relative to. */
  readonly file: string
  readonly place: Place
  readonly database?: string
  readonly parent?: number
}
