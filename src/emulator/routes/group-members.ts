// Members and owners of groups: added and removed in batches.
import { conflict } from '../http/refusal.ts'
import { bothForms, type Call, done, type Route, withBody } from '../http/route.ts'
import { writeScopes } from '../http/scopes.ts'
import { filledText, listOf, record, type Shape } from '../shape/shape.ts'
import type { Group, Subject } from '../state/subjects.ts'
import { unlocked } from './subject-routes.ts'

type Person = { readonly svcId: string }
type Side = 'members' | 'owners'

/** One id that nobody has, and the whole batch is refused. */
export function usableSubjects({ state }: Call, people: readonly Person[]): Subject[] {
  return people.map(({ svcId }) => {
    const subject = state.directory.usable(svcId)
    if (subject === undefined) throw conflict(`Nobody has the svcId "${svcId}".`)
    if (subject.kind === 'apiApplication' && state.behaviour.apiApplicationMembers === 'refused')
      throw conflict(`"${svcId}" is the account of an API application.`)
    return subject
  })
}

/** Those who are in it already stay in it: no error. */
export function joinAll({ state }: Call, group: Group, side: Side, subjects: readonly Subject[]): void {
  for (const subject of subjects) {
    if (subject === group) throw conflict('A group cannot be in itself.')
  }
  for (const subject of subjects) state.directory.join(group, side, subject)
}

function changeRoutes(side: Side, verb: 'add' | 'remove'): Route[] {
  const people = listOf(record({ svcId: filledText }))
  const body: Shape<{ members?: Person[]; owners?: Person[] }> =
    side === 'members' ? record({ members: people }) : record({ owners: people })
  return bothForms('/admin/group', '/admin/groups', `/${side}/${verb}`, (path) =>
    withBody({
      method: 'POST',
      path,
      scopes: writeScopes('Groups'),
      body,
      handle: (call, given) => {
        const { directory, syncDelayMs } = call.state
        const group = unlocked(call, 'group')
        const listed = given[side] ?? []
        if (verb === 'add') joinAll(call, group, side, usableSubjects(call, listed))
        else {
          for (const { svcId } of listed) {
            const subject = directory.find(svcId)
            if (subject !== undefined) directory.part(group, side, subject)
          }
        }
        directory.startSync(group, syncDelayMs)
        return done
      },
    }),
  )
}

export const groupMemberRoutes: readonly Route[] = (['members', 'owners'] as const).flatMap((side) => [
  ...changeRoutes(side, 'add'),
  ...changeRoutes(side, 'remove'),
])
