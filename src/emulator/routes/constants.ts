// Global and process constants, and the five rules of what a write does to them.
import type { JsonObject } from '../../core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { badBody, conflict, Refusal } from '../http/refusal.ts'
import type { Call, Route } from '../http/route.ts'
import { metadataReadScopes, metadataWriteScopes, readScopes, writeScopes } from '../http/scopes.ts'
import {
  filledText,
  flag,
  integer,
  named,
  nullable,
  optional,
  optionalText,
  record,
  type TypeOf,
  text,
  textOrNull,
} from '../shape/shape.ts'
import { type Constant, environments, type Process } from '../state/database.ts'
import { moreOf } from '../state/undocumented.ts'
import { ids, listItem } from './answers.ts'
import { catalogRoutes, missing } from './catalog-routes.ts'
import { databaseOf, find } from './lookup.ts'
import { shownText } from './subject-routes.ts'

const environmentBody = optional(record({ value: optionalText, breakInheritance: optional(flag) }))
const body = record({
  name: optional(filledText),
  description: optionalText,
  groupId: optional(nullable(integer)),
  common: optional(record({ value: optional(text) })),
  dev: environmentBody,
  test: environmentBody,
  prod: environmentBody,
})
type Body = TypeOf<typeof body>

const environmentTold = optional(named('ConstantValue', record({ value: text, breakInheritance: flag })))
const answer = named(
  'Constant',
  record({
    ...ids,
    name: text,
    description: textOrNull,
    groupId: nullable(integer),
    groupName: textOrNull,
    common: record({ value: text }),
    dev: environmentTold,
    test: environmentTold,
    prod: environmentTold,
  }),
)

function view(call: Call, constant: Constant): JsonObject {
  const { id, guid, name, description, groupId, common } = constant
  const shown = call.state.behaviour.inheritedEnvironments === 'shown'
  const values: { [key: string]: JsonObject } = {}
  for (const environment of environments) {
    const own = constant[environment]
    if (own !== undefined) values[environment] = { value: own, breakInheritance: true }
    else if (shown) values[environment] = { value: common, breakInheritance: false }
  }
  return {
    ...{ id, guid, name, description: shownText(call.state, description), groupId },
    groupName: groupId === null ? null : (databaseOf(call).constantGroups.get(groupId) ?? null),
    common: { value: common },
    ...values,
    ...moreOf(call, constant),
  }
}

function create(call: Call, given: Body): Omit<Constant, 'id' | 'guid'> {
  const { name, description = null, groupId = null } = given
  const common = given.common?.value
  if (name === undefined) throw missing('name')
  if (common === undefined) throw missing('common.value')
  checkGroup(call, groupId)
  return { name, description, groupId, common, ...environmentsAfter({}, given) }
}

/** What is absent stays as it is; a groupId of null takes the constant out of its group. */
function update(call: Call, constant: Constant, given: Body): Partial<Constant> {
  const { description = constant.description, groupId = constant.groupId } = given
  checkGroup(call, given.groupId ?? null)
  const common = given.common?.value ?? constant.common
  return { description, groupId, common, ...environmentsAfter(constant, given) }
}

type Environments = Pick<Constant, (typeof environments)[number]>

function environmentsAfter(before: Environments, given: Body): Environments {
  const after: Environments = {}
  for (const environment of environments) {
    const { value, breakInheritance } = given[environment] ?? {}
    after[environment] = before[environment]
    if (breakInheritance === false) after[environment] = undefined
    // An own value needs to be there, and to be told: also when it was there before.
    else if (breakInheritance === true) {
      if (value === undefined || value === null) throw missing(`${environment}.value`)
      after[environment] = value
    } else if (before[environment] !== undefined && value !== undefined) {
      if (value === null) throw badBody(`"${environment}.value" must be a text.`)
      after[environment] = value
    }
    // Else: a value for an environment that inherits. It is ignored.
  }
  return after
}

function checkGroup(call: Call, groupId: number | null): void {
  if (groupId !== null && !databaseOf(call).constantGroups.has(groupId)) {
    throw conflict(`There is no constant group ${groupId}.`)
  }
}

/** A process that is checked out refuses writes to its constants. Ends the checkout first, if its time or its number of refusals is up. */
function refuseWhileCheckedOut({ state }: Call, process: Process): void {
  const { checkout } = process
  if (checkout === undefined) return
  const isOver = checkout.endsAt !== undefined && state.now() >= checkout.endsAt
  if (isOver || checkout.attemptsLeft === 0) {
    process.checkout = undefined
    return
  }
  if (checkout.attemptsLeft !== undefined) checkout.attemptsLeft--
  throw new Refusal(409, 'ResourceIsLocked', `"${checkout.by}" has the process "${process.name}" checked out.`)
}

/** The documents contradict each other on these: the endpoint table names one set, the list of scopes the other. */
function processScopes(metadata: readonly string[], admin: readonly string[]) {
  const sets = { metadata, admin, either: [...metadata, ...admin] }
  return ({ processConstantScopes }: Behaviour) => sets[processConstantScopes]
}

const constants = {
  what: 'constant',
  item: { answer: record(listItem), view: ({ id, guid, name }: Constant) => ({ id, guid, name }) },
  whole: { answer, view },
  ...{ body, create, update },
} as const

const ofProcess = (call: Call) => find(databaseOf(call).processes, 'process', call.params.procIdguid)

export const constantRoutes: readonly Route[] = [
  ...catalogRoutes({
    ...constants,
    path: '/db/:dbId/admin/constants',
    read: readScopes('Constants'),
    write: writeScopes('Constants'),
    catalog: (call) => databaseOf(call).constants,
  }),
  ...catalogRoutes({
    ...constants,
    path: '/db/:dbId/processes/:procIdguid/admin/constants',
    read: processScopes(metadataReadScopes, readScopes('ProcessConstants')),
    write: processScopes(metadataWriteScopes, writeScopes('ProcessConstants')),
    catalog: (call) => ofProcess(call).constants,
    guard: (call) => refuseWhileCheckedOut(call, ofProcess(call)),
  }),
]
