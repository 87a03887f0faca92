// Reads the live state of the wanted objects, in as few requests as they need.
import { type Address, objectAddress, selectionOf } from '@svcsync/core/model/address.ts'
import { page } from '@svcsync/core/model/capabilities/page.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isMisread, type Kind, type MisreadAnswer } from '@svcsync/core/model/kind.ts'
import { type Live, type LiveSnapshot, liveOf, type Unreadable } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { byCount, failureCodes, formatCount, inCode, isLackingKind, PlatformError } from '@svcsync/errors/index.ts'
import { beginInTurn } from './begin-in-turn.ts'
import { ObjectLists } from './object-lists.ts'
import { howToTellApart, type ListedPart, type ListedParts, type readList } from './read-list.ts'
import { concernsOne, hasUnusableName, nothingHeld, otherShape, readObject } from './read-object.ts'

export interface ReadSettings extends Pick<Parameters<typeof readList>[4], 'pageSize' | 'concurrency'> {
  /** Globs over addresses: what counts as the whole. None: everything that the platform has. */
  readonly within?: readonly string[] | undefined
  readonly lists?: ObjectLists | undefined
  /** Called with the number of objects that became known. */
  onProgress?(objects: number): void
}

/** Up to this many objects of a kind, single reads are fewer requests, or as few, as the pages of a list. */
export const fewObjects = 2

/** An object that is refused, or cannot be understood, is unreadable; what concerns the whole run rejects. */
export async function readLive(
  port: PlatformPort,
  desired: readonly Desired[],
  settings: ReadSettings,
): Promise<LiveSnapshot> {
  const reading = new LiveReading(port, settings)
  await Promise.all(Array.from(groupBy(desired, listKey).values(), (wanted) => reading.readList(wanted)))
  return reading
}

/** Whether objects are there, by address, if that can be read. Lists are enough, where there are any. */
export async function readPresence(
  port: PlatformPort,
  objects: readonly Desired[],
  settings: ReadSettings,
): Promise<ReadonlyMap<Address, boolean>> {
  // Nothing else may need their scopes, so nobody has requested them.
  const asking = (kind: Kind): PlatformPort => ({
    ...port,
    async send(request) {
      await port.authorise(kind.scopes.read)
      return port.send(request)
    },
  })
  const listed = objects.filter(({ kind }) => kind.scope !== 'parent' && kind.lifecycle !== 'found')
  const found = await Promise.all(
    Array.from(groupBy(listed, listKey).values(), async (wanted) => {
      const reading = new LiveReading(asking((wanted[0] as Desired).kind), settings, { isPresenceEnough: true })
      await reading.readList(wanted)
      const told = wanted.filter(({ address }) => !reading.unreadable.has(address))
      return told.map(({ address }) => [address, !reading.absent.has(address)] as const)
    }),
  )
  return new Map(found.flat())
}

/** The number of listed objects within the globs. */
export function countWithin(kind: Kind, listed: ListedParts, within: ReadSettings['within'] = []): number {
  const isWithin = selectionOf(within, [kind])
  return [...listed.values()].filter(([part]) => part !== undefined && isWithin(objectAddress(kind, part.name))).length
}

class LiveReading implements LiveSnapshot {
  readonly objects = new Map<string, Live>()
  readonly unreadable = new Map<string, Unreadable>()
  readonly accounts = new Set<string>()
  readonly totals = new Map<string, number>()
  readonly absent = new Set<Address>()
  readonly #port: PlatformPort
  readonly #settings: ReadSettings
  readonly #lists: ObjectLists
  readonly #isPresenceEnough: boolean

  constructor(port: PlatformPort, settings: ReadSettings, { isPresenceEnough = false } = {}) {
    this.#port = port
    this.#settings = settings
    this.#isPresenceEnough = isPresenceEnough
    this.#lists = settings.lists ?? new ObjectLists()
  }

  /** All wanted objects of one list: by that list, or each by itself. */
  async readList(wanted: readonly Desired[]): Promise<void> {
    const [{ kind, at }] = wanted as [Desired]
    const list = kind.requests.list?.(at)
    if (list === undefined) {
      await beginInTurn(wanted, (object) => this.#readUnlisted(object))
      return
    }
    if (list.paged && kind.key === undefined && wanted.length <= fewObjects && !this.#lists.isBegun(list)) {
      await Promise.all(wanted.map((object) => this.#readSingly(object, object.at.name)))
      return
    }
    let listed: ListedParts
    try {
      listed = await this.#lists.read(this.#port, kind, at, list, { ...this.#settings, expected: wanted.length })
    } catch (error) {
      for (const object of wanted) this.#keep(object, unreadableObject(object, error))
      return
    }
    const disproof = await checkEmptyList(this.#port, kind, wanted, listed, list.path)
    if (disproof !== undefined) {
      for (const object of wanted) this.#keep(object, unreadableObject(object, disproof))
      return
    }
    if (kind.provides !== undefined) for (const svcId of listed.keys()) this.accounts.add(svcId)
    if (kind.scope === 'installation') this.totals.set(kind.name, countWithin(kind, listed, this.#settings.within))
    const partsOf = ({ key, previously = key }: Desired): readonly ListedPart[] =>
      listed.get(key) ?? listed.get(previously) ?? []
    const isDoubted = mayHaveSlipped(kind, listed, wanted.filter((object) => partsOf(object).length === 0).length)
    const nameless = namelessIn(kind, listed, list.path)
    await beginInTurn(wanted, (object) => {
      const parts = partsOf(object)
      if (parts.length > 0) return this.#isPresenceEnough ? undefined : this.#keepListed(object, parts, list.path)
      if (isDoubted) return this.#readSingly(object, object.at.name)
      if (nameless !== undefined) return this.#keep(object, unreadableObject(object, nameless))
      return this.#keep(object, kind.lifecycle === 'found' ? nothingToRead(object, this.#port) : undefined)
    })
  }

  #keepListed(object: Desired, parts: readonly ListedPart[], path: string): Promise<void> | void {
    const { kind, address } = object
    const [part, second] = parts as readonly [ListedPart, ...ListedPart[]]
    if (second !== undefined) return this.#keep(object, ambiguous(object, parts))
    if (isMisread(part))
      return this.#keep(object, unreadableObject(object, otherShape(kind, path, part.misread, address)))
    if (kind.parseItem !== undefined) return this.#readSingly(object, part.self, true)
    const at = { ...object.at, self: part.self }
    this.#keep(object, liveOf(part, { kind, address, at }, this.#port.normalise))
  }

  async #readUnlisted(object: Desired): Promise<void> {
    const isRead = object.kind.requests.read !== undefined && hasCollections(object)
    if (isRead) await this.#readSingly(object, undefined)
    else this.#keep(object, nothingToRead(object, this.#port))
  }

  #keep(object: Desired, live: Live | Unreadable | undefined): void {
    const { address } = object
    if (live !== undefined && 'reason' in live) this.unreadable.set(address, live)
    else if (live === undefined) this.absent.add(address)
    else this.objects.set(address, live)
    this.#settings.onProgress?.(1)
  }

  async #readSingly(object: Desired, self: string | undefined, isListed = false): Promise<void> {
    const { kind, address, previously } = object
    const at = { ...object.at, ...(self !== undefined && { self }) }
    const live = await attempt(object, () => readObject(this.#port, kind, address, at, previously))
    this.#keep(object, live ?? missing(object, isListed))
  }
}

/** A list without any declared object may be cut off: one of them is read by itself first. */
async function checkEmptyList(
  port: PlatformPort,
  kind: Kind,
  wanted: readonly Desired[],
  listed: ReadonlyMap<string, readonly ListedPart[]>,
  path: string,
): Promise<unknown> {
  // A found object comes with another one, and is listed if it has any contents.
  if (kind.scope !== 'installation' || kind.lifecycle === 'found' || kind.key !== undefined) return undefined
  const isListed = ({ key }: Desired): boolean => listed.has(key)
  const probe = wanted.find(({ absent }) => !absent) ?? wanted[0]
  if (probe === undefined || wanted.some(isListed)) return undefined
  try {
    const live = await readObject(port, kind, probe.address, probe.at)
    return live && cutListError(path, probe.address, wanted.length)
  } catch (error) {
    return error
  }
}

/** A deletion meanwhile moves up what comes after: what is missing is read by itself, as many as there were pages. */
function mayHaveSlipped(kind: Kind, { pages }: ListedParts, missing: number): boolean {
  return pages > 1 && missing <= pages && kind.key === undefined
}

/** Fields make the name: an object without them may be any that was not found. */
function namelessIn(kind: Kind, listed: ListedParts, path: string): PlatformError | undefined {
  if (kind.key === undefined) return undefined
  const part = [...listed.values()].flat().find((each) => isMisread(each) && each.spec === undefined)
  return part && otherShape(kind, path, `${inCode(part.name)} may be this one, but ${(part as MisreadAnswer).misread}`)
}

function cutListError(path: string, address: string, wanted: number): PlatformError {
  const none = byCount(wanted, `no ${address}`, `none of ${wanted} declared objects`)
  return new PlatformError(
    failureCodes.listDisproved,
    `GET ${path} lists ${none}, and ${address} answers when it is read by itself`,
    { kind: 'unreadable', method: 'GET', path },
    { hint: 'Run again. If it happens again, report to the operators of the platform that its list is incomplete.' },
  )
}

function listKey({ kind, at }: Desired): string {
  return `${kind.name} ${kind.requests.list?.(at).path}`
}

/** True if present or former declarations need to know the contents of a list. */
function hasCollections({ collections, since }: Desired): boolean {
  return Object.keys(collections).length > 0 || (since !== undefined && Object.keys(since.entries).length > 0)
}

/** In a list of its kind it is not. */
function nothingToRead(object: Desired, port: PlatformPort): Live {
  const { requests, collections } = object.kind
  return nothingHeld(port, object, requests.list === undefined ? [] : Object.keys(collections))
}

async function attempt(object: Desired, read: () => Promise<Live | undefined>): Promise<Live | Unreadable | undefined> {
  try {
    return await read()
  } catch (error) {
    return unreadableObject(object, error)
  }
}

/** Rethrows what concerns the whole run. */
function unreadableObject(object: Desired, error: unknown): Unreadable {
  if (!hasUnusableName(error) && !concernsOne(error)) throw error
  const { address, kind, at } = object
  if (page.of(kind) !== undefined && error.code === failureCodes.notFound) {
    const reason = `The platform has no ${kind.name} ${at.name}: it was deleted, or never was`
    return {
      address,
      code: 'SVC1360',
      reason,
      hint: `Remove it, or correct its number. svcsync looked in the database ${at.dbId}.`,
      isMissing: true,
    }
  }
  const isLacking = isLackingKind(error)
  return { address, code: error.code, reason: error.message, hint: error.hint, ...(isLacking && { isLacking }) }
}

/** The platform never deletes such objects, so one is there even if the list leaves it out. */
function missing({ kind, address, at }: Desired, isListed: boolean): Unreadable | undefined {
  if (!isListed || kind.lifecycle !== 'kept') return undefined
  return { address, reason: `The platform lists ${inCode(at.name)}, but answers 404 when read`, hint: undefined }
}

function ambiguous(object: Desired, parts: readonly ListedPart[]): Unreadable {
  return {
    address: object.address,
    reason:
      `${formatCount(parts.length, 'live object')} are called ` +
      `${inCode(object.at.name)} (${parts.map(({ self }) => self).join(', ')})`,
    hint: howToTellApart(object.kind),
  }
}
