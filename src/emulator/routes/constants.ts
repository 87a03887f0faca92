// Global and process constants: lists without values, details, create and update. There is no deletion.

import type { JsonObject } from '../../core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { Refusal } from '../http/refusal.ts'
import { type Call, type Route, withBody } from '../http/route.ts'
import { metadataReadScopes, metadataWriteScopes, readScopes, writeScopes } from '../http/scopes.ts'
import type { Catalog } from '../state/catalog.ts'
import { type Constant, environments, type Process } from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { moreOf } from '../state/undocumented.ts'
import { constantBody, createConstant, updateConstant } from './constant-writes.ts'
import { shownText } from './directory-writes.ts'
import { databaseOf, find } from './lookup.ts'

/** Where a set of constants lives, and who may read and write it. */
interface ConstantHome {
  readonly path: string
  readonly read: Route['scopes']
  readonly write: Route['scopes']
  readonly catalog: (call: Call) => Catalog<Constant>
  /** Refuses a write, if it has to be. */
  readonly guard: (call: Call) => void
}

const globalHome: ConstantHome = {
  path: '/db/:dbId/admin/constants',
  read: readScopes('Constants'),
  write: writeScopes('Constants'),
  catalog: (call) => databaseOf(call).constants,
  guard: () => undefined,
}

const ofProcess = (call: Call) => find(databaseOf(call).processes, 'process', call.params.procIdguid)
const processHome: ConstantHome = {
  path: '/db/:dbId/processes/:procIdguid/admin/constants',
  read: (behaviour) => processScopes(behaviour, metadataReadScopes, readScopes('ProcessConstants')),
  write: (behaviour) => processScopes(behaviour, metadataWriteScopes, writeScopes('ProcessConstants')),
  catalog: (call) => ofProcess(call).constants,
  guard: (call) => refuseWhileCheckedOut(call, ofProcess(call)),
}

/** The documents contradict each other on these: the endpoint table names one set, the list of scopes the other. */
function processScopes(
  { processConstantScopes }: Behaviour,
  metadata: readonly string[],
  admin: readonly string[],
): readonly string[] {
  if (processConstantScopes === 'either') return [...metadata, ...admin]
  return processConstantScopes === 'metadata' ? metadata : admin
}

function constantView(call: Call, constant: Constant): JsonObject {
  const { id, guid, name, description, groupId, common } = constant
  const shown = call.state.behaviour.inheritedEnvironments === 'shown'
  const values: { [key: string]: JsonObject } = {}
  for (const environment of environments) {
    const own = constant[environment]
    if (own !== undefined) values[environment] = { value: own, breakInheritance: true }
    else if (shown) values[environment] = { value: common, breakInheritance: false }
  }
  return {
    id,
    guid,
    name,
    description: shownText(call.state, description),
    groupId,
    groupName: groupName(call.state, databaseOf(call).id, groupId),
    common: { value: common },
    ...values,
    ...moreOf(call, constant),
  }
}

function groupName(state: PlatformState, databaseId: number, groupId: number | null): string | null {
  return groupId === null ? null : (state.databases.get(databaseId)?.constantGroups.get(groupId) ?? null)
}

function routesOf({ path, read, write, catalog, guard }: ConstantHome): Route[] {
  const detail = `${path}/:idguid`
  const body = constantBody
  return [
    {
      method: 'GET',
      path,
      scopes: read,
      handle: (call) => ({
        constants: catalog(call)
          .list()
          .map(({ id, guid, name }) => ({ id, guid, name, links: call.link(`${filled(path, call)}/${id}`) })),
      }),
    },
    withBody({
      method: 'POST',
      path,
      scopes: write,
      open: true,
      body,
      handle: (call, given) => {
        const constants = catalog(call)
        guard(call)
        return createConstant(call, constants, databaseOf(call), given)
      },
    }),
    {
      method: 'GET',
      path: detail,
      scopes: read,
      handle: (call) => constantView(call, find(catalog(call), 'constant', call.params.idguid)),
    },
    withBody({
      method: 'PATCH',
      path: detail,
      scopes: write,
      open: true,
      body,
      handle: (call, given) => {
        const constants = catalog(call)
        const constant = find(constants, 'constant', call.params.idguid)
        guard(call)
        return updateConstant(call, constants, constant, databaseOf(call), given)
      },
    }),
  ]
}

function filled(path: string, { params }: Call): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

export const constantRoutes: readonly Route[] = [...routesOf(globalHome), ...routesOf(processHome)]

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
