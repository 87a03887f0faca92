// One pass over the parser's events that builds values and checks them: a plain scalar can only be read when the type
// of its field is known, so the two belong together.
import {
  type DocumentEvent,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import type { Json } from '../core/model/json.ts'
import type { ProblemCode } from '../core/model/problem-codes.ts'
import { OFFSETS, type Offsets } from '../core/model/source.ts'
import type { Problem } from '../errors/index.ts'
import type { Anchored, Bindings } from './bind-aliases.ts'
import { skipNode, spanOf, startOf } from './node-events.ts'
import { OffsetStack } from './offsets.ts'
import { readMapping } from './read-mapping.ts'
import { readBoolean, readInteger, readText } from './read-scalar.ts'
import type { DeclarationSink, Reading, Value, WalkSettings } from './reading.ts'
import type { Shape } from './shape.ts'
import { hasOwnTag } from './tags.ts'
import type { TextSource } from './text-source.ts'
import { describeEvent, keysHint, subject, wanted } from './wording.ts'

/** Problems of one file that are worth reading: more come from what was never meant to be a manifest. */
const maxProblems = 50_000

export class Walk implements Reading {
  readonly source: TextSource
  readonly text: string
  readonly path: string
  readonly events: readonly Event[]
  readonly bindings: Bindings
  readonly settings: WalkSettings
  readonly sink: DeclarationSink | undefined
  readonly problems: Problem[]
  readonly offsets: OffsetStack
  readonly mayHoldReferences: boolean
  index = 0
  field = ''
  inList = false
  document: DocumentEvent | undefined
  #reported = 0

  constructor(
    source: TextSource,
    path: string,
    events: readonly Event[],
    bindings: Bindings,
    settings: WalkSettings,
    problems: Problem[],
    sink?: DeclarationSink,
  ) {
    this.source = source
    this.text = source.text
    this.path = path
    this.events = events
    this.bindings = bindings
    this.settings = settings
    this.offsets = new OffsetStack(source.offsets)
    this.problems = problems
    this.sink = sink
    this.mayHoldReferences = source.text.includes('${')
  }

  read(shape: Shape, at: number): Value {
    const event = this.events[this.index++] as Event
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.#readScalar(shape, event, at)
      case EVENT_ID.MAPPING:
        return this.#readMappingNode(shape, event, at)
      case EVENT_ID.SEQUENCE:
        return this.#readSequence(shape, event, at)
      case EVENT_ID.ALIAS: {
        const anchored = this.follow(this.index - 1, at)
        if (anchored === undefined) return undefined
        const back = this.index
        this.index = anchored.index
        const value = this.read(shape, this.startAt(anchored.index, at))
        this.index = back
        return value
      }
      default:
        return undefined
    }
  }

  follow(index: number, at: number): Anchored | undefined {
    const anchored = this.bindings.get(index)
    if (anchored === undefined) return undefined
    const { budget } = this.settings
    budget.left -= anchored.size
    if (budget.left >= 0) return anchored
    // Said once: everything after it would be the same.
    if (budget.left + anchored.size >= 0) {
      this.report('SVC1005', 'Aliases multiply the content beyond all measure', at, 'Write the values out.')
    }
    return undefined
  }

  startAt(index: number, fallback: number): number {
    const event = this.events[index] as Event
    // Nearly every node is a plain scalar.
    if (event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.valueStart >= 0) {
      return event.valueStart
    }
    return startOf(event, index, this.events, this.text, fallback)
  }

  decode(event: ScalarEvent): string {
    return event.fast ? this.text.slice(event.valueStart, event.valueEnd) : getScalarValue(this.text, event)
  }

  report(code: ProblemCode, message: string, at: number, hint?: string, related?: Problem['related']): undefined {
    if (this.#reported++ >= maxProblems) return this.#tooMany(at)
    this.problems.push({
      code,
      severity: 'error',
      message,
      place: this.source.placeAt(at),
      ...(hint !== undefined && { hint }),
      ...(related !== undefined && { related }),
    })
    return undefined
  }

  #tooMany(at: number): undefined {
    if (this.#reported > maxProblems + 1) return undefined
    this.problems.push({
      code: 'SVC1007',
      severity: 'error',
      message: `There are more than ${maxProblems} problems before this place, and the rest is not listed`,
      place: this.source.placeAt(at),
      hint: 'Look at the first of them: the file may not be a manifest at all.',
    })
    return undefined
  }

  warn(code: ProblemCode, message: string, at: number, hint: string): void {
    this.problems.push({ code, severity: 'warning', message, place: this.source.placeAt(at), hint })
  }

  /** The value has not the type that is wanted. What stands in a credential field is not repeated, and never shown. */
  wrongType(shape: Shape, index: number, at: number, hint?: string): undefined {
    const event = this.events[index] as Event
    if (shape.type === 'text' && shape.secret) {
      const span = spanOf(this.events, index, this.text)
      this.source.hide(span.start, span.end)
    }
    const there = describeEvent(this, event, shape.type === 'text' && shape.secret)
    const says = `${subject(this)} wants ${wanted(shape)}, and there is ${there}`
    return this.report('SVC1102', says, at, hint ?? keysHint(shape))
  }

  /** Nothing stands where a value is wanted, or null where the field cannot be cleared. */
  readNull(shape: Shape, at: number): Value {
    if (shape.type === 'list' && shape.ofDeclarations) {
      this.warn('SVC1107', `${subject(this)} is empty`, at, `Nothing is declared by it: fill it, or remove the key.`)
      return []
    }
    if (shape.nullable) return null
    return this.report(
      'SVC1107',
      this.inList ? `${subject(this)} is empty` : `${subject(this)} cannot be null`,
      at,
      this.inList
        ? 'Fill it, or remove the dash.'
        : `Write ${wanted(shape)}, or remove the key${this.settings.root === 'a manifest' ? ': a field that is absent is left as it is' : ''}.`,
    )
  }

  #readScalar(shape: Shape, event: ScalarEvent, at: number): Value {
    switch (shape.type) {
      case 'text':
        return readText(this, shape, event, at)
      case 'shorthand':
        return readText(this, shape.short, event, at)
      case 'integer':
        return readInteger(this, shape, event, at)
      case 'boolean':
        return readBoolean(this, shape, event, at)
      default: {
        const there = describeEvent(this, event, false)
        if (there === 'nothing') return this.readNull(shape, at)
        const takesText = shape.type === 'list' && (shape.items.type === 'text' || shape.items.type === 'shorthand')
        const oneInList = takesText && !(shape.items.type === 'text' && shape.items.secret)
        return this.wrongType(shape, this.index - 1, at, oneInList ? 'Put it in brackets: `[…]`.' : undefined)
      }
    }
  }

  #readMappingNode(shape: Shape, event: MappingEvent, at: number): Value {
    const index = this.index - 1
    if (hasOwnTag(this, event, 'map')) {
      if (shape.type === 'mapping' || shape.type === 'map') return readMapping(this, shape, event)
      if (shape.type === 'shorthand') return readMapping(this, shape.long, event)
      this.wrongType(shape, index, at, shape.type === 'list' ? 'Begin each entry with a dash: `- `.' : undefined)
    }
    this.skipFrom(index)
    return undefined
  }

  #readSequence(shape: Shape, event: SequenceEvent, at: number): Value {
    const index = this.index - 1
    if (!hasOwnTag(this, event, 'seq') || shape.type !== 'list') {
      if (shape.type !== 'list') this.wrongType(shape, index, at)
      this.skipFrom(index)
      return undefined
    }
    const { field } = this
    const { items } = shape
    const base = this.offsets.begin(event.start)
    const list: Json[] & { [OFFSETS]?: Offsets } = []
    let end = event.start
    while ((this.events[this.index] as Event).type !== EVENT_ID.POP) {
      this.field = field
      this.inList = true
      const start = this.startAt(this.index, end)
      const value = this.read(items, start)
      if (value !== undefined) {
        list.push(value)
        this.offsets.add(start)
      }
      end = start
    }
    list[OFFSETS] = this.offsets.take(base)
    this.index++
    this.field = field
    this.inList = false
    if (list.length < shape.minItems) {
      this.report('SVC1105', `${subject(this)} wants at least ${shape.minItems} entries`, at)
    }
    return list
  }

  skipFrom(index: number): number {
    this.index = skipNode(this.events, index)
    return this.index
  }
}
