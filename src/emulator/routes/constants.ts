// Global and process constants, and the five rules of what a write does to them.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { conflict, missingField, Refusal } from '../http/refusal.ts'
import type { Call, Route } from '../http/route.ts'
import { metadataReadScopes, metadataWriteScopes, readScopes, writeScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { Constant, Process } from '../state/database.ts'
import { environments } from '../tenant/tenant-shape.ts'
import { catalogRoutes } from './catalog-routes.ts'
import { databaseOf, find, ids } from './lookup.ts'
import { shownText } from './subject-routes.ts'

const environmentBody = s.optional(s.record({ value: s.optionalText, breakInheritance: s.optional(s.flag) }))
const body = s.record({
  name: s.optional(s.filledText),
  description: s.optionalText,
  groupId: s.optional(s.nullable(s.integer)),
  common: s.optional(s.record({ value: s.optional(s.text) })),
  ...s.each(environments, environmentBody),
})
type Body = s.TypeOf<typeof body>

const environmentShape = s.optional(s.named('ConstantValue', s.record({ value: s.text, breakInheritance: s.flag })))
const answer = s.named(
  'Constant',
  s.record({
    ...{ ...ids, name: s.text, description: s.textOrNull, groupId: s.nullable(s.integer), groupName: s.textOrNull },
    ...{ common: s.record({ value: s.text }), ...s.each(environments, environmentShape) },
  }),
)

function view(call: Call, constant: Constant): JsonObject {
  const { description, groupId, common } = constant
  const values = environments.flatMap((environment): [string, JsonObject][] => {
    const own = constant[environment]
    if (own !== undefined) return [[environment, { value: own, breakInheritance: true }]]
    const isShown = call.state.behaviour.inheritedEnvironments === 'shown'
    return isShown ? [[environment, { value: common, breakInheritance: false }]] : []
  })
  const groupName = groupId === null ? null : (databaseOf(call).constantGroups.get(groupId) ?? null)
  const head = { description: shownText(call.state, description), groupId, groupName, common: { value: common } }
  return { ...head, ...Object.fromEntries(values) }
}

function create(call: Call, given: Body): Omit<Constant, 'id' | 'guid' | 'name'> {
  const { description = null, groupId = null } = given
  const common = given.common?.value
  if (common === undefined) throw missingField('common.value')
  checkGroup(call, groupId)
  return { description, groupId, common, ...updateEnvironments({}, given) }
}

/** Absent fields stay; a groupId of null takes the constant out of its group. */
function update(call: Call, constant: Constant, given: Body): Partial<Constant> {
  const { description = constant.description, groupId = constant.groupId } = given
  checkGroup(call, given.groupId ?? null)
  const common = given.common?.value ?? constant.common
  return { description, groupId, common, ...updateEnvironments(constant, given) }
}

type EnvironmentValues = { [E in (typeof environments)[number]]?: string | undefined }

function updateEnvironments(before: EnvironmentValues, given: Body): EnvironmentValues {
  const after: EnvironmentValues = {}
  for (const environment of environments) {
    const { value, breakInheritance } = given[environment] ?? {}
    after[environment] = before[environment]
    if (breakInheritance === false) after[environment] = undefined
    // An own value needs to be there, and to be told: also when it was there before.
    else if (breakInheritance === true) {
      if (value === undefined || value === null) throw missingField(`${environment}.value`)
      after[environment] = value
    } else if (before[environment] !== undefined && value !== undefined) {
      if (value === null) throw new Refusal('InvalidInput', `"${environment}.value" must be a text.`)
      after[environment] = value
    }
    // Else: a value for an environment that inherits. It is ignored.
  }
  return after
}

function checkGroup(call: Call, groupId: number | null): void {
  if (groupId !== null && !databaseOf(call).constantGroups.has(groupId))
    throw conflict(`There is no constant group ${groupId}.`)
}

/** A process that is checked out refuses writes to its constants, until its time or its number of refusals is up. */
function refuseWhileCheckedOut(call: Call, process: Process): void {
  const { checkouts } = databaseOf(call)
  const checkout = checkouts.get(process)
  if (checkout === undefined) return
  const isOver = checkout.endsAt !== undefined && call.state.now() >= checkout.endsAt
  if (isOver || checkout.attemptsLeft === 0) {
    checkouts.delete(process)
    return
  }
  if (checkout.attemptsLeft !== undefined) checkout.attemptsLeft--
  throw new Refusal('ResourceIsLocked', `"${checkout.by}" has the process "${process.name}" checked out.`)
}

/** The documents contradict each other on these: the endpoint table names one set, the list of scopes the other. */
function processScopes(metadata: readonly string[], admin: readonly string[]) {
  const sets = { metadata, admin, either: [...metadata, ...admin] }
  return ({ processConstantScopes }: Behaviour) => sets[processConstantScopes]
}

const constants = { what: 'constant', listed: {}, answer, view, body, create, update } as const
const ofProcess = (call: Call) => find(databaseOf(call).processes, 'process', call.params.procIdguid)

export const constantRoutes: readonly Route[] = [
  ...catalogRoutes({
    ...constants,
    path: '/db/:dbId/admin/constants',
    reading: readScopes('Constants'),
    writing: writeScopes('Constants'),
    catalog: (call) => databaseOf(call).constants,
  }),
  ...catalogRoutes({
    ...constants,
    path: '/db/:dbId/processes/:procIdguid/admin/constants',
    reading: processScopes(metadataReadScopes, readScopes('ProcessConstants')),
    writing: processScopes(metadataWriteScopes, writeScopes('ProcessConstants')),
    catalog: (call) => ofProcess(call).constants,
    guard: (call) => refuseWhileCheckedOut(call, ofProcess(call)),
  }),
]
