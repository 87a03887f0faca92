// Guard `unread`: no account is deleted while an object that may refer to it could not be read.
import { type Finding, type Guard, isDeletion } from './guard.ts'

export const deletionsRestOnWholeReads: Guard = {
  name: 'unread',
  counts: false,
  truth: 'No account is deleted while something that may refer to it could not be read.',
  find({ changes, unreadable }) {
    if (unreadable.length === 0) return []
    const deleted = changes.filter(isDeletion).map(({ address }) => address)
    const [first] = deleted
    if (first === undefined) return []
    const more = deleted.length > 1 ? ` and ${deleted.length - 1} more` : ''
    const unread = unreadable.map(({ address }) => address)
    const others = unread.length > 1 ? ` and ${unread.length - 1} more` : ''
    const what = `\`${first}\`${more} would be deleted, and \`${unread[0]}\`${others} could not be read`
    const finding: Finding = {
      sentence: `${what}: who still refers to what is deleted is not known. Mend the access, or leave the deletion out with \`--only\`.`,
      numbers: { deletions: deleted.length, unreadable: unread.length },
      addresses: unread,
    }
    return [finding]
  },
}
