// Finds changes that the platform cannot make, which takes the live state.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { reviewObject } from '../assemble/check-desired.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, type DesiredElement, placeOfField, placesOfElement } from '../model/desired.ts'
import { elementKey, showElement } from '../model/elements.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { Change } from './change.ts'
import { specOf } from './compare-fields.ts'

export function checkChange(change: Change, peersOf: (kind: Kind) => readonly JsonObject[]): Problem[] {
  const { desired, address, action } = change
  if (desired === undefined) return []
  const problems = [...(action === 'create' ? problemsOfCreation(desired) : []), ...fixedFields(desired, change)]
  if (desired.kind.review !== undefined && (action === 'create' || action === 'update')) {
    const live = change.live?.spec ?? null
    problems.push(...reviewObject(desired, { live, changed: specOf(change.fields), peers: peersOf(desired.kind) }))
  }
  for (const [name, inherited] of Object.entries(change.live?.inherited ?? {})) {
    // An element that is taken with another level, and given anew, is live already.
    const own = new Set(change.live?.collections[name]?.map(elementKey))
    const above = new Set(inherited.map(elementKey).filter((key) => !own.has(key)))
    const added = change.collections.find(({ collection }) => collection === name)?.added ?? []
    const twice = added.filter((each) => above.has(elementKey(each.element)))
    problems.push(...twice.map((each) => inheritedProblem(address, each)))
  }
  const { unmanaged } = desired
  return unmanaged === undefined ? problems : problems.map((problem) => withUnmanaged(problem, unmanaged))
}

function problemsOfCreation(desired: Desired): Problem[] {
  const { address, kind, at, partial, spec, declarations } = desired
  const missing = (kind.requiredToCreate ?? []).filter((field) => spec[field] === undefined)
  const problems = missing.map(
    (field): Problem => ({
      code: 'SVC1103',
      severity: 'error',
      address,
      message: `\`${field}\` is missing, and ${inCode(at.name)} does not exist yet`,
      place: placeIn(declarations[0], []),
      hint: `Add \`${field}\`: the platform requires it to create the object.`,
    }),
  )
  if (!partial) return problems
  const undeclared: Problem = {
    code: 'SVC1403',
    severity: 'error',
    address,
    message: `The ${kind.name} ${inCode(at.name)} is neither declared nor on the platform`,
    place: placeIn(declarations[0], [declarations[0].section.identity]),
    hint: `Declare it under \`${kind.sections[0].key}\`, or correct the svcId.`,
  }
  return [undeclared, ...problems]
}

function fixedFields(desired: Desired, { fields }: Change): Problem[] {
  const { properties } = desired.declarations[0].section.schema
  const fixed = fields.filter(({ path }) => path.length === 1 && properties[path[0] as string]?.immutable === true)
  return fixed.map(
    ({ path, before, after }): Problem => ({
      code: 'SVC1404',
      severity: 'error',
      address: desired.address,
      message: `\`${path[0]}\` is \`${String(before)}\` on the platform and cannot become \`${String(after)}\``,
      place: placeOfField(desired, path),
      hint: 'The platform has no way to change it: declare the object under another name, or write the live value.',
    }),
  )
}

function inheritedProblem(address: string, entry: DesiredElement): Problem {
  return {
    code: 'SVC1364',
    severity: 'warning',
    address,
    message: `${showElement(entry.element)} is inherited already; the plan grants it again, on this object alone`,
    ...placesOfElement(entry),
    hint: 'Remove the entry, unless it should stay when the inherited one goes.',
  }
}

/** The manifest may have the field, although this target does not manage it. */
function withUnmanaged(problem: Problem, unmanaged: NonNullable<Desired['unmanaged']>): Problem {
  if (problem.code !== 'SVC1103') return problem
  const related = unmanaged.map(({ place }) => ({ message: 'left out for this target here', place }))
  const hint = 'The platform requires it to create the object: remove it from `unmanaged` until then, or declare it.'
  return { ...problem, hint, related: [...(problem.related ?? []), ...related] }
}
