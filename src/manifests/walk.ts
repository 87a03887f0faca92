// One pass over the parser's events builds and checks: the type of a field decides how a plain scalar is read.
import type { Json } from '@svcsync/core/model/json.ts'
import { OFFSETS, type Offsets } from '@svcsync/core/model/source.ts'
import { formatCount, type Problem } from '@svcsync/errors/index.ts'
import { EVENT_ID, type Event, type MappingEvent, type ScalarEvent, type SequenceEvent } from 'js-yaml'
import { isParsed, parseYaml } from './parse-yaml.ts'
import { readMapping } from './read-mapping.ts'
import { hasOwnTag, readAny, readBoolean, readInteger, readText } from './read-scalar.ts'
import { type DeclarationSink, Reading, type Value, type WalkSettings } from './reading.ts'
import { openList, openMap, type Shape } from './shape.ts'
import type { TextSource } from './text-source.ts'
import { asMapping, describeEvent, readNull, subject, wrongType } from './wording.ts'

/** Undefined: the file cannot be parsed, which is reported. */
export function openWalk(
  source: TextSource,
  path: string,
  settings: WalkSettings,
  problems: Problem[],
  sink?: DeclarationSink,
): Reading | undefined {
  const events = parseYaml(source)
  if (isParsed(events)) return new Reading(source, path, events, settings, problems, sink, readNode)
  problems.push(events)
  return undefined
}

export function readNode(walk: Reading, shape: Shape, at: number): Value {
  const event = walk.events[walk.index++] as Event
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return readScalar(walk, shape, event, at)
    case EVENT_ID.MAPPING:
      return readMappingNode(walk, shape, event, at)
    case EVENT_ID.SEQUENCE:
      return readSequence(walk, shape, event, at)
    case EVENT_ID.ALIAS: {
      const anchored = walk.follow(walk.index - 1, at)
      if (anchored === undefined) return undefined
      const back = walk.index
      walk.index = anchored.index
      const value = walk.read(shape, walk.startAt(anchored.index, at))
      walk.index = back
      return value
    }
    default:
      return undefined
  }
}

function readScalar(walk: Reading, shape: Shape, event: ScalarEvent, at: number): Value {
  switch (shape.type) {
    case 'text':
      return readText(walk, shape, event, at)
    case 'shorthand':
      return readText(walk, shape.short, event, at)
    case 'integer':
      return readInteger(walk, shape, event, at)
    case 'boolean':
      return readBoolean(walk, shape, event, at)
    case 'any':
      return readAny(walk, event, at)
    default: {
      const there = describeEvent(walk, event, false)
      if (there === 'nothing') return readNull(walk, shape, at)
      const takesText = shape.type === 'list' && (shape.items.type === 'text' || shape.items.type === 'shorthand')
      const oneInList = takesText && !(shape.items.type === 'text' && shape.items.secret)
      return wrongType(
        walk,
        shape,
        walk.index - 1,
        at,
        oneInList ? 'Put it in brackets: `[…]`.' : asMapping(walk, shape, event),
      )
    }
  }
}

function readMappingNode(walk: Reading, shape: Shape, event: MappingEvent, at: number): Value {
  const index = walk.index - 1
  if (hasOwnTag(walk, event, 'map')) {
    if (shape.type === 'mapping' || shape.type === 'map') return readMapping(walk, shape, event)
    if (shape.type === 'shorthand') return readMapping(walk, shape.long, event)
    if (shape.type === 'any') return readMapping(walk, openMap, event)
    wrongType(walk, shape, index, at, shape.type === 'list' ? 'Begin each entry with a dash: `- `.' : undefined)
  }
  walk.skipFrom(index)
  return undefined
}

function readSequence(walk: Reading, given: Shape, event: SequenceEvent, at: number): Value {
  const index = walk.index - 1
  const shape = given.type === 'any' ? openList : given
  if (!hasOwnTag(walk, event, 'seq') || shape.type !== 'list') {
    if (shape.type !== 'list') wrongType(walk, shape, index, at)
    walk.skipFrom(index)
    return undefined
  }
  const { field } = walk
  const { items } = shape
  const base = walk.offsets.begin(event.start)
  const found: Json[] = []
  let end = event.start
  while ((walk.events[walk.index] as Event).type !== EVENT_ID.POP) {
    walk.field = field
    walk.inList = true
    const start = walk.startAt(walk.index, end)
    const value = walk.read(items, start)
    if (value !== undefined) {
      found.push(value)
      walk.offsets.add(start)
    }
    end = start
  }
  // A copy has no room for more, which in a short list is most of it.
  const list: Json[] & { [OFFSETS]?: Offsets } = found.slice()
  list[OFFSETS] = walk.offsets.take(base)
  walk.index++
  walk.field = field
  walk.inList = false
  if (list.length < shape.minItems) {
    walk.report('SVC1105', `${subject(walk)} needs at least ${formatCount(shape.minItems, 'entry', 'entries')}`, at)
  }
  return list
}
