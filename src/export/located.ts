// Finds the object behind an address of the web portal, as a manifest to start from.
import { page } from '@svcsync/core/model/capabilities/page.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { commentText } from '@svcsync/core/model/yaml-text.ts'
import type { Entry } from '@svcsync/format/layout.ts'
import { documentText, entry, item, list, mapping, scalar } from './yaml-node.ts'

/** An object that the platform names. Any part may be missing: the documentation does not say which there are. */
interface NamedObject {
  readonly id?: string | number | undefined
  readonly guid?: string | undefined
  readonly name?: string | undefined
}

interface LocatedAddress {
  readonly url: string
  /** `Home`, `Application`, `Report` … as the platform says. */
  readonly mode: string
  readonly dbId: number | undefined
  /** Its name in the project file. */
  readonly database: string | undefined
  /** Named objects of unknown kinds, by their part of the answer, such as `report` or `element`. */
  readonly others: Readonly<Record<string, NamedObject>>
  /** Objects of one kind and parent, from the outside in: each level is inside the first object before it. */
  readonly levels: readonly { readonly kind: Kind; readonly objects: readonly NamedObject[] }[]
}

/** A manifest that declares nothing yet: names to begin with, and beside them what they are. */
export function locatedManifest({ url, mode, dbId, database, others, levels }: LocatedAddress): string {
  const header = [
    commentText(`${mode}: ${url}`),
    ...Object.entries(others).map(([what, named]) => commentText(`${what}: ${identityOf(named)}`)),
  ]
  const entries: Entry[] = []
  if (dbId !== undefined) {
    const comment = database === undefined ? 'give it a name: `databases` of the target' : `dbId ${dbId}`
    entries.push(entry('database', scalar(database ?? dbId), { beside: comment }))
  }
  const within: Entry[] = []
  let isOpen = true
  for (const { kind, objects } of levels) {
    const [section] = kind.sections
    // An object that no list tells has only its number, and no container.
    if (section === undefined || !(isOpen || page.of(kind))) continue
    const items = objects.flatMap((named) => {
      const name = page.of(kind) ? named.id : nameOf(named)
      if (name === undefined) return []
      const fields = page.of(kind)
        ? [entry(section.identity, scalar(Number(name)))]
        : [...within, entry(section.identity, scalar(String(name)))]
      return item(mapping(fields), { above: [commentText(identityOf(named))] })
    })
    isOpen &&= items.length > 0
    if (items.length === 0) continue
    entries.push(entry(section.key, list(items)))
    if (!page.of(kind)) within.push(entry(section.identity, scalar(nameOf(objects[0] as NamedObject) as string)))
  }
  return documentText(entries, header)
}

function nameOf({ name, guid, id }: NamedObject): string | undefined {
  return name ?? guid ?? (id === undefined ? undefined : String(id))
}

function identityOf({ name, id, guid }: NamedObject): string {
  return [name, id !== undefined && `id ${id}`, guid !== undefined && `guid ${guid}`].filter(Boolean).join(', ')
}
