// New accounts that an installation's own import of users would refuse: its interface may, too, and no document says so.
import type { Change } from '../../core/compare/change.ts'
import { isEmptyScalar } from '../../core/compare/compare-fields.ts'
import { placeIn } from '../../core/model/declaration.ts'
import { placeOfField } from '../../core/model/desired.ts'
import type { Problem } from '../../errors/index.ts'

/** Warnings, one for each account. */
export function findUnimportable(changes: readonly Change[]): readonly Problem[] {
  return changes.flatMap(({ action, desired, address }): Problem[] => {
    if (action !== 'create' || desired?.kind.provides === undefined || desired.partial) return []
    const { at, spec, declarations } = desired
    const svcId = at.name ?? ''
    const isUser = desired.kind.provides === 'user'
    const missing = (isUser ? ['name', 'email'] : ['name']).filter((field) => isEmptyScalar(spec[field]))
    const refused = isUser ? [...new Set(svcId.match(/[%&*+/=?#;:]/g))] : []
    const reasons = [
      ...(isUser && !/^[^@\s]+@[^@\s]+$/.test(svcId) ? ['is not of the form name@domain'] : []),
      ...(refused.length > 0 ? [`holds ${refused.map((each) => `\`${each}\``).join(' ')}`] : []),
      ...(missing.length > 0 ? [`has no ${missing.join(' and no ')}`] : []),
    ]
    if (reasons.length === 0) return []
    const [declaration] = declarations
    const isAboutId = reasons.length > (missing.length > 0 ? 1 : 0)
    return [
      {
        code: 'SVC1322',
        severity: 'warning',
        address,
        message: `The new ${desired.kind.name} \`${svcId}\` ${reasons.join(', and ')}: some installations refuse that`,
        place: isAboutId ? placeIn(declaration, [declaration.section.identity]) : placeOfField(desired, []),
        hint: 'Their own import does. `settings: { identifiers: ignore }` silences this where yours takes it.',
      },
    ]
  })
}
