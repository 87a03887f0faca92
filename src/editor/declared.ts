import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { AssemblySettings, Desired, DesiredElement } from '@svcsync/core/model/desired.ts'
import { subjectKey } from '@svcsync/core/model/elements.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { offsetAt, type Source } from '@svcsync/core/model/source.ts'
import type { TextEdit } from './edit-text.ts'
import { type AccountUse, usesOf } from './uses.ts'

export interface Declared {
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

/** The uses in all targets, each place once. */
export function usesInAll(targets: readonly Declared[], svcId: string): AccountUse[] {
  const found = new Map<string, AccountUse>()
  for (const { declarations, assembly } of targets) {
    const key = assembly.normalise(svcId)
    for (const use of usesOf(declarations, assembly.sets.values(), (each) => assembly.normalise(each) === key))
      getOrInsert(found, `${use.is} ${use.source.file} ${use.at}`, () => use)
  }
  return [...found.values()]
}

export function isOverride(targets: readonly Declared[], { source }: { readonly source: Source }): boolean {
  return targets.some(({ assembly }) => assembly.overrides?.has(source.file))
}

export function itemAt({ source, item }: Declaration): number {
  return offsetAt(source, item, [])
}

/** The offset of an entry, as uses have it; for an account from a set, that of the entry that names the set. */
export function entryAt({ declaration: { source, item }, field, path }: DesiredElement): number {
  return offsetAt(source, item, [field, ...path])
}

/** Lists in which nobody else administers: an object, and the entry of the account. By place, of all targets. */
export function administeredAlone(
  targets: readonly Declared[],
  svcId: string,
): { readonly object: Desired; readonly element: DesiredElement }[] {
  const found = new Map<string, { readonly object: Desired; readonly element: DesiredElement }>()
  for (const { desired, assembly } of targets) {
    const key = assembly.normalise(svcId)
    for (const object of desired) {
      const { collection = '', level } = object.kind.administeredBy ?? {}
      const list = object.collections[collection]
      if (list === undefined || object.absent) continue
      const own = [...list.elements.values()].filter(({ element }) => element.level === level)
      const mine = own.filter(({ element }) => subjectKey(element) === key)
      if (mine.length === 0 || mine.length < own.length) continue
      for (const element of mine)
        found.set(`${element.declaration.source.file} ${entryAt(element)}`, { object, element })
    }
  }
  return [...found.values()]
}
