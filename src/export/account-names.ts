// The accounts that live objects refer to: their names, beside svcIds that do not tell them, and the undeclared.
import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { accountsIn } from '@svcsync/core/model/elements.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { LiveItem } from '@svcsync/core/model/live-tree.ts'
import { fieldsOf, isAccount } from '@svcsync/core/model/schema-fields.ts'
import { commentText } from '@svcsync/core/model/yaml-text.ts'

export const nameComment = (name: string): string => commentText(name, 60)

/** Makes the comment beside a svcId. Undefined: the name is not known, or says no more. */
export function accountNames(names: ReadonlyMap<string, string>, normalise: NormaliseSvcId) {
  return (svcId: string): string | undefined => {
    const name = names.get(normalise(svcId))
    return name === undefined || !/\p{L}/u.test(name) || isReadableFrom(svcId, name) ? undefined : nameComment(name)
  }
}

/** `anna.nowak@example.com` tells of Anna Nowak. */
function isReadableFrom(svcId: string, name: string): boolean {
  const id = letters(svcId)
  return name.split(/\s+/).every((word) => id.includes(letters(word)))
}

function letters(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll('ł', 'l')
    .replaceAll('Ł', 'l')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

/** Each once for each use. */
export function accountsUsedBy({ kind, identity, spec, collections }: LiveItem): readonly string[] {
  const { references, holder } = fieldsOf(kind.sections[0])
  const values = references.map(({ field, to }) => (isAccount(to) ? spec[field] : undefined))
  const named = [holder && identity, ...values].filter((value) => typeof value === 'string')
  return [...named, ...Object.values(collections).flatMap(accountsIn)]
}

/** With more accounts of one domain, a pattern of the domain replaces them. */
const maxListed = 5

/** Patterns for `accounts.external`, sorted. A domain with declared accounts gets no pattern. */
export function externalAccountsOf(items: readonly LiveItem[], normalise: NormaliseSvcId): readonly string[] {
  const declared = items.filter(({ kind }) => kind.provides !== undefined).map(({ identity }) => identity)
  const known = new Set(declared.map(normalise))
  const ownDomains = new Set(declared.map((svcId) => domainOf(normalise(svcId))))
  const byDomain = new Map<string, Map<string, string>>()
  for (const svcId of items.filter(({ wanted }) => wanted).flatMap(accountsUsedBy)) {
    const key = normalise(svcId)
    // Characters with a meaning in a pattern or a project file are left to an administrator.
    if (known.has(key) || svcId === '' || /[*?]|\$\{/.test(svcId)) continue
    const domain = domainOf(key)
    const accounts = getOrInsert(byDomain, domain, () => new Map())
    getOrInsert(accounts, key, () => svcId)
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
