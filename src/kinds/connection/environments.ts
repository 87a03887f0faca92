// The settings of a connection's environments on the wire: whole environments, with inheritance.
import { holdsCredentials } from '@svcsync/core/compare/rotations.ts'
import { isJsonObject, isMapping, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Finding, MisreadAnswer } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { misreadIn, within } from '../parts/read-fields.ts'

export const inheriting = ['dev', 'test', 'prod'] as const

/** Whole: an installation that replaces it would lose the credentials and what nobody manages. */
export function wholeEnvironments(changed: JsonObject, desired: JsonObject, live: JsonObject): JsonObject {
  const result: Record<string, Json | undefined> = {}
  for (const name of Object.keys(changed)) {
    const wanted = desired[name]
    if (!isJsonObject(wanted)) {
      result[name] = wanted
      continue
    }
    const before = live[name]
    const inherited = !isJsonObject(before) && name !== 'common'
    const start = inherited ? overlay(objectOr(live.common), objectOr(desired.common)) : objectOr(before)
    result[name] = overlay(withoutNulls(start), wanted)
  }
  return result
}

/** An unset field reads as null, which a write may not send for a word. */
function withoutNulls(settings: JsonObject): JsonObject {
  const set = Object.entries(settings).filter(([, value]) => value !== null)
  return Object.fromEntries(set.map(([key, value]) => [key, isMapping(value) ? withoutNulls(value) : value]))
}

/** The create spec of a node: an environment with settings of its own starts from `common`. */
export function overlaidOnCommon(node: JsonObject): JsonObject {
  const common = objectOr(node.common)
  const result: Record<string, Json | undefined> = { ...node }
  for (const name of inheriting) {
    const own = node[name]
    if (isJsonObject(own)) result[name] = overlay(common, own)
  }
  return result
}

export function environmentBody(node: JsonObject): JsonObject {
  const body: Record<string, Json | undefined> = {}
  for (const [name, settings] of Object.entries(node)) {
    if (settings === null) body[name] = { breakInheritance: false }
    else if (isJsonObject(settings)) {
      const { extra, ...known } = settings
      const flag = name === 'common' ? {} : { breakInheritance: true }
      body[name] = { ...objectOr(extra), ...known, ...flag }
    }
  }
  return body
}

/** The node as read: an inheriting or missing environment is null. */
export function readEnvironments(node: JsonObject, fields: ObjectSchema['properties']): JsonObject | MisreadAnswer {
  const result: Record<string, Json | undefined> = {}
  for (const name of ['common', ...inheriting]) {
    const part = node[name] ?? null
    if (part !== null && !isJsonObject(part)) return { misread: `\`${name}\` is no object` }
    const { breakInheritance = false, ...settings } = part ?? {}
    if (typeof breakInheritance !== 'boolean')
      return within(name, { misread: '`breakInheritance` is neither true nor false' })
    // In common nothing is inherited, whatever the flag says.
    const isOwn = name === 'common' || (part !== null && breakInheritance)
    const wrong = isOwn ? within(name, misreadIn(settings, fields)) : undefined
    if (wrong !== undefined) return wrong
    result[name] = isOwn ? withExtra(settings, Object.keys(fields)) : null
  }
  return result
}

/** Fields unknown to svcsync stand by themselves. */
function withExtra(settings: JsonObject, known: readonly string[]): JsonObject {
  const unknown = Object.entries(settings).filter(([key]) => !known.includes(key))
  if (unknown.length === 0) return settings
  const own = Object.entries(settings).filter(([key]) => known.includes(key))
  return { ...Object.fromEntries(own), extra: Object.fromEntries(unknown) }
}

export function objectOr(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function overlay(base: JsonObject, top: JsonObject): JsonObject {
  const result: Record<string, Json | undefined> = { ...base }
  for (const [key, value] of Object.entries(top)) {
    const below = result[key]
    const nests = isMapping(value) && isMapping(below)
    result[key] = nests ? overlay(below, value) : value
  }
  return result
}

/** Finds `rotation` in an environment where it has no effect. */
export function reviewRotations(name: string, node: JsonObject, schema: ObjectSchema | undefined): Finding[] {
  return ['common', ...inheriting].flatMap((environment): Finding[] => {
    const settings = node[environment]
    if (!isJsonObject(settings) || settings.rotation === undefined) return []
    const rotation = String(settings.rotation)
    const path = [name, environment, 'rotation']
    if (!isNumberOrDate(rotation)) {
      const message = `\`rotation\` is \`${rotation}\`, which is neither a number nor a date`
      return [{ code: 'SVC1207', message, hint: 'Write a number, as `3`, or a day, as `2026-11-22`.', path }]
    }
    if (holdsCredentials(schema?.properties[environment], settings)) return []
    const message = `\`${environment}\` has a \`rotation\`, and no credentials of its own`
    return [{ code: 'SVC1208', message, hint: 'Write it beside the credentials that it rotates.', path }]
  })
}

function isNumberOrDate(text: string): boolean {
  if (/^\d+$/.test(text)) return true
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text)
}
