// Credentials that are sent anew: `rotation` beside them differs from the base, or the command asks for it.
import { type Desired, type Rotation, sidesOf } from '../model/desired.ts'
import { isJsonObject, type Json, type JsonObject, valueAt, withValueAt } from '../model/json.ts'
import type { Section } from '../model/kind.ts'
import type { Schema } from '../model/schema.ts'
import { fieldsOf, isWriteOnly, schemaAt } from '../model/schema-fields.ts'
import type { Change } from './change.ts'
import type { FieldDifference } from './compare-fields.ts'

export function rotationsSince({ spec, declarations, since }: Desired): Rotation[] {
  if (since === undefined || since.base.absent) return []
  return fieldsOf(declarations[0].section).rotations.flatMap((path): Rotation[] => {
    const after = valueAt(spec, path)
    const told = sidesOf(since).map(({ said }) => valueAt(said.spec, path))
    const [before] = told.filter((each) => each !== after)
    if (typeof after !== 'string' || told.every((each) => each === after)) return []
    return [{ path, after, ...(typeof before === 'string' && { before }) }]
  })
}

/** The environments that declare credentials, which a command may rotate. */
export function possibleRotations({ spec, declarations }: Desired): Rotation[] {
  const { section } = declarations[0]
  return fieldsOf(section)
    .rotations.filter((path) =>
      holdsCredentials(schemaAt(section.schema, path.slice(0, -1)), valueAt(spec, path.slice(0, -1))),
    )
    .map((path) => ({ path }))
}

export function holdsCredentials(schema: Schema | undefined, value: Json | undefined): boolean {
  if (schema === undefined || value === undefined) return false
  if (schema.type !== 'object') return isWriteOnly(schema) && value !== null
  if (!isJsonObject(value)) return false
  return Object.entries(schema.properties).some(([key, part]) => holdsCredentials(part, value[key]))
}

/** With what sends the credentials. A new object, and an environment that is new to it, get them anyway. */
export function withRotations(change: Change): Change {
  const { desired, live, action } = change
  if (desired?.rotations === undefined || live === undefined || action === 'delete') return change
  const isSent = (path: readonly string[]): boolean =>
    change.fields.some((field) => field.path.length < path.length && field.path.every((key, at) => key === path[at]))
  const fields = desired.rotations
    .filter(({ path }) => !isSent(path))
    .map(({ path, before, after }): FieldDifference => ({ path, before, after, rotates: true }))
  return fields.length === 0 ? change : { ...change, action: 'update', fields: [...change.fields, ...fields] }
}

export function withoutRotations(section: Section, spec: JsonObject): JsonObject {
  let result = spec
  for (const path of fieldsOf(section).rotations) {
    if (valueAt(result, path) !== undefined) result = withValueAt(result, path, undefined)
  }
  return result
}
