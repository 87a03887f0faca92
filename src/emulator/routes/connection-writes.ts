// What a write to a connection says about its settings, and what that makes of the settings there are.
import type { JsonObject } from '../../core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { badBody, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import {
  anything,
  failuresOf,
  filledText,
  mapOf,
  oneOf,
  optional,
  record,
  type Shape,
  type ShapeFailure,
  type TypeOf,
} from '../shape/shape.ts'
import {
  type ConnectionType,
  connectionNodes,
  nodesWritten,
  type SqlModel,
  settingsShape,
  withSecretsDigested,
} from '../state/connection-types.ts'
import { type Connection, environments } from '../state/database.ts'

/** Its settings are checked when it is known which type the connection has. */
const nodeBody = (node: string) => optional({ ...mapOf(anything), schema: nodesWritten[node] ?? {} })
export const connectionBody = record({
  name: optional(filledText),
  type: optional(oneOf('SQL', 'DbB', 'REST', 'SOAP', 'DocPortal', 'MailServer')),
  sql: nodeBody('sql'),
  dbb: nodeBody('dbb'),
  rest: nodeBody('rest'),
  soap: nodeBody('soap'),
  docportal: nodeBody('docportal'),
  mailserver: nodeBody('mailserver'),
})
type ConnectionBody = TypeOf<typeof connectionBody>
type GivenSettings = JsonObject & { readonly breakInheritance?: boolean }
type GivenNode = { readonly [E in 'common' | (typeof environments)[number]]?: GivenSettings }

/** The one node that a write may have, checked; undefined when there is none. */
export function settingsGiven(
  { state }: Call,
  body: ConnectionBody,
  type: ConnectionType,
  model: SqlModel,
): GivenNode | undefined {
  const wanted = connectionNodes[type]
  for (const node of Object.values(connectionNodes)) {
    if (node !== wanted && body[node] !== undefined) {
      throw badBody(`A connection of type ${type} has the node "${wanted}", not "${node}".`)
    }
  }
  const node = body[wanted]
  if (node === undefined) return undefined
  const settings: Shape<unknown> = optional(settingsShape(type, model))
  const shape = record({
    common: optional(settings),
    dev: optional(settings),
    test: optional(settings),
    prod: optional(settings),
  })
  const isOpen = state.behaviour.undocumentedFields !== 'refused'
  // An environment may have settings that no document has.
  const isTaken = ({ cause, path }: ShapeFailure) => isOpen && cause === 'unknown' && path.length === 2
  const failure = failuresOf(shape, node).find((each) => !isTaken(each))
  if (failure !== undefined) {
    const type = failure.cause === 'unknown' ? 'InvalidInput' : 'InvalidBodyParameterValue'
    throw new Refusal(400, type, `${[wanted, ...failure.path].join('.')}: ${failure.message}.`)
  }
  // The shape has just been checked.
  return node as GivenNode
}

/**
 * New settings; those given stay as they are. Fields that are absent keep their value, or lose it. As with constants, an environment
 * that inherits takes settings only together with `breakInheritance: true`, and `false` takes them away.
 */
export function applySettings(
  before: Connection['settings'],
  node: GivenNode,
  how: Behaviour['connectionUpdates'],
): Connection['settings'] {
  const after = { ...before }
  const start = how === 'replaced' ? () => ({}) : (settings: JsonObject | undefined) => settings ?? {}
  if (node.common !== undefined) after.common = merged(start(before.common), node.common)
  for (const environment of environments) {
    const given = node[environment]
    if (given === undefined) continue
    if (given.breakInheritance === false) delete after[environment]
    else if (given.breakInheritance === true || before[environment] !== undefined) {
      after[environment] = merged(start(before[environment]), given)
    }
  }
  return after
}

function merged(before: JsonObject, { breakInheritance: _, ...given }: GivenSettings): JsonObject {
  const credentials = given.credentials === 'ServiceAccoount' ? { credentials: 'ServiceAccount' } : {}
  return withSecretsDigested({ ...before, ...given, ...credentials })
}
