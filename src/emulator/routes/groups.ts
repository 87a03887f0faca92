// /admin/groups and /admin/group: groups themselves; who is in them is for group-members.
import type { Json } from '../../core/model/json.ts'
import { pageOf, paging } from '../http/paging.ts'
import { Refusal } from '../http/refusal.ts'
import { bothForms, type Call, done, type Result, type Route, svcIdOf, withBody } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import { filledText, listOf, nullable, optional, record, type TypeOf, text } from '../shape/shape.ts'
import { type Group, newGroup, type Subject } from '../state/subjects.ts'
import { keepMore, moreOf } from '../state/undocumented.ts'
import { memberView, readableGroup, shownText, statusOf, unlocked, visible } from './directory-writes.ts'
import { joinAll, usableSubjects } from './group-members.ts'

const read = readScopes('Groups')
const write = writeScopes('Groups')
const optionalText = optional(nullable(text))
const people = optional(nullable(listOf(record({ svcId: filledText }))))
const createBody = record({
  svcId: filledText,
  name: optionalText,
  email: optionalText,
  members: people,
  owners: people,
})
const updateBody = record({ name: optionalText, email: optionalText })

function groupItem({ state }: Call, group: Group) {
  return {
    svcId: group.svcId,
    name: shownText(state, group.name),
    email: shownText(state, group.email),
    status: statusOf(state, group),
  }
}

function groupView(call: Call, group: Group): Json {
  const shown = (subjects: ReadonlySet<Subject>): Json =>
    subjects.size === 0 && call.state.behaviour.emptyMembers === 'null'
      ? null
      : [...subjects].map((subject) => memberView(call.state, subject))
  return {
    ...groupItem(call, group),
    members: shown(group.members),
    owners: shown(group.owners),
    ...moreOf(call, group),
  }
}

function createGroup(call: Call, body: TypeOf<typeof createBody>): Result {
  const { directory, syncDelayMs } = call.state
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
  directory.startSync(keepMore(call, group), syncDelayMs, true)
  return done
}

function updateGroup(call: Call, body: TypeOf<typeof updateBody>): Result {
  const { directory, syncDelayMs } = call.state
  const group = unlocked(call, readableGroup(call, svcIdOf(call)))
  for (const key of ['name', 'email'] as const) {
    if (body[key] === '') throw new Refusal(400, 'InvalidFieldData', `"${key}" must not be empty.`)
  }
  if (body.name !== undefined) group.name = body.name
  if (body.email !== undefined) group.email = body.email
  directory.startSync(keepMore(call, group), syncDelayMs)
  return done
}

const forms = (make: (path: string) => Route) => bothForms('/admin/group', '/admin/groups', '', make)

export const groupRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/groups',
    scopes: read,
    query: paging,
    handle: (call) => ({
      groups: pageOf(visible(call, call.state.directory.groups()), call, 0).map((group) => groupItem(call, group)),
    }),
  },
  withBody({ method: 'POST', path: '/admin/groups', scopes: write, body: createBody, open: true, handle: createGroup }),
  ...forms((path) => ({
    method: 'GET',
    path,
    scopes: read,
    handle: (call) => groupView(call, readableGroup(call, svcIdOf(call))),
  })),
  ...forms((path) =>
    withBody({ method: 'PATCH', path, scopes: write, body: updateBody, open: true, handle: updateGroup }),
  ),
  ...forms((path) => ({
    method: 'DELETE',
    path,
    scopes: write,
    // A body is not looked at: whoever means an update and sends DELETE loses the group, here as there.
    handle: (call) => {
      call.state.directory.delete(unlocked(call, readableGroup(call, svcIdOf(call))), call.state.syncDelayMs)
      return done
    },
  })),
]
