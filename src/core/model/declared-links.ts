// Entries of lists as manifests write them, by keys that stay the same wherever they stand, in any version.
import { type Declaration, identityOf } from './declaration.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from './json.ts'
import { fieldsOf } from './schema-fields.ts'
import { plainText, revealSecrets, type Text } from './sensitive.ts'
import type { Path } from './source.ts'

interface DeclaredLink {
  readonly field: string
  readonly path: Path
  /** The account or item, with the list, the level and the company that its entry names. */
  readonly key: string
}

export function linksOf(declaration: Declaration): readonly DeclaredLink[] {
  const { kind, section, item } = declaration
  const object = objectKey(declaration)
  return fieldsOf(section).collections.flatMap(({ field, collection }) => {
    const definition = kind.collections[collection]
    const value = item[field]
    if (definition === undefined || definition.of === 'items' || value === undefined || value === null) return []
    return definition.fromManifest(value).elements.map(({ element, path, company, set }) => {
      const { svcId = '', level } = element as { readonly svcId?: string; readonly level?: string }
      const who = set === undefined ? svcId.toLowerCase() : `set ${set}`
      const key = JSON.stringify([...object, collection, level ?? '', company ?? '', who, ...boundsOf(value, path)])
      return { field, path, key }
    })
  })
}

/** An entry whose time was changed may have had a gap: it is another one. */
function boundsOf(value: Json, path: Path): readonly string[] {
  let written: JsonObject | undefined
  let here: Json | undefined = value
  for (const key of path) {
    here = (here as Readonly<Record<string | number, Json>> | undefined)?.[key]
    if (isJsonObject(here)) written = here
  }
  const bounds = [written?.from ?? '', written?.until ?? ''].map((bound) => plainText(bound as Text))
  return bounds.join('') === '' ? [] : bounds
}

/** Declarations managed as a whole, such as substitutions: any change makes another one. */
export function wholeLinkKey({ kind, item }: Declaration): string {
  return canonicalJson([kind.name, revealSecrets(item) as Json]).toLowerCase()
}

export const setLinkKey = (set: string, svcId: string): string => JSON.stringify(['set', set, svcId.toLowerCase()])

/** The accounts that a set lists itself; those of nested sets are left out. */
export function accountsInSet(items: readonly Json[]): readonly string[] {
  return items.flatMap((item) => {
    // Its time is not known where it is looked up.
    if (isJsonObject(item) && (item.from ?? item.until ?? null) !== null) return []
    const svcId = isJsonObject(item) ? item.svcId : item
    return svcId === undefined || svcId === null || typeof svcId === 'object' ? [] : [plainText(svcId as Text)]
  })
}

/** Independent of its section, so that an entry may move from one to another. */
function objectKey(declaration: Declaration): readonly string[] {
  const { kind, item, parent } = declaration
  const outer = parent === undefined ? [String(item[kind.parent ?? ''] ?? '')] : objectKey(parent)
  return [...outer, kind.name, identityOf(declaration).toLowerCase()]
}
