// What is wrong with the desired state by itself, seen as a whole: needs no platform.
import { formatPlace, type Problem } from '../../errors/index.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, type DesiredElement, placeOfField, placesOfElement } from '../model/desired.ts'
import { subjectKey } from '../model/elements.ts'
import type { Seen } from '../model/kind.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import { declaredAccounts } from './declared-accounts.ts'

/** Groups that contain each other: allowed, since an installation may have them, and hardly ever meant. */
export function findGroupCycles(desired: readonly Desired[]): Problem[] {
  const { groups } = declaredAccounts(desired)
  // Only groups in which there are groups can be part of a circle: few of those that there are.
  const nests = new Map<Desired, Nested[]>()
  for (const group of groups.values()) {
    const nested = nestedIn(group, groups)
    if (nested.length > 0) nests.set(group, nested)
  }
  const nested = (group: Desired): readonly Nested[] => nests.get(group) ?? []
  const problems: Problem[] = []
  for (const component of stronglyConnected([...nests.keys()], (group) => nested(group).map(({ inner }) => inner))) {
    const members = new Set(component)
    const first = component.reduce((a, b) => (a.address < b.address ? a : b))
    const closing = nested(first).find(({ inner }) => members.has(inner))
    if (closing === undefined) continue
    const names = component.map(({ at }) => `\`${at.name}\``).sort()
    problems.push({
      code: 'SVC1303',
      severity: 'warning',
      address: first.address,
      message:
        names.length === 1
          ? `The group ${names[0]} contains itself`
          : `The groups ${names.join(', ')} contain each other`,
      ...placesOfElement(closing.element),
      hint: 'Take one of them out of the other: everybody in one of these groups is in all of them.',
    })
  }
  return problems
}

interface Nested {
  readonly inner: Desired
  readonly element: DesiredElement
}

function nestedIn(group: Desired, groups: ReadonlyMap<string, Desired>): Nested[] {
  const found: Nested[] = []
  for (const [name, { elements }] of Object.entries(group.collections)) {
    if (!group.kind.collections[name]?.nests) continue
    for (const [key, element] of elements) {
      // Where there are no levels, an element's key is that of its account.
      const inner = groups.get(element.element.level === undefined ? key : subjectKey(element.element))
      if (inner !== undefined) found.push({ inner, element })
    }
  }
  return found
}

/** Accounts of two kinds under one svcId: the platform keeps them in one space of names. */
export function findSharedNames(desired: readonly Desired[]): Problem[] {
  const { users, groups } = declaredAccounts(desired)
  const problems: Problem[] = []
  // There are fewer groups than users.
  for (const [name, earlier] of groups) {
    const object = users.get(name)
    if (object === undefined || object.partial) continue
    if (earlier.partial) {
      problems.push(membersOfUser(earlier, object))
      continue
    }
    // One that is to go beside one that is to come are one account on the platform: it takes two runs.
    if (earlier.absent && object.absent) continue
    const other = placeIn(earlier.declarations[0], [])
    problems.push({
      code: 'SVC1301',
      severity: 'error',
      address: object.address,
      message: `\`${object.at.name}\` is declared as a ${earlier.kind.name} and as a ${object.kind.name}`,
      place: placeIn(object.declarations[0], []),
      hint: `The other place is ${formatPlace(other)}: a svcId belongs to one account.`,
      related: [{ message: 'declared here first', place: other }],
    })
  }
  return problems
}

/** Memberships of what is declared as a user. */
function membersOfUser(memberships: Desired, user: Desired): Problem {
  const [first] = memberships.declarations
  return {
    code: 'SVC1301',
    severity: 'error',
    address: user.address,
    message: `\`${user.at.name}\` is declared as a ${user.kind.name}, and has members here`,
    place: placeIn(first, [first.section.identity]),
    hint: 'Write the svcId of a group: a svcId belongs to one account.',
    related: [{ message: 'declared here', place: placeIn(user.declarations[0], []) }],
  }
}

const noProblems: readonly Problem[] = []

/** What the kind says of an object. `seen` as in `Kind.review`. */
export function reviewObject(object: Desired, seen?: Seen): readonly Problem[] {
  // Hardly any kind has more to say than its schema.
  const findings = object.absent ? undefined : object.kind.review?.(object.spec, seen)
  if (findings === undefined) return noProblems
  return findings.map(({ code, severity = 'error', message, hint, path }) => ({
    code,
    severity,
    address: object.address,
    message,
    hint,
    place: placeOfField(object, path),
  }))
}
