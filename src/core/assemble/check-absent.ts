// Accounts that are declared absent, and declared or used all the same: deleting them would take back what another item
// asks for.
import { formatPlace, inCode, type Problem } from '../../errors/index.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, type ProblemPlaces, placeOfField } from '../model/desired.ts'
import { visitAccountUses } from './account-uses.ts'

/** Every use of an account that is declared absent, every other declaration of it, and every element given to it. */
export function usesOfAbsent(desired: readonly Desired[]): Problem[] {
  const absent = new Map<string, Desired>()
  for (const object of desired) {
    if (object.absent && object.kind.provides !== undefined) absent.set(object.key, object)
  }
  if (absent.size === 0) return []
  const problems = new Map<string, Problem>()
  const report = (
    svcId: string,
    gone: Desired,
    user: Desired,
    { place, related = [] }: ProblemPlaces,
    how: string,
  ): void => {
    // One line of a set may be used by many lists.
    const key = `${formatPlace(place)} ${how}`
    if (problems.has(key)) return
    const other = placeOfField(gone, ['absent'])
    problems.set(key, {
      code: 'SVC1314',
      severity: 'error',
      address: user.address,
      message: `${inCode(svcId)} is declared absent, and ${how} here`,
      place,
      hint: 'Take it out here, or remove `absent: true` there.',
      related: [...related, { message: 'declared absent here', place: other }],
    })
  }
  for (const object of absent.values()) {
    for (const declaration of object.declarations) {
      if (declaration.section.partial || declaration.item.absent === true) continue
      report(object.at.name ?? '', object, object, { place: placeIn(declaration, []) }, 'declared')
    }
  }
  visitAccountUses(
    desired,
    (key) => absent.has(key),
    ({ svcId, key, object, places }) => report(svcId, absent.get(key) as Desired, object, places(), 'used'),
  )
  return [...problems.values()]
}
