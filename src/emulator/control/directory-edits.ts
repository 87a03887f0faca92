// Edits to users, groups, directory accounts and licences. They take effect at once, without synchronisation.
import { filledText, listOf, record, type TypeOf } from '../shape/shape.ts'
import { Licenses } from '../state/licenses.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { type Group, newAccount, newGroup, newUser, type Subject } from '../state/subjects.ts'
import { accountShape, groupShape, userShape } from '../tenant/directory-shape.ts'
import { licensesShape } from '../tenant/tenant-shape.ts'
import { edit, unusable } from './edit.ts'

type Side = 'members' | 'owners'
const membersShape = record({ group: filledText, members: listOf(filledText) })
const ownersShape = record({ group: filledText, owners: listOf(filledText) })

function someone({ directory }: PlatformState, svcId: string): Subject {
  const subject = directory.find(svcId)
  if (subject === undefined) throw unusable(`nobody has the svcId "${svcId}"`)
  return subject
}

function groupOf({ directory }: PlatformState, svcId: string): Group {
  const group = directory.get('group', svcId)
  if (group === undefined) throw unusable(`there is no group "${svcId}"`)
  return group
}

function change(
  verb: 'join' | 'part',
  state: PlatformState,
  group: string,
  side: Side,
  svcIds: readonly string[],
): void {
  const holder = groupOf(state, group)
  for (const subject of svcIds.map((svcId) => someone(state, svcId))) state.directory[verb](holder, side, subject)
}

function rename(subject: Subject, { name, email }: TypeOf<typeof accountShape>): void {
  if (name !== undefined) subject.name = name
  if (email !== undefined) subject.email = email
}

function add({ directory }: PlatformState, subject: Subject): void {
  if (!directory.add(subject)) throw unusable(`the svcId "${subject.svcId}" is in use by somebody of another sort`)
}

/** Lists that are given replace those there are. */
function upsertGroup(state: PlatformState, given: TypeOf<typeof groupShape>): void {
  const known = state.directory.get('group', given.svcId)
  const group = known ?? newGroup(given)
  if (known === undefined) add(state, group)
  rename(group, given)
  for (const side of ['members', 'owners'] as const) {
    const wanted = given[side]
    if (wanted === undefined) continue
    const subjects = wanted.map((svcId) => someone(state, svcId))
    for (const subject of [...group[side]]) state.directory.part(group, side, subject)
    for (const subject of subjects) state.directory.join(group, side, subject)
  }
}

function remove(state: PlatformState, svcId: string, kind: Subject['kind']): void {
  const subject = state.directory.find(svcId)
  if (subject?.kind !== kind) throw unusable(`there is no ${kind} "${svcId}"`)
  state.directory.remove(subject)
}

export const directoryEdits = {
  upsertUser: edit(userShape, (state, given) => {
    const known = state.directory.get('user', given.svcId)
    const user = known ?? newUser({ svcId: given.svcId })
    if (known === undefined) add(state, user)
    const { svcId: _, ...fields } = given
    for (const [key, value] of Object.entries(fields)) if (value !== undefined) Object.assign(user, { [key]: value })
  }),
  deleteUser: edit(filledText, (state, svcId) => remove(state, svcId, 'user')),
  upsertGroup: edit(groupShape, upsertGroup),
  deleteGroup: edit(filledText, (state, svcId) => remove(state, svcId, 'group')),
  upsertAccount: edit(accountShape, (state, given) => {
    const known = state.directory.get('account', given.svcId)
    if (known === undefined) add(state, newAccount(given, 'account'))
    else rename(known, given)
  }),
  deleteAccount: edit(filledText, (state, svcId) => remove(state, svcId, 'account')),
  addMembers: edit(membersShape, (state, { group, members }) => change('join', state, group, 'members', members)),
  removeMembers: edit(membersShape, (state, { group, members }) => change('part', state, group, 'members', members)),
  addOwners: edit(ownersShape, (state, { group, owners }) => change('join', state, group, 'owners', owners)),
  removeOwners: edit(ownersShape, (state, { group, owners }) => change('part', state, group, 'owners', owners)),
  /** Replaces everything there is to know about licences. */
  setLicenses: edit(licensesShape, (state, given) => {
    state.licenses = new Licenses(given)
  }),
}
