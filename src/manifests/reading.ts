// The shared state of the walk: its position, its input, and its report.
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import type { ProblemCode } from '@svcsync/core/model/problem-codes.ts'
import type { OFFSETS, Offsets } from '@svcsync/core/model/source.ts'
import { errorAt, type Problem } from '@svcsync/errors/index.ts'
import { type DocumentEvent, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { bindAliases } from './bind-aliases.ts'
import { skipNode, startOf } from './node-events.ts'
import type { Resolver } from './resolver.ts'
import type { MappingShape, MapShape, Shape } from './shape.ts'
import { OffsetStack, type TextSource } from './text-source.ts'

/** A value that was read: JSON, `Sensitive` instead of a string, or undefined after a reported problem. */
export type Value = Json | undefined

export interface WalkSettings {
  readonly root:
    | 'a manifest'
    | 'the project file'
    | 'the file of targets'
    | 'a policy file'
    | 'the access baseline'
    | 'the file of exceptions'
    | 'the file of global privileges'
    | 'the file of a reviewer'
    | 'the configuration of an import'
  /** Undefined: references stay as they are written (the project file, whose targets are resolved one at a time). */
  readonly resolver: Pick<Resolver, 'resolve'> | undefined
  /** Takes what is missing and need not be there. Undefined: nothing may be missing. */
  readonly withheld?: Withheld
  /** The zone of dates without an offset. Absent: UTC. */
  readonly timeZone?: string | undefined
  /** Other places of a key, for hints. */
  readonly homes: ReadonlyMap<string, readonly string[]>
  /** Called for each declaration: it throws where there is no room for more. */
  readonly checkRoom?: (() => void) | undefined
  /** Visits of events through aliases that are left: it stops bombs. */
  readonly budget: { left: number }
}

/** Told about items that declare something. */
export interface DeclarationSink {
  /** An item begins; its value is filled while it is read. */
  open(section: Pick<Declaration, 'kind' | 'section'>, item: JsonObject): void
  close(sound: boolean): void
  /** A manifest inside a file that is something else ends. */
  endManifest?(manifest: JsonObject): void
}

/** A value that is missing, and need not be there. */
interface Withheld {
  /** Variables and files in fields that are never compared, which only an apply needs. */
  readonly needs: Set<string>
  /** Variables that stand elsewhere, too: this run alone can do without. */
  readonly notAsked: Set<string>
  /** The number of fields without a value because of it. */
  fields: number
}

export interface Building {
  readonly shape: MappingShape | MapShape
  readonly value: Record<string, Json | undefined> & { [OFFSETS]?: Offsets }
  readonly start: number
  readonly holder: string
  /** The start of its offsets among those that are being gathered. */
  readonly base: number
  /** Keys that were seen and are not in the value: key → offset. Most mappings have none. */
  seen: Map<string, number> | undefined
  /** Indices of the values of `<<`. */
  merges: number[] | undefined
  /** Keys of a map → where they stand among those that were read. */
  readonly order: Map<string, number> | undefined
}

/** Problems of one file that are worth reading: more come from what was never meant to be a manifest. */
const maxProblems = 50_000

export class Reading {
  readonly source: TextSource
  readonly text: string
  /** Absolute path of the file: where `${file:…}` starts from. */
  readonly path: string
  readonly events: readonly Event[]
  readonly settings: WalkSettings
  readonly sink: DeclarationSink | undefined
  readonly problems: Problem[]
  readonly offsets: OffsetStack
  /** False where no string of the file can hold a reference. */
  readonly mayHoldReferences: boolean
  /** The index of the next event. */
  index = 0
  /** The field that is being read, for messages; `inList`: an entry of it. */
  field = ''
  inList = false
  document: DocumentEvent | undefined
  readonly #bindings: ReturnType<typeof bindAliases>
  readonly #readNode: (walk: Reading, shape: Shape, at: number) => Value
  #reported = 0

  /** `readNode`: moves behind the node at `index`. */
  constructor(
    source: TextSource,
    path: string,
    events: readonly Event[],
    settings: WalkSettings,
    problems: Problem[],
    sink: DeclarationSink | undefined,
    readNode: (walk: Reading, shape: Shape, at: number) => Value,
  ) {
    this.source = source
    this.text = source.text
    this.path = path
    this.events = events
    this.#bindings = bindAliases(events, source, problems)
    this.settings = settings
    this.offsets = new OffsetStack(source.offsets)
    this.problems = problems
    this.sink = sink
    this.#readNode = readNode
    this.mayHoldReferences = source.text.includes('${')
  }

  /** Reads the node at `index` as `shape` says and moves behind it. `at`: where it starts. */
  read(shape: Shape, at: number): Value {
    return this.#readNode(this, shape, at)
  }

  follow(index: number, at: number): ReturnType<ReturnType<typeof bindAliases>['get']> {
    const anchored = this.#bindings.get(index)
    if (anchored === undefined) return undefined
    const { budget } = this.settings
    budget.left -= anchored.size
    if (budget.left >= 0) return anchored
    // Said once: everything after it would be the same.
    if (budget.left + anchored.size >= 0) {
      this.report('SVC1005', 'Aliases expand the content beyond the limit', at, 'Write the values out.')
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
    this.problems.push({ ...errorAt(code, message, this.source.placeAt(at), hint), related })
    return undefined
  }

  #tooMany(at: number): undefined {
    if (this.#reported > maxProblems + 1) return undefined
    const message = `More than ${maxProblems} problems precede this place; the rest is not listed`
    const hint = 'Correct the first of them: the file may not be a manifest at all.'
    this.problems.push(errorAt('SVC1007', message, this.source.placeAt(at), hint))
    return undefined
  }

  warn(code: ProblemCode, message: string, at: number, hint: string): void {
    this.problems.push({ code, severity: 'warning', message, place: this.source.placeAt(at), hint })
  }

  /** Moves behind the node at `index` without reading it; returns the new index. */
  skipFrom(index: number): number {
    this.index = skipNode(this.events, index)
    return this.index
  }
}
