// A plan in a file: the document that was shown, and what it takes to make it again without the manifests.
import { type Place, RefusedError } from '@svcsync/errors/index.ts'
import type { AccountEnd, AssemblySettings, WrittenMode } from '../model/desired.ts'
import { isJsonObject, type Json } from '../model/json.ts'
import { Sensitive } from '../model/sensitive.ts'
import type { Path } from '../model/source.ts'
import { misfitOf } from '../plan/misfit.ts'
import type { ActingApplication, PlanDocument } from '../plan/plan-document.ts'
import type { Preconditions } from '../plan/precondition.ts'

export interface SavedPlan extends PlanDocument {
  readonly expiresAt: string
  readonly application: ActingApplication
  readonly saved: SavedState
  /** SHA-256 of the file with this value empty. Against accidents: who can write the file can write it, too. */
  readonly checksum: string
}

/** The parts of the project and the manifests that the steps were made of. Unchanged objects are left out. */
interface SavedState extends Preconditions {
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
  /** Objects that prune deletes; they are among `objects`, too. */
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

interface SavedReference {
  readonly reference: string
  readonly place: Place
}

/** `placeOf`: where what a path leads to was written. */
export function saveItem(value: Json, placeOf: (path: Path) => Place, path: Path = []): Json {
  if (value instanceof Sensitive) {
    return { reference: value.template, place: placeOf(path) } satisfies SavedReference as unknown as Json
  }
  if (Array.isArray(value)) return value.map((part: Json, index) => saveItem(part, placeOf, [...path, index]))
  if (!isJsonObject(value)) return value
  const result: Record<string, Json> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== undefined) result[key] = saveItem(part, placeOf, [...path, key])
  }
  return result
}

/** `resolve`: undefined where it has reported why. A reference of another form would be sent as somebody's password. */
export function restoreItem(
  value: Json,
  resolve: (template: string, path: Path, place: Place) => Sensitive | undefined,
  path: Path = [],
): Json | undefined {
  if (Array.isArray(value))
    return value.map((part: Json, index) => restoreItem(part, resolve, [...path, index]) ?? null)
  if (!isJsonObject(value)) return value
  if (value.reference !== undefined) {
    if (misfitOf(value, 'plan.schema.json#/definitions/reference') !== undefined) {
      throw new RefusedError(
        'SVC2103',
        `The reference \`${path.join('.')}\` in the plan has not the form that svcsync saves`,
        {
          hint: 'The file was edited. Make it again with `svcsync plan --out`.',
        },
      )
    }
    const { reference, place } = value as unknown as SavedReference
    return resolve(reference, path, place) as unknown as Json | undefined
  }
  const result: Record<string, Json | undefined> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== undefined) result[key] = restoreItem(part, resolve, [...path, key])
  }
  return result
}
