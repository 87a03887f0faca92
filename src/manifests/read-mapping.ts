// Mappings: known keys, unknown keys, keys that stand twice, required keys.
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import { nearMisses } from '@svcsync/core/model/near-misses.ts'
import { OFFSETS, offsetOf, offsetOfKey } from '@svcsync/core/model/source.ts'
import { EVENT_ID, type Event, type MappingEvent, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { plainType, quoteCode } from './describe-value.ts'
import { oddKey, unknownKey } from './key-problems.ts'
import type { Building, Reading, Value } from './reading.ts'
import { type Field, isFragment, type MappingShape, type MapShape } from './shape.ts'

export function readMapping(walk: Reading, shape: MappingShape | MapShape, event: MappingEvent): Value {
  const { field, inList } = walk
  const before = walk.problems.length
  const gaps = walk.settings.withheld?.fields
  const { start } = event
  const isMap = shape.type === 'map'
  const building: Building = {
    shape,
    value: {},
    start,
    holder: field,
    base: walk.offsets.begin(start),
    seen: undefined,
    merges: undefined,
    order: isMap ? new Map() : undefined,
  }
  const value = building.value as JsonObject
  const section = isMap ? undefined : shape.section
  if (section !== undefined) {
    walk.settings.checkRoom?.()
    walk.sink?.open(section, value)
  }
  readEntries(walk, building, 0)
  if (building.order !== undefined) walk.offsets.reorder(building.base, inKeyOrder(value, building.order))
  building.value[OFFSETS] = walk.offsets.take(building.base)
  if (!isMap) {
    requireKeys(walk, shape, building, inList ? field : '')
    requireOne(walk, shape, building)
  }
  if (section !== undefined)
    walk.sink?.close(walk.problems.length === before && gaps === walk.settings.withheld?.fields)
  if (!isMap && shape.isManifest) walk.sink?.endManifest?.(value)
  walk.field = field
  walk.inList = inList
  return isMap || shape.environment === undefined ? value : settleEnvironment(walk, shape, building)
}

/** Reads entries up to the end of the mapping; `depth` > 0: merged in, so keys that are there already win. */
function readEntries(walk: Reading, building: Building, depth: number): void {
  const { events } = walk
  const { shape, value } = building
  for (;;) {
    const key = events[walk.index] as Event
    if (key.type === EVENT_ID.POP) {
      walk.index++
      break
    }
    const at = walk.startAt(walk.index, building.start)
    if (key.type !== EVENT_ID.SCALAR || key.tagStart >= 0) {
      oddKey(walk, key, at)
      continue
    }
    const { name, field } = fieldOf(walk, shape, key)
    walk.index++
    if (field === undefined) {
      skipEntry(walk, building, key, name, at, depth)
    } else if (Object.hasOwn(value, field.name) || building.seen?.has(name)) {
      if (depth === 0) duplicateKey(walk, building, name, at)
      walk.skipFrom(walk.index)
    } else {
      readEntry(walk, building, field, at)
    }
  }
  if (building.merges !== undefined) mergeInto(walk, building, depth)
}

/** Skips a key that is no field: a merge, a fragment, or a slip. */
function skipEntry(walk: Reading, building: Building, key: ScalarEvent, name: string, at: number, depth: number): void {
  if (name === '<<' && key.style === SCALAR_STYLE.PLAIN) {
    building.merges ??= []
    building.merges.push(walk.index)
  } else if (isFragment(building.shape, name)) {
    // The alias that takes the value checks it, as part of its own place.
    if (building.seen?.has(name) && depth === 0) duplicateKey(walk, building, name, at)
    building.seen ??= new Map()
    building.seen.set(name, at)
    if (depth === 0) reportRepeatedWithin(walk)
  } else {
    unknownKey(walk, building, key, name, at)
  }
  walk.skipFrom(walk.index)
}

function readEntry(walk: Reading, building: Building, field: Field, at: number): void {
  const start = walk.startAt(walk.index, at)
  walk.field = field.name
  walk.inList = false
  const result = walk.read(field.shape, start)
  if (result === undefined || field.apart) {
    building.seen ??= new Map()
    building.seen.set(field.name, at)
  } else {
    building.value[field.name] = result
    walk.offsets.addPair(at, start)
    building.order?.set(field.name, building.order.size)
  }
}

function fieldOf(walk: Reading, shape: Building['shape'], key: ScalarEvent) {
  if (shape.type !== 'mapping') {
    const name = walk.decode(key)
    return { name, field: fieldOfMap(shape, name, key) }
  }
  const known = key.fast ? fieldAt(shape, walk.text, key) : undefined
  const name = known?.name ?? walk.decode(key)
  return { name, field: known ?? shape.fields.get(name) }
}

/** Each of hundreds of thousands of keys would become a string of its own, and be hashed. */
function fieldAt({ byLength }: MappingShape, text: string, { valueStart, valueEnd }: ScalarEvent): Field | undefined {
  for (const field of byLength[valueEnd - valueStart] ?? []) if (text.startsWith(field.name, valueStart)) return field
  return undefined
}

function fieldOfMap(shape: MapShape, name: string, key: ScalarEvent): Field | undefined {
  const isText = key.style !== SCALAR_STYLE.PLAIN || (name !== '<<' && plainType(name) === 'text')
  return isText && name !== '__proto__'
    ? { name, shape: shape.known?.get(name) ?? shape.values, apart: false }
    : undefined
}

function duplicateKey(walk: Reading, building: Building, name: string, at: number): void {
  const first = building.seen?.get(name) ?? walk.offsets.at(building.base, 1 + 2 * indexOfKey(building, name))
  reportRepeated(walk, name, at, first)
}

function reportRepeated(walk: Reading, name: string, at: number, first: number): void {
  const place = walk.source.placeAt(first)
  walk.report(
    'SVC1004',
    `${quoteCode(name)} appears twice in one mapping`,
    at,
    `It is in line ${place.line} already: remove one of the two.`,
    [{ message: 'stands here first', place }],
  )
}

function indexOfKey({ value, order }: Building, name: string): number {
  return order?.get(name) ?? Object.keys(value).indexOf(name)
}

function requireKeys(walk: Reading, shape: MappingShape, building: Building, list: string): void {
  for (const name of shape.required) {
    if (building.value[name] !== undefined || building.seen?.has(name) || isMisspelt(shape, building, name)) continue
    const where = list === '' ? '' : ` in this entry of ${quoteCode(list)}`
    walk.report('SVC1103', `The key ${quoteCode(name)} is missing${where}`, building.start, `Add \`${name}: …\`.`)
  }
}

/** True if a reported unknown key of the mapping is probably this one. */
function isMisspelt(shape: MappingShape, { seen }: Building, name: string): boolean {
  return [...(seen?.keys() ?? [])].some((key) => !shape.fields.has(key) && nearMisses(key, [name]).length > 0)
}

function requireOne(walk: Reading, shape: MappingShape, building: Building): void {
  if (shape.exactlyOne.length === 0) return
  const present = shape.exactlyOne.filter((name) => building.value[name] !== undefined || building.seen?.has(name))
  if (present.length === 1) return
  if (present.length === 0 && shape.exactlyOne.some((name) => isMisspelt(shape, building, name))) return
  const names = shape.exactlyOne.map(quoteCode)
  const message =
    present.length === 0 ? `One of ${names.join(' and ')} is missing` : `${names.join(' and ')} exclude each other`
  walk.report(present.length === 0 ? 'SVC1103' : 'SVC1305', message, building.start, 'Write one of them.')
}

/** Free keys may look like whole numbers, which objects put first: the offsets follow the object's own order. */
function inKeyOrder(value: JsonObject, order: ReadonlyMap<string, number>): number[] {
  return Object.keys(value).map((key) => order.get(key) as number)
}

/** Reports repeated keys of the mapping that the walk is at. */
function reportRepeatedWithin(walk: Reading): void {
  let { index } = walk
  // Mappings and lists on the way down. `keys`: of a mapping, key → offset; `atKey`: a key comes next.
  const open: Holder[] = []
  do {
    const event = walk.events[index] as Event
    if (event.type === EVENT_ID.POP) open.pop()
    else {
      const holder = open.at(-1)
      if (holder?.keys !== undefined) noteKey(walk, holder, event, index)
      if (event.type === EVENT_ID.MAPPING) open.push({ keys: new Map(), atKey: true })
      else if (event.type === EVENT_ID.SEQUENCE) open.push({ keys: undefined, atKey: false })
    }
    index++
  } while (open.length > 0)
}

interface Holder {
  readonly keys: Map<string, number> | undefined
  atKey: boolean
}

function noteKey(walk: Reading, holder: Holder, event: Event, index: number): void {
  if (holder.atKey && event.type === EVENT_ID.SCALAR) {
    const [name, at] = [walk.decode(event), walk.startAt(index, 0)]
    const first = holder.keys?.get(name)
    if (first === undefined) holder.keys?.set(name, at)
    // Several `<<` are read one after the other, as elsewhere.
    else if (name !== '<<') reportRepeated(walk, name, at, first)
  }
  holder.atKey = !holder.atKey
}

/** The greatest depth of nested merges. */
const maxDepth = 10

/** Merges what was noted while the entries were read, and moves back behind them. */
function mergeInto(walk: Reading, building: Building, depth: number): void {
  const back = walk.index
  const merges = building.merges ?? []
  building.merges = undefined
  for (const index of merges) mergeFrom(walk, building, index, depth)
  walk.index = back
}

function mergeFrom(walk: Reading, building: Building, index: number, depth: number): void {
  const event = walk.events[index] as Event
  const at = walk.startAt(index, building.start)
  if (depth >= maxDepth) {
    walk.report('SVC1005', `More than ${maxDepth} merges depend on one another`, at, 'Write the values out.')
  } else if (event.type === EVENT_ID.MAPPING) {
    walk.index = index + 1
    readEntries(walk, building, depth + 1)
  } else if (event.type === EVENT_ID.ALIAS) {
    const anchored = walk.follow(index, at)
    if (anchored !== undefined) mergeFrom(walk, building, anchored.index, depth)
  } else if (event.type === EVENT_ID.SEQUENCE) {
    mergeList(walk, building, index, depth)
  } else {
    notMergeable(walk, at)
  }
}

function mergeList(walk: Reading, building: Building, index: number, depth: number): void {
  let each = index + 1
  for (;;) {
    const { type } = walk.events[each] as Event
    if (type === EVENT_ID.POP) return
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.ALIAS) mergeFrom(walk, building, each, depth)
    else notMergeable(walk, walk.startAt(each, building.start))
    each = walk.skipFrom(each)
  }
}

function notMergeable(walk: Reading, at: number): void {
  walk.report('SVC1005', 'Only mappings can be merged', at, 'Give `<<` an alias of a mapping.')
}

/** The environment in its short form; undefined where a problem was reported. Its offsets follow. */
function settleEnvironment(walk: Reading, shape: MappingShape, building: Building): Value {
  const { value } = building
  const inherit = value.inherit
  const others = Object.keys(value).filter((key) => key !== 'inherit')
  if (inherit === true && others.length > 0) return contradiction(walk, shape, building, others[0] as string)
  if (shape.environment === 'text') return settleText(walk, shape, building)
  if (inherit === undefined) return value
  // Settings that were read with a problem are settings all the same.
  if (inherit === true) return building.seen === undefined ? null : undefined
  value[OFFSETS] = [
    offsetOf(walk.source, value, 0) ?? 0,
    ...Object.keys(value).flatMap((key, index) =>
      key === 'inherit' ? [] : [1, 2].map((part) => offsetOf(walk.source, value, part + 2 * index) ?? 0),
    ),
  ]
  delete value.inherit
  return value
}

function settleText(walk: Reading, shape: MappingShape, { value, seen, holder, start }: Building): Json | undefined {
  if (value.value !== undefined) return value.value
  // The reader has already reported an unreadable value, and a missing required key.
  if (seen?.has('value') || seen?.has('inherit') || shape.required.length > 0) return undefined
  if (value.inherit === true) return null
  return walk.report(
    'SVC1103',
    value.inherit === false
      ? `${quoteCode(holder)} does not inherit, and its \`value\` is missing`
      : `${quoteCode(holder)} has neither \`value\` nor \`inherit: true\``,
    start,
    'Add `value: …`; an empty text is a value, too.',
  )
}

function contradiction(walk: Reading, shape: MappingShape, { value, holder }: Building, other: string): undefined {
  const placeOf = (key: string) => offsetOfKey(walk.source, value, Object.keys(value).indexOf(key))
  const own = shape.environment === 'text' ? 'a value' : 'settings'
  return walk.report(
    'SVC1313',
    `${quoteCode(holder)} inherits, and has ${own} of its own`,
    placeOf('inherit'),
    `Remove \`inherit: true\`, or ${own === 'settings' ? 'the settings' : '`value`'}.`,
    [{ message: `has ${own} of its own here`, place: walk.source.placeAt(placeOf(other)) }],
  )
}
