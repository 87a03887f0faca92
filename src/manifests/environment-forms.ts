// Turns the long form of an environment into what the short form says: a value, settings, or `null` for inheritance.
import type { Json } from '@svcsync/core/model/json.ts'
import { OFFSETS, offsetOf, offsetOfKey } from '@svcsync/core/model/source.ts'
import { quoteCode } from './describe-value.ts'
import type { Building, Reading, Value } from './reading.ts'
import type { MappingShape } from './shape.ts'

/** The environment in its short form; undefined where a problem was reported. Its offsets follow. */
export function settleEnvironment(walk: Reading, shape: MappingShape, building: Building): Value {
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
