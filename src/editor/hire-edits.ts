// Somebody joins, and gets what somebody else has: into the same lists, but for those that make an Administrator.
import { readAccountEntry } from '@svcsync/core/model/account-entry.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import { type Declaration, placeIn } from '@svcsync/core/model/declaration.ts'
import { type Desired, elementsOf } from '@svcsync/core/model/desired.ts'
import { type KeyedElement, subjectKey } from '@svcsync/core/model/elements.ts'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { fieldsOf, isAccount } from '@svcsync/core/model/schema-fields.ts'
import { formatPlace } from '@svcsync/errors/index.ts'
import { type AccountUse, isOverride, itemAt, type SourceEdit, type TargetState, usesInAll } from './uses.ts'

interface Hire {
  readonly person: string
  readonly like: string
  readonly name?: string | undefined
  readonly email?: string | undefined
  /** Ends the account, and with it all that it has; `entriesEnd`: each entry and licence instead. */
  readonly until?: string | undefined
  readonly entriesEnd: boolean
  readonly administers: boolean
}

export function hireEdits(targets: readonly TargetState[], hire: Hire) {
  const uses = usesInAll(targets, hire.like)
  const own = usesInAll(targets, hire.person)
  const named: string[] = []
  const edits: SourceEdit[] = []
  const has = (use: AccountUse<'entry'>): boolean =>
    own.some((each) => each.is === 'entry' && each.source.file === use.source.file && each.list === use.list)
  let declares = false
  for (const use of uses) {
    const place = formatPlace(use.source.placeAt(use.at))
    if (use.is === 'entry') {
      const why = whyNotCopied(use, targets, hire)
      if (why !== undefined) named.push(`${place}  ${why}`)
      else if (!has(use))
        edits.push({ source: use.source, edit: { edit: 'add-beside', at: use.at, value: entryFor(use, hire) } })
    } else if (use.is === 'field') {
      // Whose manager somebody is says nothing about who joins.
      if (standIn.of(use.declaration.kind) !== undefined)
        named.push(`${place}  ${use.field} of ${use.declaration.kind.name} ${nameOf(use.declaration)}`)
    } else if (!isOverride(targets, use.declaration)) {
      const copied = itemFor(use.declaration, own, hire)
      if (copied === undefined) continue
      named.push(...managersOf(use.declaration), ...endOf(use.declaration, hire))
      declares ||= use.declaration.kind.provides === 'user'
      edits.push({
        source: use.source,
        edit: { edit: 'add-beside', at: itemAt(use.declaration), value: copied, wide: true },
      })
    }
  }
  return { edits, isUnknown: uses.length === 0, named, declares }
}

function managersOf(declaration: Declaration): string[] {
  const { section, item } = declaration
  return fieldsOf(section).references.flatMap(({ field, to }) => {
    if (!isAccount(to) || typeof item[field] !== 'string') return []
    return [`${formatPlace(placeIn(declaration, [field], 'key'))}  ${field}: ${item[field]}`]
  })
}

/** Without it, an account like one that ends would stay for ever. */
function endOf(declaration: Declaration, { until }: Hire): string[] {
  const end = declaration.item.until
  if (end === undefined || until !== undefined) return []
  return [`${formatPlace(placeIn(declaration, ['until'], 'key'))}  until: ${String(end)}`]
}

/** Owners are appointed, and Administrators by name. */
function whyNotCopied(
  { declaration, collection, part, set }: AccountUse<'entry'>,
  targets: readonly TargetState[],
  { administers }: Hire,
): string | undefined {
  if (declaration === undefined) return administers ? undefined : leadershipOf(targets, set ?? '')
  const { kind } = declaration
  const { administeredBy } = kind
  if (administeredBy?.level === undefined && administeredBy?.collection === collection)
    return `owner of ${nameOf(declaration)}`
  if (administers) return undefined
  if (administeredBy?.level !== undefined && administeredBy.level === part)
    return `Administrator of ${kind.name} ${nameOf(declaration)}`
  if (!kind.collections[collection ?? '']?.nests) return undefined
  for (const { desired, assembly } of targets) {
    const leads = administratorsAmong(desired).get(assembly.normalise(nameOf(declaration)))
    if (leads !== undefined) return `member of ${nameOf(declaration)}, which leads to Administrator of ${leads}`
  }
  return undefined
}

/** The Administrator or owner right that a set, or a set around it, gives. */
function leadershipOf(targets: readonly TargetState[], name: string): string | undefined {
  for (const { desired, assembly } of targets) {
    const administrators = administratorsAmong(desired)
    const holding = setsHolding(name, assembly.sets)
    const reasons = desired.flatMap((object) =>
      Object.entries(object.collections).flatMap(([collection, { uses = [] }]) =>
        uses
          .filter(({ set }) => holding.has(set))
          .flatMap((use) => leadershipBySet(object, collection, use, administrators) ?? []),
      ),
    )
    if (reasons.length > 0) return reasons[0]
  }
  return undefined
}

function leadershipBySet(
  { kind, key, address }: Desired,
  collection: string,
  { set, part }: { readonly set: string; readonly part?: string },
  administrators: ReadonlyMap<string, string>,
): string | undefined {
  const { collection: own, level } = kind.administeredBy ?? {}
  if (own === collection && part === level)
    return `the set ${set}, whose members ${level === undefined ? 'own' : 'administer'} ${address}`
  const leads = kind.collections[collection]?.nests ? administrators.get(key) : undefined
  return leads && `the set ${set}, through ${address} Administrator of ${leads}`
}

function setsHolding(name: string, sets: TargetState['assembly']['sets']): ReadonlySet<string> {
  const found = new Set([name])
  for (const inner of found) {
    for (const { name: outer, items } of sets.values())
      if (items.some((item) => readAccountEntry(item).set === inner)) found.add(outer)
  }
  return found
}

function entryFor({ value }: AccountUse<'entry'>, hire: Hire): string | JsonObject {
  const { person } = hire
  const entry = { svcId: person, ...(isJsonObject(value) ? { ...value, svcId: person } : {}) }
  const whole = { ...entry, ...boundFor(readAccountEntry(entry).until, hire) }
  return Object.keys(whole).length === 1 ? person : whole
}

/** The end of an entry or a licence: the earlier of the two. */
function boundFor(end: string | undefined, { until, entriesEnd }: Hire): { readonly until?: string } {
  return entriesEnd && until !== undefined && (end === undefined || end > until) ? { until } : {}
}

/** Undefined: the person has it already. */
function itemFor({ kind, section, item }: Declaration, own: readonly AccountUse[], hire: Hire): JsonObject | undefined {
  const { person, name, email, until, entriesEnd } = hire
  const has = own.some((each) => each.is === 'item' && each.declaration.kind === kind)
  if (has || section.partial) return undefined
  if (kind.provides === undefined) return { ...endedLists(item, section, hire), [section.identity]: person }
  if (kind.provides !== 'user') return undefined
  const mail = email ?? (person.includes('@') ? person : undefined)
  return {
    [section.identity]: person,
    ...(name !== undefined && { name }),
    ...(mail !== undefined && { email: mail }),
    ...(until !== undefined && !entriesEnd && { until }),
  }
}

/** The lists that belong to an account, such as licences, with the end of each. */
function endedLists(item: JsonObject, section: Declaration['section'], hire: Hire): JsonObject {
  const lists = fieldsOf(section).collections.flatMap(({ field }) => {
    const list = item[field]
    if (!Array.isArray(list)) return []
    const ended = (list as readonly JsonObject[]).map((each) => ({ ...each, ...boundFor(each.until as string, hire) }))
    return [[field, ended] as const]
  })
  return { ...item, ...Object.fromEntries(lists) }
}

function nameOf({ item, section }: Declaration): string {
  return String(item[section.identity])
}

/** By the key of a group, what it leads to: an address. Accounts that hold it themselves are among the keys. */
function administratorsAmong(desired: readonly Desired[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const note = (elements: readonly KeyedElement[], address: string): void => {
    for (const key of elements.map(subjectKey)) if (!found.has(key)) found.set(key, address)
  }
  for (const { kind, collections, address } of desired) {
    const { collection = '', level } = kind.administeredBy ?? {}
    if (level === undefined) continue
    note(
      elementsOf(collections[collection]).filter((element) => element.level === level),
      address,
    )
  }
  const groups = new Map(desired.filter(({ kind }) => kind.provides === 'group').map((group) => [group.key, group]))
  for (const [key, address] of found) {
    const { kind, collections = {} } = groups.get(key) ?? {}
    for (const [name, list] of Object.entries(collections))
      if (kind?.collections[name]?.nests) note(elementsOf(list), address)
  }
  return found
}
