// The five rules of constants: what a create needs, and what an update does to each environment.
import type { JsonObject } from '../../core/model/json.ts'
import { badBody, conflict, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import { filledText, flag, integer, nullable, optional, record, type TypeOf, text } from '../shape/shape.ts'
import type { Catalog } from '../state/catalog.ts'
import { type Constant, type Database, environments } from '../state/database.ts'
import { guidFor } from '../state/id-source.ts'
import { keepMore } from '../state/undocumented.ts'

const environmentBody = optional(record({ value: optional(nullable(text)), breakInheritance: optional(flag) }))
export const constantBody = record({
  name: optional(filledText),
  description: optional(nullable(text)),
  groupId: optional(nullable(integer)),
  common: optional(record({ value: optional(text) })),
  dev: environmentBody,
  test: environmentBody,
  prod: environmentBody,
})
type ConstantBody = TypeOf<typeof constantBody>

export function createConstant(
  call: Call,
  catalog: Catalog<Constant>,
  database: Database,
  body: ConstantBody,
): JsonObject {
  const { state } = call
  const { name, description = null, groupId = null } = body
  const common = body.common?.value
  if (name === undefined) throw missing('name')
  if (common === undefined) throw missing('common.value')
  checkGroup(database, groupId)
  checkName({ state }, catalog, name)
  const id = state.ids.next('constants')
  const guid = guidFor('constants', database.id, id)
  const constant: Constant = { id, guid, name, description, groupId, common }
  applyEnvironments(constant, body)
  catalog.add(keepMore(call, constant))
  return { id, guid }
}

/** What is absent stays as it is; a groupId of null takes the constant out of its group. */
export function updateConstant(
  call: Call,
  catalog: Catalog<Constant>,
  constant: Constant,
  database: Database,
  body: ConstantBody,
): JsonObject {
  const { state } = call
  const { name, description, groupId } = body
  checkGroup(database, groupId ?? null)
  if (name !== undefined && name !== constant.name) checkName({ state }, catalog, name)
  // On a copy: a refusal half-way leaves the constant as it was.
  const draft: Constant = { ...constant }
  if (body.common?.value !== undefined) draft.common = body.common.value
  if (description !== undefined) draft.description = description
  if (groupId !== undefined) draft.groupId = groupId
  applyEnvironments(draft, body)
  if (name !== undefined) catalog.rename(constant, name)
  Object.assign(keepMore(call, constant), draft, { name: constant.name })
  return { id: constant.id, guid: constant.guid }
}

function applyEnvironments(constant: Constant, body: ConstantBody): void {
  for (const environment of environments) {
    const given = body[environment]
    if (given === undefined) continue
    const isBroken = constant[environment] !== undefined
    if (given.breakInheritance === false) constant[environment] = undefined
    else if (given.breakInheritance === true) {
      // An own value needs to be there, and to be told: also when it was there before.
      if (given.value === undefined || given.value === null) throw missing(`${environment}.value`)
      constant[environment] = given.value
    } else if (isBroken && given.value !== undefined) {
      if (given.value === null) throw badBody(`"${environment}.value" must be a text.`)
      constant[environment] = given.value
    }
    // Else: a value for an environment that inherits. It is ignored.
  }
}

function checkGroup(database: Database, groupId: number | null): void {
  if (groupId !== null && !database.constantGroups.has(groupId)) {
    throw conflict(`There is no constant group ${groupId}.`)
  }
}

function checkName({ state }: Pick<Call, 'state'>, catalog: Catalog<Constant>, name: string): void {
  if (state.behaviour.duplicateNames === 'refused' && catalog.hasName(name)) {
    throw conflict(`There is a constant "${name}" already.`)
  }
}

function missing(what: string): Refusal {
  return new Refusal(400, 'MissingRequiredBodyParameter', `"${what}" is missing.`)
}
