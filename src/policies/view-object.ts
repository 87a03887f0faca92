// Objects as expressions see them: plain data in the form of manifests, without anything that must not be shown.
import type { Desired } from '../core/model/desired.ts'
import { type KeyedElement, subjectKey } from '../core/model/elements.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/model/json.ts'
import type { Kind } from '../core/model/kind.ts'
import { fieldsOf } from '../core/model/schema-fields.ts'
import { Sensitive } from '../core/model/sensitive.ts'

/** What expressions get: integers as bigint, which is what CEL counts with. */
export type View = Readonly<Record<string, unknown>>

/** What the manifests declare an account as, by its key. */
type AccountKinds = ReadonlyMap<string, 'user' | 'group'>

export interface ViewSettings {
  readonly accounts: AccountKinds
}

export type ElementView = AccountView | ItemView

/** What is no account, such as a licence. */
interface ItemView {
  readonly item: string
  /** What it is limited to. */
  readonly about?: string
  readonly settings?: unknown
}

interface AccountView {
  readonly svcId: string
  readonly account: 'user' | 'group' | 'undeclared'
  /** Privileges only. */
  readonly level?: string
  /** Privileges that are limited to a company. */
  readonly company?: string
}

/** Users and groups among the objects. */
export function accountKinds(desired: readonly Desired[]): AccountKinds {
  const result = new Map<string, 'user' | 'group'>()
  for (const { kind, key, partial } of desired) {
    if (kind.provides !== undefined && !partial) result.set(key, kind.provides)
  }
  return result
}

/** The object as it is declared: a field that is not declared is not there. */
export function viewDesired({ kind, at, spec, collections }: Desired, settings: ViewSettings): View {
  const result: Record<string, unknown> = { [identityOf(kind)]: at.name ?? '' }
  for (const [field, value] of Object.entries(spec)) if (value !== undefined) result[field] = viewValue(value)
  for (const { field, collection } of fieldsOf(kind.sections[0]).collections) {
    const wanted = collections[collection]
    if (wanted === undefined) continue
    result[field] = Array.from(wanted.elements.values(), ({ element }) => viewElement(element, settings))
  }
  return result
}

export function identityOf(kind: Kind): string {
  return kind.sections[0].identity
}

export function viewElement(element: KeyedElement, { accounts }: ViewSettings): ElementView {
  const { svcId, level, company, item, about, settings } = element
  if (svcId === undefined) {
    return { item, ...(about && { about: about.name }), ...(settings && { settings: viewValue(settings) }) }
  }
  return {
    svcId,
    account: accounts.get(subjectKey(element)) ?? 'undeclared',
    ...(level !== undefined && { level }),
    ...(company != null && { company: company.name }),
  }
}

/** What is sensitive is its reference. */
export function viewValue(value: Json): unknown {
  if (typeof value === 'string' || value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(viewValue)
  if (value instanceof Sensitive) return value.template
  const result: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value as JsonObject)) if (part !== undefined) result[key] = viewValue(part)
  return result
}

/** A live value as far as it is declared: what a manifest does not speak of is not shown, nor what is sensitive there. */
export function viewLive(live: Json | undefined, declared: Json): unknown {
  if (live === undefined) return undefined
  if (declared instanceof Sensitive) return declared.template
  if (!isJsonObject(declared) || !isJsonObject(live)) return viewValue(live)
  const result: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(declared)) {
    const value = part === undefined ? undefined : viewLive(live[key], part)
    if (value !== undefined) result[key] = value
  }
  return result
}
