// Drift comes before pending changes: below their title it would look like one of them.
import type { Outside } from '@svcsync/core/access/outside.ts'
import { formatCount } from '../text/counts.ts'

export function outsideSaid({ roles, reviewed, unlisted, unknown }: Outside): readonly string[] {
  const last = roles.at(-1) ?? ''
  const who = `Outside the API: ${roles.slice(0, -1).join(', ')} and ${last} of the whole installation.`
  const notListed = unlisted.map(
    (title) => `The API lists no ${title}: svcsync read only those that a manifest declares.`,
  )
  if (reviewed === null) {
    const sentence = `Nobody has reviewed them: globalPrivileges of the project file names a file for it.`
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
