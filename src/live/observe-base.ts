// Resolves the base's declarations by the platform's names, so that they have the manifests' addresses.
import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import { needsNames } from '@svcsync/core/assemble/select-declarations.ts'
import { needsPlatform, withBegun } from '@svcsync/core/assemble/with-base.ts'
import type { Address } from '@svcsync/core/model/address.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { type AssemblySettings, type Desired, sidesOf, writtenFor } from '@svcsync/core/model/desired.ts'
import type { Directory, NotFound } from '@svcsync/core/model/directory.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Unreadable } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { MetadataLists } from './metadata-lists.ts'
import { PlatformDirectory } from './platform-directory.ts'

type BegunDesired = Parameters<typeof withBegun>[2][number]

interface WrittenBase {
  readonly declarations: readonly Declaration[]
  readonly assembly: AssemblySettings
  readonly asWritten: readonly Desired[]
}

/** The declarations of an unfinished apply. */
interface BegunDeclarations extends WrittenBase, Pick<BegunDesired, 'commit' | 'undo'> {
  isSelected(address: Address): boolean
}

export interface BaseDeclarations extends WrittenBase {
  readonly begun: readonly BegunDeclarations[]
  readonly rules: Parameters<typeof withBegun>[3]
  /** The desired objects with what it says of them, so far as names as they are written tell. */
  readonly joined: readonly Desired[]
}

interface NamesSettings {
  readonly databases: Readonly<Record<string, number>>
  readonly kinds: readonly Kind[]
}

/** Declarations whose entries the base lists, or that have lost some: their objects must be found. */
export function declarationsToFind({ joined }: Pick<BaseDeclarations, 'joined'>): readonly Declaration[] {
  const wanted = joined.flatMap((object) => {
    const { since } = object
    if (since === undefined || !needsPlatform(object)) return []
    const loses = since.takesEntries && Object.keys(since.entries).length > 0
    return since.standing === 'gone' || loses ? sidesOf(since).flatMap(({ said }) => writtenFor(said)) : []
  })
  return [...new Set(wanted)]
}

interface LocatedBase {
  readonly desired: readonly Desired[]
  /** Objects that may be on the platform, but could not be located. */
  readonly unreadable: readonly Unreadable[]
}

/** For `joined`. The address of an object that is found by name is known only after that. */
export function joinedAsWritten(
  desired: readonly Desired[],
  { asWritten, begun, rules }: Omit<BaseDeclarations, 'joined'>,
): readonly Desired[] {
  const sides = begun.map((side) => ({
    ...side,
    desired: side.asWritten,
    isSelected: ({ address, declarations: [first] }: Desired): boolean => needsNames(first) || side.isSelected(address),
  }))
  return withBegun(desired, asWritten, sides, rules)
}

/** The desired objects, with names as the platform has them, with what the base says of them. */
export async function besideBase(
  port: PlatformPort,
  desired: readonly Desired[],
  base: BaseDeclarations,
  settings: NamesSettings,
  lists: MetadataLists,
): Promise<LocatedBase> {
  const locate = (written: WrittenBase): Promise<LocatedBase> =>
    locateBase(port, { ...written, joined: base.joined }, settings, lists)
  const own = await locate(base)
  const begun: (BegunDesired & LocatedBase)[] = []
  for (const side of base.begun) {
    const isSelected = ({ address }: Desired): boolean => side.isSelected(address)
    begun.push({ ...side, isSelected, ...(await locate(side)) })
  }
  return {
    desired: withBegun(desired, own.desired, begun, base.rules),
    unreadable: [own, ...begun].flatMap(({ unreadable }) => unreadable),
  }
}

/** Lists are read for nothing but what is to be taken back; what leads nowhere any more is gone. */
async function locateBase(
  port: PlatformPort,
  { declarations, assembly, asWritten, joined }: WrittenBase & Pick<BaseDeclarations, 'joined'>,
  { databases, kinds }: NamesSettings,
  lists: MetadataLists,
): Promise<LocatedBase> {
  const named = declarations.filter(needsNames)
  if (named.length === 0) return { desired: [], unreadable: [] }
  const directory = new PlatformDirectory(databases, kinds, lists)
  const isOwn = new Set(declarations)
  const wanted = declarationsToFind({ joined }).filter((each) => isOwn.has(each) && needsNames(each))
  if (wanted.length > 0) {
    assembleDesired(wanted, directory, assembly)
    while (await lists.readWanted(port)) assembleDesired(wanted, directory, assembly)
  }
  const { desired } = assembleDesired(named, directory, assembly)
  const located = new Map(desired.flatMap((object) => writtenFor(object).map((each) => [each, object])))
  const isWanted = new Set(wanted)
  const rest = asWritten.filter(
    (object) => needsNames(object.declarations[0]) && writtenFor(object).every((each) => !located.has(each)),
  )
  const unreadable = rest.flatMap((object): Unreadable[] => {
    if (!writtenFor(object).some((each) => isWanted.has(each))) return []
    const doubt = doubtOf(object, directory, assembly)
    return doubt === undefined ? [] : [doubt]
  })
  const doubted = new Set(unreadable.map(({ address }) => address))
  // An object that needed no look keeps its written address.
  const listed = rest.filter(
    (object) => doubted.has(object.address) || !writtenFor(object).some((each) => isWanted.has(each)),
  )
  return { desired: [...desired, ...listed], unreadable }
}

/** Why nobody can say whether the object is there. Undefined: it is not. */
function doubtOf({ address, declarations }: Desired, directory: Directory, assembly: AssemblySettings) {
  const found: NotFound[] = []
  const noted = <Result extends object>(result: Result | NotFound): Result | NotFound => {
    if ('reason' in result) found.push(result)
    return result
  }
  const watched: Directory = {
    databases: directory.databases,
    database: (ref) => directory.database(ref),
    find: (...args) => noted(directory.find(...args)),
    company: (...args) => noted(directory.company(...args)),
  }
  assembleDesired(declarations, watched, assembly)
  if (found.some(({ reason }) => reason === 'unknown')) return undefined
  const [first] = found
  const unread = first?.reason === 'unreadable' ? first.why : undefined
  const why = unread?.reason ?? (first?.reason === 'ambiguous' ? 'several have its name' : 'its database is not known')
  return {
    address,
    code: 'SVC2220',
    reason: `It is no longer declared, and svcsync could not look for it: ${why}`,
    hint: unread?.hint ?? 'Check on the platform who still has access to it.',
  }
}
