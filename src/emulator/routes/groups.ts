// /admin/groups and /admin/group: groups themselves; who is in them is for group-members.
import type { Json, JsonObject } from '../../core/model/json.ts'
import { Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import {
  filledText,
  listOf,
  named,
  nullable,
  oneOf,
  optional,
  optionalText,
  record,
  type TypeOf,
  text,
  textOrNull,
} from '../shape/shape.ts'
import { type Group, newGroup, type Subject } from '../state/subjects.ts'
import { moreOf } from '../state/undocumented.ts'
import { memberTypes } from '../tenant/directory-shape.ts'
import { joinAll, usableSubjects } from './group-members.ts'
import { shownText, statusOf, subjectRoutes, syncStatus } from './subject-routes.ts'

const people = optional(nullable(listOf(record({ svcId: filledText }))))
const createBody = record({
  svcId: filledText,
  name: optionalText,
  email: optionalText,
  members: people,
  owners: people,
})
const updateBody = record({ name: optionalText, email: optionalText })

const itemFields = { svcId: text, name: textOrNull, email: textOrNull, status: syncStatus }
const person = named(
  'GroupUser',
  record({ svcId: text, name: textOrNull, email: textOrNull, type: oneOf(...memberTypes) }),
)
const peopleTold = nullable(listOf(person))

const item = {
  answer: named('GroupItem', record(itemFields)),
  view: ({ state }: Call, group: Group): JsonObject => ({
    svcId: group.svcId,
    name: shownText(state, group.name),
    email: shownText(state, group.email),
    status: statusOf(state, group),
  }),
}

const whole = {
  answer: named('Group', record({ ...itemFields, members: peopleTold, owners: peopleTold })),
  view(call: Call, group: Group): JsonObject {
    const { state } = call
    const shown = (subjects: ReadonlySet<Subject>): Json =>
      subjects.size === 0 && state.behaviour.emptyMembers === 'null'
        ? null
        : Array.from(subjects, ({ svcId, name, email, type }) => {
            return { svcId, name: shownText(state, name), email: shownText(state, email), type }
          })
    return {
      ...item.view(call, group),
      members: shown(group.members),
      owners: shown(group.owners),
      ...moreOf(call, group),
    }
  },
}

function create(call: Call, body: TypeOf<typeof createBody>): Group {
  const { directory } = call.state
  if (directory.find(body.svcId) !== undefined) {
    throw new Refusal(405, 'UnsupportedOperation', `The svcId "${body.svcId}" is in use.`)
  }
  // Both before the group is added: one unknown id, and nothing is created.
  const members = usableSubjects(call, body.members ?? [])
  const owners = usableSubjects(call, body.owners ?? [])
  const group = newGroup(body)
  directory.add(group)
  joinAll(call, group, 'members', members)
  joinAll(call, group, 'owners', owners)
  return group
}

function update(_: Call, group: Group, body: TypeOf<typeof updateBody>): void {
  for (const key of ['name', 'email'] as const) {
    if (body[key] === '') throw new Refusal(400, 'InvalidFieldData', `"${key}" must not be empty.`)
  }
  if (body.name !== undefined) group.name = body.name
  if (body.email !== undefined) group.email = body.email
}

export const groupRoutes = subjectRoutes({
  ...{ kind: 'group', area: 'Groups', item, whole },
  ...{ createBody, create, updateBody, update },
})
