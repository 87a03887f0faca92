// Names what live elements are limited to, business entities and objects: answers hold their guids alone.
import type { Directory } from '@svcsync/core/model/directory.ts'
import type { KeyedElement } from '@svcsync/core/model/elements.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { LiveItem, UnreadPart } from '@svcsync/core/model/live-tree.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { AccessError, PlatformError } from '@svcsync/errors/index.ts'
import { type Candidate, companyList, type MetadataLists } from './metadata-lists.ts'

/** The guids stay if the application may not read business entities. */
export async function nameCompanies(
  port: PlatformPort,
  objects: ReadonlyMap<string, Live>,
  lists: MetadataLists,
): Promise<ReadonlyMap<string, Live>> {
  const holding = [...objects].filter(([, live]) =>
    Object.values(live.collections).some((elements) => elements.some(({ company }) => company != null)),
  )
  if (holding.length === 0) return objects
  const listOf = ({ at }: Live) => companyList(at.dbId as number)
  for (const [, live] of holding) lists.get(listOf(live))
  await readCompanies(port, lists)
  const named = new Map(objects)
  for (const [key, live] of holding) {
    const list = lists.get(listOf(live))
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

async function readCompanies(port: PlatformPort, lists: MetadataLists): Promise<void> {
  try {
    await lists.readWanted(port)
  } catch (error) {
    if (!(error instanceof AccessError || (error instanceof PlatformError && error.kind === 'status'))) throw error
  }
}

function withName(element: KeyedElement, byGuid: ReadonlyMap<string, Candidate>): KeyedElement {
  const known = element.company == null ? undefined : byGuid.get(element.company.guid.toLowerCase())
  if (known === undefined || element.company == null) return element
  return { ...element, company: { ...element.company, name: known.code ?? known.name } }
}

/** By the name that leads to it alone, or its guid. `leftOut`: collections that hold what no manifest could name. */
export async function namedReferences(
  port: PlatformPort,
  objects: ReadonlyMap<LiveItem, Live>,
  lists: MetadataLists,
  directory: Directory,
) {
  const nameIn = (of: 'companies' | 'objects'): void => {
    for (const live of objects.values()) {
      for (const [field, elements] of Object.entries(live.collections)) {
        const isCompany = aboutOf(live, field) === 'company'
        if (isCompany === (of === 'companies')) for (const each of elements) withReference(each, live, field, directory)
      }
    }
  }
  // Asks for the lists that it takes: those of objects may lead to others.
  nameIn('companies')
  await readCompanies(port, lists)
  do nameIn('objects')
  while (await lists.readWanted(port))
  const named = new Map<LiveItem, Live>()
  const leftOut: UnreadPart[] = []
  for (const [item, live] of objects) {
    const collections: Record<string, readonly KeyedElement[]> = {}
    for (const [field, elements] of Object.entries(live.collections)) {
      const known = elements.map((element) => withReference(element, live, field, directory))
      if (known.every((element) => element !== undefined)) collections[field] = known
      else leftOut.push({ ...item, field, ...whyUnnamed(live.kind.collections[field]?.about) })
    }
    named.set(item, { ...live, collections })
  }
  return { objects: named, leftOut }
}

function aboutOf({ kind }: Live, field: string): Kind | 'company' {
  return kind.collections[field]?.about ?? 'company'
}

function whyUnnamed(about: Kind | 'company' | undefined): Pick<UnreadPart, 'reason' | 'hint'> {
  const [one, all] =
    about === undefined || about === 'company'
      ? ['a business entity', 'business entities']
      : [
          `${/^[aeiou]/.test(about.name) ? 'an' : 'a'} ${about.name}`,
          `${about.name}${about.name.endsWith('s') ? 'es' : 's'}`,
        ]
  const holds = about === undefined ? 'It holds a privilege for' : 'It is about'
  return {
    reason: `${holds} ${one} that cannot be looked up`,
    hint: `Check that the application may read ${all}.`,
  }
}

/** Undefined: neither its name nor its guid leads to it alone. */
function withReference(
  element: KeyedElement,
  live: Live,
  field: string,
  directory: Directory,
): KeyedElement | undefined {
  const { about, company } = element
  const find = (dbId: number, ref: string): { readonly guid: string; readonly name: string } | undefined => {
    const kind = aboutOf(live, field)
    const found =
      kind === 'company' ? directory.company(dbId, ref) : directory.find(kind.name, ref, undefined, { dbId })
    if ('reason' in found) return undefined
    return 'address' in found ? { guid: found.guid ?? '', name: found.at.name ?? ref } : found
  }
  const leading = (dbId: number, { guid }: { readonly guid: string }) => {
    // An answer need not tell the name, and may tell an old one.
    const called = find(dbId, guid)?.name ?? guid
    return [called, guid].find((ref) => find(dbId, ref)?.guid.toLowerCase() === guid.toLowerCase())
  }
  if (about !== undefined) {
    const name = leading(about.dbId, about)
    const database = directory.databases.length > 1 && directory.database(String(about.dbId))?.name
    return name === undefined ? undefined : { ...element, about: { ...about, name, ...(database && { database }) } }
  }
  if (company == null) return element
  const name = leading(live.at.dbId as number, company)
  return name === undefined ? undefined : { ...element, company: { ...company, name } }
}
