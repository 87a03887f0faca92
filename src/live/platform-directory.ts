// The directory over the platform's metadata: turns names, guids and ids of a manifest into places on the platform.

import { findDatabase } from '@svcsync/core/assemble/as-written-directory.ts'
import { isPageAddress, objectAddress } from '@svcsync/core/model/address.ts'
import { page } from '@svcsync/core/model/capabilities/page.ts'
import { type Directory, type FoundObject, isFound, type NotFound } from '@svcsync/core/model/directory.ts'
import type { Json } from '@svcsync/core/model/json.ts'
import { isMisread, type Kind, kindsByName, type Location } from '@svcsync/core/model/kind.ts'
import { inCode, PlatformError } from '@svcsync/errors/index.ts'
import { type Candidate, companyList, companyRef, type MetadataLists, matching } from './metadata-lists.ts'
import { otherShape } from './read-object.ts'

interface Match {
  readonly candidate: Candidate
  readonly siblings: readonly Candidate[]
  readonly outer: FoundObject
}

interface Search {
  /** By guid: one object may be listed by several containers. */
  readonly found: ReadonlyMap<string, Match>
  readonly searched: readonly Candidate[]
  readonly refusal: PlatformError | undefined
  /** A list has to be read first. */
  readonly isPending: boolean
}

type Page = NonNullable<ReturnType<typeof page.of>>

/** While a list that is needed has not been read yet, everything in it is pending: see MetadataLists. */
export class PlatformDirectory implements Directory {
  readonly #databases: Readonly<Record<string, number>>
  readonly #kinds: ReadonlyMap<string, Kind>
  readonly #lists: MetadataLists

  constructor(databases: Readonly<Record<string, number>>, kinds: readonly Kind[], lists: MetadataLists) {
    this.#databases = databases
    this.#kinds = kindsByName(kinds)
    this.#lists = lists
  }

  get databases(): readonly string[] {
    return Object.keys(this.#databases)
  }

  database(ref: string) {
    return findDatabase(this.#databases, ref)
  }

  find(kindName: string, ref: string, container: FoundObject | undefined, at: Location): FoundObject | NotFound {
    const kind = this.#kinds.get(kindName)
    const paged = kind && page.of(kind)
    if (kind !== undefined && paged !== undefined) return this.#atPage(kind, paged, ref, at)
    if (kind?.lookup === undefined) return { reason: 'unknown', candidates: [] }
    const containers = this.#containersOf(kind, container, at)
    if (containers === undefined) return pending
    if (containers instanceof PlatformError) return unreadable(containers)
    return this.#judged(kind, ref, this.#search(kind, ref, containers, at))
  }

  company(dbId: number, ref: string) {
    const list = this.#lists.get(companyList(dbId))
    if (list === undefined) return pending
    if (list instanceof PlatformError) return unreadable(list)
    const [only, second] = matching(list, ref)
    const candidates = () => list.flatMap(({ name, code }) => (code ? [code, name] : [name]))
    if (only === undefined) return { reason: 'unknown', candidates: candidates() } as const
    if (second !== undefined)
      return { reason: 'ambiguous', candidates: matching(list, ref).map(({ guid }) => guid) } as const
    return companyRef(only)
  }

  #candidatesOf(kind: Kind, at: Location) {
    const lookup = kind.lookup as NonNullable<Kind['lookup']>
    return this.#lists.get({ request: lookup.request(at), key: lookup.key })
  }

  #databaseName(dbId: number | undefined): string {
    return findDatabase(this.#databases, String(dbId))?.name ?? String(dbId)
  }

  /** The containers in which to look: the one that is given, or all that there are. */
  #containersOf(
    kind: Kind,
    container: FoundObject | undefined,
    at: Location,
  ): readonly FoundObject[] | PlatformError | undefined {
    if (container !== undefined || kind.parent === undefined) return [container ?? { address: '', at }]
    const parent = this.#kinds.get(kind.parent)
    if (parent?.lookup === undefined) return []
    const candidates = this.#candidatesOf(parent, at)
    if (candidates === undefined || candidates instanceof PlatformError) return candidates
    return candidates.map((candidate) => this.#foundOf(parent, candidate, candidates, undefined, at))
  }

  #foundOf(
    kind: Kind,
    candidate: Candidate,
    siblings: readonly Candidate[],
    container: FoundObject | undefined,
    at: Location,
  ): FoundObject {
    // Several of one name are different objects: what was found by its guid keeps it, or they would pass for one.
    const isOnly = matching(siblings, candidate.name).length === 1
    const { name: _, ...outer } = container?.at ?? at
    const { guid } = candidate
    const within = { database: this.#databaseName(at.dbId), parent: container }
    const address = objectAddress(kind, isOnly ? candidate.name : guid, within)
    return { address, at: { ...outer, [kind.sections[0].identity]: guid, name: candidate.name }, guid }
  }

  #search(kind: Kind, ref: string, containers: readonly FoundObject[], at: Location): Search {
    const found = new Map<string, Match>()
    const searched: Candidate[] = []
    const matches: Match[] = []
    let refusal: PlatformError | undefined
    let isPending = false
    for (const outer of containers) {
      const siblings = this.#candidatesOf(kind, outer.at)
      // Continues, so that all missing lists are requested together.
      if (siblings === undefined) isPending = true
      else if (siblings instanceof PlatformError) refusal = siblings
      else {
        searched.push(...siblings)
        matches.push(...matching(siblings, ref).map((candidate) => ({ candidate, siblings, outer })))
      }
    }
    for (const match of matches) {
      const home = match.candidate.isLent ? this.#atHome(kind, match, at.dbId) : match
      if (home === undefined) isPending = true
      else if (!found.has(match.candidate.guid)) found.set(match.candidate.guid, home)
    }
    return { found, searched, refusal, isPending }
  }

  #judged(kind: Kind, ref: string, { found, searched, refusal, isPending }: Search): FoundObject | NotFound {
    if (isPending) return pending
    const [only, second] = found.values()
    if (only === undefined) {
      if (refusal !== undefined) return unreadable(refusal)
      return { reason: 'unknown', candidates: searched.map(({ name }) => name) }
    }
    if (second !== undefined) {
      const within = [...found.values()].flatMap(({ outer }) => outer.at.name ?? [])
      return { reason: 'ambiguous', candidates: [...found.keys()], within }
    }
    // Another one of the name may be where svcsync could not look.
    if (refusal !== undefined && only.candidate.name === ref) return unreadable(refusal)
    const { candidate, siblings, outer } = only
    return this.#foundOf(kind, candidate, siblings, outer.address === '' ? undefined : outer, outer.at)
  }

  /** A lent object is found at its home, so that it has one address. Undefined: a list must be read first. */
  #atHome(kind: Kind, lent: Match, dbId: number | undefined): Match | undefined {
    const containers = this.#containersOf(kind, undefined, { dbId } as Location)
    if (containers instanceof PlatformError) return lent
    let isPending = containers === undefined
    const holders = (containers ?? []).flatMap((outer): readonly Match[] => {
      const siblings = this.#candidatesOf(kind, outer.at)
      if (siblings === undefined) isPending = true
      if (siblings === undefined || siblings instanceof PlatformError) return []
      const candidate = siblings.find(({ guid }) => guid === lent.candidate.guid)
      return candidate === undefined ? [] : [{ candidate, siblings, outer }]
    })
    return isPending ? undefined : (holders.find(({ candidate }) => !candidate.isLent) ?? holders[0])
  }

  /** For kinds without a list: it trusts a number, and requests a page address. */
  #atPage(kind: Kind, paged: Page, ref: string, { dbId = 0 }: Location): FoundObject | NotFound {
    const database = this.#databaseName(dbId)
    const numbered = (id: string): FoundObject => {
      return { address: objectAddress(kind, id, { database }), at: { dbId, name: id, self: id } }
    }
    if (/^\d+$/.test(ref)) return numbered(ref)
    // Its kind has said what is wrong with it.
    if (!isPageAddress(ref)) return pending
    const request = paged.request(ref)
    const key = (answer: Json | undefined) => readPage(kind, paged, request.path, answer)
    const found = this.#lists.get({ request, key, needs: paged.needs })
    if (found === undefined) return pending
    if (found instanceof PlatformError && found.status !== 404) return unreadable(found)
    const [only] = found instanceof PlatformError ? [] : found
    if (only?.dbId === dbId) return numbered(only.name)
    const elsewhere = only?.dbId === undefined ? undefined : this.#databaseName(only.dbId)
    return { reason: 'unknown', candidates: [], detail: notAtPage(kind, ref, database, elsewhere) }
  }
}

function readPage(kind: Kind, paged: Page, path: string, answer: Json | undefined): readonly Candidate[] {
  const part = answer === undefined ? { misread: 'it is empty' } : paged.parse(answer)
  if (part === undefined) return []
  if (isMisread(part)) throw otherShape(kind, path, part.misread)
  const { id, dbId } = part
  return [{ id, guid: String(id), name: String(id), dbId }]
}

function notAtPage(kind: Kind, ref: string, database: string, elsewhere: string | undefined) {
  const code = 'SVC1363'
  if (elsewhere === undefined) {
    const hint = 'Copy the whole address of its page, or write its number. Remove the entry of a deleted element.'
    return { code, message: `The platform knows no ${kind.name} at ${inCode(ref)}`, hint }
  }
  const message = `${inCode(ref)} leads into the database ${elsewhere}, and is declared in ${database}`
  return { code, message, hint: 'Declare it in a document of that database.' }
}

const pending: NotFound = { reason: 'pending', candidates: [] }

function unreadable({ code, message, hint, status, path }: PlatformError): NotFound {
  // A list of a database that is not there: the likeliest reason is its number.
  const database = status === 404 ? /\/db\/(\d+)\//.exec(path)?.[1] : undefined
  const check = database && `Check whether the platform has a database ${database}: see \`databases\` of the target.`
  return { reason: 'unreadable', why: { code, reason: message, hint: check ?? hint } }
}

/** By its name where that leads to it alone. Undefined: nothing does. */
export function findCandidate(
  directory: Directory,
  kind: Kind,
  candidate: Candidate,
  container: FoundObject | undefined,
  at: Location,
): { readonly identity: string; readonly found: FoundObject } | undefined {
  for (const identity of [candidate.name, candidate.guid, String(candidate.id ?? '')]) {
    if (identity === '') continue
    const found = directory.find(kind.name, identity, container, at)
    if (isFound(found) && found.guid === candidate.guid) return { identity, found }
  }
  return undefined
}
