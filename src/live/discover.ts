// Finds what is on the platform without any declaration: lists every kind, and reads what its lists do not tell.

import {
  type Address,
  addressStart,
  byAddress,
  objectAddress,
  selectionBelow,
  selectionOf,
} from '@svcsync/core/model/address.ts'
import type { Directory, FoundObject } from '@svcsync/core/model/directory.ts'
import { accountsIn, hasUnknownLevel } from '@svcsync/core/model/elements.ts'
import { isMisread, type Kind, type Location } from '@svcsync/core/model/kind.ts'
import { type Live, liveOf } from '@svcsync/core/model/live.ts'
import type { LiveItem, LiveTree, UnreadPart } from '@svcsync/core/model/live-tree.ts'
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { failureCodes, formatCount, isLackingKind, PlatformError } from '@svcsync/errors/index.ts'
import { beginInTurn } from './begin-in-turn.ts'
import { leaveDoubted } from './leave-doubted.ts'
import { MetadataLists } from './metadata-lists.ts'
import { namedReferences } from './name-companies.ts'
import { describeByName } from './named-ids.ts'
import { ObjectLists } from './object-lists.ts'
import { findCandidate, PlatformDirectory } from './platform-directory.ts'
import { howToTellApart, type ListedPart } from './read-list.ts'
import type { ReadSettings } from './read-live.ts'
import { concernsOne, otherShape, readObject } from './read-object.ts'

/** A list of objects of one kind. */
interface ObjectList {
  readonly kind: Kind
  readonly at: Location
  /** As the target names it. */
  readonly database: string | undefined
  /** In which it is. */
  readonly parent: LiveItem | undefined
}

interface DiscoverOptions extends ReadSettings {
  /** All that there are; the containers of those that are read are among them. */
  readonly kinds: readonly Kind[]
  readonly databases: Readonly<Record<string, number>>
  readonly only: readonly string[]
  /** Kinds that the application may not read, with the reason. */
  readonly refused: ReadonlyMap<Kind, string>
  /** Read before, or to be read for more than this. */
  readonly metadata?: MetadataLists | undefined
  /** Lists whose levels the platform does not tell are as it tells them; left out otherwise. */
  readonly keepsUntold?: boolean
  onAccount?(kind: Kind, name: string): void
  /** Why an object that is selected is passed over and not read. Undefined: it is read. */
  passes?(kind: Kind, address: Address, name: string, at?: Location): LiveTree['passed'][number]['why'] | undefined
  /** True if the list of a kind inside another object is read. Default: always. */
  descends?(kind: Kind, at: Location, parent: LiveItem): boolean
}

/** Unreadable parts are in `leftOut`; a failure of the whole run rejects. */
export async function discover(port: PlatformPort, options: DiscoverOptions): Promise<LiveTree> {
  const discovery = new Discovery(port, options)
  const { kinds } = options
  await Promise.all(
    kinds.map(async (kind) => {
      if (kind.scope === 'installation') await discovery.list({ kind, at: {}, database: undefined, parent: undefined })
      // Reading a container finds its contents.
      if (kind.scope !== 'database' || kind.parent !== undefined) return
      await Promise.all(
        Object.entries(options.databases).map(([database, dbId]) =>
          discovery.list({ kind, at: { dbId }, database, parent: undefined }),
        ),
      )
    }),
  )
  return discovery.tree()
}

type Selection = (address: Address) => boolean

type MutableLiveItem = { -readonly [Key in keyof LiveItem]: LiveItem[Key] }

class Discovery {
  readonly #port: PlatformPort
  readonly #options: DiscoverOptions
  readonly #lists: MetadataLists
  readonly #directory: Directory
  readonly #isSelected: (address: Address) => boolean
  readonly #maybeBelow: (address: Address) => boolean
  readonly #items: MutableLiveItem[] = []
  readonly #read = new Map<LiveItem, Live>()
  readonly #leftOut: UnreadPart[] = []
  readonly #passed: LiveTree['passed'][number][] = []
  readonly #lacking = new Set<Kind>()
  readonly #accountNames = new Map<string, string>()
  /** The places of lent objects, by database and guid; and those seen at home. */
  readonly #lent = new Map<string, UnreadPart>()
  readonly #atHome = new Set<string>()

  constructor(port: PlatformPort, options: DiscoverOptions) {
    this.#port = port
    this.#options = options
    this.#lists = options.metadata ?? new MetadataLists()
    this.#directory = new PlatformDirectory(options.databases, options.kinds, this.#lists)
    const { only, within = [], kinds } = options
    const [isMeant, isWithin] = [only, within].map((globs) => selectionOf(globs, kinds)) as [Selection, Selection]
    const [maybeMeant, maybeWithin] = [only, within].map(selectionBelow) as [Selection, Selection]
    this.#isSelected = (address) => isMeant(address) && isWithin(address)
    this.#maybeBelow = (address) => maybeMeant(address) && maybeWithin(address)
  }

  async list(shelf: ObjectList): Promise<void> {
    const { kind } = shelf
    const base = addressStart(kind, shelf)
    if (!this.#mayHold(shelf)) return
    const refusal = this.#options.refused.get(kind)
    try {
      if (refusal !== undefined) this.#leave({ ...shelf, address: base, reason: refusal, isList: true })
      else if (kind.lookup !== undefined) await this.#listFound(shelf, kind.lookup)
      else await this.#listOwn(shelf)
    } catch (error) {
      // An installation that has nothing of the kind, such as licences, leaves nothing out.
      if (isLackingKind(error)) return void this.#lacking.add(kind)
      const isMissing = error instanceof PlatformError && error.code === failureCodes.notFound
      this.#refuse(shelf, base, error, { isList: true, isMissing })
    }
  }

  /** True if something in it, or in its contents, may be wanted. */
  #mayHold(shelf: ObjectList): boolean {
    if (this.#maybeBelow(addressStart(shelf.kind, shelf))) return true
    const inner = this.#options.kinds.filter(({ parent, scope }) => parent === shelf.kind.name && scope === 'database')
    return inner.some((kind) => this.#maybeBelow(addressStart(kind, { database: shelf.database })))
  }

  /** Sorted, with the business entities as manifests name them. */
  async tree(): Promise<LiveTree> {
    const named = await namedReferences(this.#port, this.#read, this.#lists, this.#directory)
    for (const each of named.leftOut) this.#leave(each)
    // With a selection, some lists were not read.
    if (this.#options.only.length + (this.#options.within ?? []).length === 0) {
      for (const [self, each] of this.#lent) if (!this.#atHome.has(self)) this.#leave(each)
    }
    const { told, leftOut } = leaveDoubted(describeByName(named.objects), this.#port)
    for (const each of leftOut) this.#leave(each)
    for (const item of this.#items) {
      const live = told.get(item)
      item.spec = live?.spec ?? {}
      item.collections = live?.collections ?? {}
      item.perhapsGroups = live?.perhapsGroups
    }
    return {
      items: this.#items.sort(byAddress),
      leftOut: this.#leftOut.sort(byAddress),
      passed: this.#passed.sort(byAddress),
      lacking: [...this.#lacking],
      accountNames: this.#accountNames,
    }
  }

  /** Objects that exist on the platform, and are referred to by name, guid or id. */
  async #listFound(shelf: ObjectList, lookup: NonNullable<Kind['lookup']>): Promise<void> {
    const { kind, at, database, parent } = shelf
    const candidates = await this.#lists.read(this.#port, { request: lookup.request(at), key: lookup.key })
    if (candidates instanceof PlatformError) throw candidates
    const container: FoundObject | undefined = parent && { address: parent.address, at }
    await Promise.all(
      candidates.map(async (candidate) => {
        const { guid } = candidate
        const self = `${at.dbId} ${guid}`
        const place = { kind, database, parent, address: objectAddress(kind, guid, shelf) }
        // The list of whose it is tells it, too.
        if (candidate.isLent) {
          this.#lent.set(self, { ...place, reason: `${candidate.name} is lent by an application that is not listed` })
          return
        }
        this.#atHome.add(self)
        const known = findCandidate(this.#directory, kind, candidate, container, at)
        if (known === undefined) {
          this.#leave({ ...place, reason: 'Neither its name nor its guid leads to it alone' })
          return
        }
        const { identity, found } = known
        const called = identity === candidate.name ? undefined : candidate.name
        const item = this.#keep({ kind, at: found.at, database, parent }, found.address, identity, called)
        await Promise.all([this.#readInto(item, found.at), this.#listBelow(item, found.at)])
      }),
    )
  }

  async #listOwn(shelf: ObjectList): Promise<void> {
    const { kind, at } = shelf
    const list = kind.requests.list?.(at)
    if (list === undefined) return this.#readNamed(shelf)
    const { lists = new ObjectLists() } = this.#options
    const meant = await lists.read(this.#port, kind, at, list, this.#options)
    await beginInTurn([...meant.values()], (parts) => this.#tellOwn(shelf, parts, list.path))
  }

  /** An object that no list tells is read if its own address is selected. */
  async #readNamed(shelf: ObjectList): Promise<void> {
    const { kind } = shelf
    const start = `${addressStart(kind, shelf)}/`
    const wanted = this.#options.only.filter((glob) => glob.startsWith(start))
    await Promise.all(
      [...new Set(wanted)].map(async (address) => {
        const name = address.slice(start.length)
        if (/^\d+$/.test(name) && this.#isWanted(kind, address, name))
          await this.#readOwn(shelf, address, { name, self: name })
      }),
    )
  }

  /** `parts`: all that a manifest would mean by the one name. */
  async #tellOwn(shelf: ObjectList, parts: readonly ListedPart[], path: string): Promise<void> {
    const { kind, at } = shelf
    const [part, second] = parts as [ListedPart, ListedPart?]
    const address = objectAddress(kind, part.name, shelf)
    if (kind.provides !== undefined) this.#options.onAccount?.(kind, part.name)
    if (kind.provides !== undefined && !isMisread(part) && typeof part.spec.name === 'string') {
      this.#accountNames.set(this.#port.normalise(part.name), part.spec.name)
    }
    if (!this.#isWanted(kind, address, part.name, { ...at, self: part.self })) return
    if (part.name === '') {
      this.#leave({ ...shelf, address, reason: 'It has no name', hint: 'Give it one on the platform.' })
    } else if (second !== undefined) {
      const reason = `${formatCount(parts.length, 'live object')} have this name`
      this.#leave({ ...shelf, address, reason, hint: howToTellApart(kind) })
    } else if (isMisread(part)) {
      this.#refuse(shelf, address, otherShape(kind, path, part.misread, address))
    } else if (kind.parseItem === undefined) {
      const here = { kind, address, at: { ...at, name: part.name, self: part.self } }
      this.#fill(this.#keep(shelf, address, part.name), liveOf(part, here, this.#port.normalise))
    } else {
      await this.#readOwn(shelf, address, part)
    }
  }

  async #readOwn(
    shelf: ObjectList,
    address: Address,
    { name, self }: Pick<ListedPart, 'name' | 'self'>,
  ): Promise<void> {
    const { kind, at } = shelf
    try {
      const live = await readObject(this.#port, kind, address, { ...at, name, self })
      if (live !== undefined) this.#fill(this.#keep(shelf, address, name), live)
      else this.#leave({ ...shelf, address, reason: 'It is listed, but answers 404 when read' })
    } catch (error) {
      this.#refuse(shelf, address, error)
    }
  }

  async #readInto(item: LiveItem, at: Location): Promise<void> {
    if (!item.wanted || item.kind.requests.read === undefined) return
    try {
      const live = await readObject(this.#port, item.kind, item.address, at)
      if (live !== undefined) this.#fill(item, live)
    } catch (error) {
      this.#refuse(item, item.address, error)
    }
  }

  async #listBelow(item: LiveItem, at: Location): Promise<void> {
    const { kinds, descends } = this.#options
    const inner = kinds.filter((kind) => kind.parent === item.kind.name && descends?.(kind, at, item) !== false)
    await Promise.all(inner.map((kind) => this.list({ kind, at, database: item.database, parent: item })))
  }

  #keep(
    { kind, at, database, parent }: ObjectList,
    address: Address,
    identity: string,
    called?: string,
  ): MutableLiveItem {
    // A listed object with a name of its own is kept if it is wanted; one that is found, also for its contents.
    const wanted = kind.lookup === undefined || this.#isWanted(kind, address, identity, at)
    const item: MutableLiveItem = {
      kind,
      address,
      at,
      identity,
      called,
      database,
      parent,
      wanted,
      spec: {},
      collections: {},
    }
    this.#items.push(item)
    return item
  }

  #isWanted(kind: Kind, address: Address, name: string, at?: Location): boolean {
    if (!this.#isSelected(address)) return false
    const why = this.#options.passes?.(kind, address, name, at)
    if (why === undefined) return true
    this.#passed.push({ address, why })
    return false
  }

  #fill(item: LiveItem, live: Live): void {
    const collections = Object.entries(live.collections).filter(([field, elements]) => {
      const isTold = !elements.some((element) => hasUnknownLevel(element, live.kind.collections[field]))
      if (isTold || this.#options.keepsUntold) return true
      this.#leave({ ...item, field, reason: sayUntold(accountsIn(elements)), isUntold: true })
      return false
    })
    this.#read.set(item, { ...live, collections: Object.fromEntries(collections) })
    this.#options.onProgress?.(1)
  }

  #refuse(
    shelf: Omit<ObjectList, 'at'>,
    address: Address,
    error: unknown,
    list: Pick<UnreadPart, 'isList' | 'isMissing'> = {},
  ): void {
    if (!concernsOne(error)) throw error
    this.#leave({ ...shelf, address, reason: error.message, hint: error.hint, ...list })
  }

  #leave({ kind, database, parent, address, field, reason, hint, isList, isMissing, isUntold }: UnreadPart): void {
    this.#leftOut.push({ kind, database, parent, address, field, reason, hint, isList, isMissing, isUntold })
  }
}

const mostNamed = 10

function sayUntold(accounts: readonly string[]): string {
  const named = cutLines([...new Set(accounts)], mostNamed)
  return `The platform tells no levels, only these accounts: ${named.join(', ')}`
}
