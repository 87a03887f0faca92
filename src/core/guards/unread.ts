// Guard `unread`: no account is deleted while an object that may refer to it could not be read, or was not.
import { formatCount } from '@svcsync/errors/index.ts'
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { Desired } from '../model/desired.ts'
import { groupBy } from '../model/group-by.ts'
import { accountsNamed } from '../model/identity.ts'
import { firstFew } from '../model/near-misses.ts'
import { fieldsOf, isAccount } from '../model/schema-fields.ts'
import { defineGuard, type Facts, type Finding, isDeletion, isNotTold } from './guard.ts'

export const unreadGuard = defineGuard({
  name: 'unread',
  counts: false,
  truth: 'No account is deleted while something declared that may refer to it was not read.',
  on: 'removals',
  needs: ['changes', 'unreadable', 'leftOut'],
  find({ changes, unreadable, leftOut }) {
    // Nothing refers to what is no account.
    const accounts = changes.filter((change) => isDeletion(change) && kindOf(change).provides !== undefined)
    if (accounts.length === 0) return []
    const findings: Finding[] = []
    for (const [, deleted] of groupBy(accounts, (change) => referringTo(change, unreadable).join('\n'))) {
      const addresses = referringTo(deleted[0] as Change, unreadable)
      if (addresses.length === 0) continue
      findings.push({
        sentence:
          `${shown(deleted)} would be deleted, and ${firstFew(addresses, 1)} could not be read, ` +
          'and may refer to a deleted account. Grant the access, or leave the deletion out with `--only`.',
        numbers: { deletions: deleted.length, unreadable: addresses.length },
        addresses,
      })
    }
    // A saved plan was judged by this guard when it was made.
    const declarations = isNotTold(leftOut) ? 0 : leftOut.declarations
    if (declarations > 0) {
      const items = formatCount(declarations, 'declared item')
      findings.push({
        sentence:
          `${shown(accounts)} would be deleted, and \`--only\` leaves out ${items} with members, ` +
          'owners or privileges: svcsync did not check what they lose.',
        numbers: { deletions: accounts.length, leftOut: declarations },
        addresses: accounts.map(({ address }) => address),
        allow: 'left-out',
      })
    }
    return findings
  },
})

function shown(deleted: readonly Change[]): string {
  const addresses = deleted.map(({ address }) => address)
  return firstFew(addresses, 1)
}

function referringTo(change: Change, unreadable: Facts['unreadable']): readonly string[] {
  return unreadable.flatMap(({ address, object }) => (mayReferTo(object, keyOf(change)) ? [address] : []))
}

/** `key`: of an account. Undefined: nobody knows what is declared of the object. */
function mayReferTo(object: Desired | undefined, key: string): boolean {
  if (object === undefined || Object.values(object.kind.collections).some(({ of }) => of !== 'items')) return true
  const [section] = object.kind.sections
  const { holder, references } = fieldsOf(section)
  if (holder !== undefined) return object.key === key
  const accounts = references.filter(({ to }) => isAccount(to))
  // The fields that make the name are live as declared; any other field may name anybody.
  if (accounts.some(({ field }) => !object.kind.key?.fields.includes(field))) return true
  return accountsNamed(section, object).some((named) => named.key === key)
}
