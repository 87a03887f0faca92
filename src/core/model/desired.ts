// The desired state of one object: what all its declarations together say.
import type { Place, Problem } from '@svcsync/errors/index.ts'
import type { AccountSet } from './account-sets.ts'
import type { Address, NormaliseSvcId } from './address.ts'
import { type Declaration, placeIn } from './declaration.ts'
import type { KeyedElement, ListedSubject } from './elements.ts'
import type { Identity } from './identity.ts'
import type { JsonObject } from './json.ts'
import type { Kind, Location, Section } from './kind.ts'
import type { Path } from './source.ts'
import type { TimeBounds } from './time-bounds.ts'

/** The written mode of a collection. `whole`: exclusive, and unlisted parts are empty. */
export type WrittenMode = 'exclusive' | 'additive' | 'whole'

export interface AssemblySettings {
  readonly normalise: NormaliseSvcId
  /** The meaning of a listed collection that has no mode of its own. */
  readonly collections: Exclude<WrittenMode, 'whole'>
  /** The same of privileges, which have parts. Default: as `collections`. */
  readonly privileges?: WrittenMode | undefined
  readonly sets: ReadonlyMap<string, AccountSet>
  /** Accounts that end, by their keys: with them ends what they have, also in other lists. */
  readonly ends: ReadonlyMap<string, AccountEnd>
  /** Files, as shown in places, whose fields override those of others. */
  readonly overrides?: ReadonlySet<string>
  readonly time: {
    /** Milliseconds since 1970. */
    readonly nowMs: number
    /** IANA name: what a date without an offset means. */
    readonly timeZone: string
    /** For a base: when it was applied. It gave entries to everybody who counted then. -Infinity: unknown. */
    readonly appliedMs?: number
  }
  /** Called for each object: it throws where there is no room for more. */
  readonly checkRoom?: () => void
}

export interface DesiredElement {
  readonly element: KeyedElement
  readonly declaration: Declaration
  /** The field of the item; `path` leads on from it. Joining them for every element would cost too much. */
  readonly field: string
  readonly path: Path
  /** The set through which it came, as the list names it. */
  readonly set: string | undefined
  /** The line in a set that names the account, where it came through one. */
  readonly listedAt: Place | undefined
}

/** The line of an entry in a list, and the one in a set where the entry names one. */
interface EntryPlaces {
  readonly place: Place
  readonly set?: string | undefined
  readonly listedAt?: Place | undefined
}

export type ProblemPlaces = Pick<Problem, 'related'> & { readonly place: Place }

/** An entry that begins or ends. */
interface UpcomingEntry extends EntryPlaces, ListedSubject {
  readonly event: 'begins' | 'ends'
  /** ISO 8601, UTC. */
  readonly at: string
  /** For people: a date as it was written, or a moment in the time zone of the project. */
  readonly shown?: string
}

export interface OutsideEntry extends EntryPlaces, Omit<ListedSubject, 'level' | 'company'> {
  readonly event: 'ended' | 'begins'
  readonly at: string
  readonly shown: string
}

/** When an account ends, and with it what it has. */
export interface AccountEnd {
  readonly svcId: string
  /** As written. */
  readonly until: string
  readonly bounds: TimeBounds
  /** ISO 8601, UTC. */
  readonly at: string
  readonly shown: string
  readonly place: Place
}

interface SetUse {
  readonly set: string
  /** The part, for a collection with parts (privileges: the level). */
  readonly part?: string
  readonly place: Place
}

export interface DesiredCollection {
  /** `exclusive`: what is live and not listed, in a managed part, is removed. */
  readonly mode: AssemblySettings['collections']
  readonly parts: readonly string[] | 'all'
  /** Parts that are managed although nothing lists them, since the collection is managed whole; absent: none. */
  readonly unlisted?: readonly string[]
  /** By element key. */
  readonly elements: ReadonlyMap<string, DesiredElement>
  readonly upcoming: readonly UpcomingEntry[]
  /** The sets that the list names; absent: none. */
  readonly uses?: readonly SetUse[]
  /** Listed elements outside their time, by element key; absent: none. */
  readonly outside?: ReadonlyMap<string, OutsideEntry>
  /** Elements whose time has begun, by element key: in milliseconds since 1970 and as shown to people; absent: none. */
  readonly begun?: ReadonlyMap<string, { readonly ms: number; readonly shown: string }>
}

/** Undefined: nothing is listed. */
export function elementsOf(collection: Pick<DesiredCollection, 'elements'> | undefined): KeyedElement[] {
  return collection === undefined ? [] : Array.from(collection.elements.values(), ({ element }) => element)
}

/** The credentials of one environment are to be sent. */
export interface Rotation {
  /** The path of the field `rotation`: `['sql', 'prod', 'rotation']`. */
  readonly path: readonly string[]
  /** The old and new value; absent if the field is not written, or a command requested the rotation. */
  readonly before?: string | undefined
  readonly after?: string | undefined
}

export interface Desired extends Identity {
  readonly kind: Kind
  readonly address: Address
  readonly at: Location
  /** The declared fields, in manifest form. May hold `Sensitive`. */
  readonly spec: JsonObject
  readonly collections: Readonly<Record<string, DesiredCollection>>
  /** The former name: an object that still has it is renamed. */
  readonly previously?: string | undefined
  /** The key of the account that this account replaces. */
  readonly replaces?: string | undefined
  /** Environments whose credentials are sent, whatever is live. Absent: none. */
  readonly rotations?: readonly Rotation[]
  readonly absent: boolean
  /** The account has an end; where that is over, the object is absent for it. Also of what ended with an account. */
  readonly end?: (AccountEnd & { readonly isOver: boolean }) | undefined
  /** Only parts of it are declared: it is not created here. */
  readonly partial: boolean
  /** The time at which it ends by itself: later it is not created, and an ended one stays. */
  readonly overByMs: number | undefined
  /** Declared fields that an override takes out of management, with their places. */
  readonly unmanaged?:
    | readonly { readonly path: string; readonly section: Section; readonly place: Place }[]
    | undefined
  /** The base's declaration of the object, if the base has one. */
  readonly since?: DeclaredBefore | undefined
  /** There is a base, and it says nothing of it. Only of what has levels. */
  readonly isNew?: true
  /** The first is the one that declares the object, where one does. */
  readonly declarations: readonly [Declaration, ...Declaration[]]
  /** The declarations as files have them, where an override replaces parts of them. */
  readonly written?: readonly Declaration[]
}

/** The declarations that were put together: the same that manifests and overrides were read as. */
export function writtenFor({ written, declarations }: Desired): readonly Declaration[] {
  return written ?? declarations
}

/** The base's declaration of an object, and the parts that the manifests have dropped since. */
export interface DeclaredBefore {
  /** The declaration applied last, or the first one in `begun` if none was applied. */
  readonly base: Desired
  /** The goals of applies that began and did not finish. Absent: no such apply. */
  readonly begun?: readonly BegunDeclaration[]
  /** The commit applied last does not declare the object. */
  readonly isBegun?: true
  /** `mentioned`: the manifests say parts of it. `gone`: they say nothing of it; it is there for what is taken back. */
  readonly standing: 'declared' | 'mentioned' | 'gone'
  /** For an object that is gone: svcsync deletes it, or `kept` says why not. Absent: nothing is deleted. */
  readonly deletion?: { readonly kept?: string }
  /** `inherits`: an environment that inherits again. */
  readonly values: readonly { readonly path: readonly string[]; readonly inherits: boolean }[]
  /** Entries that the base lists and no manifest lists now, by collection and element key. */
  readonly entries: Readonly<Record<string, ReadonlyMap<string, DesiredElement>>>
  /** They are taken away where they are live. */
  readonly takesEntries: boolean
}

interface BegunDeclaration {
  readonly commit: string | null
  readonly said: Desired | undefined
  /** See BegunCommit. */
  readonly undo?: true | undefined
}

/** All that may have been made of it, with what was begun where that alone says so. */
export function sidesOf(
  since: DeclaredBefore,
): { readonly said: Desired; readonly begun?: Pick<BegunDeclaration, 'commit' | 'undo'> }[] {
  return [
    ...(since.isBegun ? [] : [{ said: since.base }]),
    ...(since.begun ?? []).flatMap((side) => (side.said === undefined ? [] : [{ said: side.said, begun: side }])),
  ]
}

/** The place of a field of the object, or the nearest part that is written; else the place of its first declaration. */
export function placeOfField(desired: Desired, path: Path): Place {
  const { declarations } = desired
  let best = declarations[0]
  if (declarations.length > 1) {
    let depth = 0
    for (const declaration of declarations) {
      const own = depthOf(declaration.item, path)
      if (own <= depth) continue
      best = declaration
      depth = own
    }
  }
  return placeIn(best, path)
}

/** The number of existing parts of a path. */
function depthOf(item: JsonObject, path: Path): number {
  let here: unknown = item
  for (const [index, key] of path.entries()) {
    here = typeof here === 'object' && here !== null ? (here as Record<string | number, unknown>)[key] : undefined
    if (here === undefined) return index
  }
  return path.length
}

/** The entry of the list, also where that names a set. */
export function placeOfElement({ declaration, field, path }: DesiredElement): Place {
  return placeIn(declaration, [field, ...path])
}

/** For a problem with an element: the line that names the account, and where it came through a set, the list's own. */
export function placesOfElement(element: DesiredElement): ProblemPlaces {
  return placesOfEntry({ ...element, place: placeOfElement(element) })
}

export function placesOfEntry({ place, set, listedAt }: EntryPlaces): ProblemPlaces {
  if (listedAt === undefined) return { place }
  return { place: listedAt, related: [{ message: `the list that names the set \`${set}\``, place }] }
}
