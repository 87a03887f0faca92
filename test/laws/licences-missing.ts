// How many licences a plan would give that are not there, told without any code of svcsync.
import type { Tenant } from '../../src/emulator/index.ts'
import type { HeldLicense } from '../../src/emulator/tenant/tenant-shape.ts'
import type { Fields, Item } from './world.ts'

/** Of all types together. `collections`: how lists are meant of which the manifests do not say it. */
export function licencesMissing({ licenses }: Tenant, items: readonly Item[], collections = 'exclusive'): number {
  const now = new Map(
    licenses?.assigned?.map(({ svcId, licenses }) => [svcId, (licenses as HeldLicense[]).map(({ type }) => type)]),
  ) as Map<unknown, string[]>
  const after = new Map(now)
  for (const { section, item } of items) {
    if (section !== 'licenses') continue
    const wanted = (item.licenses as readonly Fields[]).map(({ type }) => String(type))
    const mode = (item.manage as Fields | undefined)?.licenses ?? collections
    after.set(item.svcId, mode === 'exclusive' ? wanted : [...new Set([...(now.get(item.svcId) ?? []), ...wanted])])
  }
  const missing = Object.entries(licenses?.available ?? {}).map(([type, total]) => {
    const holders = [...after].filter(([, types]) => types.includes(type))
    // Where there are more holders than licences already, nobody has to go who is there.
    const given = holders.filter(([svcId]) => !now.get(svcId)?.includes(type))
    return Math.min(given.length, Math.max(0, holders.length - Number(total)))
  })
  return missing.reduce((sum, each) => sum + each, 0)
}
