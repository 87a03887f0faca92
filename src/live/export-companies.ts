// Names what live elements are limited to, business entities and objects, so that a manifest with these names finds them again.
import { type Directory, isFound } from '../core/model/directory.ts'
import type { KeyedElement, KeyedItem } from '../core/model/elements.ts'
import type { CompanyRef, Kind } from '../core/model/kind.ts'
import type { Live } from '../core/model/live.ts'
import type { LeftOut, LiveItem } from '../core/model/live-tree.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'
import type { MetadataLists } from './metadata-lists.ts'
import { nameCompanies } from './name-companies.ts'

interface NamedCompanies {
  readonly objects: ReadonlyMap<LiveItem, Live>
  /** Collections that hold a business entity that no manifest could name. */
  readonly leftOut: readonly LeftOut[]
}

export async function namedCompanies(
  port: PlatformPort,
  objects: ReadonlyMap<LiveItem, Live>,
  lists: MetadataLists,
  directory: Directory,
): Promise<NamedCompanies> {
  const referTo = (live: Live, field: string, element: KeyedElement): KeyedElement | undefined => {
    const kind = live.kind.collections[field]?.about
    return element.about === undefined || kind === undefined
      ? withReference(element, live.at.dbId as number, directory)
      : withObject(element, element.about, kind, directory)
  }
  // Asks for the lists that it takes.
  do {
    for (const live of objects.values()) {
      for (const [field, elements] of Object.entries(live.collections)) {
        if (live.kind.collections[field]?.about !== undefined) for (const each of elements) referTo(live, field, each)
      }
    }
  } while (await lists.readWanted(port))
  const items = new Map([...objects.keys()].map((item) => [item.address, item]))
  const byAddress = new Map([...objects].map(([{ address }, live]) => [address, live]))
  const named = await nameCompanies(port, byAddress, lists)
  const result = new Map<LiveItem, Live>()
  const leftOut: LeftOut[] = []
  for (const [address, live] of named) {
    const item = items.get(address) as LiveItem
    const collections: Record<string, readonly KeyedElement[]> = {}
    for (const [field, elements] of Object.entries(live.collections)) {
      const known = elements.map((element) => referTo(live, field, element))
      if (known.every((element) => element !== undefined)) collections[field] = known
      else {
        const reason =
          live.kind.collections[field]?.about === undefined
            ? 'It holds a privilege for a business entity that cannot be looked up'
            : `It is about a ${nameOfAbout(live, field)} that cannot be looked up`
        const hint = 'Check that the application may read business entities.'
        leftOut.push({ ...item, field, reason, hint })
      }
    }
    result.set(item, { ...live, collections })
  }
  return { objects: result, leftOut }
}

/** Its code, its name or its guid, whichever leads to it alone. */
function withReference(element: KeyedElement, dbId: number, directory: Directory): KeyedElement | undefined {
  const { company } = element
  if (company == null) return element
  for (const name of [company.name, company.guid]) {
    const found = directory.company(dbId, name)
    if ('guid' in found && sameGuid(found, company)) return { ...element, company: { ...company, name } }
  }
  return undefined
}

function withObject(
  element: KeyedItem,
  about: NonNullable<KeyedItem['about']>,
  kind: Kind | 'company',
  directory: Directory,
): KeyedItem | undefined {
  const database = directory.database(String(about.dbId))?.name
  const find = (ref: string): { readonly guid: string; readonly name: string } | undefined => {
    if (kind === 'company') {
      const company = directory.company(about.dbId, ref)
      return 'guid' in company ? company : undefined
    }
    const found = directory.find(kind.name, ref, undefined, { dbId: about.dbId })
    return isFound(found) ? { guid: found.guid ?? '', name: found.at.name ?? about.guid } : undefined
  }
  // An answer need not tell the name.
  const called = find(about.guid)?.name ?? about.guid
  for (const name of [about.name === about.guid ? called : about.name, about.guid]) {
    if (find(name)?.guid.toLowerCase() !== about.guid.toLowerCase()) continue
    return { ...element, about: { ...about, name, ...(directory.databases.length > 1 && database && { database }) } }
  }
  return undefined
}

function nameOfAbout({ kind: { collections } }: Live, field: string): string {
  const about = collections[field]?.about
  return about === 'company' ? 'business entity' : (about?.name ?? '')
}

function sameGuid(a: CompanyRef, b: CompanyRef): boolean {
  return a.guid.toLowerCase() === b.guid.toLowerCase()
}
