// Words the limits of a list of access: unreadable objects, objects that were not read, and the cost in requests.
import { type AccessDocument, holdsAccess } from '@svcsync/core/access/describe-access.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { type Block, names, note } from '../blocks/block.ts'
import { byCount, foldNames, formatCount } from '../text/counts.ts'
import { formatRequests, standInLimit } from './access-drift.ts'

type LicenceAccess = Pick<AccessDocument, 'licences'>

function describeUnreadLicences({ licences }: LicenceAccess): string {
  const { unread = null } = licences ?? {}
  return unread === null ? '' : `Not read: licences of accounts that gain access (${unread}).`
}

function describeLicences({ licences }: LicenceAccess): string {
  if (licences === undefined) return ''
  const { missing, requests } = licences
  const cost = missing > 0 && requests > 0 ? `To look at licences took ${formatCount(requests, 'more request')}.` : ''
  return [cost, describeUnreadLicences({ licences })].filter((part) => part !== '').join(' ')
}

export function licenceBlocks({ licences }: LicenceAccess): Block[] {
  if (licences === undefined || licences.missing === 0) return []
  const { accounts, missing } = licences
  const rest = missing - accounts.length
  const more = rest > 0 ? [`and ${formatCount(rest, 'more account')}`] : []
  return [note(['Hold no licence:', names(accounts), ...more], undefined, '!')]
}

/** Relevant access that svcsync did not read; empty: there is none. */
function describeUnreadAccess({ access, accessDrift, base }: PlanDocument): string {
  // An undo looks at no manifest.
  const isUndo = base?.from === 'journal'
  switch (accessDrift === undefined ? access?.unlooked : undefined) {
    case 'people':
      return 'Not read: who gains and who loses access, since the project file says `access: none`.'
    case 'groups':
      return isUndo
        ? `Not read: what groups hold on other objects, and substitutions (\`access: full\` reads them).`
        : `Not read: what groups hold on undeclared objects (\`access: full\` reads it).`
    case 'represented':
      return `Not read: what people with a substitute hold on undeclared objects (\`access: full\` reads it).`
    case 'stand-ins':
      return standInLimit(isUndo)
    default:
      return ''
  }
}

/** True if undeclared objects were not read; an undo reads no manifest. */
export function isDeclaredAlone({ access, accessDrift, base }: PlanDocument): boolean {
  const isUndo = base?.from === 'journal'
  return accessDrift === undefined && !isUndo && (access?.unlooked === 'groups' || access?.unlooked === 'represented')
}

/** Facts beside the rows, such as accounts that may be groups. */
interface NoteOptions {
  /** There are rows of access, below a heading that tells how far svcsync looked. */
  readonly isAccessTold: boolean
}

/** `brief`: without what rows and their heading say already, and without what looking cost. */
export function accessNotes(plan: PlanDocument, brief?: NoteOptions): string[] {
  const { access, accessDrift } = plan
  if (access === undefined) return []
  if (brief && accessDrift === undefined) {
    const unlooked = brief.isAccessTold && isDeclaredAlone(plan) ? '' : describeUnreadAccess(plan)
    return [describeUnreadLicences(access), unlooked].filter((part) => part !== '')
  }
  const unread = holdsAccess(access) && accessDrift === undefined ? describeUnreadObjects(access) : ''
  const { mode, requests } = access
  const whole = mode === 'full' && requests !== undefined && accessDrift === undefined ? formatRequests(requests) : ''
  const between = mode === 'declared' ? describeAccessRequests(access) : ''
  const sentences = [unread, between, describeLicences(access), describeUnreadAccess(plan), whole]
  return sentences.filter((sentence) => sentence !== '')
}

/** Empty: svcsync looked for no account that no manifest declares. */
const describeAccessRequests = ({ requests = 0 }: AccessDocument): string =>
  requests === 0 ? '' : `To look through undeclared groups took ${formatCount(requests, 'more request')}.`

function describeUnreadObjects({ unread, unknown }: AccessDocument): string {
  if (unread === 0) return ''
  const [groups, their] = byCount(unread, ['a group', 'its'], ['groups', 'their'])
  const open = unknown.flatMap(({ subject, unseen, perhapsGroup }) => (perhapsGroup ? subject : unseen) ?? [])
  const { shown, note: rest } = foldNames([...new Set(open)].sort(), '+')
  const named = shown.length === 0 ? '' : `: ${[...shown, ...(rest === '' ? [] : [rest])].join(', ')}`
  return `${formatCount(unread, 'account')} may be ${groups}; svcsync did not read ${their} members${named}.`
}
