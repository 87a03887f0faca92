// Puts beside each desired object what the base declared of it, and what of that is declared no more.
import { addressUnder, byAddress } from '../model/address.ts'
import { type DeclaredBefore, type Desired, type DesiredElement, elementsOf } from '../model/desired.ts'
import { type KeyedElement, subjectKey, subjectKeys } from '../model/elements.ts'
import { getOrInsert } from '../model/group-by.ts'
import { isMapping, type JsonObject, withValueAt } from '../model/json.ts'
import type { Collection, Kind } from '../model/kind.ts'
import type { ObjectSchema, Schema } from '../model/schema.ts'
import { withoutUnmanaged } from './apply-overrides.ts'

interface RemovedRules {
  readonly entries: 'remove' | 'keep'
  readonly values: 'keep' | 'inherit'
  /** Allows the deletion of an undeclared object; text: the reason why it stays. Undefined: undeclared objects stay. */
  readonly deletionOf?: ((object: Desired) => NonNullable<DeclaredBefore['deletion']> | undefined) | undefined
}

/** Besides them those that only the base knows: nothing of them is created. Sorted by address. */
function withBase(current: readonly Desired[], base: readonly Desired[], rules: RemovedRules): readonly Desired[] {
  const before = new Map<Kind, Map<string, Desired>>()
  for (const object of base) {
    getOrInsert(before, object.kind, () => new Map<string, Desired>()).set(identify(object), object)
  }
  const result: Desired[] = []
  for (const object of current) {
    const table = before.get(object.kind)
    const known = table?.get(identify(object)) ?? namedBefore(object, table)
    if (known !== undefined) table?.delete(identify(known))
    if (known === undefined) result.push(hasLevels(object) ? { ...object, isNew: true } : object)
    else result.push(joined(object, withoutUnmanaged(known, object), rules))
  }
  const gone = [...before.values()].flatMap((table) => [...table.values()]).filter(({ absent }) => !absent)
  if (gone.length === 0) return result
  for (const object of gone) result.push(goneObject(object, rules))
  return result.sort(byAddress)
}

/** Needs the platform: svcsync may have to take something back. Of an object that is listed, presence is enough. */
export function needsPlatform({ since }: Desired): boolean {
  if (since?.standing !== 'gone') return true
  const { takesEntries, entries, values, deletion } = since
  const deletes = deletion !== undefined && deletion.kept === undefined
  return (takesEntries && Object.keys(entries).length > 0) || deletes || values.some(({ inherits }) => inherits)
}

function hasLevels({ kind }: Desired): boolean {
  for (const name in kind.collections) if (kind.collections[name]?.part !== undefined) return true
  return false
}

function identify({ kind, key, address }: Desired): string {
  return kind.scope === 'installation' ? key : address
}

/** An object that is renamed in place keeps its base. */
function namedBefore(object: Desired, before: ReadonlyMap<string, Desired> | undefined): Desired | undefined {
  const { previously, address, at } = object
  return previously === undefined ? undefined : before?.get(addressUnder(previously, address, at.name ?? ''))
}

function joined(object: Desired, base: Desired, rules: RemovedRules): Desired {
  // A declared absence counts for more than a missing declaration.
  if (object.absent || base.absent) return { ...object, since: { ...nothing, base } }
  // Nearly all of them: a file that is as it was gives the very same declarations.
  if (isSame(object, base)) return { ...object, since: { base, ...nothing } }
  const standing = object.partial && !base.partial ? 'mentioned' : 'declared'
  const values = standing === 'mentioned' ? none : releasedValues(base, object.spec, rules)
  const inherited = values.filter(({ inherits }) => inherits)
  return {
    ...object,
    ...(inherited.length > 0 && { spec: inheriting(object.spec, inherited) }),
    since: {
      base,
      standing,
      values,
      entries: droppedEntries(base, object),
      takesEntries: rules.entries === 'remove',
    },
  }
}

/** Lists with sets or bounds may come out otherwise, although they say the same. */
function isSame(object: Desired, base: Desired): boolean {
  const [declaration, ...others] = object.declarations
  if (others.length > 0 || base.declarations.length > 1 || declaration !== base.declarations[0]) return false
  for (const name in base.collections) {
    const { elements } = base.collections[name] as Desired['collections'][string]
    if (elements.size !== object.collections[name]?.elements.size || base.collections[name]?.uses) return false
  }
  return true
}

const none: readonly never[] = []
const noEntries = {} as const
const nothing = { standing: 'declared', values: none, entries: noEntries, takesEntries: false } as const

function goneObject(base: Desired, rules: RemovedRules): Desired {
  const inherited = releasedValues(base, {}, rules).filter(({ inherits }) => inherits)
  const deletion = base.partial || base.kind.lifecycle !== 'full' ? undefined : rules.deletionOf?.(base)
  return {
    ...base,
    spec: inheriting({}, inherited),
    fieldKeys: {},
    collections: {},
    previously: undefined,
    partial: true,
    unmanaged: undefined,
    since: {
      base,
      standing: 'gone',
      ...(deletion && { deletion }),
      values: inherited,
      entries: droppedEntries(base),
      takesEntries: rules.entries === 'remove',
    },
  }
}

/** Entries that the base lists, and the object does not list, or only for later. */
function droppedEntries(base: Desired, object?: Desired): DeclaredBefore['entries'] {
  let result: Record<string, ReadonlyMap<string, DesiredElement>> | undefined
  for (const name in base.collections) {
    const listed = base.collections[name]?.elements as ReadonlyMap<string, DesiredElement>
    const wanted = object?.collections[name]
    const isWanted = isWantedIn(wanted, base.kind.collections[name])
    let gone: Map<string, DesiredElement> | undefined
    for (const [key, element] of listed) {
      const later = wanted?.outside?.get(key)
      // Ended entries are taken anyway, as are the future entries of a whole list.
      const isTaken = later !== undefined && (later.event === 'ended' || wanted?.mode === 'exclusive')
      if (wanted?.elements.has(key) || isTaken || isWanted(element.element)) continue
      gone ??= new Map()
      gone.set(key, element)
    }
    if (gone === undefined) continue
    result ??= {}
    result[name] = gone
  }
  return result ?? noEntries
}

/** An item with other settings is replaced by adding it; one without limits that gets some, as well. */
function isWantedIn(
  wanted: Desired['collections'][string] | undefined,
  definition: Collection | undefined,
): (element: KeyedElement) => boolean {
  if (definition?.of !== 'items') return () => false
  const keys = new Set(elementsOf(wanted).flatMap(subjectKeys))
  return (element) => keys.has(subjectKey(element))
}

/** Values that the base declares and `spec` does not: whole environments as one, others one by one. */
function releasedValues(base: Desired, spec: JsonObject, { values: rule }: RemovedRules): DeclaredBefore['values'] {
  let released: DeclaredBefore['values'][number][] | undefined
  const visit = (schema: ObjectSchema, before: JsonObject, after: JsonObject, path: readonly string[]): void => {
    for (const key in before) visitKey(schema.properties[key], before[key], after[key], [...path, key])
  }
  const visitKey = (part: Schema | undefined, value: unknown, now: unknown, path: readonly string[]): void => {
    // A cleared or inherited field holds nothing to release.
    if (part === undefined || value === undefined || value === null || part.rotation) return
    const nests = part.type === 'object' && isMapping(value)
    if (nests && (isMapping(now) || (now === undefined && !part.environment))) {
      visit(part, value, isMapping(now) ? now : {}, path)
    } else if (now === undefined) {
      released ??= []
      released.push({ path, inherits: rule === 'inherit' && part.inherited === true })
    }
  }
  visit(base.declarations[0].section.schema, base.spec, spec, [])
  return released ?? none
}

/** With `null` where an environment is to inherit. */
function inheriting(spec: JsonObject, values: DeclaredBefore['values']): JsonObject {
  return values.reduce((result, { path }) => withValueAt(result, path, null), spec)
}

interface BegunDesired {
  readonly commit: string | null
  readonly undo?: true | undefined
  readonly desired: readonly Desired[]
  /** It tells nothing about other objects, whatever `desired` holds of them. */
  isSelected(object: Desired): boolean
}

/** As `withBase`, sorted by address. Objects that any of the commits declares alone are no longer declared. */
export function withBegun(
  current: readonly Desired[],
  base: readonly Desired[],
  begun: readonly BegunDesired[],
  rules: RemovedRules,
): readonly Desired[] {
  return begun.reduce(
    (known, side) => joinBegunSide(known, withBase(current, side.desired, rules), side),
    [...withBase(current, base, rules)],
  )
}

const nameOf = (object: Desired): string => `${object.kind.name} ${identify(object)}`

function joinBegunSide(known: readonly Desired[], own: readonly Desired[], side: BegunDesired): Desired[] {
  const { isSelected } = side
  const said = new Map(own.flatMap((each) => (each.since && isSelected(each) ? [[nameOf(each), each]] : [])))
  const result = known.map((object): Desired => {
    const other = said.get(nameOf(object))
    said.delete(nameOf(object))
    if (other === undefined && (object.since === undefined || !isSelected(object))) return object
    return joinedBegun(object, other, side)
  })
  const more = [...said.values()].map((object) => joinedBegun({ ...object, since: undefined }, object, side))
  return more.length === 0 ? result : [...result, ...more].sort(byAddress)
}

function joinedBegun(object: Desired, other: Desired | undefined, { commit, undo }: BegunDesired): Desired {
  const { since } = object
  const more = other?.since
  const first = since ?? (more as DeclaredBefore)
  const begun = [...(since?.begun ?? []), { commit, undo, said: more?.base.absent ? undefined : more?.base }]
  if (since !== undefined && more === undefined) return { ...object, since: { ...since, begun } }
  const { values, entries, standing, deletion = more?.deletion } = first
  const known = new Set(values.map(({ path }) => path.join('.')))
  const others = more?.values.filter(({ path }) => !known.has(path.join('.'))) ?? []
  return {
    ...object,
    spec: inheriting(
      object.spec,
      others.filter(({ inherits }) => inherits),
    ),
    since: {
      base: first.base,
      begun,
      ...((since === undefined || since.isBegun) && { isBegun: true as const }),
      standing: standing === 'declared' ? (more?.standing ?? standing) : standing,
      ...(deletion && { deletion }),
      values: [...values, ...others],
      entries: union(entries, more?.entries ?? {}),
      // A side that is as what is declared now lists nothing, and so has nothing to take.
      takesEntries: first.takesEntries || more?.takesEntries === true,
    },
  }
}

function union(known: DeclaredBefore['entries'], more: DeclaredBefore['entries']): DeclaredBefore['entries'] {
  const result: Record<string, ReadonlyMap<string, DesiredElement>> = { ...known }
  for (const [name, entries] of Object.entries(more)) result[name] = new Map([...entries, ...(known[name] ?? [])])
  return result
}
