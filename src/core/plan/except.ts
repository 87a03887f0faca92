// The declared side says what is live where an exception is: all that follows sees no difference.
import type { Place } from '@svcsync/errors/index.ts'
import { believedLive } from '../compare/believed-list.ts'
import { type Cause, causeOfField, causeOfObject, causesOfElements, isByHand } from '../compare/cause.ts'
import { type Change, changeOf, kindOf } from '../compare/change.ts'
import { type CollectionDifference, replacedBy } from '../compare/compare-collection.ts'
import type { FieldDifference } from '../compare/compare-fields.ts'
import type { Address, NormaliseSvcId } from '../model/address.ts'
import type { Desired, DesiredElement } from '../model/desired.ts'
import { elementKey, type KeyedElement, subjectKey } from '../model/elements.ts'
import { type DifferenceException, type Exception, isAccessException } from '../model/exception.ts'
import { groupBy } from '../model/group-by.ts'
import { isMapping, type Json, type JsonObject } from '../model/json.ts'
import type { Element, Kind } from '../model/kind.ts'
import type { LiveSnapshot } from '../model/live.ts'
import { fieldOfList } from '../model/schema-fields.ts'
import { splitSettings } from './describe-change.ts'
import type { fingerprintsOf } from './run-history.ts'

/** A difference that an exception is about. No value: what it leaves alone is not compared any further. */
interface ExceptedDifference<By> extends Omit<ReturnType<typeof fingerprintsOf>[number], 'fingerprint'> {
  /** Among several exceptions, the one that ends last. */
  readonly by: By
}

/** `By`: the exceptions themselves, or what a document says of them. */
export interface ExceptionFindings<By> {
  readonly left: readonly ExceptedDifference<By>[]
  /** The manifests moved since the base, so that the plan changes it all the same. */
  readonly overruled: readonly ExceptedDifference<By>[]
  /** The exception is over: a difference like any other. */
  readonly expired: readonly ExceptedDifference<By>[]
  /** They are about what was compared, and match nothing. */
  readonly idle: readonly By[]
}

interface ExceptSettings {
  readonly exceptions: readonly Exception[]
  readonly nowMs: number
  readonly normalise: NormaliseSvcId
  readonly hasBase: boolean
}

interface DesiredAndOrphans {
  readonly desired: readonly Desired[]
  readonly orphans: readonly Change[]
}

/** Returns undefined for a target without exceptions, and the same sides if no exception applies. */
export function removeExcepted(
  { desired, orphans }: DesiredAndOrphans,
  live: LiveSnapshot,
  settings: ExceptSettings,
): DesiredAndOrphans & { readonly exceptions: ExceptionFindings<Exception> | undefined } {
  if (settings.exceptions.length === 0) return { desired, orphans, exceptions: undefined }
  const found = new ExceptionMatcher(settings)
  return {
    desired: desired.flatMap((object) => found.object(object, live)),
    orphans: orphans.filter((change) => !found.leavesObject(change, null)),
    exceptions: found.findings(),
  }
}

class ExceptionMatcher {
  readonly #settings: ExceptSettings
  readonly #byAddress: ReadonlyMap<Address, readonly Exception[]>
  readonly #found: Record<'left' | 'overruled' | 'expired', ExceptedDifference<Exception>[]> = {
    ...{ left: [], overruled: [], expired: [] },
  }
  readonly #used = new Set<Exception>()
  readonly #compared = new Set<Exception>()

  constructor(settings: ExceptSettings) {
    this.#settings = settings
    this.#byAddress = groupBy(settings.exceptions, (each) => (isAccessException(each) ? each.object : each.address))
  }

  findings(): ExceptionFindings<Exception> {
    return { ...this.#found, idle: [...this.#compared].filter((each) => !this.#used.has(each)) }
  }

  /** Empty: an exception covers the object itself. */
  object(object: Desired, live: LiveSnapshot): Desired[] {
    const own = this.#byAddress.get(object.address)
    if (own === undefined || live.unreadable.has(object.address)) return [object]
    const seen = live.objects.get(object.address)
    const change = changeOf(object, seen && believedLive(object, seen))
    const { deletion } = object.since ?? {}
    const isRetired = deletion !== undefined && deletion.kept === undefined && seen !== undefined
    const whole = isRetired ? { ...change, action: 'delete' as const } : change
    if (whole.action === 'create' || whole.action === 'delete') {
      return this.leavesObject(whole, this.#settings.hasBase ? (causeOfObject(whole) ?? 'declared') : null)
        ? []
        : [object]
    }
    for (const each of own) if (!isAccessException(each)) this.#compared.add(each)
    return [this.#within(object, change)]
  }

  /** True if an exception leaves alone that the object comes or goes. */
  leavesObject(change: Change, cause: Cause | null): boolean {
    const { address, action } = change
    if (action !== 'create' && action !== 'delete') return false
    const fitting = (this.#byAddress.get(address) ?? []).filter(
      (each) => !isAccessException(each) && each.path === undefined,
    )
    return this.#judge(fitting, cause, { address, act: action })
  }

  #within(object: Desired, change: Change): Desired {
    const own = this.#byAddress.get(object.address) ?? []
    const paths = own.filter((each): each is DifferenceException => !isAccessException(each) && each.path !== undefined)
    let result = object
    for (const field of change.fields) {
      const { identity } = object.declarations[0].section
      if (field.rotates || (field.path.length === 1 && field.path[0] === identity)) continue
      const settings = splitSettings(field)
      // A missing whole, such as an environment, is created as a whole: the platform would fill in the rest of a part.
      const isWhole = settings.every(({ path }) => fittingIn(paths, path).length > 0)
      for (const setting of isWhole ? settings : [])
        if (this.#leavesField(change, object, setting, paths)) result = withoutField(result, setting.path)
    }
    for (const difference of change.collections) result = this.#withinList(result, change, difference, own)
    return result
  }

  #leavesField(
    change: Change,
    desired: Desired,
    field: FieldDifference,
    paths: readonly DifferenceException[],
  ): boolean {
    const dotted = field.path.join('.')
    const fitting = fittingIn(paths, field.path)
    const cause = this.#settings.hasBase ? (causeOfField({ desired, live: change.live }, field) ?? null) : null
    return this.#judge(fitting, cause, { address: change.address, path: dotted, act: 'set' })
  }

  #withinList(
    object: Desired,
    change: Change,
    { collection, added, removed }: CollectionDifference,
    own: readonly Exception[],
  ): Desired {
    const { address, live, desired = object } = change
    const list = live?.collections[collection] ?? []
    const causes = this.#settings.hasBase ? causesOfElements(desired, collection, list, removed) : undefined
    const come = new Set(added.map(({ element }) => elementKey(element)))
    const leaves = (act: 'add' | 'remove', element: KeyedElement, cause: Cause | undefined): boolean => {
      const fitting = own.filter((each) => isAbout(each, kindOf(change), { collection, element, act }, this.#settings))
      return this.#judge(fitting, cause ?? null, { address, path: collection, element, act })
    }
    // An entry that is taken along and given anew stays.
    const kept = removed.filter(
      (element) => !come.has(elementKey(element)) && leaves('remove', element, causes?.removed(element)),
    )
    const missing = added.filter(({ element }) => leaves('add', element, causes?.added(element)))
    return kept.length + missing.length === 0 ? object : withEntries(object, collection, { kept, missing, list })
  }

  #judge(fitting: readonly Exception[], cause: Cause | null, what: Omit<ExceptedDifference<Exception>, 'by'>): boolean {
    const [by] = [...fitting].sort((a, b) => b.untilMs - a.untilMs)
    if (by === undefined) return false
    for (const each of fitting) this.#used.add(each)
    const isOver = by.untilMs <= this.#settings.nowMs
    const isDeclared = cause !== null && (!isByHand({ cause }) || cause === 'both')
    this.#found[isOver ? 'expired' : isDeclared ? 'overruled' : 'left'].push({ ...what, by })
    return !isOver && !isDeclared
  }
}

function fittingIn(paths: readonly DifferenceException[], field: readonly string[]): DifferenceException[] {
  const dotted = field.join('.')
  return paths.filter(
    ({ path = '', entry }) => entry === undefined && (dotted === path || dotted.startsWith(`${path}.`)),
  )
}

/** True if the account has the level that an exception of access names, by its own entry. */
function isAbout(
  each: Exception,
  kind: Kind,
  {
    collection,
    element,
    act,
  }: { readonly collection: string; readonly element: KeyedElement; readonly act: 'add' | 'remove' },
  { normalise }: Pick<ExceptSettings, 'normalise'>,
): boolean {
  const isSameCompany = each.company === undefined ? element.company == null : isCompany(element, each.company)
  if (isAccessException(each)) {
    // An exception for all companies covers an entry for one.
    const isLimited = each.company === undefined || isSameCompany
    const { part, nests } = kind.collections[collection] ?? {}
    const level = part !== undefined ? element.level : nests ? undefined : 'owner'
    return act === 'remove' && level === each.level && subjectKey(element) === normalise(each.person) && isLimited
  }
  const { path, entry, level } = each
  if (path !== collection || entry === undefined || level !== element.level || element.about !== undefined) return false
  const isSame = element.svcId === undefined ? element.item === entry : subjectKey(element) === normalise(entry)
  return isSame && isSameCompany
}

function isCompany({ company }: Element, wanted: string): boolean {
  return company?.name === wanted || company?.guid.toLowerCase() === wanted.toLowerCase()
}

/** Nothing says anything of it any more; an environment of which nothing is left is not declared at all. */
function withoutField(object: Desired, path: readonly string[]): Desired {
  const spec = without(object.spec, path) ?? {}
  const [field = ''] = path
  const { [field]: _, ...fieldKeys } = object.fieldKeys ?? {}
  return { ...object, spec: spec as JsonObject, ...(object.fieldKeys && { fieldKeys }) }
}

function without(value: Json | undefined, [key, ...rest]: readonly string[]): Json | undefined {
  if (key === undefined || !isMapping(value)) return undefined
  const { [key]: inner, ...others } = value
  const left = without(inner, rest)
  const result = left === undefined ? others : { ...value, [key]: left }
  return Object.keys(result).length === 0 ? undefined : result
}

/** `kept`: live, and not wanted. `missing`: wanted, and not live. */
function withEntries(
  object: Desired,
  collection: string,
  {
    kept,
    missing,
    list,
  }: {
    readonly kept: readonly KeyedElement[]
    readonly missing: readonly DesiredElement[]
    readonly list: readonly KeyedElement[]
  },
): Desired {
  const wanted = object.collections[collection]
  if (wanted === undefined) return object
  const elements = new Map(wanted.elements)
  const outside = new Map(wanted.outside)
  const [declaration] = object.declarations
  const field = fieldOfList(declaration.section, collection) ?? ''
  const asDesired = (element: KeyedElement): DesiredElement => {
    return { element, declaration, field, path: [], set: undefined, listedAt: undefined }
  }
  for (const { element } of missing) {
    elements.delete(elementKey(element))
    const before = replacedBy(element, list)
    if (before !== undefined) elements.set(elementKey(before), asDesired(before))
  }
  for (const element of kept) {
    elements.set(elementKey(element), asDesired(element))
    outside.delete(elementKey(element))
  }
  const changed = { ...wanted, elements, ...(wanted.outside && { outside }) }
  return { ...object, collections: { ...object.collections, [collection]: changed } }
}

/** The exceptions in a saved plan, whatever the file of exceptions says by now. */
export function restoreExceptions(left: readonly ExceptedDifference<ExceptionDocument>[]): DifferenceException[] {
  return left.map(({ address, path, element, by: { until, reason, place } }) => ({
    ...{
      address,
      path,
      entry: element?.svcId ?? element?.item,
      level: element?.level,
      company: element?.company?.guid,
    },
    ...{ until, untilMs: Number.POSITIVE_INFINITY, reason, place, offset: 0, placeOf: () => place },
  }))
}

export interface ExceptionDocument {
  /** The address of an object, a field or an entry. */
  readonly address?: Address
  readonly path?: string
  readonly entry?: string
  readonly person?: string
  readonly object?: Address
  readonly level?: string
  readonly company?: string
  /** As it is written. */
  readonly until: string
  /** From then on it is over: ISO 8601, UTC. */
  readonly ends: string
  readonly reason: string
  readonly place: Place
}
