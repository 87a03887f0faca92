// Guard `administrator-gained`: where the project says so, nobody becomes Administrator, unless by name.
import { inCode } from '@svcsync/errors/index.ts'
import { nestsOf } from '../access/aftermath.ts'
import { type AccessEntry, throughChain } from '../access/describe-access.ts'
import { movesStandIns } from '../access/stand-ins.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { groupBy } from '../model/group-by.ts'
import { cutLines, firstFew } from '../model/near-misses.ts'
import { defineGuard, type Finding, isNotTold } from './guard.ts'

export const administratorGainedGuard = defineGuard({
  name: 'administrator-gained',
  counts: false,
  truth: 'Nobody becomes Administrator of anything, through groups either.',
  on: 'anything',
  needs: ['administratorsGained', 'changes'],
  find({ administratorsGained, changes }) {
    if (isNotTold(administratorsGained)) {
      return [{ sentence: administratorsGained.notTold, numbers: {}, addresses: [], allow: 'unknown' }]
    }
    const unread = changes.some(mayLetIn) ? administratorsGained.filter(({ subject }) => subject === null) : []
    const known = administratorsGained.filter(({ subject }) => subject !== null)
    const findings = [...groupBy(known, ({ subject }) => subject ?? '')].map(([subject, entries]): Finding => {
      const addresses = entries.map(({ address }) => address)
      const shown = cutLines(entries.map(formatEntry), named)
      return {
        sentence:
          `${inCode(subject)} ${entries.every(({ may }) => may === 'gain') ? 'may' : 'would'} ` +
          `become ${entries[0]?.level} of ${shown.join(', ')}.`,
        numbers: { count: entries.length },
        addresses,
        allow: subject,
      }
    })
    if (unread.length > 0) findings.push(unreadFinding(unread, changes.some(movesStandIns)))
    return findings
  },
})

/** Nobody knows which rights the group holds on unread objects. */
function mayLetIn(change: Change): boolean {
  if (movesStandIns(change)) return change.action !== 'delete'
  const nests = nestsOf(kindOf(change))
  if (nests === undefined) return false
  if (change.action === 'create') return (change.desired?.collections[nests]?.elements.size ?? 0) > 0
  return change.collections.some(({ collection, added }) => collection === nests && added.length > 0)
}

function unreadFinding(unread: readonly AccessEntry[], standIn: boolean): Finding {
  const addresses = unread.map(({ address }) => address)
  return {
    sentence:
      `Accounts come into groups${standIn ? ' or stand in for others' : ''}, ` +
      `but svcsync could not read who becomes Administrator of ${firstFew(addresses, named)}.`,
    numbers: { count: addresses.length },
    addresses,
    allow: 'unknown',
  }
}

const named = 3

function formatEntry(entry: AccessEntry): string {
  const limit = entry.company === null ? '' : ` (${entry.company})`
  const way = throughChain(entry, inCode)
  return `${inCode(entry.address)}${limit}${way === '' ? '' : ` ${way}`}`
}
