// /admin/users and /admin/user: external users.
import { conflict, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import * as s from '../shape/shape.ts'
import { newUser, type User } from '../state/subjects.ts'
import { extraFieldsOf } from '../state/undocumented.ts'
import { userShape, userTexts } from '../tenant/tenant-shape.ts'
import { subjectRoutes, subjectView, syncStatus } from './subject-routes.ts'

const updateBody = s.record(s.each(userTexts, s.optionalText))
const answer = s.named('User', s.record({ svcId: s.text, ...s.each(userTexts, s.textOrNull), status: syncStatus }))

function checkManager({ state }: Call, managerSvcId: string | null | undefined): void {
  if (!state.behaviour.managerMustExist || !managerSvcId) return
  if (state.directory.usable(managerSvcId) === undefined)
    throw new Refusal('InvalidFieldData', `There is no "${managerSvcId}" to be the manager.`)
}

function create(call: Call, body: s.TypeOf<typeof userShape>): User {
  const { directory, behaviour } = call.state
  checkManager(call, body.managerSvcId)
  if (behaviour.newUsers === 'asImported') {
    if (!/^[^@\s]+@[^@\s]+$/.test(body.svcId) || /[%&*+/=?#;:]/.test(body.svcId))
      throw new Refusal('InvalidFieldData', `"${body.svcId}" cannot be imported.`)
    if (!body.name || !body.email) throw new Refusal('InvalidFieldData', 'A user has a name and an email.')
  }
  const user = newUser(body)
  if (!directory.add(user)) throw conflict(`The svcId "${body.svcId}" is in use.`)
  return user
}

function update(call: Call, user: User, body: s.TypeOf<typeof updateBody>): void {
  checkManager(call, body.managerSvcId)
  for (const name of userTexts) {
    const given = body[name]
    if (given !== undefined) user[name] = given
    else if (call.state.behaviour.absentUserFields === 'cleared') user[name] = null
  }
}

export const userRoutes = subjectRoutes({
  ...{ kind: 'user', area: 'Users', listed: answer, answer },
  view: (call, user) => ({ ...subjectView(call, user, userTexts), ...extraFieldsOf(call, user) }),
  ...{ createBody: userShape, create, updateBody, update },
})
