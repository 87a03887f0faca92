// Differences between the planned and the current precondition of one object.
import { canonicalJson, isJsonObject, type Json } from '../model/json.ts'
import type { Element } from '../model/kind.ts'
import type { Precondition } from '../plan/precondition.ts'
import type { Discrepancy } from './plan-refusal.ts'

/** `keyOf`: one text for the same element. Empty where the two are the same. */
export function comparePreconditions(
  subject: string,
  planned: Precondition,
  found: Precondition,
  keyOf: (element: Element) => string,
): Discrepancy[] {
  if (planned.exists !== found.exists) {
    const remark = planned.exists ? 'was there, and is gone' : 'did not exist, and is there now'
    return [{ subject, path: '', remark }]
  }
  const without = (elements: readonly Element[], others: readonly Element[]): Element[] => {
    const known = new Set(others.map(keyOf))
    return elements.filter((element) => !known.has(keyOf(element)))
  }
  const result: Discrepancy[] = []
  if (planned.self !== found.self) {
    result.push({ subject, path: '', remark: `is another object of the same name (${planned.self} → ${found.self})` })
  }
  if (planned.name !== found.name) {
    result.push({ subject, path: 'name', planned: planned.name ?? null, found: found.name ?? null })
  }
  for (const path of keysOf(planned.fields, found.fields)) {
    const before = planned.fields?.[path]
    const now = found.fields?.[path]
    // What an update carries besides the declared fields depends on those: they have been told already.
    if (!planned.whole && (before === undefined || now === undefined)) continue
    if (canonicalJson(before) !== canonicalJson(now)) result.push(compareField(subject, path, before, now))
  }
  for (const path of keysOf(planned.collections, found.collections)) {
    const before = planned.collections?.[path] ?? []
    const now = found.collections?.[path] ?? []
    const added = without(now, before)
    const removed = without(before, now)
    if (added.length > 0 || removed.length > 0) result.push({ subject, path, added, removed })
  }
  return result
}

function keysOf(a: object = {}, b: object = {}): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
}

function compareField(subject: string, path: string, planned: Json | undefined, found: Json | undefined): Discrepancy {
  const before = secretOf(planned)
  const now = secretOf(found)
  if (before === undefined && now === undefined) return { subject, path, planned, found }
  const { reference } = (now ?? before) as SecretBasis
  const relation = (secret: SecretBasis | undefined): string =>
    secret === undefined ? 'was not compared with it' : secret.equal ? 'was equal to it' : 'differed from it'
  const after = now?.equal ? 'is equal now' : 'differs now'
  return { subject, path, remark: `the live value ${relation(before)}, and ${after} (${reference})` }
}

interface SecretBasis {
  readonly reference: string
  readonly equal: boolean
}

function secretOf(value: Json | undefined): SecretBasis | undefined {
  if (!isJsonObject(value)) return undefined
  const { reference, equal } = value
  return typeof reference === 'string' && typeof equal === 'boolean' ? { reference, equal } : undefined
}
