// Lists of metadata, each read once: what names, guids and ids are looked up in.
import { append, getOrInsert } from '@svcsync/core/model/group-by.ts'
import { readIds } from '@svcsync/core/model/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { type CompanyRef, isMisread, type MisreadAnswer } from '@svcsync/core/model/kind.ts'
import { keysOfItems } from '@svcsync/core/model/misread.ts'
import type { PlatformPort, PlatformRequest, ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import type { PlatformError } from '@svcsync/errors/index.ts'
import { itemsOf, noIdentity } from './list-items.ts'
import { concernsOne } from './read-object.ts'

export interface Candidate {
  readonly id?: number
  readonly guid: string
  readonly name: string
  /** The database, as a page tells it. */
  readonly dbId?: number
  /** A second name that may be used: the code of a business entity. */
  readonly code?: string
  /** For a business entity: its permissions, as the platform tells them. */
  readonly permissions?: Json
  /** It is another container's, and lent to this one: a process in the list of a second application. */
  readonly isLent?: true
}

interface MetadataList {
  readonly request: PlatformRequest
  /** The property of the answer that holds the items; or what makes them of the answer. */
  readonly key: string | ((answer: Json | undefined) => readonly Candidate[])
  readonly needs?: readonly ScopeNeed[]
}

/** A store of lists that is filled in rounds: ask for all, read what was missing, ask again. */
export class MetadataLists {
  readonly #known = new Map<string, readonly Candidate[] | PlatformError>()
  readonly #wanted = new Map<string, MetadataList>()
  /** Declarations, the base and the count search the same lists at the same time. */
  readonly #underWay = new Map<string, Promise<void>>()

  /** The list, if it was read; undefined: it has to be read first, and is noted as wanted. */
  get(list: MetadataList): readonly Candidate[] | PlatformError | undefined {
    const name = nameOf(list.request)
    const items = this.#known.get(name)
    if (items === undefined) this.#wanted.set(name, list)
    return items
  }

  has({ request }: MetadataList): boolean {
    return this.#known.has(nameOf(request))
  }

  /** Reads all that was wanted. False when there was nothing. */
  async readWanted(port: PlatformPort): Promise<boolean> {
    if (this.#wanted.size === 0) return false
    const round = [...this.#wanted.values()]
    this.#wanted.clear()
    const needs = round.flatMap((list) => list.needs ?? [])
    if (needs.length > 0) await port.authorise(needs)
    await Promise.all(round.map((list) => this.#readOnce(port, list)))
    return true
  }

  async read(port: PlatformPort, list: MetadataList): Promise<readonly Candidate[] | PlatformError> {
    const name = nameOf(list.request)
    if (!this.#known.has(name)) await this.#readOnce(port, list)
    return this.#known.get(name) ?? []
  }

  #readOnce(port: PlatformPort, list: MetadataList): Promise<void> {
    const name = nameOf(list.request)
    return getOrInsert(this.#underWay, name, () => this.#ask(port, list).finally(() => this.#underWay.delete(name)))
  }

  async #ask(port: PlatformPort, { request, key }: MetadataList): Promise<void> {
    const name = nameOf(request)
    try {
      const answer = await port.send(request)
      if (typeof key !== 'string') {
        this.#known.set(name, key(answer))
        return
      }
      this.#known.set(name, readCandidates(answer, key, request))
      const list = isJsonObject(answer) ? answer[key] : undefined
      for (const each of port.onUnknownKey ? keysOfItems(list, documented) : [])
        port.onUnknownKey?.(`\`${each}\` of ${key}`, false)
    } catch (error) {
      // A fault of one list leaves the others; an unreachable platform ends the run.
      if (!concernsOne(error) || error.kind === 'lost') throw error
      this.#known.set(name, error)
    }
  }
}

const nameOf = ({ path, query }: PlatformRequest): string => JSON.stringify([path, query])

const documented = [
  ...['description', 'groupId', 'groupName', 'isRelation', 'code', 'taxId', 'phone', 'crc'],
  ...['fullName', 'address', 'logo', 'permissions'],
]

function readCandidates(answer: Json | undefined, key: string, { path }: PlatformRequest): readonly Candidate[] {
  const list = { path, key }
  const candidates = itemsOf(answer, list).map((item, index) => {
    const candidate = readCandidate(item)
    if (isMisread(candidate)) throw noIdentity(list, index, candidate.misread)
    return candidate
  })
  // A list may tell an item twice. If the two differ, both stay: nobody knows which one is valid.
  return [...new Map(candidates.map((candidate) => [JSON.stringify(candidate), candidate])).values()]
}

function readCandidate(item: JsonObject): Candidate | MisreadAnswer {
  const ids = readIds(item)
  if (isMisread(ids)) return ids
  const { id, code, isRelation, permissions } = item
  return {
    ...(typeof id === 'number' && { id }),
    guid: ids.self,
    name: ids.name,
    ...(typeof code === 'string' && { code }),
    ...(permissions !== undefined && { permissions }),
    ...(isRelation === true && { isLent: true }),
  }
}

/** The candidates that `ref` names: by exact name or code, else by guid or id. */
export function matching(candidates: readonly Candidate[], ref: string): readonly Candidate[] {
  const named = getOrInsert(indexes, candidates, indexByName).get(ref)
  if (named !== undefined) return named
  const lower = ref.toLowerCase()
  return candidates.filter(({ guid, id }) => guid.toLowerCase() === lower || String(id) === ref)
}

/** Lists that were searched: hundreds of processes are looked up in lists of hundreds. */
const indexes = new WeakMap<readonly Candidate[], ReadonlyMap<string, readonly Candidate[]>>()

function indexByName(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Candidate[]> {
  const byName = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const { name, code } = candidate
    append(byName, name, candidate)
    if (code !== undefined && code !== name) append(byName, code, candidate)
  }
  return byName
}

export function companyRef({ guid, name, code, id }: Candidate): CompanyRef {
  return { guid, name: code ?? name, ...(id !== undefined && { id }) }
}

export function companyList(dbId: number): MetadataList {
  return {
    request: { method: 'GET', path: `/admin/db/${dbId}/businessentities` },
    key: 'businessEntities',
    needs: [{ anyOf: ['Admin.BusinessEntities.Read', 'Admin.Read.All', 'Admin.ReadWrite.All'], ask: 'first' }],
  }
}
