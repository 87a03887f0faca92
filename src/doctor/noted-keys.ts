// What an answer calls the things that svcsync looks for, where it does not call them as documented.
import { isJsonObject, type Json } from '../core/model/json.ts'

/** The key that every account has, in the documents' word for it. */
const accountKey = 'svcId'

/**
 * A key of the items that stands where `svcId` should: `crmId` makes the advice `svcId: crmId`. Undefined: the items have
 * the documented key, or nothing like it.
 */
export function notedKeys(items: readonly Json[]): string | undefined {
  const [first] = items
  if (!isJsonObject(first) || accountKey in first) return undefined
  return Object.keys(first).find((key) => /^[a-z][A-Za-z0-9]*Id$/.test(key) && typeof first[key] === 'string')
}
