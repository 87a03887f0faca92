// Accounts that are declared absent, and declared or used all the same: deleting them would take back what another item
// asks for.
import type { Problem } from '../errors/index.ts'
import type { FoldSvcId } from './address.ts'
import { placeIn } from './declaration.ts'
import { type Desired, placeOfField } from './desired.ts'
import { fieldsOf } from './schema-fields.ts'

/** Every use of an account that is declared absent, every other declaration of it, and every element given to it. */
export function usesOfAbsent(desired: readonly Desired[], fold: FoldSvcId): Problem[] {
  const absent = new Map<string, Desired>()
  for (const object of desired) {
    if (object.absent && object.kind.provides !== undefined) absent.set(fold(object.at.name ?? ''), object)
  }
  if (absent.size === 0) return []
  const problems: Problem[] = []
  const report = (svcId: string, user: Desired, place: Problem['place'], how = 'used'): void => {
    const gone = absent.get(fold(svcId))
    if (gone === undefined) return
    const other = placeOfField(gone, ['absent'])
    problems.push({
      code: 'SVC1314',
      severity: 'error',
      address: user.address,
      message: `\`${svcId}\` is declared absent, and ${how} here`,
      place,
      hint: 'Take it out here, or remove `absent: true` there.',
      related: [{ message: 'declared absent here', place: other }],
    })
  }
  for (const object of desired) {
    const saysAbsent = object.declarations.find(({ item }) => item.absent === true)
    for (const declaration of saysAbsent === undefined ? [] : object.declarations) {
      if (declaration.section.partial || declaration.item.absent === true) continue
      report(object.at.name ?? '', object, placeIn(declaration, []), 'declared')
    }
    for (const { elements } of Object.values(object.collections)) {
      for (const { element, declaration, path } of elements.values()) {
        if (saysAbsent === undefined) report(element.svcId, object, placeIn(declaration, path))
        else if (declaration.section.partial) report(object.at.name ?? '', object, placeIn(declaration, path))
      }
    }
    if (saysAbsent !== undefined) continue
    const { section } = object.declarations[0]
    for (const field of fieldsOf(section).fields) {
      const value = object.spec[field]
      if (section.schema.properties[field]?.reference === undefined || typeof value !== 'string') continue
      report(value, object, placeOfField(object, [field]))
    }
  }
  return problems
}
