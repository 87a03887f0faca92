// Holds an installation's document against what svcsync asks for, by kind, and what of it the manifests need.

import { takesAll } from '@svcsync/core/model/capabilities/takes-all.ts'
import { type Desired, elementsOf } from '@svcsync/core/model/desired.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Element, Kind } from '@svcsync/core/model/kind.ts'
import { anyLocation, changesOf, requestsOf } from '@svcsync/core/model/kind-requests.ts'
import { firstFew } from '@svcsync/core/model/near-misses.ts'
import type { PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import type { Schema } from '@svcsync/core/model/schema.ts'
import type { Interface, WireShape } from './read-interface.ts'

interface InterfaceGap {
  readonly kind: Kind
  /** One sentence. */
  readonly what: string
  /** Without it, what is declared cannot be read or brought about; else something that nobody declares could not be. */
  readonly isNeeded: boolean
}

type RealName = (name: string, isWord: boolean) => string

interface InterfaceOptions {
  readonly kinds: readonly Kind[]
  readonly apiVersion: string
  readonly real: RealName
  readonly declared: readonly DeclaredObject[]
}

/** Uses the names of the document. Says nothing about parts that it leaves out, or that svcsync never sends. */
export function checkInterface(ours: Interface, theirs: Interface, options: InterfaceOptions): readonly InterfaceGap[] {
  return options.kinds.flatMap((kind) => checkKind(kind, ours, theirs, options))
}

function checkKind(kind: Kind, ours: Interface, theirs: Interface, { apiVersion, real, declared }: InterfaceOptions) {
  const lacks = new Map<string, InterfaceGap>()
  const lack = (what: string, isNeeded: boolean): void => {
    if (lacks.get(what)?.isNeeded !== true) lacks.set(what, { kind, what, isNeeded })
  }
  const found = new Map<string, ReturnType<typeof find>>()
  const ownOperation = ({ method, path: latest, pathIn50 }: PlatformRequest) => {
    const path = (apiVersion === '5.0' ? pathIn50 : undefined) ?? latest
    const at = `${method} ${path}`
    if (!found.has(at)) found.set(at, find(ours, method, path))
    return found.get(at)
  }
  const own = declared.filter((each) => each.kind === kind)
  const sent = sentByOperation(own, (request) => ownOperation(request)?.key)
  const names = [...sent.values()].reduce((all, each) => namesSent(each, all), namesSent(nothingSent()))
  const keys = keysOf(kind)
  const lists = new Set(own.flatMap(({ collections }) => Object.keys(collections)))
  const isList = (key: string): boolean => !keys.has(key) || lists.has(key)
  const known = new Set([...keys, ...(kind.alsoTold ?? [])])
  const untold = optionalFields(kind)
  // Four environments of one form say the same four times.
  const seen = new WeakMap<WireShape, Set<WireShape>>()
  for (const { request, cannot, collection } of requestsOf(kind)) {
    const isUsed = collection === undefined ? own.length > 0 : lists.has(collection)
    const ofOurs = ownOperation(request)
    if (ofOurs === undefined) continue
    const name = `${ofOurs.operation.method} ${ofOurs.operation.path}`
    const where = { name, real, lack, seen, names, known, untold, isList, isUsed }
    checkOperation(ofOurs, theirs, { request, cannot, sent: sent.get(ofOurs.key) }, where)
  }
  return [...lacks.values()]
}

/** The fields that manifests send, by operation. */
function sentByOperation(declared: readonly DeclaredObject[], keyOf: (request: PlatformRequest) => string | undefined) {
  const sent = new Map<string, SentFields>()
  for (const request of declared.flatMap((each) => [...requestsFor(each)])) {
    const key = keyOf(request)
    if (key !== undefined) addSent(getOrInsert(sent, key, nothingSent), request.body)
  }
  return sent
}

function checkOperation(
  { key, operation }: NonNullable<ReturnType<typeof find>>,
  theirs: Interface,
  { request, cannot, sent }: { request: PlatformRequest; cannot: string; sent: SentFields | undefined },
  where: Omit<CheckPlace, 'isRead'>,
): void {
  const { name, real, lack, isUsed } = where
  const other = theirs.operations.get(key)
  if (other === undefined) {
    lack(`${name} is not in the document${theirs.ambiguous.has(key) ? ' in one form' : ''}: ${cannot}`, isUsed)
    return
  }
  for (const parameter of Object.keys(request.query ?? {}))
    if (!other.query().properties.has(real(parameter, false))) lack(`${name} has no parameter \`${parameter}\``, isUsed)
  if (operation.body && other.body) compare(operation.body(), other.body(), { ...where, isRead: false }, [], sent)
  if (operation.answer && other.answer) compare(operation.answer(), other.answer(), { ...where, isRead: true })
}

/** The fields that lists of privileges may leave out: plans say so themselves. */
function optionalFields({ collections }: Kind): readonly string[] {
  const hasLevels = Object.values(collections).some((each) => each.part !== undefined && !takesAll.of(each))
  return hasLevels ? ['level', 'company'] : []
}

/** By what svcsync knows an object again, and whether it is there. */
const identities: readonly string[] = ['svcId', 'id', 'guid', 'name', 'status']

interface CheckPlace {
  readonly name: string
  readonly real: RealName
  readonly lack: (what: string, isNeeded: boolean) => void
  readonly isRead: boolean
  /** Something that is declared takes the operation. */
  readonly isUsed: boolean
  /** Everything that is sent of the kind, in any place. */
  readonly names: ReturnType<typeof namesSent>
  readonly known: ReadonlySet<string>
  readonly untold: readonly string[]
  /** True for an array at the top of an answer that holds declared objects. */
  isList(key: string): boolean
  readonly seen: WeakMap<WireShape, Set<WireShape>>
}

const deepest = 12

/** `sent`: the values of manifests; undefined: none, or the shape is of an answer. */
function compare(a: WireShape, b: WireShape, where: CheckPlace, path: readonly string[] = [], sent?: SentFields): void {
  const { name, lack, isRead, isUsed, seen } = where
  const pairs = seen.get(a) ?? new Set()
  // Fields that are sent are checked in every place.
  if (path.length > deepest || (pairs.has(b) && sent === undefined)) return
  seen.set(a, pairs.add(b))
  const at = path.length === 0 ? name : `\`${path.join('.')}\` of ${name}`
  if (a.type !== b.type && a.type !== 'any' && b.type !== 'any') {
    const isNeeded = isRead ? isUsed && isCompared(path.at(-1), where) : sent !== undefined
    lack(`${at} is ${b.type} where svcsync knows ${a.type}`, isNeeded)
    return
  }
  compareWords(a, b, where, at, sent)
  if (a.items !== undefined && b.items !== undefined) compare(a.items(), b.items(), where, path, sent)
  if (b.properties.size === 0) return
  for (const [key, shape] of a.properties) {
    const other = b.properties.get(where.real(key, false))
    const part = sent?.parts.get(key)
    if (other !== undefined) compare(shape(), other(), where, [...path, key], part)
    else {
      const isList = path.length === 0 && shape().type === 'array' && where.isList(key)
      reportMissingField(key, { at, isList, isRequired: a.required.has(key), isSent: part !== undefined }, where)
    }
  }
}

interface MissingField {
  readonly at: string
  readonly isList: boolean
  readonly isRequired: boolean
  readonly isSent: boolean
}

/** An answer may lack optional fields, and a request those that svcsync never sends. */
function reportMissingField(key: string, { at, isList, isRequired, isSent }: MissingField, where: CheckPlace): void {
  const { real, lack, isRead, isUsed, known } = where
  const isNeeded = isRead ? isUsed && (isList || isCompared(key, where)) : isSent
  if (isRead ? !isRequired : !isSent && !known.has(key)) return
  if (!isNeeded && !known.has(key)) return
  const called = real(key, false) === key ? '' : ` (\`${real(key, false)}\`)`
  lack(`${at} has no \`${key}\`${called}`, isNeeded)
}

/** True if declared values are compared with this field of an answer. */
function isCompared(key: string | undefined, { names, untold }: CheckPlace): boolean {
  return key === undefined || identities.includes(key) || (names.keys.has(key) && !untold.includes(key))
}

function compareWords(
  a: WireShape,
  b: WireShape,
  { real, lack, isRead, names }: CheckPlace,
  at: string,
  sent: SentFields | undefined,
): void {
  if (a.words.length === 0 || b.words.length === 0) return
  const missing = a.words.filter((word) => !b.words.includes(real(word, true)))
  const isSent = (word: string): boolean => (isRead ? names.words : sent?.words)?.has(word) === true
  const [needed, others] = [missing.filter(isSent), missing.filter((word) => !isSent(word))]
  const known = new Set(a.words.map((word) => real(word, true)))
  const added = b.words.filter((word) => !known.has(word))
  if (needed.length > 0) lack(`${at} does not have ${formatWords(needed)}`, true)
  if (others.length > 0) lack(`${at} does not have ${formatWords(others)}`, false)
  if (added.length > 0) lack(`${at} has ${formatWords(added)}, which svcsync does not know`, false)
}

const formatWords = (words: readonly string[]): string => firstFew(words, 5)

/** By the variable parts of the path: our paths have a name where a request has a value. */
function find(ours: Interface, method: string, path: string) {
  const steps = path.split('/')
  for (const [key, operation] of ours.operations) {
    const wanted = operation.path.split('/')
    if (operation.method !== method || wanted.length !== steps.length) continue
    if (wanted.every((step, at) => step === steps[at] || (step.startsWith('{') && steps[at] === placeholder(step))))
      return { key, operation }
  }
  return undefined
}

function placeholder(step: string): string {
  return step === '{dbId}' ? '1' : '2'
}

type DeclaredObject = Pick<Desired, 'kind' | 'spec' | 'collections' | 'absent'>

/** The requests that create the object, and change each part of it. */
export function requestsFor({ kind, spec, collections, absent }: DeclaredObject): readonly PlatformRequest[] {
  if (absent) return []
  const { requests, createSpec, updateSpec } = kind
  const elements = Object.entries(collections).map(([name, each]) => [name, distinct(elementsOf(each))] as const)
  const all = Object.fromEntries(elements)
  const asked = [
    requests.create?.(anyLocation, createSpec?.(spec) ?? spec, all),
    requests.update?.(anyLocation, updateSpec?.(spec, spec, spec) ?? spec, all),
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
interface SentFields {
  readonly words: Set<string>
  readonly parts: Map<string, SentFields>
}

function nothingSent(): SentFields {
  return { words: new Set(), parts: new Map() }
}

function addSent(into: SentFields, value: Json | undefined): void {
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
function namesSent(sent: SentFields, into = { keys: new Set<string>(), words: new Set<string>() }) {
  for (const word of sent.words) into.words.add(word)
  for (const [key, part] of sent.parts) {
    into.keys.add(key)
    namesSent(part, into)
  }
  return into
}

/** All that manifests send, wherever: their keys and words are used. */
export function namesUsed(declared: readonly DeclaredObject[]) {
  const sent = nothingSent()
  for (const each of declared) for (const { body } of requestsFor(each)) addSent(sent, body)
  return namesSent(sent)
}

/** The keys of its manifests, at any depth. */
function keysOf({ sections }: Kind): ReadonlySet<string> {
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
