// Mappings: known keys, unknown keys, keys that stand twice, merge keys, required keys.
import { EVENT_ID, type Event, type MappingEvent, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import type { Json, JsonObject } from '../core/json.ts'
import { OFFSETS } from '../core/source.ts'
import { plainType, quoteCode } from './describe-value.ts'
import { oddKey, unknownKey } from './key-problems.ts'
import type { Reading, Value } from './reading.ts'
import type { Field, MappingShape, MapShape } from './shape.ts'

type Built = Record<string, Json | undefined> & { [OFFSETS]: number[] }

/** What a mapping has beyond the fields that became part of its value; most have nothing. */
interface Aside {
  /** Keys that were seen and are not in the value: key → offset. */
  readonly seen: Map<string, number>
  /** Indices of the values of `<<`. */
  readonly merges: number[]
  /** Keys of a map in the order in which they were read. */
  readonly order: string[]
}

const newAside = (): Aside => ({ seen: new Map(), merges: [], order: [] })

/** How many merges may hang on one another. */
const maxMergeDepth = 10

export function readMapping(walk: Reading, shape: MappingShape | MapShape, event: MappingEvent): Value {
  const { field, inList } = walk
  const value: Built = { [OFFSETS]: [event.start] }
  const before = walk.problems.length
  const section = shape.type === 'mapping' ? shape.section : undefined
  if (section !== undefined) walk.sink?.open(section, value as JsonObject)
  const aside = readEntries(walk, shape, value, shape.type === 'map' ? newAside() : undefined, 0, field)
  if (shape.type === 'map') value[OFFSETS] = inKeyOrder(value, aside?.order ?? [])
  else requireKeys(walk, shape, value, aside, event.start, inList ? field : '')
  if (section !== undefined) walk.sink?.close(walk.problems.length === before)
  walk.field = field
  walk.inList = inList
  return value as JsonObject
}

/** Reads entries up to the end of the mapping; `depth` > 0: merged in, so keys that are there already win. */
function readEntries(
  walk: Reading,
  shape: MappingShape | MapShape,
  value: Built,
  known: Aside | undefined,
  depth: number,
  holder: string,
): Aside | undefined {
  const { events } = walk
  const offsets = value[OFFSETS]
  const firstMerge = known?.merges.length ?? 0
  let aside = known
  for (;;) {
    const key = events[walk.index] as Event
    if (key.type === EVENT_ID.POP) {
      walk.index++
      break
    }
    const keyIndex = walk.index
    const at = walk.startAt(keyIndex, value[OFFSETS][0] as number)
    if (key.type !== EVENT_ID.SCALAR || key.tagStart >= 0) {
      oddKey(walk, key, at)
      continue
    }
    const name = walk.decode(key)
    const field = fieldOf(shape, name, key)
    walk.index++
    if (field === undefined) {
      aside ??= newAside()
      if (name === '<<' && key.style === SCALAR_STYLE.PLAIN) aside.merges.push(walk.index)
      else unknownKey(walk, shape, key, name, at, aside.seen, holder)
      walk.skipFrom(walk.index)
      continue
    }
    if (Object.hasOwn(value, name) || aside?.seen.has(name)) {
      if (depth === 0) duplicateKey(walk, name, at, aside?.seen.get(name) ?? keyOffset(value, name))
      walk.skipFrom(walk.index)
      continue
    }
    const start = walk.startAt(walk.index, at)
    walk.field = field.name
    walk.inList = false
    const result = walk.read(field.shape, start)
    if (result === undefined || field.apart) {
      aside ??= newAside()
      aside.seen.set(name, at)
    } else {
      value[field.name] = result
      offsets.push(at, start)
      if (shape.type === 'map') aside?.order.push(name)
    }
  }
  if (aside !== undefined && aside.merges.length > firstMerge) {
    const back = walk.index
    for (const merge of aside.merges.splice(firstMerge)) mergeFrom(walk, shape, value, aside, merge, depth, holder)
    walk.index = back
  }
  return aside
}

function fieldOf(shape: MappingShape | MapShape, name: string, key: ScalarEvent): Field | undefined {
  if (shape.type === 'mapping') return shape.fields.get(name)
  const isText = key.style !== SCALAR_STYLE.PLAIN || (name !== '<<' && plainType(name) === 'text')
  return isText && name !== '__proto__' ? { name, shape: shape.values, apart: false } : undefined
}

/** Merges the mapping, the alias of one, or the list of such, at `index`. */
function mergeFrom(
  walk: Reading,
  shape: MappingShape | MapShape,
  value: Built,
  aside: Aside,
  index: number,
  depth: number,
  holder: string,
): void {
  const event = walk.events[index] as Event
  const at = walk.startAt(index, value[OFFSETS][0] as number)
  if (depth >= maxMergeDepth) {
    walk.report('SVC1005', `More than ${maxMergeDepth} merges hang on one another`, at, 'Write the values out.')
  } else if (event.type === EVENT_ID.MAPPING) {
    walk.index = index + 1
    readEntries(walk, shape, value, aside, depth + 1, holder)
  } else if (event.type === EVENT_ID.ALIAS) {
    const anchored = walk.follow(index, at)
    if (anchored !== undefined) mergeFrom(walk, shape, value, aside, anchored.index, depth, holder)
  } else if (event.type === EVENT_ID.SEQUENCE) {
    let each = index + 1
    while ((walk.events[each] as Event).type !== EVENT_ID.POP) {
      const type = (walk.events[each] as Event).type
      if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.SCALAR) notMergeable(walk, each, at)
      else mergeFrom(walk, shape, value, aside, each, depth, holder)
      walk.skipFrom(each)
      each = walk.index
    }
  } else {
    notMergeable(walk, index, at)
  }
}

function notMergeable(walk: Reading, index: number, at: number): void {
  walk.report('SVC1005', 'Only mappings can be merged', walk.startAt(index, at), 'Give `<<` an alias of a mapping.')
}

function duplicateKey(walk: Reading, name: string, at: number, first: number): void {
  const place = walk.source.placeAt(first)
  walk.report(
    'SVC1004',
    `${quoteCode(name)} stands twice in one mapping`,
    at,
    `It stands in line ${place.line} already: remove one of the two.`,
    [{ message: 'stands here first', place }],
  )
}

function keyOffset(value: Built, name: string): number {
  const index = Object.keys(value).indexOf(name)
  return value[OFFSETS][1 + 2 * index] ?? (value[OFFSETS][0] as number)
}

function requireKeys(
  walk: Reading,
  shape: MappingShape,
  value: Built,
  aside: Aside | undefined,
  start: number,
  list: string,
): void {
  for (const name of shape.required) {
    if (value[name] !== undefined || aside?.seen.has(name)) continue
    const where = list === '' ? '' : ` in this entry of ${quoteCode(list)}`
    walk.report('SVC1103', `The key ${quoteCode(name)} is missing${where}`, start, `Add \`${name}: …\`.`)
  }
}

/** Free keys may look like whole numbers, which objects put first: the offsets follow the object's own order. */
function inKeyOrder(value: Built, order: readonly string[]): number[] {
  const offsets = value[OFFSETS]
  const sorted = [offsets[0] as number]
  for (const key of Object.keys(value)) {
    const index = order.indexOf(key)
    sorted.push(offsets[1 + 2 * index] as number, offsets[2 + 2 * index] as number)
  }
  return sorted
}
