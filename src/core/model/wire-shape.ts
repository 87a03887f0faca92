// Finds the names of bodies and answers that belong to the interface: only those can differ in an installation.
import { stock } from './capabilities/stock.ts'
import { getOrInsert } from './group-by.ts'
import type { Kind } from './kind.ts'
import { requestsOf } from './kind-requests.ts'
import type { Schema, WireShape } from './schema.ts'

/** Keys that the platform gives any object: `extra` holds none of them. */
export const givenKeys: readonly string[] = ['id', 'guid', 'svcId', 'status', 'links', 'breakInheritance']

/** The shapes of a request to a path and its answer. Undefined: no kind uses the path, and it has no words. */
type WireShapes = (path: string) => WireShape | undefined

export function wireShapesOf(kinds: readonly Kind[]): WireShapes {
  let places: readonly Place[] | undefined
  return (path) => {
    // Each client has them, and most installations rename nothing: then nobody asks.
    places ??= placesOf(kinds)
    const asked = path.split('/')
    return places.find(({ segments }) => isAt(segments, asked))?.shape
  }
}

interface Place {
  readonly segments: readonly string[]
  shape: WireShape
}

function placesOf(kinds: readonly Kind[]): readonly Place[] {
  const byPath = new Map<string, Place>()
  for (const kind of kinds) {
    const shape = shapeOf(kind)
    for (const { request, list } of [...requestsOf(kind), ...stocksOf(kind)]) {
      const listed = list === undefined ? shape : merged(shape, { keys: { [list]: shape } })
      for (const path of [request.path, request.pathIn50 ?? request.path]) {
        const place = getOrInsert(byPath, path, () => ({ segments: path.split('/'), shape: {} }))
        place.shape = merged(place.shape, listed)
      }
    }
  }
  return [...byPath.values()]
}

function stocksOf({ collections }: Kind): ReturnType<typeof requestsOf> {
  return Object.values(collections).flatMap((each) => {
    const { path } = stock.of(each) ?? {}
    return path === undefined ? [] : [{ request: { method: 'GET', path }, cannot: '' }]
  })
}

/** Requests for an object without a location have numbers instead of names. */
function isAt(segments: readonly string[], asked: readonly string[]): boolean {
  return segments.length === asked.length && segments.every((each, at) => each === asked[at] || /^\d$/.test(each))
}

function shapeOf({ sections: [{ schema }], alsoTold = [], wire = {} }: Kind): WireShape {
  const told = Object.fromEntries(alsoTold.map((key) => [key, {}]))
  return merged(merged({ keys: told }, { keys: wire }), shapeIn(schema))
}

function shapeIn(schema: Schema): WireShape {
  if (schema.word) return { word: true }
  if (schema.type === 'array') return shapeIn(schema.items)
  if (schema.type === 'shorthand') return shapeIn(schema.long)
  if (schema.type !== 'object') return {}
  const parts = Object.entries(schema.properties).filter(([, { type }]) => type !== 'open')
  const keys = Object.fromEntries(parts.map(([key, part]) => [key, shapeIn(part)]))
  if (parts.length === Object.keys(schema.properties).length) return { keys }
  return merged({ keys: Object.fromEntries(givenKeys.map((key) => [key, {}])), open: true }, { keys })
}

function merged(one: WireShape, other: WireShape): WireShape {
  const keys: Record<string, WireShape> = { ...one.keys }
  for (const [key, shape] of Object.entries(other.keys ?? {})) keys[key] = merged(keys[key] ?? {}, shape)
  return { ...one, ...other, keys }
}
