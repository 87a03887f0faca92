// Fields that no document has, as some installations take them: kept beside the objects, in memory alone.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Call } from '../http/route.ts'

const extraFields = new WeakMap<object, JsonObject>()

/** Keeps what the request holds beyond the documents. */
export function keepExtraFields<T extends object>({ more }: Call, object: T): T {
  if (more !== undefined) extraFields.set(object, { ...extraFields.get(object), ...more })
  return object
}

/** The undocumented part of an answer. */
export function extraFieldsOf({ state }: Pick<Call, 'state'>, object: object): JsonObject {
  return state.behaviour.undocumentedFields === 'told' ? (extraFields.get(object) ?? {}) : {}
}
