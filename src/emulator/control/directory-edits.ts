// Edits to users, groups, directory accounts and licences. They take effect at once, without synchronisation.
import { filledText, listOf, record, type TypeOf } from '../shape/shape.ts'
import { Licenses } from '../state/licenses.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { type GroupSide, groupSides, newAccount, newGroup, newUser, type Subject } from '../state/subjects.ts'
import { accountShape, groupShape, groupTexts, licensesShape, userShape, userTexts } from '../tenant/tenant-shape.ts'
import { edit, known, unusable } from './edit.ts'

function someone({ directory }: PlatformState, svcId: string): Subject {
  const subject = directory.find(svcId)
  if (subject === undefined) throw unusable(`nobody has the svcId "${svcId}"`)
  return subject
}

/** Members or owners that join a group, or part from it. */
function change(verb: 'join' | 'part', side: GroupSide) {
  return edit(record({ group: filledText, [side]: listOf(filledText) }), (state, given) => {
    const holder = known(state.directory.get('group', given.group as string), `group "${given.group}"`)
    const svcIds = given[side] as readonly string[]
    for (const subject of svcIds.map((svcId) => someone(state, svcId))) state.directory[verb](holder, side, subject)
  })
}

/** Absent parts stay. */
function rewrite<T extends string>(
  texts: readonly T[],
  subject: { [K in T]: string | null },
  given: { readonly [K in T]?: string | null | undefined },
): void {
  for (const text of texts) subject[text] = given[text] === undefined ? subject[text] : (given[text] as T)
}

function add({ directory }: PlatformState, subject: Subject): void {
  if (!directory.add(subject)) throw unusable(`the svcId "${subject.svcId}" is in use by somebody of another sort`)
}

/** Lists that are given replace those there are. */
function upsertGroup(state: PlatformState, given: TypeOf<typeof groupShape>): void {
  const before = state.directory.get('group', given.svcId)
  const group = before ?? newGroup(given)
  if (before === undefined) add(state, group)
  rewrite(groupTexts, group, given)
  for (const side of groupSides) {
    const wanted = given[side]
    if (wanted === undefined) continue
    const subjects = wanted.map((svcId) => someone(state, svcId))
    for (const subject of [...group[side]]) state.directory.part(group, side, subject)
    for (const subject of subjects) state.directory.join(group, side, subject)
  }
}

function removal(kind: Subject['kind']) {
  return edit(filledText, ({ directory }, svcId) => {
    directory.remove(known<Subject>(directory.get(kind, svcId), `${kind} "${svcId}"`))
  })
}

export const directoryEdits = {
  upsertUser: edit(userShape, (state, given) => {
    const before = state.directory.get('user', given.svcId)
    const user = before ?? newUser({ svcId: given.svcId })
    if (before === undefined) add(state, user)
    rewrite(userTexts, user, given)
  }),
  deleteUser: removal('user'),
  upsertGroup: edit(groupShape, upsertGroup),
  deleteGroup: removal('group'),
  upsertAccount: edit(accountShape, (state, given) => {
    const before = state.directory.get('account', given.svcId)
    if (before === undefined) add(state, newAccount(given, 'account'))
    else rewrite(groupTexts, before, given)
  }),
  deleteAccount: removal('account'),
  addMembers: change('join', 'members'),
  removeMembers: change('part', 'members'),
  addOwners: change('join', 'owners'),
  removeOwners: change('part', 'owners'),
  /** Replaces everything there is to know about licences. */
  setLicenses: edit(licensesShape, (state, given) => {
    state.licenses = new Licenses(given)
  }),
}
