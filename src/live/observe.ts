// From declarations to desired objects and their live state: finds names, and reads what is wanted, side by side.

import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import { needsNames, needsNamesBeside } from '@svcsync/core/assemble/select-declarations.ts'
import { needsPlatform } from '@svcsync/core/assemble/with-base.ts'
import { byAddress, selectionOf } from '@svcsync/core/model/address.ts'
import { hasEnded } from '@svcsync/core/model/capabilities/has-ended.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { type AssemblySettings, type Desired, writtenFor } from '@svcsync/core/model/desired.ts'
import { withoutSettledDoubts } from '@svcsync/core/model/doubts.ts'
import { isJsonObject, type JsonObject, valueAt } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { LiveSnapshot, Unreadable } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import type { Unmanaged } from '@svcsync/core/plan/plan-document.ts'
import type { createPruneJudge, PruneFindings } from '@svcsync/core/plan/prune.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { countUnmanaged } from './count-unmanaged.ts'
import { MetadataLists } from './metadata-lists.ts'
import { nameCompanies } from './name-companies.ts'
import { withNamedIds } from './named-ids.ts'
import { createAccountReads, ObjectLists } from './object-lists.ts'
import { type BaseDeclarations, besideBase } from './observe-base.ts'
import { PlatformDirectory } from './platform-directory.ts'
import { type ReadSettings, readLive, readPresence } from './read-live.ts'
import { readOrphans } from './read-orphans.ts'

type Assembled = ReturnType<typeof assembleDesired>

interface NamesOptions extends AssemblySettings {
  readonly databases: Readonly<Record<string, number>>
  readonly kinds: readonly Kind[]
}

interface ObserveOptions extends NamesOptions, ReadSettings {
  readonly only: readonly string[]
  /** Only the objects with these addresses, instead. */
  readonly addresses?: ReadonlySet<string>
  /** Reading waits for it; putting the declarations together does not. */
  readonly authorised?: Promise<void>
  readonly unmanaged?: CountRequest | undefined
  readonly base?: BaseDeclarations | undefined
  /** Kinds whose lists are looked through for what no manifest declares. */
  readonly prune?: { readonly kinds: readonly Kind[]; readonly judge: ReturnType<typeof createPruneJudge> } | undefined
}

interface CountRequest {
  /** Lists inside of containers that no manifest declares are read as well. */
  readonly everywhere: boolean
  /** Kinds that the application may not read, with the reason. */
  readonly refused: Promise<ReadonlyMap<Kind, string>>
}

export interface Observation {
  readonly desired: readonly Desired[]
  readonly live: LiveSnapshot
  readonly problems: readonly Problem[]
  readonly prune?: PruneFindings
  readonly unmanaged?: Unmanaged
  /** The lists that were read: whoever reads on need not read them again. */
  readonly reads: {
    readonly lists: ObjectLists
    readonly metadata: MetadataLists
    /** The accounts that are read one by one after the rest. */
    readonly accounts: ReturnType<typeof createAccountReads>
  }
}

/** Declarations without names are read at once. `asWritten`: the objects assembled without the platform. */
export async function observe(
  platform: PlatformPort,
  declarations: readonly Declaration[],
  asWritten: readonly Desired[],
  options: ObserveOptions,
): Promise<Observation> {
  const { authorised } = options
  const port = authorised === undefined ? platform : readingAfter(authorised, platform)
  const { addresses } = options
  const isSelected =
    addresses === undefined
      ? selectionOf(options.only, options.kinds)
      : (address: string): boolean => addresses.has(address)
  const lists = new MetadataLists()
  const { prune, unmanaged } = options
  const objectLists = new ObjectLists()
  // Lists that are read for prune serve the declared objects as well: they are begun first.
  const pruning =
    prune && readOrphans(port, prune.kinds, prune.judge, objectLists, { ...options, nowMs: options.time.nowMs })
  const { base } = options
  const select = (desired: readonly Desired[]) => desired.filter(({ address }) => isSelected(address))
  const read = async ({ desired, problems, doubts = [] }: LocatedObjects) => {
    const selected = select(desired)
    const doubted = new Map(doubts.map((each) => [each.address, each]))
    const looked = selected.filter((each) => (base === undefined || needsPlatform(each)) && !doubted.has(each.address))
    const idle = base === undefined ? [] : selected.filter((each) => !needsPlatform(each) && !doubted.has(each.address))
    const { pageSize, concurrency, within } = options
    const [read, presence] = await Promise.all([
      readLive(port, looked, { ...options, lists: objectLists }),
      readPresence(port, idle, { pageSize, concurrency, within, lists: objectLists }),
    ])
    const live = { ...read, presence, unreadable: new Map([...read.unreadable, ...doubted]) }
    const complete = await withNamedIds(port, selected, live, { ...options, lists: objectLists })
    return {
      desired: complete.desired,
      problems: [...problems, ...complete.problems],
      live: { ...live, objects: await nameCompanies(port, live.objects, lists) },
    }
  }
  // The base's declarations are not yet in any object.
  const isNamed = base === undefined ? needsNamesBeside(asWritten) : needsNames
  const isPlain = (object: Desired): boolean => !isNamed(object.declarations[0])
  const plain = asWritten.filter(isPlain)
  const named = declarations.filter(isNamed)
  // Names first: their lists lead to further reads.
  const assembled = assembleByNames(port, named, options, lists)
  const counting = async ({ refused, everywhere }: CountRequest): Promise<Unmanaged> => {
    const [named, without] = await Promise.all([assembled, refused])
    return countUnmanaged(port, [...plain, ...named.desired, ...unreadObjects(asWritten, named).objects], {
      ...options,
      ...{ metadata: lists, lists: objectLists, everywhere, refused: without },
      // Objects whose time is over are few: they are counted, pruned or not.
      isPruned: (kind, name) => hasEnded.of(kind) === undefined && 'pattern' in (prune?.judge(kind, name) ?? {}),
    })
  }
  const withBaseOf = async ({ desired, problems, unlocated }: Assembled): Promise<LocatedObjects> => {
    const unread = unreadObjects(asWritten, { unlocated })
    const all = unread.objects.length === 0 ? desired : [...desired, ...unread.objects]
    if (base === undefined) return { desired: all, problems, doubts: unread.doubts }
    const { desired: beside, unreadable } = await besideBase(port, all, base, options, lists)
    return { desired: beside, problems, doubts: [...unreadable, ...unread.doubts] }
  }
  const plainWithBase = base === undefined ? plain : base.joined.filter(isPlain)
  const [namedPart, plainPart, found, counted] = await Promise.all([
    assembled.then(withBaseOf).then(read),
    read({ desired: plainWithBase, problems: [] }),
    pruning,
    unmanaged && counting(unmanaged),
  ])
  const parts = [plainPart, namedPart]
  const all = parts.flatMap(({ desired }) => desired).sort(byAddress)
  return {
    desired: all,
    live: withoutCleared(joined(parts.map(({ live }) => live)), all, port),
    problems: parts.flatMap(({ problems }) => problems),
    reads: { lists: objectLists, metadata: lists, accounts: createAccountReads() },
    ...(found && { prune: found }),
    ...(counted && { unmanaged: counted }),
  }
}

function readingAfter(authorised: Promise<void>, port: PlatformPort): PlatformPort {
  return {
    ...port,
    async send(request) {
      await authorised
      return port.send(request)
    },
  }
}

/** The problems of names alone: of objects, databases and business entities that the platform does not have. */
export async function findNames(
  port: PlatformPort,
  declarations: readonly Declaration[],
  options: NamesOptions,
): Promise<readonly Problem[]> {
  return (await assembleByNames(port, declarations, options, new MetadataLists())).problems
}

/** Each round asks for the lists of names that the one before found wanting. */
export async function assembleByNames(
  port: PlatformPort,
  declarations: readonly Declaration[],
  options: NamesOptions,
  lists: MetadataLists,
): Promise<Assembled> {
  const directory = new PlatformDirectory(options.databases, options.kinds, lists)
  let result = assembleDesired(declarations, directory, options)
  while (await lists.readWanted(port)) result = assembleDesired(declarations, directory, options)
  return result
}

interface LocatedObjects extends Pick<Assembled, 'desired' | 'problems'> {
  /** Present and former declarations of objects whose existence is unknown. */
  readonly doubts?: readonly Unreadable[]
}

/** The objects that could not be located, under their written addresses: nothing is planned for them. */
function unreadObjects(
  asWritten: readonly Desired[],
  { unlocated }: Pick<Assembled, 'unlocated'>,
): { readonly objects: readonly Desired[]; readonly doubts: readonly Unreadable[] } {
  if (unlocated.size === 0) return { objects: [], doubts: [] }
  const found = asWritten.flatMap((object) => {
    const why = writtenFor(object)
      .map((each) => unlocated.get(each))
      .find((each) => each !== undefined)
    if (why === undefined) return []
    const { dbId: _, ...reason } = why
    return [{ object, doubt: { address: object.address, ...reason } }]
  })
  return { objects: found.map(({ object }) => object), doubts: found.map(({ doubt }) => doubt) }
}

/** Without doubts that an answer read later, or a declaration of what is no field of ours, has cleared up. */
function withoutCleared(live: LiveSnapshot, desired: readonly Desired[], { names }: PlatformPort): LiveSnapshot {
  const doubted = [...live.objects].filter(([, object]) => object.doubted !== undefined)
  if (doubted.length === 0 || names === undefined) return live
  for (const { kind, spec } of desired) for (const key of declaredExtra(kind, spec)) names.learn(kind.name, key)
  const cleared = doubted.map(
    ([address, object]) => [address, withoutSettledDoubts(object, object.kind, names)] as const,
  )
  return { ...live, objects: new Map([...live.objects, ...cleared]) }
}

/** Keys that manifests declare under `extra`, wherever that stands. */
function declaredExtra({ sections: [section] }: Kind, spec: JsonObject): readonly string[] {
  return fieldsOf(section).openPaths.flatMap((path) => {
    const extra = valueAt(spec, path)
    return isJsonObject(extra) ? Object.keys(extra) : []
  })
}

function joined(parts: readonly LiveSnapshot[]): LiveSnapshot {
  return {
    objects: new Map(parts.flatMap(({ objects }) => [...objects])),
    unreadable: new Map(parts.flatMap(({ unreadable }) => [...unreadable])),
    accounts: new Set(parts.flatMap(({ accounts }) => [...accounts])),
    totals: new Map(parts.flatMap(({ totals }) => [...totals])),
    presence: new Map(parts.flatMap(({ presence = [] }) => [...presence])),
  }
}
