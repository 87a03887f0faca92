// Guard `administrator-gained`: where the project says so, nobody becomes Administrator, through groups either, unless by name.
import type { AccessEntry } from '../access/describe-access.ts'
import { groupBy } from '../model/group-by.ts'
import type { Finding, Guard } from './guard.ts'

export const administratorsAreExpected: Guard = {
  name: 'administrator-gained',
  counts: false,
  truth: 'Nobody becomes Administrator of anything, through groups either.',
  concerns: ({ administratorsGained }) => administratorsGained !== undefined,
  find({ administratorsGained = [] }) {
    if (administratorsGained === 'unknown') {
      const sentence = 'The saved plan does not say who would become Administrator: nobody looked when it was made.'
      return [{ sentence, numbers: {}, addresses: [], allow: 'unknown' }]
    }
    return [...groupBy(administratorsGained, ({ subject }) => subject ?? '')].map(([subject, entries]): Finding => {
      const addresses = entries.map(({ address }) => address)
      const shown = entries.slice(0, named).map(sayOne)
      const rest = entries.length - shown.length
      const others = rest > 0 ? `, and ${rest} more` : ''
      return {
        sentence: `\`${subject}\` would become ${entries[0]?.level} of ${shown.join(', ')}${others}.`,
        numbers: { count: entries.length },
        addresses,
        allow: subject,
      }
    })
  },
}

/** So many objects are named in a sentence. */
const named = 3

function sayOne({ address, company, via }: AccessEntry): string {
  const limit = company === null ? '' : ` (${company})`
  const way = via.length === 0 ? '' : ` through ${via.map((group) => `\`${group}\``).join(' › ')}`
  return `\`${address}\`${limit}${way}`
}
