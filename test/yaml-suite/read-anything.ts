// Reads documents of any shape through the walk that reads manifests: the type of a scalar, which a kind would say, is
// the one that the core schema of YAML 1.2 gives it.
import { type DocumentEvent, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import type { Problem } from '../../src/errors/index.ts'
import { bindAliases } from '../../src/manifests/bind-aliases.ts'
import { plainType, type ScalarType } from '../../src/manifests/describe-value.ts'
import { isParsed, parseYaml } from '../../src/manifests/parse-yaml.ts'
import type { Value } from '../../src/manifests/reading.ts'
import type { Shape, TextShape } from '../../src/manifests/shape.ts'
import { TextSource } from '../../src/manifests/text-source.ts'
import { Walk } from '../../src/manifests/walk.ts'

const text: TextShape = {
  type: 'text',
  nullable: true,
  allowed: undefined,
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  secret: false,
  inClear: false,
}
const anything: Shape = { ...text }

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
  const bindings = bindAliases(events, source, problems)
  const settings = {
    root: 'a manifest',
    resolver: undefined,
    homes: new Map(),
    budget: { left: 10_000 },
  } as const
  const walk = new AnythingWalk(source, '/case.yaml', events, bindings, settings, problems)
  const values: Value[] = []
  while (walk.index < events.length) {
    walk.document = events[walk.index++] as DocumentEvent
    values.push(walk.read(anything, walk.startAt(walk.index, 0)))
    walk.index++
  }
  return { values, problems }
}

class AnythingWalk extends Walk {
  override read(shape: Shape, at: number): Value {
    if (shape !== anything) return super.read(shape, at)
    const event = this.events[this.index] as Event
    switch (event.type) {
      case EVENT_ID.MAPPING:
        return super.read({ type: 'map', nullable: false, values: anything }, at)
      case EVENT_ID.SEQUENCE:
        return super.read({ type: 'list', nullable: false, items: anything, minItems: 0, ofDeclarations: false }, at)
      case EVENT_ID.SCALAR:
        return this.#readScalar(event, at)
      default:
        return super.read(anything, at)
    }
  }

  #readScalar(event: ScalarEvent, at: number): Value {
    const type = this.#typeOf(event)
    if (type === 'boolean') return super.read({ type, nullable: true }, at)
    if (type === 'integer') return super.read({ type, nullable: true, minimum: Number.NEGATIVE_INFINITY }, at)
    // No field of a manifest holds a fraction: it is read as a text, and taken for the number that it says.
    const value = super.read(text, at)
    return type === 'float' && event.tagStart < 0 ? Number(value) : value
  }

  #typeOf(event: ScalarEvent): ScalarType {
    const tag = event.tagStart < 0 ? undefined : this.text.slice(event.tagStart, event.tagEnd)
    if (tag === '!!int' || tag === '!!bool') return tag === '!!int' ? 'integer' : 'boolean'
    if (tag !== undefined || event.style !== SCALAR_STYLE.PLAIN) return 'text'
    return plainType(this.decode(event))
  }
}
