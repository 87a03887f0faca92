// A kind is all svcsync knows about a sort of objects. It is pure: only the engine sends, repeats, polls and batches.
import type { NormaliseSvcId } from './address.ts'
import type { Capability } from './capabilities/capability.ts'
import type { Json, JsonObject } from './json.ts'
import type { DoubtedName } from './known-names.ts'
import type { PlatformRequest, ScopeNeed } from './platform-port.ts'
import type { Infer, ObjectSchema, WireShape } from './schema.ts'

export type Element = AccountElement | ItemElement

/** An account in a list: a member, an owner, somebody with a privilege. */
export interface AccountElement {
  readonly svcId: string
  /** Privileges only. */
  readonly level?: string
  /** Privileges only: the business entity that limits it, or `null`. Undefined: the platform did not say. */
  readonly company?: CompanyRef | null
  readonly item?: undefined
  readonly about?: undefined
  readonly settings?: undefined
}

/** An item is no account, as a licence is none. Another one about the same object replaces it. */
export interface ItemElement {
  readonly item: string
  /** An object that exists, which it is limited to. */
  readonly about?: {
    readonly guid: string
    /** For people. */
    readonly name: string
    readonly dbId: number
    /** The name of its database, where manifests have to say it. */
    readonly database?: string
  }
  /** In manifest form. */
  readonly settings?: JsonObject
  readonly svcId?: undefined
  readonly level?: undefined
  readonly company?: undefined
}

export interface CompanyRef {
  readonly guid: string
  /** Code or name, for people. */
  readonly name: string
  readonly id?: number
}

/** Variable parts of the paths of an object: the target's, its own, and the guids of its parents. */
export interface Location {
  readonly dbId?: number
  /** The part of the object's own paths: a svcId, or the guid of a constant or connection; absent until it exists. */
  readonly self?: string
  /** The object's name as declared or read: svcId or name. */
  readonly name?: string
  readonly [container: string]: string | number | undefined
}

/** A live object as a kind reads it from an answer. */
export interface LivePart<Spec = JsonObject> {
  readonly name: string
  readonly self: string
  /** Its other identifier, where it has two. */
  readonly id?: string
  readonly spec: Spec
  /** Fields of it that may be told under names that nobody knows. Absent: none. */
  readonly doubted?: readonly DoubtedName[] | undefined
  readonly collections: Readonly<Record<string, readonly Element[]>>
  /** Elements that the object inherits, by collection: told beside its own, removed only at their origin. */
  readonly inherited?: Readonly<Record<string, readonly AccountElement[]>>
  /** Accounts in its lists that may be groups, where the platform tells of what sort they are. Absent: it does not. */
  readonly perhapsGroups?: readonly string[] | undefined
  /** False while the platform has not finished synchronising it. */
  readonly ready: boolean
}

/** An answer that does not tell what it should: taken for an object, what is missing would pass for empty. */
export interface MisreadAnswer {
  /** The end of a sentence about the answer, with the key and the word that was met. */
  readonly misread: string
}

export function isMisread(read: object): read is MisreadAnswer {
  return 'misread' in read
}

/** The object of a misread answer, if the answer tells that. */
export interface MisreadPart extends MisreadAnswer, Pick<LivePart, 'name' | 'self' | 'id'> {
  /** The fields that make the object's name. Absent: any object may match. */
  readonly spec?: LivePart['spec']
}

export interface ListRequest {
  readonly path: string
  readonly key: string
  readonly paged: boolean
  /** The platform answers a 404 where the list is empty. */
  readonly mayBeMissing?: true
}

/** `Sort`: what its elements are. */
export interface Collection<Sort extends Element = Element> {
  /** The sort of its elements. Default: accounts. */
  readonly of?: 'items'
  readonly batch: number
  readonly capabilities?: readonly Capability[]
  /** Splits a collection into parts, of which only those that a manifest lists are managed. Undefined: one part. */
  part?(element: Sort): string
  /** Every part that there is: those that a manifest leaves out are emptied where the collection is managed whole. */
  readonly allParts?: readonly string[]
  /** Elements from the manifest's form; `path` leads to each below the field, for places. */
  fromManifest(value: Json): {
    readonly parts: readonly string[] | 'all'
    readonly elements: readonly DeclaredElement<Sort>[]
  }
  toManifest(elements: readonly Sort[]): Json
  /** Absent: it is `whole`. */
  add?(at: Location, elements: readonly Sort[]): PlatformRequest
  remove?(at: Location, elements: readonly Sort[]): PlatformRequest
  /** Each update carries all of it: nothing is added or removed by a request of its own. */
  readonly whole?: true
  /** The kind of the objects that its items are about, one that is found by name; or a business entity. */
  readonly about?: Kind | 'company'
  /** The elements become part of the object: whoever is in a group that is a member is in this one, too. */
  readonly nests?: boolean
  readonly words?: readonly string[]
}

export interface DeclaredElement<Sort extends Element = Element> {
  /** Its svcId is empty for a set. */
  readonly element: Sort
  /** The name of a set of accounts: one element for each account in it. */
  readonly set?: string
  /** Bounds in time, as written. */
  readonly from?: string
  readonly until?: string
  readonly path: readonly (string | number)[]
  /** A business entity as the manifest names it, before it is resolved. */
  readonly company?: string
  readonly about?: {
    /** Its name, guid or id. */
    readonly ref: string
    /** The database, if the entry names one. */
    readonly database?: string
  }
}

/** A section of a manifest that holds the items of a kind. */
export interface Section {
  readonly key: string
  /** The kind in whose items the key stands; undefined: at the top of a document. */
  readonly within?: string
  readonly schema: ObjectSchema
  /** The field that holds the identity of the object, by its mark in the schema: `svcId`, `name`, `process`. */
  readonly identity: string
  /** Its collections never remove anything, and it never creates the object: it only says a part. */
  readonly partial?: true
}

/** For kinds that exist already and are found by name, guid or id: how the platform lists them. */
interface Lookup {
  request(at: Location): PlatformRequest
  readonly key: string
}

/** The requests that a kind's lifecycle takes (see `Lifecycle`). */
interface Requests<Spec = JsonObject> {
  create?(at: Location, spec: Spec, collections: Readonly<Record<string, readonly Element[]>>): PlatformRequest
  /** `collections`: those that are `whole`. */
  update?(at: Location, spec: Spec, collections: Readonly<Record<string, readonly Element[]>>): PlatformRequest
  remove?(at: Location): PlatformRequest
  read?(at: Location): PlatformRequest
  list?(at: Location): ListRequest
}

/** The traits that do not depend on the shape of a kind's objects. */
interface KindTraits {
  /** In singular: `user`. The first word of its addresses, unless `segment` says otherwise. */
  readonly name: string
  /** In plural, for headings: `Users`. */
  readonly title: string
  /** One sentence about the kind, for the docs. */
  readonly description: string
  /** The order of its sections: accounts first, then objects, then rights. Default: after all others. */
  readonly order?: number
  /** Everything that is declared once for all installations, or in a content database, or inside another kind. */
  readonly scope: 'installation' | 'database' | 'parent'
  /** The kind whose address is the first part of this one's. */
  readonly parent?: string
  /** The first word of the address (installation and database scope), or the word after the parent's address. */
  readonly segment: string
  /** `svcId`: compared as the target says (mostly without case); `exact`: as written. */
  readonly comparesBy: 'svcId' | 'exact'
  /** True where a write is followed by synchronisation that dependents must wait for. */
  readonly synchronises: boolean
  /** Accounts that others refer to: `user` and `group` are both `account`. */
  readonly provides?: 'user' | 'group'
  readonly collections: Readonly<Record<string, Collection>>
  /** Keys of its answers, or of elements in them, that are documented and are no fields of the schema. */
  readonly alsoTold?: readonly string[]
  /** Keys of requests and answers above words of the interface, beside the fields with the mark `word`. */
  readonly wire?: Readonly<Record<string, WireShape>>
  readonly capabilities: readonly Capability[]
  /** The accounts that may give others access: hard to repair without. A level: of a collection with levels. */
  readonly administeredBy?: { readonly collection: string; readonly level?: string }
  /** Access that reading and writing take, least first. */
  readonly scopes: { readonly read: readonly ScopeNeed[]; readonly write: readonly ScopeNeed[] }
}

/** The state of an object as the platform showed it. */
export interface ObservedState<Spec = JsonObject> {
  /** null: the object does not exist. */
  readonly live: Spec | null
  readonly changed: Spec
  /** Live objects of the kind, this one among them: how the installation speaks of them. */
  readonly peers: readonly Spec[]
}

/** The rules that depend on the shape. `Spec`: `Item` without identity, directives and collections. */
interface KindRules<Spec, Item> {
  /** Reads an answer of `requests.read`. Misread: one without an identity, or of another shape. */
  parse(answer: Json, at: Location): LivePart<Spec> | MisreadAnswer | MisreadPart
  /** For kinds whose lists give summaries. Without it, an item is the whole object, and is read by `parse`. */
  parseItem?(item: Json): LivePart<Spec> | MisreadAnswer | MisreadPart
  /** For an update that replaces more than its fields. Default: the fields that differ. */
  updateSpec?(changed: Spec, desired: Spec, live: Spec): Spec
  /** The spec that a create sends, in manifest form. Default: the desired fields. */
  createSpec?(desired: Spec): Spec
  readonly requiredToCreate?: readonly (keyof Spec & string)[]
  /** Rules about all that is declared of the kind. `item`: as written. `normalise`: how svcIds compare. */
  reviewAll?(
    all: readonly { readonly spec: Spec; readonly item: JsonObject }[],
    normalise: NormaliseSvcId,
  ): readonly CrossFinding[]
  /** Rules that the schema cannot say, of one item. */
  check?(item: Item): readonly Finding[]
  /** The same of all that is declared of one object, in manifest form. `seen`: undefined while nobody has looked. */
  review?(desired: Spec, seen?: ObservedState<Spec>): readonly Finding[]
}

/** The fields that make an object's name together; `defineKind` adds them to the schema as `key`. */
interface CompositeKey<Item> {
  readonly fields: readonly (keyof Item & string)[]
  of(item: Item): string
}

export interface Kind extends KindTraits, KindRules<JsonObject, JsonObject> {
  readonly key?: CompositeKey<JsonObject>
  readonly sections: readonly [Section, ...Section[]]
  readonly lifecycle: 'full' | 'kept' | 'found'
  readonly lookup?: Lookup
  readonly requests: Requests
}

type WithRequired<T, Key extends keyof T> = T & Required<Pick<T, Key>>

/** The actions of svcsync on the objects of a kind, with the requests they take. */
type Lifecycle<Spec> =
  /** They are created, updated and deleted. */
  | {
      readonly lifecycle: 'full'
      readonly requests: WithRequired<Requests<Spec>, 'create' | 'update' | 'remove' | 'read' | 'list'>
    }
  /** They are created and updated: the platform deletes none. */
  | {
      readonly lifecycle: 'kept'
      readonly requests: WithRequired<Omit<Requests<Spec>, 'remove'>, 'create' | 'update' | 'read' | 'list'>
    }
  /** They exist already, and only their collections change. A name, guid, id or list finds them. */
  | { readonly lifecycle: 'found'; readonly lookup: Lookup; readonly requests: Pick<Requests<Spec>, 'read'> }
  | {
      readonly lifecycle: 'found'
      readonly requests: WithRequired<Pick<Requests<Spec>, 'read' | 'list'>, 'read' | 'list'>
    }
  | {
      readonly lifecycle: 'found'
      readonly capabilities: readonly [Capability<'page'>, ...Capability[]]
      readonly requests: WithRequired<Pick<Requests<Spec>, 'read'>, 'read'>
    }

type UnsentField = { readonly identity: true } | { readonly directive: true } | { readonly collection: string }

export type SpecOf<Schema extends ObjectSchema> = {
  readonly [Key in keyof Schema['properties'] as Schema['properties'][Key] extends UnsentField ? never : Key]?:
    | Infer<Schema['properties'][Key]>
    | undefined
}

/** Defaults of a kind; its name is also the first word of its addresses. */
const kindDefaults = {
  segment: '',
  comparesBy: 'exact',
  synchronises: false,
  collections: {},
  capabilities: [],
} as const

type WritableSection = Omit<Section, 'identity'>

function identityIn({ properties }: ObjectSchema): string {
  return Object.keys(properties).find((key) => properties[key]?.identity) ?? ''
}

function withKey<Part extends WritableSection>(section: Part): Part {
  const key = { type: 'string', identity: true, derived: true } as const
  return { ...section, schema: { ...section.schema, properties: { key, ...section.schema.properties } } }
}

/** A kind as its author writes it: what depends on the shape knows the fields of the first section's schema. */
type KindDefinition<Schema extends ObjectSchema> = Omit<KindTraits, keyof typeof kindDefaults> &
  Partial<Pick<KindTraits, keyof typeof kindDefaults>> &
  KindRules<SpecOf<Schema>, Infer<Schema>> &
  Lifecycle<SpecOf<Schema>> & {
    readonly key?: CompositeKey<Infer<Schema>>
    readonly sections: readonly [WritableSection & { readonly schema: Schema }, ...WritableSection[]]
  }

/** The engine hands it only what its schema has let through. */
export function defineKind<const Schema extends ObjectSchema>(definition: KindDefinition<Schema>): Kind {
  const written = definition.sections.map((section) => (definition.key === undefined ? section : withKey(section)))
  const sections = written.map((section) => ({ ...section, identity: identityIn(section.schema) }))
  return { ...kindDefaults, segment: definition.name, ...definition, sections } as unknown as Kind
}

export function kindsByName(kinds: readonly Kind[]): ReadonlyMap<string, Kind> {
  return new Map(kinds.map((kind) => [kind.name, kind]))
}

export interface Finding {
  readonly code: string
  /** Default: `error`. */
  readonly severity?: 'error' | 'warning'
  readonly message: string
  readonly hint: string
  readonly path: readonly (string | number)[]
}

/** A breach that two places make together. `of`: by their place in the list. */
interface CrossFinding extends Finding {
  readonly of: number
  readonly other: { readonly of: number; readonly path: Finding['path']; readonly message: string }
}
