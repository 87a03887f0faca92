// Guard `unread`: no account is deleted while an object that may refer to it could not be read, or was not.
import { kindOf } from '../compare/change.ts'
import { firstFew } from '../model/near-misses.ts'
import { defineGuard, type Finding, isDeletion, isNotTold } from './guard.ts'

export const unreadGuard = defineGuard({
  name: 'unread',
  counts: false,
  truth: 'No account is deleted while something declared that may refer to it was not read.',
  on: 'removals',
  needs: ['changes', 'unreadable', 'leftOut'],
  find({ changes, unreadable, leftOut }) {
    // Nothing refers to what is no account.
    const accounts = changes.filter((change) => isDeletion(change) && kindOf(change).provides !== undefined)
    const deleted = accounts.map(({ address }) => address)
    if (deleted.length === 0) return []
    const what = `${firstFew(deleted, 1)} would be deleted`
    const findings: Finding[] = []
    if (unreadable.length > 0) {
      const unread = unreadable.map(({ address }) => address)
      findings.push({
        sentence: `${what}, and ${firstFew(unread, 1)} could not be read: who still refers to what is deleted is not known. Mend the access, or leave the deletion out with \`--only\`.`,
        numbers: { deletions: deleted.length, unreadable: unreadable.length },
        addresses: unread,
      })
    }
    // A saved plan was held against it when it was made.
    const declarations = isNotTold(leftOut) ? 0 : leftOut.declarations
    if (declarations > 0) {
      const items = declarations === 1 ? '1 declared item' : `${declarations} declared items`
      findings.push({
        sentence: `${what}, and \`--only\` leaves out ${items} with members, owners or privileges: what they lose by it was not looked at.`,
        numbers: { deletions: deleted.length, leftOut: declarations },
        addresses: deleted,
        allow: 'left-out',
      })
    }
    return findings
  },
})
