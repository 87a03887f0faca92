// An installation on which nobody has anything yet, for laws about lists that tell no levels.
import type { Tenant } from '../../src/emulator/index.ts'
import { tenantOf, type World } from './world.ts'

/**
 * Without any privilege: what somebody has whom the base does not know, and for one company alone, is in no plan's
 * reach there.
 */
export function withoutPrivileges(live: World): Tenant {
  const tenant = tenantOf({ ...live, application: [], process: [], formType: [] })
  const isMarker = (each: unknown) => (each as { level?: unknown } | null)?.level === 'ManageArchive'
  return JSON.parse(JSON.stringify(tenant), (_, value) =>
    Array.isArray(value) ? value.filter((each) => !isMarker(each)) : value,
  )
}
