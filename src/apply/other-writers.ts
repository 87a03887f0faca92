// Another writer on the same installation: looked for right before what would do harm, and told in the report.

import { Aftermath } from '@svcsync/core/access/aftermath.ts'
import { believedAs, listAfter, listAfterChange } from '@svcsync/core/compare/believed-list.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import type { Guard } from '@svcsync/core/guards/guard.ts'
import { lastAdministratorGuard } from '@svcsync/core/guards/last-administrator.ts'
import { lastOwnerGuard } from '@svcsync/core/guards/last-owner.ts'
import { byAddress } from '@svcsync/core/model/address.ts'
import { elementKey, type KeyedElement, showElement } from '@svcsync/core/model/elements.ts'
import { append, getOrInsert } from '@svcsync/core/model/group-by.ts'
import { nameKey } from '@svcsync/core/model/identity.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { formatCount, PlatformError } from '@svcsync/errors/index.ts'
import { type ListedPart, type ListedParts, readList } from '@svcsync/live/read-list.ts'
import { readObject } from '@svcsync/live/read-object.ts'
import { readBack } from './read-back.ts'
import type { StepResult } from './step-result.ts'

interface OtherWritersOptions {
  readonly port: PlatformPort
  readonly pageSize: number
  readonly changes: ReadonlyMap<string, Change>
  selfOf(address: string): string | undefined
}

type SentWrite = { readonly step: Step; readonly kind: Kind }

export class OtherWriters {
  readonly #options: OtherWritersOptions
  readonly #lists = new Map<string, Promise<ListedParts>>()
  readonly #made = new Map<string, SentWrite[]>()
  readonly #removals = new Map<string, SentWrite>()
  readonly #told = new Map<string, NonNullable<ApplyReport['meanwhile']>[number]>()
  #asPlanned: Aftermath | undefined

  constructor(options: OtherWritersOptions) {
    this.#options = options
  }

  foundCreated(address: string): void {
    this.#tell(address, 'another writer has created it since it was read')
  }

  /** If names are not unique, the list is read again right before the first create in it. */
  async appeared(step: Step, kind: Kind): Promise<Live | undefined> {
    const { port } = this.#options
    const list = bearsAnyName(kind) ? kind.requests.list?.(step.at) : undefined
    if (list === undefined) return undefined
    const listed = await getOrInsert(this.#lists, list.path, () => readList(port, kind, step.at, list, this.#options))
    const [part] = listed.get(nameKey(kind, step.at.name ?? '', port.normalise)) ?? []
    if (part === undefined) return undefined
    const live = await readObject(port, kind, step.address, { ...step.at, self: part.self })
    if (live !== undefined) this.foundCreated(step.address)
    return live
  }

  /** A create was sent: its name has to be proven unique. */
  sent(step: Step, kind: Kind): void {
    const path = bearsAnyName(kind) ? kind.requests.list?.(step.at)?.path : undefined
    if (path === undefined) return
    if (!this.#made.get(path)?.some((other) => other.step.id === step.id)) append(this.#made, path, { step, kind })
  }

  /** Undefined: it may be sent. */
  async leavesNobody(step: Step, kind: Kind): Promise<StepResult | undefined> {
    const { port, changes } = this.#options
    const change = changes.get(step.address)
    const guard = change && guardOf(step, kind)
    // An allowance covers a list that the plan itself leaves empty.
    if (change?.live === undefined || guard === undefined || finds(guard, change, this.#planned())) return undefined
    let read: Live | undefined
    try {
      read = await readBack(port, kind, step.address, step.at, this.#options)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const reason = `it was not sent, because svcsync could not read again who would be left: ${error.message}`
      return { outcome: 'skipped', code: error.code, reason, hint: error.hint, attempts: 0 }
    }
    if (read === undefined) return undefined
    const fresh = believedAs(read, (name) => known(change, name))
    for (const sentence of differencesSince(change, fresh, step.collection ?? '')) this.#tell(step.address, sentence)
    const now = changedOn(change, fresh)
    const others = [...changes.values()].map((each) => (each === change ? now : each))
    if (!finds(guard, now, new Aftermath(others))) {
      this.#removals.set(step.address, { step, kind })
      return undefined
    }
    return {
      outcome: 'skipped',
      code: 'SVC2130',
      reason: `it was not sent: another writer has removed others meanwhile, and nobody would be left ${whereOf(kind)}`,
      hint: 'Run `svcsync plan`, and review the accounts that remain.',
      attempts: 0,
    }
  }

  /** For the objects from which this run removed an Administrator or owner. */
  async lookAgain(unequal: ApplyReport['verified']['unequal']): Promise<void> {
    const touched = unequal.flatMap(({ address }) => this.#removals.get(address) ?? [])
    await Promise.all(touched.map((each) => this.#tellWhoIsLeft(each)))
  }

  /** Other objects with the name of one that this run created. */
  async doubles(): Promise<ApplyReport['verified']['unequal']> {
    const found = await Promise.all([...this.#made.values()].map((created) => this.#doublesAmong(created)))
    return found.flat()
  }

  changes(): NonNullable<ApplyReport['meanwhile']> {
    return [...this.#told.values()].sort(byAddress)
  }

  #tell(address: string, sentence: string): void {
    this.#told.set(`${address} ${sentence}`, { address, sentence })
  }

  #planned() {
    this.#asPlanned ??= new Aftermath([...this.#options.changes.values()])
    return this.#asPlanned
  }

  /** Two runs may both look before either removes somebody, so the report says who is left. */
  async #tellWhoIsLeft({ step, kind }: SentWrite): Promise<void> {
    const { port, changes } = this.#options
    const change = changes.get(step.address) as Change
    const { level, collection = '' } = kind.administeredBy ?? {}
    const read = await readBack(port, kind, step.address, step.at, this.#options).catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error
      return undefined
    })
    if (read === undefined) return
    const fresh = believedAs(read, (name) => listAfterChange(change, name))
    for (const sentence of differencesSince(change, fresh, collection)) this.#tell(step.address, sentence)
    const there = fresh.collections[collection] ?? []
    if (there.some((element) => level === undefined || element.level === level)) return
    const others = there.map((element) => showElement(element, 'company'))
    const left = others.length === 0 ? '' : `; still there: ${cutLines(others, mostNamed).join(', ')}`
    this.#tell(step.address, `nobody is left ${whereOf(kind)}${left}`)
  }

  async #doublesAmong(created: readonly SentWrite[]): Promise<ApplyReport['verified']['unequal']> {
    const { port, selfOf } = this.#options
    const [{ step, kind }] = created as [SentWrite]
    const list = kind.requests.list?.(step.at)
    if (list === undefined) return []
    let listed: ListedParts
    try {
      listed = await readList(port, kind, step.at, list, this.#options)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const reason = `svcsync could not read whether its name is unique: ${error.message}`
      return created.map(({ step: { address } }) => ({ address, differences: [], reason }))
    }
    return created.flatMap(({ step: { address, at } }): ApplyReport['verified']['unequal'][number][] => {
      const parts = listed.get(nameKey(kind, at.name ?? '', port.normalise)) ?? []
      if (parts.length < 2) return []
      const own = selfOf(address)
      const isOwn = (part: ListedPart): boolean => own !== undefined && (part.self === own || part.id === own)
      const ids = parts.map((part) => `${part.self} (${sayMaker(isOwn(part), own)})`)
      this.#tell(address, 'another writer has created one of the same name')
      return [
        { address, differences: [], reason: `${formatCount(parts.length, 'object')} have its name: ${ids.join(', ')}` },
      ]
    })
  }
}

/** True if the platform takes a name a second time. */
function bearsAnyName({ lifecycle, key }: Kind): boolean {
  return lifecycle === 'kept' || key !== undefined
}

const mostNamed = 10

function whereOf({ administeredBy: { level, collection } = { collection: '' } }: Kind): string {
  return level === undefined ? `among the ${collection}` : `with the level ${level}`
}

function sayMaker(isOwn: boolean, own: string | undefined): string {
  if (own === undefined) return 'svcsync does not know which one it created'
  return isOwn ? 'made by this run' : 'made by another writer'
}

/** The guard that speaks of whom the step removes. */
function guardOf({ verb, collection, elements = [] }: Step, { administeredBy }: Kind): LastOneGuard | undefined {
  if (verb !== 'remove' || administeredBy === undefined || administeredBy.collection !== collection) return undefined
  const { level } = administeredBy
  if (level === undefined) return lastOwnerGuard
  return elements.some((element) => element.level === level) ? lastAdministratorGuard : undefined
}

type LastOneGuard = Guard<'changes' | 'aftermath'>

function finds(guard: LastOneGuard, change: Change, aftermath: Aftermath): boolean {
  return guard.find({ changes: [change], aftermath }).length > 0
}

/** Elements that this run has added were not there before. */
function changedOn(change: Change, live: Live): Change {
  const before: Record<string, readonly KeyedElement[]> = { ...live.collections }
  const collections = change.collections.map((difference) => {
    const { collection, removed, added } = difference
    const there = live.collections[collection] ?? []
    const goes = new Set(removed.map(elementKey))
    const comes = new Set(added.map(({ element }) => elementKey(element)))
    before[collection] = there.filter((element) => !comes.has(elementKey(element)))
    return { ...difference, removed: there.filter((element) => goes.has(elementKey(element))) }
  })
  return { ...change, live: { ...live, collections: before }, collections }
}

/** For a list of untold levels: the accounts' former levels, and those that this run adds. */
function known(change: Change, name: string): readonly KeyedElement[] {
  const { added = [] } = change.collections.find(({ collection }) => collection === name) ?? {}
  const before = change.live?.collections[name] ?? []
  return listAfter(before, { added: added.map(({ element }) => element), removed: [] })
}

/** The entries added and removed since the object was read, apart from this run's own. */
function differencesSince(change: Change, fresh: Live, collection: string): readonly string[] {
  const planned = change.collections.filter((difference) => difference.collection === collection)
  const moved = planned.flatMap(({ removed, added }) => [...removed, ...added.map(({ element }) => element)])
  const own = new Set(moved.map(elementKey))
  const before = change.live?.collections[collection] ?? []
  const after = fresh.collections[collection] ?? []
  const beyond = (elements: readonly KeyedElement[], others: readonly KeyedElement[]): readonly KeyedElement[] => {
    const known = new Set(others.map(elementKey))
    return elements.filter((element) => !known.has(elementKey(element)) && !own.has(elementKey(element)))
  }
  return [
    ...beyond(before, after).map(
      (element) => `another writer took ${showElement(element, 'company')} from ${collection}`,
    ),
    ...beyond(after, before).map(
      (element) => `another writer added ${showElement(element, 'company')} to ${collection}`,
    ),
  ]
}
