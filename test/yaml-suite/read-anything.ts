// Reads documents of any shape through the walk that reads manifests: the type of a scalar, which a kind would say, is
// the one that the core schema of YAML 1.2 gives it.
import { type DocumentEvent, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import type { Problem } from '../../src/errors/index.ts'
import { plainType } from '../../src/manifests/describe-value.ts'
import { isParsed, parseYaml } from '../../src/manifests/parse-yaml.ts'
import { Reading, type Value } from '../../src/manifests/reading.ts'
import { anyText, type Shape } from '../../src/manifests/shape.ts'
import { TextSource } from '../../src/manifests/text-source.ts'
import { readNode } from '../../src/manifests/walk.ts'

const anything: Shape = { ...anyText }

export interface Read {
  /** One for each document; what was reported is missing. */
  readonly values: readonly Value[]
  readonly problems: readonly Problem[]
}

export function readAnything(yaml: string): Read {
  const source = new TextSource('case.yaml', yaml)
  const events = parseYaml(source)
  if (!isParsed(events)) return { values: [], problems: [events] }
  const problems: Problem[] = []
  const settings = {
    root: 'a manifest',
    resolver: undefined,
    homes: new Map(),
    budget: { left: 10_000 },
  } as const
  const walk = new Reading(source, '/case.yaml', events, settings, problems, undefined, readAnythingNode)
  const values: Value[] = []
  while (walk.index < events.length) {
    walk.document = events[walk.index++] as DocumentEvent
    values.push(walk.read(anything, walk.startAt(walk.index, 0)))
    walk.index++
  }
  return { values, problems }
}

function readAnythingNode(walk: Reading, shape: Shape, at: number): Value {
  const event = walk.events[walk.index] as Event
  if (shape !== anything) return readNode(walk, shape, at)
  switch (event.type) {
    case EVENT_ID.MAPPING:
      return readNode(walk, { type: 'map', nullable: false, values: anything }, at)
    case EVENT_ID.SEQUENCE:
      return readNode(walk, { type: 'list', nullable: false, items: anything, minItems: 0, ofDeclarations: false }, at)
    case EVENT_ID.SCALAR:
      return readScalar(walk, event, at)
    default:
      return readNode(walk, anything, at)
  }
}

function readScalar(walk: Reading, event: ScalarEvent, at: number): Value {
  const type = typeOf(walk, event)
  if (type === 'boolean') return readNode(walk, { type, nullable: true }, at)
  if (type === 'integer') return readNode(walk, { type, nullable: true, minimum: Number.NEGATIVE_INFINITY }, at)
  // No field of a manifest holds a fraction: it is read as a text, and taken for the number that it says.
  const value = readNode(walk, anyText, at)
  return type === 'float' && event.tagStart < 0 ? Number(value) : value
}

function typeOf(walk: Reading, event: ScalarEvent): ReturnType<typeof plainType> {
  const tag = event.tagStart < 0 ? undefined : walk.text.slice(event.tagStart, event.tagEnd)
  if (tag === '!!int' || tag === '!!bool') return tag === '!!int' ? 'integer' : 'boolean'
  if (tag !== undefined || event.style !== SCALAR_STYLE.PLAIN) return 'text'
  return plainType(walk.decode(event))
}
