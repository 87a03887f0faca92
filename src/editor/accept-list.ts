// Differences of one list → edits of its entries; those that are taken into the manifests, and those that are not.
import type { Change } from '@svcsync/core/compare/change.ts'
import { hasUnknownCompany, replacedBy } from '@svcsync/core/compare/compare-collection.ts'
import { type AccountSet, placeInSet } from '@svcsync/core/model/account-sets.ts'
import type { Address, NormaliseSvcId } from '@svcsync/core/model/address.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { Desired, DesiredElement } from '@svcsync/core/model/desired.ts'
import {
  elementKey,
  hasUnknownLevel,
  type KeyedElement,
  showElement,
  subjectKey,
} from '@svcsync/core/model/elements.ts'
import { isJsonObject, isMapping, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Collection, DeclaredElement } from '@svcsync/core/model/kind.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { offsetAt, offsetOf } from '@svcsync/core/model/source.ts'
import { formatPlace } from '@svcsync/errors/index.ts'
import { entryOf } from './facts.ts'
import type { SourceEdit } from './uses.ts'

export class ListAcceptance {
  readonly #change: Change
  readonly #desired: Desired
  readonly #name: string
  readonly #definition: Collection
  readonly #normalise: NormaliseSvcId

  constructor(change: Change, desired: Desired, name: string, normalise: NormaliseSvcId) {
    this.#normalise = normalise
    this.#change = change
    this.#desired = desired
    this.#name = name
    this.#definition = desired.kind.collections[name] as Collection
  }

  shown(element: KeyedElement): string {
    return `${this.#name} ${showElement(element)}`
  }

  /** `missing`: all that are declared and not live. */
  withoutEntry(
    wanted: DesiredElement,
    sets: ReadonlyMap<string, AccountSet>,
    missing: readonly DesiredElement[] = [wanted],
  ): Acceptance | Rejection {
    const { element, declaration, field, set, listedAt } = wanted
    const other = replacedBy(element, this.#change.live?.collections[this.#name])
    const { source, item } = declaration
    if (this.#isOneValue(item[field])) return this.#whole(declaration, field)
    if (other !== undefined) {
      const [value] = this.#definition.toManifest([other] as never) as readonly Json[]
      const at = offsetAt(source, item, [field, ...wanted.path.slice(0, 1)])
      const edits = Object.entries(value as JsonObject).map(([key, part]): SourceEdit => {
        return { source, edit: { edit: 'set-field', at, key, value: part ?? null } }
      })
      return this.#taken(element, `${this.shown(element)} → ${showElement(other)}`, edits, other)
    }
    if (set === undefined) return this.#taken(element, `-${showElement(element)}`, this.#entriesOf(wanted, missing))
    const place = listedAt && formatPlace(listedAt)
    for (const each of sets.values()) {
      const index = each.items.findIndex((_, at) => formatPlace(placeInSet(each, [at])) === place)
      if (index < 0) continue
      const at = offsetAt(each.source, each.items, [index])
      return this.#taken(element, `-${showElement(element)}`, [
        { source: each.source, edit: { edit: 'remove-entry', at } },
      ])
    }
    return { address: this.#change.address, what: this.shown(element), why: 'its line in the set was not found' }
  }

  /** Lists that are only added to may name somebody whom another one names, too. */
  #entriesOf(wanted: DesiredElement, missing: readonly DesiredElement[]): SourceEdit[] {
    const { element, declaration, field, path } = wanted
    if (this.#isLastOf(wanted, missing)) {
      const at = offsetAt(declaration.source, declaration.item, [field, ...path.slice(0, 1)])
      return [{ source: declaration.source, edit: { edit: 'remove-entry', at } }]
    }
    const own = this.#entriesIn(declaration, field).find((each) => String(each.path) === String(path))
    const written = own && JSON.stringify([this.#definition.part?.(own.element as never), own.company])
    return this.#desired.declarations.flatMap((each) => {
      const { field: name = '' } =
        fieldsOf(each.section).collections.find(({ collection }) => collection === this.#name) ?? {}
      const same = this.#entriesIn(each, name).filter((entry) => {
        if (each === declaration && name === field) return entry === own || String(entry.path) === String(path)
        const { svcId = '' } = entry.element
        const limits = JSON.stringify([this.#definition.part?.(entry.element as never), entry.company])
        return svcId !== '' && this.#normalise(svcId) === subjectKey(element) && limits === written
      })
      return same.map((entry): SourceEdit => {
        return {
          source: each.source,
          edit: { edit: 'remove-entry', at: offsetAt(each.source, each.item, [name, ...entry.path]) },
        }
      })
    })
  }

  /** An entry with several elements, such as a licence, must keep one: an empty list would mean another entry. */
  #isLastOf({ declaration, field, path }: DesiredElement, missing: readonly DesiredElement[]): boolean {
    if (this.#definition.of !== 'items' || path.length < 2) return false
    const inEntry = (each: Pick<DesiredElement, 'path'>): boolean => each.path[0] === path[0]
    const missingHere = missing.filter(
      (each) => each.declaration === declaration && each.field === field && inEntry(each),
    )
    return missingHere.length === this.#entriesIn(declaration, field).filter(inEntry).length
  }

  #entriesIn({ item }: Declaration, field: string): readonly DeclaredElement[] {
    const list = item[field]
    return list == null ? [] : this.#definition.fromManifest(list).elements
  }

  withEntry(element: KeyedElement): Acceptance | Rejection {
    const { address } = this.#change
    const refuse = (why: string): Rejection => ({ address, what: this.shown(element), why })
    if (hasUnknownLevel(element, this.#definition)) return refuse('the platform does not tell its level')
    if (hasUnknownCompany(element)) return refuse('the platform does not tell to which business entity it is limited')
    const part = this.#definition.part?.(element as never)
    const written = this.#definition.toManifest([element] as never)
    const value = part === undefined ? written : isJsonObject(written) ? written[part] : undefined
    const [entry] = (Array.isArray(value) ? value : []) as readonly Json[]
    for (const declaration of [...this.#desired.declarations].reverse()) {
      const { source, item, section } = declaration
      const field = fieldsOf(section).collections.find(({ collection }) => collection === this.#name)?.field ?? ''
      const list = item[field]
      if (list === undefined || section.partial) continue
      if (this.#isOneValue(list)) return this.#whole(declaration, field)
      if (entry === undefined) return refuse('the manifests cannot say it')
      const edit = addition(declaration, field, list, part, entry)
      const taken = this.#taken(element, `+${showElement(element)}`, [{ source, edit }])
      const { collection, level } = this.#desired.kind.administeredBy ?? {}
      const administers = part !== undefined && collection === this.#name && level === part
      return administers ? { ...taken, administrator: element.svcId ?? '' } : taken
    }
    return refuse('no list of the manifests has room for it')
  }

  /** A field that holds one thing instead of a list. */
  #isOneValue(value: Json | undefined): boolean {
    return this.#definition.whole === true && !Array.isArray(value)
  }

  #whole({ source, item }: Declaration, field: string): Acceptance {
    const live = this.#change.live?.collections[this.#name] ?? []
    const value = this.#definition.toManifest(live as never)
    const edit = { edit: 'set-field', at: offsetOf(source, item, 0) ?? 0, key: field, value } as const
    return {
      address: this.#change.address,
      path: this.#name,
      what: `${this.#name}: ${showValue(value)}`,
      edits: [{ source, edit }],
    }
  }

  #taken(element: KeyedElement, what: string, edits: readonly SourceEdit[], instead?: KeyedElement): Acceptance {
    const key = elementKey(instead ?? element)
    return {
      ...{ address: this.#change.address, path: this.#name, element: key, entry: entryOf(element) },
      ...{ declaration: this.#desired.declarations[0], what: `${this.#name} ${what}`, edits },
    }
  }
}

function addition(
  { source, item }: Declaration,
  field: string,
  list: Json,
  part: string | undefined,
  value: Json,
): SourceEdit['edit'] {
  // Behind an alias, or merged in, the list is another mapping's: it is known by itself.
  const own = part === undefined ? list : isMapping(list) ? list[part] : undefined
  if (Array.isArray(own)) return { edit: 'add-entry', at: offsetOf(source, own, 0) ?? 0, value }
  if (part !== undefined && isMapping(list))
    return { edit: 'add-to-field', at: offsetOf(source, list, 0) ?? 0, path: [part], value }
  const path = part === undefined ? ([field] as const) : ([field, part] as const)
  return { edit: 'add-to-field', at: offsetOf(source, item, 0) ?? 0, path, value }
}

export interface Acceptance {
  readonly address: Address
  /** A field by dots, or a collection; empty: the object. */
  readonly path: string
  /** The key of an entry, by which facts know it. */
  readonly element?: string
  readonly entry?: string
  /** The present declaration, which identifies the object also without the platform. */
  readonly declaration?: Declaration
  readonly what: string
  readonly edits: readonly SourceEdit[]
  /** Whom it keeps as Administrator. */
  readonly administrator?: string
  /** The object is not there any more, and has to be looked for by itself. */
  readonly vanished?: Desired
}

interface Rejection {
  readonly address: Address
  readonly what: string
  readonly why: string
}

export const keepsReference = 'the manifest has a reference: svcsync does not replace it with a value'

export interface AcceptResult {
  readonly taken: readonly Acceptance[]
  readonly refused: readonly Rejection[]
  /** Differences that the manifests brought about, and that an apply is to carry out. */
  readonly pending: number
}

export function showValue(value: Json | undefined): string {
  return value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)
}
