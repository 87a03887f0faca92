// Finds the credentials that a plan rotates.
import { possibleRotations, rotationsSince } from '@svcsync/core/compare/rotations.ts'
import { type Address, addressMatcher } from '@svcsync/core/model/address.ts'
import type { Desired, Rotation } from '@svcsync/core/model/desired.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { globSuggestion, quoted } from '@svcsync/core/model/near-misses.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { OperatorError } from '@svcsync/errors/index.ts'

/** As the command names them, or a plan that is carried on with. */
export function rotating(
  desired: readonly Desired[],
  rotate: readonly string[] | PlanDocument | undefined,
): readonly Desired[] {
  if (rotate !== undefined && 'changes' in rotate) return rotatingAs(rotate, desired)
  const asked = rotationsAsked(rotate ?? [], desired)
  if (asked.size === 0 && !desired.some(({ since }) => since)) return desired
  return withRotations(desired, (object) => distinct([...(asked.get(object.address) ?? []), ...rotationsSince(object)]))
}

export function rotatingAs({ changes }: PlanDocument, desired: readonly Desired[]): readonly Desired[] {
  const known = new Map<Address, Rotation[]>()
  for (const { address, differences } of changes) {
    const rotations = differences.flatMap(({ path, before, after, rotates }): Rotation[] =>
      rotates ? [{ path: path.split('.'), ...textOf('before', before), ...textOf('after', after) }] : [],
    )
    if (rotations.length > 0) known.set(address, rotations)
  }
  return withRotations(desired, ({ address }) => known.get(address) ?? [])
}

const textOf = (key: 'before' | 'after', value: unknown) => (typeof value === 'string' ? { [key]: value } : {})

function withRotations(desired: readonly Desired[], of: (object: Desired) => readonly Rotation[]): readonly Desired[] {
  return desired.map((object) => {
    const rotations = of(object)
    return rotations.length === 0 ? object : { ...object, rotations }
  })
}

function rotationsAsked(names: readonly string[], desired: readonly Desired[]): ReadonlyMap<Address, Rotation[]> {
  const asked = new Map<Address, Rotation[]>()
  for (const name of names) {
    for (const { address, rotations } of selected(name, desired)) {
      asked.set(address, distinct([...(asked.get(address) ?? []), ...rotations]))
    }
  }
  return asked
}

/** A name may hold `#` itself: where all of it is an address, it is that. */
function selected(name: string, desired: readonly Desired[]) {
  const at = name.lastIndexOf('#')
  const whole = matching(name, desired)
  const environment = whole.length > 0 || at < 0 ? undefined : name.slice(at + 1)
  const glob = environment === undefined ? name : name.slice(0, at)
  const objects = environment === undefined ? whole : matching(glob, desired)
  const possible = objects.map((object) => ({ address: object.address, rotations: possibleRotations(object) }))
  const found = possible
    .map(({ address, rotations }) => ({
      address,
      rotations: rotations.filter((each) => environment === undefined || environmentOf(each) === environment),
    }))
    .filter(({ rotations }) => rotations.length > 0)
  if (found.length > 0) return found
  const known = [...new Set(possible.flatMap(({ rotations }) => rotations.map(environmentOf)))]
  throw new OperatorError('SVC2250', `\`--rotate ${name}\` selects no credentials that are declared`, {
    hint: hintFor(glob, objects, known, desired),
  })
}

function hintFor(
  glob: string,
  objects: readonly Desired[],
  known: readonly string[],
  desired: readonly Desired[],
): string {
  if (known.length > 0) return `They are declared in ${quoted(known)}.`
  if (objects.length > 0) return `\`${glob}\` is declared without credentials.`
  const addresses = desired.flatMap((object) => (possibleRotations(object).length > 0 ? object.address : []))
  const usual = 'Addresses are like `connection/main/ERP#prod`; `svcsync plan --verbose` shows those with credentials.'
  return globSuggestion(glob, addresses, kindsOf(desired)) ?? usual
}

function matching(glob: string, desired: readonly Desired[]): readonly Desired[] {
  const matches = addressMatcher(glob, kindsOf(desired))
  return desired.filter(({ address, absent }) => !absent && matches(address))
}

function kindsOf(desired: readonly Desired[]): readonly Kind[] {
  return [...new Set(desired.map(({ kind }) => kind))]
}

function environmentOf({ path }: Rotation): string {
  return path.at(-2) ?? ''
}

function distinct(rotations: readonly Rotation[]): Rotation[] {
  return [...new Map(rotations.map((each) => [each.path.join('.'), each])).values()]
}
