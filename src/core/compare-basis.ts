// What of the live state that steps rest on is not as it was when they were planned.
import type { FoldSvcId } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import { elementKey } from './compare-collection.ts'
import { isJsonObject, type Json } from './json.ts'
import type { Element } from './kind.ts'
import type { LiveBasis } from './live-basis.ts'
import type { StepDocument } from './plan-document.ts'
import type { Discrepancy } from './plan-refusal.ts'

/** Field by field, element by element; empty where the two are the same. */
export function compareBases(subject: string, planned: LiveBasis, found: LiveBasis, fold: FoldSvcId): Discrepancy[] {
  if (planned.exists !== found.exists) {
    const remark = planned.exists ? 'was there, and is gone' : 'did not exist, and is there now'
    return [{ subject, path: '', remark }]
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
    const added = without(now, before, fold)
    const removed = without(before, now, fold)
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

function without(elements: readonly Element[], others: readonly Element[], fold: FoldSvcId): Element[] {
  // Whether the platform tells companies at all is a difference, too.
  const key = (element: Element): string => `${elementKey(element, fold)} ${element.company === undefined}`
  const known = new Set(others.map(key))
  return elements.filter((element) => !known.has(key(element)))
}

/** Where the bases are equal the steps are, too, unless a bound in time has passed or svcsync computes them differently. */
export function compareSteps(planned: readonly StepDocument[], found: readonly StepDocument[]): Discrepancy[] {
  const before = linesByAddress(planned)
  const now = linesByAddress(found)
  const result: Discrepancy[] = []
  for (const subject of keysOf(Object.fromEntries(before), Object.fromEntries(now))) {
    const old = before.get(subject) ?? []
    const fresh = now.get(subject) ?? []
    if (old.join('\n') === fresh.join('\n')) continue
    const only = (lines: readonly string[], others: readonly string[]) =>
      lines.filter((line) => !others.includes(line)).join('; ') || 'nothing more'
    result.push({ subject, path: '', remark: `would send ${only(fresh, old)}; planned was ${only(old, fresh)}` })
  }
  if (result.length === 0 && orderOf(planned) !== orderOf(found)) {
    result.push({ subject: 'plan', path: '', remark: 'the order of its requests comes out differently' })
  }
  return result
}

function linesByAddress(steps: readonly StepDocument[]): Map<string, string[]> {
  const result = new Map<string, string[]>()
  for (const { address, verb, collection, spec, elements, collections, at } of steps) {
    const sent = canonicalJson({ spec, elements, collections } as unknown as Json)
    const line = `${[verb, collection].filter((part) => part !== undefined).join(' ')} ${sent} at ${canonicalJson(at)}`
    result.set(address, [...(result.get(address) ?? []), line])
  }
  return result
}

function orderOf(steps: readonly StepDocument[]): string {
  return steps.map(({ id, dependsOn, follows = [] }) => `${id} ${dependsOn.join(',')} ${follows.join(',')}`).join('\n')
}
