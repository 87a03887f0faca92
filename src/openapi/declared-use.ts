// The demands of manifests on the interface: the requests that create their objects, with the keys and words in the
// bodies.
import { type Desired, elementsOf } from '@svcsync/core/model/desired.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Element, Kind } from '@svcsync/core/model/kind.ts'
import { changesOf, somewhere } from '@svcsync/core/model/kind-requests.ts'
import type { PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import type { Schema } from '@svcsync/core/model/schema.ts'

export type Declared = Pick<Desired, 'kind' | 'spec' | 'collections' | 'absent'>

/** The requests that create the object, and change each part of it. */
export function requestsFor({ kind, spec, collections, absent }: Declared): readonly PlatformRequest[] {
  if (absent) return []
  const { requests, createSpec, updateSpec } = kind
  const elements = Object.entries(collections).map(([name, each]) => [name, distinct(elementsOf(each))] as const)
  const all = Object.fromEntries(elements)
  const asked = [
    requests.create?.(somewhere, createSpec?.(spec) ?? spec, all),
    requests.update?.(somewhere, updateSpec?.(spec, spec, spec) ?? spec, all),
    ...elements.flatMap(([name, own]) => {
      const collection = kind.collections[name]
      return collection === undefined ? [] : own.flatMap((element) => changesOf(collection, element))
    }),
  ]
  return asked.filter((request) => request !== undefined)
}

/** The first of elements that differ only in their account: a list may have a million. */
function distinct(elements: readonly Element[]): readonly Element[] {
  const byForm = new Map<string, Element>()
  for (const element of elements) {
    const { item, level, company, about, settings } = element
    const form = JSON.stringify([item, level, company == null, about === undefined, settings])
    if (!byForm.has(form)) byForm.set(form, element)
  }
  return [...byForm.values()]
}

/** The fields sent in one place. A list counts as its items. */
export interface Sent {
  readonly words: Set<string>
  readonly parts: Map<string, Sent>
}

export function nothingSent(): Sent {
  return { words: new Set(), parts: new Map() }
}

export function addSent(into: Sent, value: Json | undefined): void {
  if (Array.isArray(value)) for (const each of value as readonly Json[]) addSent(into, each)
  else if (typeof value === 'string') into.words.add(value)
  else if (isJsonObject(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined) continue
      const inner = into.parts.get(key) ?? nothingSent()
      into.parts.set(key, inner)
      addSent(inner, part)
    }
  }
}

/** Every key, and every word, wherever it stands. */
export function namesSent(sent: Sent, into = { keys: new Set<string>(), words: new Set<string>() }) {
  for (const word of sent.words) into.words.add(word)
  for (const [key, part] of sent.parts) {
    into.keys.add(key)
    namesSent(part, into)
  }
  return into
}

/** All that manifests send, wherever: their keys and words are used. */
export function namesUsed(declared: readonly Declared[]) {
  const sent = nothingSent()
  for (const each of declared) for (const { body } of requestsFor(each)) addSent(sent, body)
  return namesSent(sent)
}

/** The keys of its manifests, at any depth. */
export function keysOf({ sections }: Kind): ReadonlySet<string> {
  const keys = new Set<string>()
  const visit = (schema: Schema): void => {
    if (schema.type === 'array') visit(schema.items)
    else if (schema.type === 'shorthand') visit(schema.long)
    else if (schema.type === 'object') {
      for (const [key, part] of Object.entries(schema.properties)) {
        keys.add(key)
        visit(part)
      }
    }
  }
  for (const { schema } of sections) visit(schema)
  return keys
}
