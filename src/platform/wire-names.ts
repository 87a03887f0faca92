// Renames what the neutral vocabulary calls otherwise than an installation does: keys, query parameters, enum values.
import { isJsonObject, type Json } from '../core/model/json.ts'
import { isWordKey } from '../core/model/vocabulary.ts'
import { failureCodes, OperatorError } from '../errors/index.ts'

/**
 * Renames keys, and strings that kinds mark as words of the interface. A string anywhere else belongs to somebody: a group
 * may be named like a vendor, and its name must arrive as it is. `table` maps neutral names to those of the installation. Undefined when it is empty, so that the usual case costs
 * nothing. Throws an OperatorError when two neutral names share a real one: answers could not be translated back.
 */
export function createWireNames(table: Readonly<Record<string, string>>) {
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
    outbound: (body: Json): Json => renamed(body, toWire, isWordKey),
    /** Takes what JSON.parse gave. */
    // The keys of words are neutral; the table may rename them too, so they are looked at after the renaming.
    inbound: (body: Json): Json => renamed(body, toNeutral, (_, renamedKey) => isWordKey(renamedKey)),
    /** Which neutral names of the table a text speaks of, by themselves or by what they are called here. */
    namedIn: (text: string): readonly string[] => {
      const words = wordsOf(text)
      return [...toWire].flatMap((names) => (names.some((name) => words.includes(wordsOf(name))) ? names[0] : []))
    },
    query: <T>(query: Readonly<Record<string, T>>): Readonly<Record<string, T | string>> => {
      const wire: Record<string, T | string> = {}
      for (const [name, value] of Object.entries(query)) {
        const isEnum = isWordKey(name) && typeof value === 'string'
        wire[toWire.get(name) ?? name] = isEnum ? (toWire.get(value) ?? value) : value
      }
      return wire
    },
  }
}

function wordsOf(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}_]+/gu, ' ').trim()} `
}

type EnumTest = (key: string, renamedKey: string) => boolean

function renamed(value: Json, names: ReadonlyMap<string, string>, isEnum: EnumTest): Json {
  if (Array.isArray(value)) return value.map((item: Json) => renamed(item, names, isEnum))
  if (!isJsonObject(value)) return value
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item === undefined) continue
    const renamedKey = names.get(key) ?? key
    const renamedItem =
      typeof item === 'string' && isEnum(key, renamedKey) ? (names.get(item) ?? item) : renamed(item, names, isEnum)
    // A plain assignment to this one name would set the prototype instead of a property.
    if (renamedKey === '__proto__') {
      Object.defineProperty(copy, renamedKey, { value: renamedItem, enumerable: true, writable: true })
    } else {
      copy[renamedKey] = renamedItem
    }
  }
  return copy
}
