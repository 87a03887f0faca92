// Gives the business entities of live privileges their codes: an answer holds their guids alone.
import type { KeyedElement } from '../core/model/elements.ts'
import type { Live } from '../core/model/live.ts'
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
