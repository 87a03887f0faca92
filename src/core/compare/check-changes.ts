// What can only be judged with the live state at hand: changes that the platform cannot make.
import type { Place, Problem } from '../../errors/index.ts'
import { reviewObject } from '../assemble/check-desired.ts'
import { placeIn } from '../model/declaration.ts'
import { placeOfField } from '../model/desired.ts'
import type { Change } from './change.ts'

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
  if (change.action === 'create') problems.push(...reviewObject(desired, null))
  else if (change.action === 'update') problems.push(...reviewObject(desired, change.live?.spec))
  const { unmanaged } = desired
  return unmanaged === undefined ? problems : problems.map((problem) => withUnmanaged(problem, unmanaged))
}

/** The field may well stand in the manifest, and be missing because this target leaves it out. */
function withUnmanaged(problem: Problem, places: readonly Place[]): Problem {
  if (problem.code !== 'SVC1103') return problem
  const related = places.map((place) => ({ message: 'left out for this target here', place }))
  const hint =
    'The platform wants it when the object is created: take it off the list `unmanaged` until then, or declare it.'
  return { ...problem, hint, related: [...(problem.related ?? []), ...related] }
}
