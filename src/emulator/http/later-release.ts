// An answer as other releases and serialisers write it: without what is not set, and with fields that no document has.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'

type Habits = Pick<Behaviour, 'absentFields' | 'newFields'>

/** One of each sort that a field can have. */
const added = { addedText: 'x', addedFlag: true, addedObject: { addedText: 'x' } }

export function asReleased(answer: Json, habits: Habits): Json {
  if (habits.absentFields === 'told' && habits.newFields === 'none') return answer
  return released(answer, habits)
}

function released(value: Json, habits: Habits): Json {
  if (Array.isArray(value)) return value.map((item: Json) => released(item, habits))
  if (!isJsonObject(value)) return value
  const told = Object.entries(value).flatMap(([key, each]): [string, Json][] =>
    each === undefined || isOmitted(each, habits) ? [] : [[key, released(each, habits)]],
  )
  return { ...Object.fromEntries(told), ...(habits.newFields === 'told' && added) }
}

function isOmitted(value: Json, { absentFields }: Habits): boolean {
  if (absentFields === 'told') return false
  return value === null || (absentFields === 'defaultsOmitted' && (value === false || value === 0))
}
