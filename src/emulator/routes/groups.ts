// /admin/groups and /admin/group: groups, and their members and owners, added and removed in batches.
import type { Json } from '@svcsync/core/model/json.ts'
import { conflict, Refusal } from '../http/refusal.ts'
import { type Call, done, inBothForms, type Route, write } from '../http/route.ts'
import { writeScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import { type Group, type GroupSide, groupSides, newGroup, type Subject } from '../state/subjects.ts'
import { extraFieldsOf } from '../state/undocumented.ts'
import { groupTexts, memberTypes } from '../tenant/tenant-shape.ts'
import { shownText, subjectRoutes, subjectView, syncStatus, writableSubject } from './subject-routes.ts'

const given = s.listOf(s.record({ svcId: s.filledText }))
const updateBody = s.record(s.each(groupTexts, s.optionalText))
const createBody = s.record({
  svcId: s.filledText,
  ...s.each(groupTexts, s.optionalText),
  ...s.each(groupSides, s.optional(s.nullable(given))),
})

const texts = { svcId: s.text, ...s.each(groupTexts, s.textOrNull) }
const listed = { ...texts, status: syncStatus }
const person = s.named('GroupUser', s.record({ ...texts, type: s.oneOf(...memberTypes) }))
const answer = s.named('Group', s.record({ ...listed, ...s.each(groupSides, s.nullable(s.listOf(person))) }))

function peopleView({ state }: Call, subjects: ReadonlySet<Subject>): Json {
  if (subjects.size === 0 && state.behaviour.emptyMembers === 'null') return null
  return Array.from(subjects, ({ svcId, name, email, type }) => {
    return { svcId, name: shownText(state, name), email: shownText(state, email), type }
  })
}

/** One id that nobody has, and the whole batch is refused. */
function usableSubjects({ state }: Call, people: s.TypeOf<typeof given>): Subject[] {
  return people.map(({ svcId }) => {
    const subject = state.directory.usable(svcId)
    if (subject === undefined) throw conflict(`Nobody has the svcId "${svcId}".`)
    if (subject.kind === 'apiApplication' && state.behaviour.apiApplicationMembers === 'refused')
      throw conflict(`"${svcId}" is the account of an API application.`)
    return subject
  })
}

/** Present members stay: no error. */
function joinAll({ state }: Call, group: Group, side: GroupSide, subjects: readonly Subject[]): void {
  if (subjects.includes(group)) throw conflict('A group cannot be in itself.')
  for (const subject of subjects) state.directory.join(group, side, subject)
}

function create(call: Call, body: s.TypeOf<typeof createBody>): Group {
  const { directory } = call.state
  if (directory.find(body.svcId) !== undefined)
    throw new Refusal('UnsupportedOperation', `The svcId "${body.svcId}" is in use.`)
  // Both before the group is added: one unknown id, and nothing is created.
  const [members, owners] = [usableSubjects(call, body.members ?? []), usableSubjects(call, body.owners ?? [])]
  const group = newGroup(body)
  directory.add(group)
  joinAll(call, group, 'members', members)
  joinAll(call, group, 'owners', owners)
  return group
}

function update(_: Call, group: Group, body: s.TypeOf<typeof updateBody>): void {
  const empty = groupTexts.find((name) => body[name] === '')
  if (empty !== undefined) throw new Refusal('InvalidFieldData', `"${empty}" must not be empty.`)
  for (const name of groupTexts) if (body[name] !== undefined) group[name] = body[name]
}

function changeRoutes(side: GroupSide, verb: 'add' | 'remove'): Route[] {
  const body = s.record({ [side]: given })
  return inBothForms('/admin/group', `/${side}/${verb}`, (path) =>
    write('POST', path, writeScopes('Groups'), { body }, (call, { [side]: people = [] }) => {
      const { directory, syncDelayMs } = call.state
      const group = writableSubject(call, 'group')
      if (verb === 'add') joinAll(call, group, side, usableSubjects(call, people))
      else {
        const known = people.map(({ svcId }) => directory.find(svcId)).filter((each) => each !== undefined)
        for (const subject of known) directory.part(group, side, subject)
      }
      directory.startSync(group, syncDelayMs)
      return done
    }),
  )
}

export const groupRoutes: readonly Route[] = [
  ...subjectRoutes({
    ...{ kind: 'group', area: 'Groups', listed: s.named('GroupItem', s.record(listed)), answer },
    view: (call, group, isListed) => ({
      ...subjectView(call, group, groupTexts),
      ...(!isListed && { members: peopleView(call, group.members), owners: peopleView(call, group.owners) }),
      ...(!isListed && extraFieldsOf(call, group)),
    }),
    ...{ createBody, create, updateBody, update },
  }),
  ...groupSides.flatMap((side) => [...changeRoutes(side, 'add'), ...changeRoutes(side, 'remove')]),
]
