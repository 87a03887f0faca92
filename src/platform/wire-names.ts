// Renames what the neutral vocabulary calls otherwise than an installation does: keys, query parameters, enum values.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { WireShape } from '@svcsync/core/model/schema.ts'
import type { wireShapesOf } from '@svcsync/core/model/wire-shape.ts'
import { failureCodes, OperatorError } from '@svcsync/errors/index.ts'

/** A string anywhere else is somebody's: a group may be named like a vendor. Undefined: the table is empty. */
export function createWireNames(table: Readonly<Record<string, string>>, shapes: ReturnType<typeof wireShapesOf>) {
  const toWire = new Map(Object.entries(table).filter(([neutral, real]) => neutral !== real))
  if (toWire.size === 0) return undefined
  const toNeutral = new Map<string, string>()
  for (const [neutral, real] of toWire) {
    const other = toNeutral.get(real)
    if (other !== undefined || real === '') {
      throw new OperatorError(
        failureCodes.wireNamesAmbiguous,
        real === ''
          ? `wireNames gives ${neutral} an empty name`
          : `wireNames gives ${other} and ${neutral} the same name`,
        { hint: 'Give every name in wireNames its own counterpart.' },
      )
    }
    toNeutral.set(real, neutral)
  }
  return {
    /** `path` is neutral, as requests have it. */
    outbound: (path: string, body: Json): Json => renamed(body, shapes(path), { names: toWire, isOutbound: true }),
    /** Takes what JSON.parse gave. */
    inbound: (path: string, body: Json): Json => renamed(body, shapes(path), { names: toNeutral, isOutbound: false }),
    /** Finds the names of the table in a text, neutral or as this installation has them. */
    namedIn: (text: string): readonly string[] => {
      const words = wordsOf(text)
      return [...toWire].flatMap((names) => (names.some((name) => words.includes(wordsOf(name))) ? names[0] : []))
    },
    query: <T>(query: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
      Object.fromEntries(Object.entries(query).map(([name, value]) => [toWire.get(name) ?? name, value])),
  }
}

function wordsOf(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}_]+/gu, ' ').trim()} `
}

interface NameTable {
  readonly names: ReadonlyMap<string, string>
  readonly isOutbound: boolean
}

function renamed(value: Json, shape: WireShape | undefined, renaming: NameTable): Json {
  const { names, isOutbound } = renaming
  if (typeof value === 'string') return shape?.word ? (names.get(value) ?? value) : value
  if (Array.isArray(value)) return value.map((item: Json) => renamed(item, shape, renaming))
  if (!isJsonObject(value)) return value
  const copy: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    const other = names.get(key) ?? key
    const neutral = isOutbound ? key : other
    const part = shape?.keys && Object.hasOwn(shape.keys, neutral) ? shape.keys[neutral] : undefined
    if (shape?.open && part === undefined) put(copy, key, item)
    else put(copy, other, renamed(item, part, renaming))
  }
  return copy
}

/** A plain assignment to `__proto__` would set the prototype instead of a property. */
function put(into: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(into, key, { value, enumerable: true, writable: true })
  else into[key] = value
}
