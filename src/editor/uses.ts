// Every place that names an account, as written: entries of lists and sets, fields, and its own declaration.
import { readAccountEntry } from '@svcsync/core/model/account-entry.ts'
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import { type Declaration, identityOf } from '@svcsync/core/model/declaration.ts'
import type { AssemblySettings, Desired, DesiredElement } from '@svcsync/core/model/desired.ts'
import { subjectKey } from '@svcsync/core/model/elements.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { fieldsOf, isAccount } from '@svcsync/core/model/schema-fields.ts'
import { offsetAt, offsetOf, type Source } from '@svcsync/core/model/source.ts'
import type { TextEdit } from './edit-text.ts'

interface UseBase {
  readonly source: Source
  /** The offset of an entry's value, a field's key, or an item's own key. */
  readonly at: number
}

interface EntryUse extends UseBase {
  readonly is: 'entry'
  readonly value: Json
  readonly list: number
  /** Undefined: it is an entry of the set. */
  readonly declaration: Declaration | undefined
  readonly set: string | undefined
  readonly collection: string | undefined
  readonly part: string | undefined
}

interface FieldUse extends UseBase {
  readonly is: 'field'
  readonly declaration: Declaration
  readonly field: string
}

/** The sort of declaration: an account, an account's lists, or the members of a group. */
interface ItemUse extends UseBase {
  readonly is: 'item'
  readonly declaration: Declaration
}

/** `Form`: of one form alone. */
export type AccountUse<Form extends Use['is'] = Use['is']> = Extract<Use, { readonly is: Form }>
type Use = EntryUse | FieldUse | ItemUse

function usesOf(
  declarations: readonly Declaration[],
  sets: Iterable<AccountSet>,
  isMeant: (svcId: string) => boolean,
): AccountUse[] {
  const declared = declarations.flatMap((declaration) => [
    ...usesAsItem(declaration, isMeant),
    ...usesInLists(declaration, isMeant),
  ])
  return [...declared, ...[...sets].flatMap((set) => usesInSet(set, isMeant))]
}

function usesAsItem(declaration: Declaration, isMeant: (svcId: string) => boolean): AccountUse[] {
  const { source, item, section, kind } = declaration
  const { fields, holder } = fieldsOf(section)
  const isAbout = (holder !== undefined || kind.provides !== undefined) && isMeant(identityOf(declaration))
  const inFields = fields.flatMap((field): FieldUse[] => {
    const value = item[field]
    if (!isAccount(section.schema.properties[field]?.reference) || typeof value !== 'string' || !isMeant(value))
      return []
    return [{ is: 'field', source, at: offsetAt(source, item, [field], 'key'), declaration, field }]
  })
  return isAbout ? [{ is: 'item', source, at: offsetAt(source, item, []), declaration }, ...inFields] : inFields
}

function usesInLists(declaration: Declaration, isMeant: (svcId: string) => boolean): EntryUse[] {
  const { source, item, section, kind } = declaration
  return fieldsOf(section).collections.flatMap(({ field, collection }) => {
    const list = item[field]
    const definition = kind.collections[collection]
    if (list == null || definition === undefined) return []
    return definition.fromManifest(list).elements.flatMap(({ element, path }): EntryUse[] => {
      if (element.svcId === undefined || element.svcId === '' || !isMeant(element.svcId)) return []
      const holding = path.slice(0, -1).reduce<Json | undefined>(valueAt, list)
      const use = {
        ...({ is: 'entry', source, declaration, collection, set: undefined } as const),
        at: offsetAt(source, item, [field, ...path]),
        list: offsetOf(source, holding, 0) ?? 0,
        value: valueAt(holding, path.at(-1) ?? 0) ?? null,
        part: definition.part?.(element),
      }
      return [use]
    })
  })
}

function usesInSet({ source, name, items }: AccountSet, isMeant: (svcId: string) => boolean): EntryUse[] {
  return items.flatMap((value, index): EntryUse[] => {
    const { svcId } = readAccountEntry(value)
    if (svcId === undefined || !isMeant(svcId)) return []
    const [at, list] = [offsetAt(source, items, [index]), offsetOf(source, items, 0) ?? 0]
    const rest = { declaration: undefined, collection: undefined, part: undefined }
    return [{ is: 'entry', source, at, list, value, set: name, ...rest }]
  })
}

function valueAt(value: Json | undefined, key: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)] as Json | undefined
  return isJsonObject(value) ? value[key] : undefined
}

export interface TargetState {
  readonly project: { readonly targetName: string }
  readonly declarations: readonly Declaration[]
  readonly desired: readonly Desired[]
  readonly assembly: Pick<AssemblySettings, 'normalise' | 'overrides'> & {
    readonly sets: ReadonlyMap<string, AccountSet>
  }
}

export interface SourceEdit {
  readonly source: Source
  readonly edit: TextEdit
}

/** The uses in all targets, each place once: through a variable it may name the account in some of them alone. */
export function usesInAll(
  targets: readonly TargetState[],
  svcId: string,
): (AccountUse & { readonly targets: readonly string[] })[] {
  const found = new Map<string, AccountUse & { readonly targets: string[] }>()
  for (const { declarations, assembly, project } of targets) {
    const key = assembly.normalise(svcId)
    for (const use of usesOf(declarations, assembly.sets.values(), (each) => assembly.normalise(each) === key))
      getOrInsert(found, `${use.is} ${use.source.file} ${use.at}`, () => ({ ...use, targets: [] })).targets.push(
        project.targetName,
      )
  }
  return [...found.values()]
}

export function isOverride(targets: readonly TargetState[], { source }: { readonly source: Source }): boolean {
  return targets.some(({ assembly }) => assembly.overrides?.has(source.file))
}

export function itemAt({ source, item }: Declaration): number {
  return offsetAt(source, item, [])
}

/** The offset of an entry, as uses have it; for an account from a set, that of the entry that names the set. */
export function entryAt({ declaration: { source, item }, field, path }: DesiredElement): number {
  return offsetAt(source, item, [field, ...path])
}

/** Additive lists with an account: the platform keeps entries that leave them. */
export function additiveListsOf(
  targets: readonly TargetState[],
  key: string,
): { address: string; collection: string }[] {
  const found = targets.flatMap(({ desired }) =>
    desired.flatMap(({ address, collections }) =>
      Object.entries(collections).flatMap(([collection, { mode, elements }]) =>
        mode === 'additive' && [...elements.values()].some(({ element }) => subjectKey(element) === key)
          ? { address, collection }
          : [],
      ),
    ),
  )
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}
