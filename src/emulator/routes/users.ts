// /admin/users and /admin/user: external users.
import type { JsonObject } from '../../core/model/json.ts'
import { conflict, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import { filledText, named, optionalText, record, type TypeOf, text, textOrNull } from '../shape/shape.ts'
import { newUser, type User } from '../state/subjects.ts'
import { moreOf } from '../state/undocumented.ts'
import { shownText, statusOf, subjectRoutes, syncStatus } from './subject-routes.ts'

const fields = {
  name: optionalText,
  email: optionalText,
  phoneNumber: optionalText,
  managerSvcId: optionalText,
  jobTitle: optionalText,
}
const fieldNames = Object.keys(fields) as (keyof typeof fields)[]
const createBody = record({ svcId: filledText, ...fields })
const updateBody = record(fields)

const answer = named(
  'User',
  record({
    svcId: text,
    name: textOrNull,
    email: textOrNull,
    phoneNumber: textOrNull,
    managerSvcId: textOrNull,
    jobTitle: textOrNull,
    status: syncStatus,
  }),
)

function view(call: Call, user: User): JsonObject {
  const told = fieldNames.map((name) => [name, shownText(call.state, user[name])])
  return {
    svcId: user.svcId,
    ...Object.fromEntries(told),
    status: statusOf(call.state, user),
    ...moreOf(call, user),
  }
}

function checkManager({ state }: Call, managerSvcId: string | null | undefined): void {
  if (!state.behaviour.managerMustExist || !managerSvcId) return
  if (state.directory.usable(managerSvcId) === undefined) {
    throw new Refusal(400, 'InvalidFieldData', `There is no "${managerSvcId}" to be the manager.`)
  }
}

function create(call: Call, body: TypeOf<typeof createBody>): User {
  const { state } = call
  checkManager(call, body.managerSvcId)
  if (state.behaviour.newUsers === 'asImported') {
    if (!/^[^@\s]+@[^@\s]+$/.test(body.svcId) || /[%&*+/=?#;:]/.test(body.svcId))
      throw new Refusal(400, 'InvalidFieldData', `"${body.svcId}" cannot be imported.`)
    if (!body.name || !body.email) throw new Refusal(400, 'InvalidFieldData', 'A user has a name and an email.')
  }
  const user = newUser(body)
  if (!state.directory.add(user)) throw conflict(`The svcId "${body.svcId}" is in use.`)
  return user
}

function update(call: Call, user: User, body: TypeOf<typeof updateBody>): void {
  checkManager(call, body.managerSvcId)
  for (const name of fieldNames) {
    const given = body[name]
    if (given !== undefined) user[name] = given
    else if (call.state.behaviour.absentUserFields === 'cleared') user[name] = null
  }
}

const shown = { answer, view }

export const userRoutes = subjectRoutes({
  ...{ kind: 'user', area: 'Users', item: shown, whole: shown },
  ...{ createBody, create, updateBody, update },
})
