// /admin/users and /admin/user: external users.
import type { JsonObject } from '../../core/model/json.ts'
import { pageOf, paging } from '../http/paging.ts'
import { conflict, Refusal } from '../http/refusal.ts'
import { bothForms, type Call, done, type Result, type Route, svcIdOf, withBody } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import { filledText, nullable, optional, record, type TypeOf, text } from '../shape/shape.ts'
import { subjectBase, type User } from '../state/subjects.ts'
import { keepMore, moreOf } from '../state/undocumented.ts'
import { readableUser, shownText, statusOf, unlocked, visible } from './directory-writes.ts'

const read = readScopes('Users')
const write = writeScopes('Users')
const optionalText = optional(nullable(text))
const fields = {
  name: optionalText,
  email: optionalText,
  phoneNumber: optionalText,
  managerSvcId: optionalText,
  jobTitle: optionalText,
}
const createBody = record({ svcId: filledText, ...fields })
const updateBody = record(fields)

function userView(call: Call, user: User): JsonObject {
  const { state } = call
  const shown = (value: string | null) => shownText(state, value)
  return {
    svcId: user.svcId,
    name: shown(user.name),
    email: shown(user.email),
    phoneNumber: shown(user.phoneNumber),
    managerSvcId: shown(user.managerSvcId),
    jobTitle: shown(user.jobTitle),
    status: statusOf(state, user),
    ...moreOf(call, user),
  }
}

function checkManager({ state }: Call, managerSvcId: string | null | undefined): void {
  if (!state.behaviour.managerMustExist || managerSvcId === null || managerSvcId === undefined || managerSvcId === '')
    return
  if (state.directory.usable(managerSvcId) === undefined) {
    throw new Refusal(400, 'InvalidFieldData', `There is no "${managerSvcId}" to be the manager.`)
  }
}

function createUser(call: Call, body: TypeOf<typeof createBody>): Result {
  const { state } = call
  checkManager(call, body.managerSvcId)
  if (state.behaviour.newUsers === 'asImported') {
    if (!/^[^@\s]+@[^@\s]+$/.test(body.svcId) || /[%&*+/=?#;:]/.test(body.svcId))
      throw new Refusal(400, 'InvalidFieldData', `"${body.svcId}" cannot be imported.`)
    if (!body.name || !body.email) throw new Refusal(400, 'InvalidFieldData', 'A user has a name and an email.')
  }
  const user: User = {
    ...subjectBase(body.svcId, body.name, body.email),
    kind: 'user',
    type: 'User',
    phoneNumber: body.phoneNumber ?? null,
    managerSvcId: body.managerSvcId ?? null,
    jobTitle: body.jobTitle ?? null,
  }
  if (!state.directory.add(user)) throw conflict(`The svcId "${body.svcId}" is in use.`)
  state.directory.startSync(keepMore(call, user), state.syncDelayMs, true)
  return done
}

function updateUser(call: Call, body: TypeOf<typeof updateBody>): Result {
  const { state } = call
  const user = unlocked(call, readableUser(call, svcIdOf(call)))
  checkManager(call, body.managerSvcId)
  for (const field of Object.keys(fields) as (keyof typeof fields)[]) {
    const given = body[field]
    if (given !== undefined) user[field] = given
    else if (state.behaviour.absentUserFields === 'cleared') user[field] = null
  }
  state.directory.startSync(keepMore(call, user), state.syncDelayMs)
  return done
}

const forms = (make: (path: string) => Route) => bothForms('/admin/user', '/admin/users', '', make)

export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/users',
    scopes: read,
    query: paging,
    handle: (call) => ({
      users: pageOf(visible(call, call.state.directory.users()), call, 0).map((user) => userView(call, user)),
    }),
  },
  withBody({ method: 'POST', path: '/admin/users', scopes: write, body: createBody, open: true, handle: createUser }),
  ...forms((path) => ({
    method: 'GET',
    path,
    scopes: read,
    handle: (call) => userView(call, readableUser(call, svcIdOf(call))),
  })),
  ...forms((path) =>
    withBody({ method: 'PATCH', path, scopes: write, body: updateBody, open: true, handle: updateUser }),
  ),
  ...forms((path) => ({
    method: 'DELETE',
    path,
    scopes: write,
    handle: (call) => {
      call.state.directory.delete(unlocked(call, readableUser(call, svcIdOf(call))), call.state.syncDelayMs)
      return done
    },
  })),
]
