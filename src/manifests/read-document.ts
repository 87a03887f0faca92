// A file that is one document with a shape of its own, read into a mapping with the offsets of its parts.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { ProblemCode } from '@svcsync/core/model/problem-codes.ts'
import { offsetAt } from '@svcsync/core/model/source.ts'
import type { Place, Problem } from '@svcsync/errors/index.ts'
import { type DocumentEvent, EVENT_ID, type Event } from 'js-yaml'
import type { DeclarationSink, WalkSettings } from './reading.ts'
import type { MappingShape, MapShape } from './shape.ts'
import type { TextSource } from './text-source.ts'
import { openWalk } from './walk.ts'
import { startLarge } from './wording.ts'

interface DocumentKind {
  readonly root: WalkSettings['root']
  readonly begins: string
  /** For an empty file, and for one with several documents. */
  readonly code: ProblemCode
}

/** References stay as they are written. Undefined: nothing can be made of it; whatever is wrong is in `problems`. */
export function readDocument(
  source: TextSource,
  path: string,
  shape: MappingShape | MapShape,
  kind: DocumentKind,
  problems: Problem[],
  sink?: DeclarationSink,
): JsonObject | undefined {
  const settings: WalkSettings = {
    root: kind.root,
    resolver: undefined,
    homes: new Map(),
    budget: { left: 100_000 },
  }
  const walk = openWalk(source, path, settings, problems, sink)
  if (walk === undefined) return undefined
  const { events } = walk
  walk.document = events[0] as DocumentEvent | undefined
  walk.index = 1
  const first = events[1]
  const value = first === undefined ? undefined : walk.read(shape, walk.startAt(1, 0))
  const root = startLarge(kind.root)
  if (first === undefined) walk.report(kind.code, `${root} is empty`, 0, `It begins with ${kind.begins}.`)
  else if ((events[walk.index + 1] as Event | undefined)?.type === EVENT_ID.DOCUMENT) {
    const offset = walk.startAt(walk.index + 2, source.text.length)
    const message = `${root.replace(/^The /, 'A ')} is one document, and another one begins here`
    walk.report(kind.code, message, offset, 'Remove one of them.')
  }
  return isJsonObject(value) ? value : undefined
}

/** The items of a list in a document; malformed ones were reported, and are left out. */
export function itemsIn(root: JsonObject | undefined, key: string): readonly JsonObject[] {
  const list = root?.[key]
  return Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : []
}

export function textIn(item: JsonObject, key: string): string | undefined {
  const value = item[key]
  return typeof value === 'string' ? value : undefined
}

/** Without a key, or where it is missing, the place of the item. */
export function placesIn(source: TextSource, item: JsonObject): (key?: string) => Place {
  return (key) => source.placeAt(offsetAt(source, item, key === undefined || item[key] === undefined ? [] : [key]))
}
