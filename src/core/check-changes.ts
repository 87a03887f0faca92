// What can only be judged with the live state at hand: changes that the platform cannot make, accounts that nobody knows.
import type { Problem } from '../errors/index.ts'
import type { FoldSvcId } from './address.ts'
import type { Change } from './change.ts'
import { placeIn } from './declaration.ts'
import { type DesiredElement, placeOfField } from './desired.ts'
import type { LiveSnapshot } from './live.ts'

/** Reasons why the platform could not make this change. */
export function checkChange(change: Change): Problem[] {
  const { desired, address } = change
  if (desired === undefined) return []
  const problems: Problem[] = []
  const { section } = desired.declarations[0]
  if (change.action === 'create') {
    if (desired.partial) {
      problems.push({
        code: 'SVC1403',
        severity: 'error',
        address,
        message: `The group \`${desired.at.name}\` is neither declared nor on the platform`,
        place: placeIn(desired.declarations[0], [section.identity]),
        hint: 'Declare it under `groups`, or correct the svcId.',
      })
    }
    for (const field of desired.kind.requiredToCreate ?? []) {
      if (desired.spec[field] !== undefined) continue
      problems.push({
        code: 'SVC1103',
        severity: 'error',
        address,
        message: `\`${field}\` is missing, and \`${desired.at.name}\` does not exist yet`,
        place: placeIn(desired.declarations[0], []),
        hint: `Add \`${field}\`: the platform wants it when the object is created.`,
      })
    }
  }
  for (const { path, before, after } of change.fields) {
    const field = path[0] as string
    if (path.length !== 1 || section.schema.properties[field]?.immutable !== true) continue
    problems.push({
      code: 'SVC1404',
      severity: 'error',
      address,
      message: `\`${field}\` is \`${String(before)}\` on the platform and cannot become \`${String(after)}\``,
      place: placeOfField(desired, path),
      hint: 'The platform has no way to change it: declare the object under another name, or write the live value.',
    })
  }
  return problems
}

/** Elements that are to be added whose account is neither declared nor was seen on the platform; each account once. */
export function undeclaredAccounts(
  changes: readonly Change[],
  live: Pick<LiveSnapshot, 'accounts'>,
  fold: FoldSvcId,
): readonly (DesiredElement & { readonly address: string })[] {
  const gives = changes.filter(({ action }) => action === 'create' || action === 'update')
  if (gives.length === 0) return []
  const known = new Set(live.accounts)
  for (const { desired, live: found } of changes) {
    if (desired?.kind.provides !== undefined && desired.at.name !== undefined) known.add(fold(desired.at.name))
    if (found === undefined) continue
    for (const elements of Object.values(found.collections)) for (const { svcId } of elements) known.add(fold(svcId))
  }
  const result: (DesiredElement & { readonly address: string })[] = []
  for (const change of gives) {
    const { desired, address } = change
    if (desired === undefined) continue
    const added =
      change.action === 'create'
        ? Object.values(desired.collections).flatMap(({ elements }) => [...elements.values()])
        : change.collections.flatMap((difference) => difference.added)
    for (const element of added) {
      const svcId = fold(element.element.svcId)
      if (known.has(svcId)) continue
      known.add(svcId)
      result.push({ ...element, address })
    }
  }
  return result
}

/** Warns of them: they may be directory accounts, which cannot be looked up. */
export function unknownAccounts(
  changes: readonly Change[],
  live: Pick<LiveSnapshot, 'accounts'>,
  fold: FoldSvcId,
): Problem[] {
  return undeclaredAccounts(changes, live, fold).map(({ element, declaration, path, address }) => ({
    code: 'SVC1306',
    severity: 'warning',
    address,
    message: `\`${element.svcId}\` is neither declared nor found among the users and groups of the platform`,
    place: placeIn(declaration, path),
    hint: 'If it is a directory account, all is well; otherwise the platform will refuse it.',
  }))
}
