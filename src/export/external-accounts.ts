// Accounts that an export uses and cannot declare, as a project file lists them: a directory has them.
import type { FoldSvcId } from '../core/model/address.ts'
import type { LiveItem } from '../core/model/live-tree.ts'
import { accountsUsedBy } from './used-accounts.ts'

/** More than these of one domain, and the domain is said in their place. */
const maxListed = 5

/** Patterns for `accounts.external`, sorted. A domain that has declared accounts as well stands for nobody else. */
export function externalAccountsOf(items: readonly LiveItem[], fold: FoldSvcId): readonly string[] {
  const declared = items.filter(({ kind }) => kind.provides !== undefined).map(({ identity }) => identity)
  const known = new Set(declared.map(fold))
  const ownDomains = new Set(declared.map((svcId) => domainOf(fold(svcId))))
  const byDomain = new Map<string, Map<string, string>>()
  for (const svcId of items.filter(({ wanted }) => wanted).flatMap(accountsUsedBy)) {
    const key = fold(svcId)
    // What means more than itself in a pattern, or in a project file, is left to somebody who knows.
    if (known.has(key) || svcId === '' || /[*?]|\$\{/.test(svcId)) continue
    const domain = domainOf(key)
    const accounts = byDomain.get(domain) ?? new Map<string, string>()
    if (!accounts.has(key)) accounts.set(key, svcId)
    byDomain.set(domain, accounts)
  }
  const patterns = [...byDomain].flatMap(([domain, accounts]) =>
    accounts.size > maxListed && domain !== '*' && !ownDomains.has(domain) ? [domain] : [...accounts.values()],
  )
  return patterns.sort((a, b) => (a < b ? -1 : 1))
}

/** As a pattern: `*@corp.example.com`, `CORP\*`; `*` where there is none. */
function domainOf(svcId: string): string {
  const at = svcId.lastIndexOf('@')
  if (at > 0) return `*${svcId.slice(at)}`
  const slash = svcId.indexOf('\\')
  return slash > 0 ? `${svcId.slice(0, slash + 1)}*` : '*'
}
