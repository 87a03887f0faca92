// Takes back the changes of an apply to one object: restores values that the platform still has as the apply left them.
import { inCode } from '@svcsync/errors/index.ts'
import { isEmptyScalar, sameJson, sameScalar } from '../compare/compare-fields.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { hasEnded } from '../model/capabilities/has-ended.ts'
import { elementKey, keyedElement, showElement } from '../model/elements.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject, setAt, valueAt } from '../model/json.ts'
import type { Collection, Kind, Section } from '../model/kind.ts'
import type { Live } from '../model/live.ts'
import { quoted } from '../model/near-misses.ts'
import { fieldsOf, isWriteOnly, knownSettings, pathsIn, schemaAt, strangersIn } from '../model/schema-fields.ts'
import { referencesIn } from '../plan/change-digest.ts'
import { listsBefore, manifestValue, type UnrevertedPart } from './invert-lists.ts'
import type { SentWork } from './sent-work.ts'

type InversionContext = Parameters<typeof listsBefore>[3]

export function invertWork(
  sent: SentWork,
  kind: Kind,
  live: Live | undefined,
  normalise: NormaliseSvcId,
  nowMs: number,
) {
  const left: UnrevertedPart[] = []
  const held: Record<string, Json | undefined> = {}
  const leave = (why: UnrevertedPart['why'], text: string): undefined => {
    left.push({ address: sent.address, why, text })
  }
  const item = invert(sent, kind, live && withReportedLists(live), { normalise, leave, held, nowMs })
  return { left, ...(item && { item, ...(Object.keys(held).length > 0 && { held }) }) }
}

/** Undo is judged by what was sent, and not by what a plan believes. */
function withReportedLists(live: Live): Live {
  const { asTold, ...rest } = live
  return asTold === undefined ? live : { ...rest, collections: asTold }
}

function invert(
  sent: SentWork,
  kind: Kind,
  live: Live | undefined,
  inverting: InversionContext,
): JsonObject | undefined {
  const { leave } = inverting
  switch (sent.life?.verb) {
    case 'create':
      return live && deletion(sent, kind, live, inverting)
    case 'delete':
      if (live === undefined) return creation(sent, kind, inverting)
      return sent.life.state === 'done' ? leave('changed', 'It was deleted, and is there again') : undefined
    default: {
      if (live === undefined) return leave('changed', 'It is not there any more')
      const restored = fieldsBefore(sent, kind.sections[0], live, inverting)
      const lists = listsBefore(sent, kind, live, inverting)
      if (Object.keys(restored).length + Object.keys(lists).length === 0) return undefined
      return { ...requiredFields(kind.sections[0], live), ...restored, ...lists }
    }
  }
}

/** A created object is deleted, unless somebody has added to it since. */
function deletion(
  { life, specs, added }: SentWork,
  kind: Kind,
  live: Live,
  { normalise, leave }: InversionContext,
): JsonObject | undefined {
  if (life?.state === 'failed')
    return leave('lost', 'Its creation failed, but it exists: svcsync cannot tell who created it')
  if (kind.lifecycle !== 'full') return leave('lost', 'It was created, but the platform offers no deletion: it stays')
  const section = kind.sections[0]
  const changed = fieldsOf(section).fields.find((field) => {
    const wanted = specs.flatMap((spec) => spec[field] ?? [])
    // Empty: nothing was given. A step after the creation never arrived, or an undo before has cleared it.
    if (wanted.length === 0 || wanted.some((value) => isJsonObject(value)) || isEmptyScalar(live.spec[field]))
      return false
    return !wanted.some((value) => isSame(section, [field], value, live.spec[field], normalise))
  })
  if (changed !== undefined) return leave('changed', `Its \`${changed}\` has changed since it was created: it stays`)
  for (const [name, elements] of Object.entries(live.collections)) {
    const own = new Set((added.get(name) ?? []).map(({ element }) => elementKey(keyedElement(element, normalise))))
    const other = elements.find((element) => !own.has(elementKey(element)))
    if (other === undefined) continue
    return leave('changed', `Its ${name} gained ${showElement(other)} since it was created: it stays`)
  }
  return { absent: true }
}

/** A deleted object is created as it was read. */
function creation({ before }: SentWork, kind: Kind, { leave, nowMs }: InversionContext): JsonObject | undefined {
  if (hasEnded.of(kind)?.(before.fields ?? {}, nowMs))
    return leave('lost', 'It has ended since, and is not created again')
  const section = kind.sections[0]
  const item: Record<string, Json | undefined> = {}
  for (const [path, value] of Object.entries(before.fields ?? {})) {
    if (referencesIn(value).length > 0) wasSecret(path, leave)
    else if (schemaAt(section.schema, path.split('.')) !== undefined) setAt(item, path.split('.'), value)
  }
  for (const { field, collection } of fieldsOf(section).collections) {
    const elements = before.collections?.[collection] ?? []
    if (elements.length > 0) item[field] = manifestValue(kind.collections[collection] as Collection, elements)
  }
  if (kind.provides !== undefined) leave('lost', 'It is created again, without what it had in lists outside the plan')
  return item
}

function requiredFields({ schema, identity }: Section, live: Live): JsonObject {
  const item: Record<string, Json | undefined> = {}
  for (const field of schema.required ?? []) {
    if (field !== identity && live.spec[field] !== undefined) item[field] = live.spec[field]
  }
  return item
}

function fieldsBefore(sent: SentWork, section: Section, live: Live, inverting: InversionContext): JsonObject {
  const item: Record<string, Json | undefined> = {}
  const whole = new Set<string>()
  for (const difference of sent.fields) {
    const { path: dotted, rotates } = difference
    // A rotation was never sent. An id says the same as its name.
    if (rotates === true || fieldsOf(section).names.some(({ field }) => field === dotted)) continue
    const outer = missingBefore(sent, dotted.split('.'))
    if (dotted === section.identity) nameBefore(item, difference, live, inverting)
    else if (outer !== undefined) whole.add(outer.join('.'))
    else fieldBefore(item, difference, { section, live, ...inverting })
  }
  for (const dotted of whole) restoreInheritance(item, dotted, sent, { section, live, ...inverting })
  for (const path of new Set(sent.specs.flatMap((spec) => untoldIn(spec, section)))) {
    const isTold = sent.fields.some((each) => each.path === path)
    if (!isTold && ![...whole].some((outer) => path.startsWith(`${outer}.`))) wasSent(path, inverting.leave)
  }
  return item
}

const wasSecret = (path: string, leave: InversionContext['leave']): void =>
  leave('lost', `\`${path}\` holds a secret: svcsync does not know the former value`)

const wasSent = (path: string, leave: InversionContext['leave']): void =>
  leave('lost', `\`${path}\` was sent: svcsync does not know the former value`)

/** Fields that the platform never returns, and references: nobody knows their former values. */
function untoldIn(spec: JsonObject, { schema }: Section): readonly string[] {
  const writeOnly = pathsIn(schema, isWriteOnly).filter((path) => valueAt(spec, path) !== undefined)
  return [...referencesIn(spec).map(({ path }) => path), ...writeOnly].map((path) => path.join('.'))
}

type ManifestItem = Record<string, Json | undefined>

interface RestoreContext extends InversionContext {
  readonly section: Section
  readonly live: Live
}

function nameBefore(
  item: ManifestItem,
  { before, after }: SentWork['fields'][number],
  live: Live,
  { leave }: InversionContext,
): void {
  if (live.name === after) item.previously = after
  else if (live.name !== before) leave('changed', `It is called ${inCode(live.name)} now`)
}

function fieldBefore(
  item: ManifestItem,
  { path: dotted, before, after, masked }: SentWork['fields'][number],
  { section, live, normalise, leave }: RestoreContext,
): void {
  const path = dotted.split('.')
  if (masked === true) {
    wasSecret(dotted, leave)
    return
  }
  const part = schemaAt(section.schema, path)
  if (part !== undefined && isWriteOnly(part)) {
    wasSent(dotted, leave)
    return
  }
  const found = valueAt(live.spec, path)
  if (!isSame(section, path, after, found, normalise)) {
    if (!isSame(section, path, before, found, normalise))
      leave('changed', `\`${dotted}\` is ${shown(found)} now, and ${shown(after)} was written`)
    return
  }
  // Installations tell an empty text where there is no value, and may refuse one.
  const wasEmpty = isEmptyScalar(before) && part?.inherited !== true
  const isRefused = wasEmpty && part?.type === 'string' && part.minLength !== undefined
  if ((before === undefined || wasEmpty) && part?.nullable === true) setAt(item, path, null)
  else if (before === undefined || isRefused)
    leave('lost', `\`${dotted}\` had no value, and the platform cannot clear it`)
  else setAt(item, path, isJsonObject(before) ? knownSettings(before, part) : before)
  if (!isJsonObject(before)) return
  if (holdsSecrets(section, path))
    leave('lost', `\`${dotted}\` comes back without its credentials, which svcsync does not know`)
  // Installations may refuse such a setting, and everything that is sent with it.
  const strangers = strangersIn(before, part)
  if (strangers.length > 0)
    leave('lost', `\`${dotted}\` comes back without ${quoted(strangers)}, which svcsync does not know`)
}

/** An environment that had inherited: it does so again. */
function restoreInheritance(
  item: ManifestItem,
  dotted: string,
  { fields }: SentWork,
  { section, live, normalise, leave }: RestoreContext,
): void {
  const path = dotted.split('.')
  if (!isJsonObject(valueAt(live.spec, path))) return
  const other = fields.find((each) => {
    if (!each.path.startsWith(`${dotted}.`) || each.masked === true) return false
    const inner = each.path.split('.')
    const part = schemaAt(section.schema, inner)
    if (part !== undefined && isWriteOnly(part)) return false
    return !isSame(section, inner, each.after, valueAt(live.spec, inner), normalise)
  })
  if (other === undefined) setAt(item, path, null)
  else leave('changed', `\`${other.path}\` is ${shown(valueAt(live.spec, other.path.split('.')))} now`)
}

/** The outermost part above the path that was not there. */
function missingBefore({ before: { fields = {} } }: SentWork, path: readonly string[]): readonly string[] | undefined {
  for (let length = 1; length < path.length; length++) {
    const value = fields[path.slice(0, length).join('.')]
    if (value !== undefined && !isJsonObject(value)) return path.slice(0, length)
  }
  return undefined
}

function holdsSecrets({ schema }: Section, path: readonly string[]): boolean {
  const part = schemaAt(schema, path)
  return part?.type === 'object' && pathsIn(part, isWriteOnly).length > 0
}

function isSame(
  { schema }: Section,
  path: readonly string[],
  wanted: Json | undefined,
  found: Json | undefined,
  normalise: NormaliseSvcId,
): boolean {
  const part = schemaAt(schema, path)
  if (part === undefined) return false
  if (part.type === 'open') return sameJson(wanted ?? null, found)
  // Settings of its own, which start from those that it had inherited.
  if (isJsonObject(wanted)) {
    return isJsonObject(found) && (Object.keys(wanted).length === 0 || canonicalJson(wanted) === canonicalJson(found))
  }
  const key = (value: Json | undefined): Json =>
    part.reference === undefined || typeof value !== 'string' ? (value ?? null) : normalise(value)
  return sameScalar(part, key(wanted), key(found))
}

function shown(value: Json | undefined): string {
  return isEmptyScalar(value) ? 'not set' : `\`${canonicalJson(value)}\``
}
