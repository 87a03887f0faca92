// Names what live elements are limited to, business entities and objects: answers hold their guids alone.
import { type Directory, isFound } from '../core/model/directory.ts'
import type { KeyedElement, KeyedItem } from '../core/model/elements.ts'
import type { CompanyRef, Kind } from '../core/model/kind.ts'
import type { Live } from '../core/model/live.ts'
import type { LeftOut, LiveItem } from '../core/model/live-tree.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'
import { AccessError, PlatformError } from '../errors/index.ts'
import { type Candidate, companyList, type MetadataLists } from './metadata-lists.ts'

/**
 * The objects with companies as people know them. Where the application may not read business entities, the guids stay:
 * they say the same, if less well.
 */
export async function nameCompanies(
  port: PlatformPort,
  objects: ReadonlyMap<string, Live>,
  lists: MetadataLists,
): Promise<ReadonlyMap<string, Live>> {
  const holding = [...objects].filter(([, live]) =>
    Object.values(live.collections).some((elements) => elements.some(({ company }) => company != null)),
  )
  if (holding.length === 0) return objects
  const databases = [...new Set(holding.map(([, { at }]) => at.dbId as number))]
  for (const dbId of databases) lists.get(companyList(dbId))
  try {
    await lists.readWanted(port)
  } catch (error) {
    if (error instanceof AccessError || (error instanceof PlatformError && error.kind === 'status')) return objects
    throw error
  }
  const named = new Map(objects)
  for (const [key, live] of holding) {
    const list = lists.get(companyList(live.at.dbId as number))
    if (list === undefined || list instanceof PlatformError) continue
    const byGuid = new Map(list.map((candidate) => [candidate.guid.toLowerCase(), candidate]))
    const collections = Object.fromEntries(
      Object.entries(live.collections).map(([name, elements]) => [
        name,
        elements.map((element) => withName(element, byGuid)),
      ]),
    )
    named.set(key, { ...live, collections })
  }
  return named
}

function withName(element: KeyedElement, byGuid: ReadonlyMap<string, Candidate>): KeyedElement {
  const known = element.company == null ? undefined : byGuid.get(element.company.guid.toLowerCase())
  if (known === undefined || element.company == null) return element
  return { ...element, company: { ...element.company, name: known.code ?? known.name } }
}

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
        const about = live.kind.collections[field]?.about
        const [what, all] =
          about === undefined || about === 'company'
            ? ['a business entity', 'business entities']
            : [
                `${/^[aeiou]/.test(about.name) ? 'an' : 'a'} ${about.name}`,
                `${about.name}${about.name.endsWith('s') ? 'es' : 's'}`,
              ]
        const holds = about === undefined ? 'It holds a privilege for' : 'It is about'
        const reason = `${holds} ${what} that cannot be looked up`
        const hint = `Check that the application may read ${all}.`
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

function sameGuid(a: CompanyRef, b: CompanyRef): boolean {
  return a.guid.toLowerCase() === b.guid.toLowerCase()
}
