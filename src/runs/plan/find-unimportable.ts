// New accounts that an installation's own import of users would refuse: its interface may, too, and no document says so.
import type { Change } from '@svcsync/core/compare/change.ts'
import { isEmptyScalar } from '@svcsync/core/compare/compare-fields.ts'
import { placeIn } from '@svcsync/core/model/declaration.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { holdsUnseen, quoted } from '@svcsync/core/model/near-misses.ts'
import { inCode, type Problem } from '@svcsync/errors/index.ts'

export function findUnimportable(changes: readonly Change[]): readonly Problem[] {
  const fresh = changes.flatMap(({ action, desired }) =>
    action === 'create' && desired?.kind.provides !== undefined && !desired.partial ? desired : [],
  )
  const flawed = fresh.filter((each) => flawsOf(each) !== '')
  return Array.from(groupBy(flawed, (each) => `${each.kind.name} ${flawsOf(each)}`).values(), (alike): Problem => {
    const [first, ...others] = alike as [Desired]
    const [declaration] = first.declarations
    const flaws = flawsOf(first)
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    return {
      code: 'SVC1322',
      severity: 'warning',
      address: first.address,
      message: `New ${first.kind.name} ${inCode(first.at.name)}${more}: ${flaws}: some installations refuse it`,
      place: placeIn(declaration, [declaration.section.identity]),
      hint: 'If yours accepts it, `settings: { identifiers: ignore }` silences this.',
    }
  })
}

function flawsOf({ kind, at: { name: svcId = '' }, spec }: Desired): string {
  const isUser = kind.provides === 'user'
  const missing = (isUser ? ['name', 'email'] : ['name']).filter((field) => isEmptyScalar(spec[field]))
  const refused = isUser ? [...new Set(svcId.match(/[%&*+/=?#;:]/g))] : []
  return [
    ...(isUser && !/^[^@\s]+@[^@\s]+$/.test(svcId) ? ['not of the form name@domain'] : []),
    ...(holdsUnseen(svcId) ? ['with white space or invisible characters in the svcId'] : []),
    ...(refused.length > 0 ? [`with ${quoted(refused, ' ')} in the svcId`] : []),
    ...(missing.length > 0 ? [`without ${missing.join(' and ')}`] : []),
  ].join(', and ')
}
