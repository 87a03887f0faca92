// Words the parts of `drift --access` beside the access: accepted entries, expired exceptions and unreadable objects.
import type { Outside } from '@svcsync/core/access/outside.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { type Block, type Inline, name, names, note, type Row, table } from '../blocks/block.ts'
import { formatCount } from '../text/counts.ts'

type ExpiredException = NonNullable<PlanDocument['accessDrift']>['expired'][number]

const acceptCommand = 'svcsync access accept --all --reason REASON --until DATE'
const acceptHint = 'Declare it, or accept all of it for a time (`--person` or `--object` chooses a part):'

export function accessDriftBlocks({ accessDrift, access }: PlanDocument): Block[] {
  if (accessDrift === undefined) return []
  const { expired, idle, accepted, mayBeGroups, unread, requests, undeclared, outside } = accessDrift
  const over = expired.map((each): Row => {
    return {
      sign: '!',
      cells: [[`Accepted until ${each.until}, which is over:`, ...exceptionTexts(each)]],
      place: each.place,
    }
  })
  const closed = unread.map(({ address, reason }): Row => {
    return { sign: '?', cells: [['Not read:', name(address), `(${reason})`]] }
  })
  const unused = idle.map((each): Row => {
    return {
      cells: [['Nobody can do this any more, so remove the exception:', ...exceptionTexts(each)]],
      place: each.place,
    }
  })
  const open = ['May be groups whose members svcsync cannot see:', names(mayBeGroups), '.']
  const sentences = [
    accepted === 0 ? '' : `Accepted by exceptions: ${formatCount(accepted, 'level')}.`,
    access?.unlooked === 'stand-ins' ? standInLimit() : '',
    ...(outside === undefined ? [] : describeOutside(outside)),
    requests === 0 ? '' : formatRequests(requests),
  ].filter((sentence) => sentence !== '')
  return [
    ...[over, closed, unused].flatMap((rows) => table(rows)),
    ...(mayBeGroups.length === 0 ? [] : [note(open, undefined, '?')]),
    ...sentences.map((sentence) => note(sentence, 'faint')),
    ...(undeclared > 0 ? [{ block: 'copy' as const, says: acceptHint, lines: [acceptCommand] }] : []),
  ]
}

export const formatRequests = (requests: number): string =>
  `svcsync sent ${requests === 0 ? 'no more requests' : formatCount(requests, 'more request')} to look at everybody.`

export const standInLimit = (isUndo = false): string =>
  `Not read: substitutions${isUndo ? '' : ', since no manifest declares one'}.`

function exceptionTexts({ person, level, object, company }: ExpiredException): Inline[] {
  const limit = company === null ? '' : ` (${company})`
  return [name(person), `${level}${limit} ${level === 'owner' ? 'of' : 'on'}`, name(object)]
}

export function describeOutside({ roles, reviewed, unlisted, unknown }: Outside): readonly string[] {
  const last = roles.at(-1) ?? ''
  const who = `Outside the API: ${roles.slice(0, -1).join(', ')} and ${last} of the whole installation.`
  const notListed = unlisted.map(
    (title) => `The API lists no ${title}: svcsync read only those that a manifest declares.`,
  )
  if (reviewed === null) {
    const sentence =
      'Nobody has reviewed them: list them in a file, and name it in `globalPrivileges` of the project file.'
    return [`${who} ${sentence}`, ...notListed]
  }
  const { checked, file, entries, isOld, maxAgeDays } = reviewed
  return [
    `${who} Reviewed by hand on ${checked}: ${entries.length} (${file}).`,
    ...(isOld ? [`The review is older than ${formatCount(maxAgeDays, 'day')}.`] : []),
    ...(unknown.length === 0
      ? []
      : [`Neither the manifests nor the platform name ${unknown.join(', ')} of that file.`]),
    ...notListed,
  ]
}
