// Names the business entities of live privileges so that a manifest with these names finds them again.
import type { Directory } from '../core/model/directory.ts'
import type { CompanyRef, Element } from '../core/model/kind.ts'
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
  const items = new Map([...objects.keys()].map((item) => [item.address, item]))
  const byAddress = new Map([...objects].map(([{ address }, live]) => [address, live]))
  const named = await nameCompanies(port, byAddress, lists)
  const result = new Map<LiveItem, Live>()
  const leftOut: LeftOut[] = []
  for (const [address, live] of named) {
    const item = items.get(address) as LiveItem
    const collections: Record<string, readonly Element[]> = {}
    for (const [field, elements] of Object.entries(live.collections)) {
      const known = elements.map((element) => withReference(element, live.at.dbId as number, directory))
      if (known.every((element) => element !== undefined)) collections[field] = known
      else {
        const reason = 'It holds a privilege for a business entity that cannot be looked up'
        const hint = 'Check that the application may read business entities.'
        leftOut.push({ ...item, field, reason, hint })
      }
    }
    result.set(item, { ...live, collections })
  }
  return { objects: result, leftOut }
}

/** Its code, its name or its guid, whichever leads to it alone. */
function withReference(element: Element, dbId: number, directory: Directory): Element | undefined {
  const { company } = element
  if (company == null) return element
  for (const name of [company.name, company.guid]) {
    const found = directory.company(dbId, name)
    if ('guid' in found && sameGuid(found, company)) return { ...element, company: { ...company, name } }
  }
  return undefined
}

function sameGuid(a: CompanyRef, b: CompanyRef): boolean {
  return a.guid.toLowerCase() === b.guid.toLowerCase()
}
