// Finds mistakes in the desired state as a whole, without the platform.
import { byCount, inCode, type Problem } from '@svcsync/errors/index.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { declaredTwice, placeIn } from '../model/declaration.ts'
import { type Desired, type DesiredElement, placeOfField, placesOfElement } from '../model/desired.ts'
import { subjectKey } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import { isJsonObject, valueAt } from '../model/json.ts'
import type { Finding, ObservedState } from '../model/kind.ts'
import { fieldsOf, schemaAt } from '../model/schema-fields.ts'
import { Sensitive } from '../model/sensitive.ts'
import type { Path } from '../model/source.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import { givenKeys } from '../model/wire-shape.ts'
import { declaredAccounts } from './account-uses.ts'

/** Groups that contain each other: allowed, since an installation may have them, and hardly ever meant. */
export function findGroupCycles(desired: readonly Desired[]): Problem[] {
  const { groups } = declaredAccounts(desired)
  const nests = new Map<Desired, NestedGroup[]>()
  for (const group of groups.values()) {
    const nested = nestedIn(group, groups)
    if (nested.length > 0) nests.set(group, nested)
  }
  const nested = (group: Desired): readonly NestedGroup[] => nests.get(group) ?? []
  const problems: Problem[] = []
  for (const component of stronglyConnected([...nests.keys()], (group) => nested(group).map(({ inner }) => inner))) {
    const members = new Set(component)
    const first = component.reduce((a, b) => (a.address < b.address ? a : b))
    const closing = nested(first).find(({ inner }) => members.has(inner))
    if (closing === undefined) continue
    const names = component.map(({ at }) => inCode(at.name)).sort()
    problems.push({
      code: 'SVC1303',
      severity: 'warning',
      address: first.address,
      message: byCount(
        names.length,
        `The group ${names[0]} contains itself`,
        `The groups ${names.join(', ')} contain each other`,
      ),
      ...placesOfElement(closing.element),
      hint: byCount(
        names.length,
        'Remove the entry: it adds nobody to the group.',
        'Remove one of them from the other: every member of one of these groups is in all of them.',
      ),
    })
  }
  return problems
}

interface NestedGroup {
  readonly inner: Desired
  readonly element: DesiredElement
}

function nestedIn(group: Desired, groups: ReadonlyMap<string, Desired>): NestedGroup[] {
  const found: NestedGroup[] = []
  for (const [name, { elements }] of Object.entries(group.collections)) {
    if (!group.kind.collections[name]?.nests) continue
    for (const [key, element] of elements) {
      // Without levels, an element's key is that of its account.
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
  for (const [name, earlier] of groups) {
    const object = users.get(name)
    if (object === undefined || object.partial) continue
    if (earlier.partial) {
      problems.push(membersOfUser(earlier, object))
      continue
    }
    // One that is to go beside one that is to come are one account on the platform: it takes two runs.
    if (earlier.absent && object.absent) continue
    const message = `${inCode(object.at.name)} is declared as a ${earlier.kind.name} and as a ${object.kind.name}`
    const [other, place] = [placeIn(earlier.declarations[0], []), placeIn(object.declarations[0], [])]
    const { address } = object
    problems.push({ ...declaredTwice(message, place, other, 'a svcId belongs to one account.'), address })
  }
  return problems
}

/** Such as licences. */
export function findItemsOfGroups(desired: readonly Desired[]): Problem[] {
  const { groups } = declaredAccounts(desired)
  if (groups.size === 0) return []
  const problems: Problem[] = []
  for (const { address, at, key, declarations, collections } of desired) {
    const [first] = declarations
    const { holder } = fieldsOf(first.section)
    const group = holder === undefined ? undefined : groups.get(key)
    if (holder === undefined || group === undefined) continue
    if (Object.values(collections).every(({ elements }) => elements.size === 0)) continue
    problems.push({
      code: 'SVC1340',
      severity: 'warning',
      address,
      message: `${inCode(at.name)} is a group, and only users have ${first.section.key}: the platform will refuse it`,
      place: placeIn(first, [holder]),
      hint: 'List its members instead.',
      related: [{ message: 'declared here', place: placeIn(group.declarations[0], []) }],
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
    message: `${inCode(user.at.name)} is declared as a ${user.kind.name}, and has members here`,
    place: placeIn(first, [first.section.identity]),
    hint: 'Write the svcId of a group: a svcId belongs to one account.',
    related: [{ message: 'declared here', place: placeIn(user.declarations[0], []) }],
  }
}

/** Reports fields in `extra` that svcsync knows, and would send or refuse differently. `wireNames`: of the target. */
export function findKnownExtra(desired: readonly Desired[], wireNames: Readonly<Record<string, string>>): Problem[] {
  const neutral = new Map(Object.entries(wireNames).map(([name, real]) => [real, name]))
  return desired.flatMap((object) =>
    fieldsOf(object.declarations[0].section).openPaths.flatMap((path) => knownIn(object, path, neutral)),
  )
}

function knownIn(object: Desired, path: readonly string[], neutral: ReadonlyMap<string, string>): Problem[] {
  const { address, spec, declarations } = object
  const { schema } = declarations[0].section
  const extra = valueAt(spec, path)
  if (!isJsonObject(extra)) return []
  const holder = schemaAt(schema, path.slice(0, -1))
  const known = holder?.type === 'object' ? holder.properties : schema.properties
  const problem = (at: Path, message: string, hint: string): Problem => {
    return { code: 'SVC1330', severity: 'error', address, message, hint, place: placeOfField(object, at) }
  }
  const problems = Object.keys(extra).flatMap((key): Problem[] => {
    const called = neutral.get(key)
    const own = Object.hasOwn(known, key) ? key : called
    if (own !== undefined && Object.hasOwn(known, own)) {
      const what = called === undefined ? '' : `, which this installation calls \`${key}\``
      const message = `\`extra\` holds \`${own}\`${what}, a field that svcsync manages`
      return [problem([...path, key], message, `Move it out of \`extra\`, as \`${own}\`.`)]
    }
    if (!givenKeys.includes(key)) return []
    return [problem([...path, key], `\`extra\` holds \`${key}\`, which the platform sets`, 'Remove it.')]
  })
  const reserved = pathToReference(extra, path)
  const hint = 'Saved plans keep references to the environment under this key: such a field cannot be managed.'
  return reserved === undefined ? problems : [...problems, problem(reserved, '`extra` holds a key `reference`', hint)]
}

function pathToReference(value: unknown, path: Path): Path | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Sensitive) return undefined
  for (const [key, part] of Object.entries(value)) {
    const here = [...path, key]
    const found = key === 'reference' && !Array.isArray(value) ? here : pathToReference(part, here)
    if (found !== undefined) return found
  }
  return undefined
}

/** Asks each kind to review all its declarations together, and reports declarations whose time is over. */
export function reviewByKind(desired: readonly Desired[], normalise: NormaliseSvcId): Problem[] {
  const problems: Problem[] = []
  const asking = desired.filter(({ kind }) => kind.reviewAll !== undefined)
  for (const [kind, objects] of groupBy(asking, (object) => object.kind)) {
    const wanted = objects.filter(({ absent }) => !absent)
    const all = wanted.map(({ spec, declarations: [{ item }] }) => ({ spec, item }))
    for (const { of, other, ...finding } of kind.reviewAll?.(all, normalise) ?? []) {
      const place = placeOfField(wanted[other.of] as Desired, other.path)
      problems.push({ ...problemOf(wanted[of] as Desired, finding), related: [{ message: other.message, place }] })
    }
  }
  return problems
}

const noProblems: readonly Problem[] = []

export function reviewObject(object: Desired, seen?: ObservedState): readonly Problem[] {
  const findings = object.absent ? undefined : object.kind.review?.(object.spec, seen)
  if (findings === undefined) return noProblems
  return findings.map((finding) => problemOf(object, finding))
}

function problemOf(object: Desired, { code, severity = 'error', message, hint, path }: Finding): Problem {
  return { code, severity, address: object.address, message, hint, place: placeOfField(object, path) }
}
