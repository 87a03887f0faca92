// Reads an answer as an object of its kind, and says which of its parts are unreadable.
import type { Address } from '@svcsync/core/model/address.ts'
import { doubtsIn, learnNames, withoutSettledDoubts } from '@svcsync/core/model/doubts.ts'
import { isNamedBySvcId, isRequestedObject } from '@svcsync/core/model/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  isMisread,
  type Kind,
  type LivePart,
  type Location,
  type MisreadAnswer,
  type MisreadPart,
} from '@svcsync/core/model/kind.ts'
import { type Live, liveOf } from '@svcsync/core/model/live.ts'
import { unknownFields, unknownKeys } from '@svcsync/core/model/misread.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { momentIn } from '@svcsync/core/model/time-bounds.ts'
import { concealPasswords } from '@svcsync/core/model/written-password.ts'
import { failureCodes, InternalError, inCode, OperatorError, PlatformError } from '@svcsync/errors/index.ts'

/** An answer that is no such object, or does not tell all of it. `misread`: the end of a sentence about it. */
export function otherShape(kind: Kind, path: string, misread: string, address?: Address): PlatformError {
  const what = kind.name.replace('-', ' ')
  return new PlatformError(
    failureCodes.otherShape,
    `The answer to GET ${path} cannot be read as ${/^[aeiou](?!ser)/.test(what) ? 'an' : 'a'} ${what}: ${misread}`,
    { kind: 'unreadable', method: 'GET', path },
    { address, hint: 'Check apiVersion and wireNames of the target.' },
  )
}

/** A proxy, a cache or the platform has mixed up two answers. */
function otherObject(
  kind: Kind,
  path: string,
  address: Address,
  at: Location,
  { name, self }: LivePart,
): PlatformError {
  const bySvcId = isNamedBySvcId(kind)
  const found = bySvcId ? (name === '' ? 'an empty svcId' : inCode(name)) : `${inCode(name)} (${self})`
  const asked = bySvcId ? `\`${at.self}\`` : at.name === undefined ? at.self : `${inCode(at.name)} (${at.self})`
  return new PlatformError(
    failureCodes.otherObject,
    `The answer to GET ${path} is about ${found}, but svcsync asked for ${asked}`,
    { kind: 'unreadable', method: 'GET', path },
    {
      address,
      hint: 'Run again. If it happens again, look for a cache or proxy that mixes up answers, or check svcIdCase.',
    },
  )
}

/** Undefined: the platform does not have it. `before`: a name that it may still have. */
export async function readObject(
  port: PlatformPort,
  kind: Kind,
  address: Address,
  at: Location,
  before?: string,
): Promise<Live | undefined> {
  const request = kind.requests.read?.(at)
  if (request === undefined) throw new InternalError(`The kind ${kind.name} has nothing to read`)
  let answer: Json | undefined
  try {
    answer = await port.send(request)
  } catch (error) {
    // Lists of a found object, as privileges are, cannot be absent: 404 is a refusal like any other.
    const isNotFound = error instanceof PlatformError && error.code === failureCodes.notFound
    if (isNotFound && kind.lifecycle !== 'found') return undefined
    // An account that is gone has nothing, on some installations; others answer with an empty list.
    if (isNotFound && fieldsOf(kind.sections[0]).holder !== undefined)
      return nothingHeld(port, { kind, address, at }, Object.keys(kind.collections))
    throw error
  }
  const part = answer === undefined ? { misread: 'it is empty' } : parseWhole(port, kind, answer, at)
  if (isMisread(part)) throw otherShape(kind, request.path, part.misread, address)
  if (answer !== undefined) tellUnknownKeys(port, kind, [answer])
  // A collection that the answer is silent about could be anything.
  const silent = Object.keys(kind.collections).find((name) => part.collections[name] === undefined)
  if (silent !== undefined) throw otherShape(kind, request.path, `it tells nothing of ${silent}`, address)
  if (!isRequestedObject(kind, at, part, port.normalise, before))
    throw otherObject(kind, request.path, address, at, part)
  const self = part.self === '' ? at.self : part.self
  return liveOf(
    withoutSettledDoubts(part, kind, port.names),
    { kind, address, at: { ...at, ...(self !== undefined && { self }) } },
    port.normalise,
  )
}

/** An existing object without elements in these collections. */
export function nothingHeld(
  { normalise }: PlatformPort,
  { kind, address, at }: { readonly kind: Kind; readonly address: Address; readonly at: Location },
  names: readonly string[],
): Live {
  const collections = Object.fromEntries(names.map((name) => [name, []]))
  const part = { name: at.name ?? '', self: at.self ?? '', spec: {}, collections, ready: true }
  return liveOf(part, { kind, address, at }, normalise)
}

export function parseWhole(
  { timeZone = 'UTC', names }: Pick<PlatformPort, 'timeZone' | 'names'>,
  kind: Kind,
  answer: Json,
  at: Location,
): LivePart | MisreadAnswer | MisreadPart {
  const parsed = kind.parse(answer, at)
  const keyed = 'name' in parsed ? asKeyed(kind, parsed, timeZone) : parsed
  if (isMisread(keyed) || !isJsonObject(answer)) return keyed
  if (names !== undefined) learnNames(names, kind, answer)
  const doubted = doubtsIn(kind, answer)
  const part = doubted.length === 0 ? keyed : { ...keyed, doubted }
  const { open } = fieldsOf(kind.sections[0])
  const unknown = open === undefined ? undefined : unknownFields(kind, answer)
  const spec = open === undefined || unknown === undefined ? part.spec : { ...part.spec, [open]: unknown }
  const concealed = spec && (concealPasswords(spec) as JsonObject)
  return concealed === part.spec ? part : { ...part, spec: concealed as JsonObject }
}

/** The part as read, with its moments in the project's time zone, and with the name that its fields make. */
function asKeyed<Part extends LivePart | MisreadPart>(kind: Kind, part: Part, timeZone: string): Part {
  const { key, sections } = kind
  if (key === undefined || part.spec === undefined) return part
  const spec = { ...part.spec, ...momentsIn(sections[0].schema, part.spec, timeZone) }
  return { ...part, spec, name: key.of(spec) }
}

/** Other texts stay. */
function momentsIn({ properties }: ObjectSchema, spec: JsonObject, timeZone: string): JsonObject {
  const fields = Object.entries(properties).flatMap(([field, { moment }]) => {
    const value = spec[field]
    if (moment === undefined || typeof value !== 'string') return []
    return [[field, momentIn(value, moment === 'until', timeZone) ?? value]]
  })
  return Object.fromEntries(fields) as JsonObject
}

/** Reports unknown keys in answers about a kind. svcsync never compares them, and never sends them back. */
export function tellUnknownKeys({ onUnknownKey }: PlatformPort, kind: Kind, answers: readonly Json[]): void {
  if (onUnknownKey === undefined) return
  for (const answer of answers.filter(isJsonObject))
    for (const [key, isField] of unknownKeys(kind, answer))
      onUnknownKey(`\`${key}\` of ${kind.title.toLowerCase()}`, isField)
}

/** True for a failure that says something about one object, and nothing about the whole run. */
export function concernsOne(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.kind !== 'unreachable' && error.status !== 401
}

/** True for an identifier that no request can carry, which says something about its object alone. */
export function hasUnusableName(error: unknown): error is OperatorError {
  return error instanceof OperatorError && error.code === failureCodes.segmentUnusable
}
