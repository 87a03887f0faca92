// Privileges on elements: their own, and beside them those on the process, which are told and stay.
import { conflict, notFound } from '../http/refusal.ts'
import { type Call, done, type Route, withBody } from '../http/route.ts'
import { elementAdminScopes } from '../http/scopes.ts'
import { filledText, listOf, named, oneOf, record, text, textOrNull } from '../shape/shape.ts'
import type { Element } from '../state/database.ts'
import type { Privilege } from '../state/privilege-list.ts'
import { elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { databaseOf } from './lookup.ts'

const at = { path: '/db/:dbId/elements/:id/admin/privileges', scopes: elementAdminScopes } as const

/** The documents do not say in which words levels that come from the process are told: here in those of the process. */
const privilege = record({
  permissionsScope: oneOf('Process', 'Element'),
  user: record({ svcId: text, name: textOrNull }),
  level: oneOf(...new Set([...elementLevels, ...processLevels])),
})

function elementOf(call: Call): Element {
  const { id = '' } = call.params
  const element = /^\d+$/.test(id) ? databaseOf(call).elements.get(Number(id)) : undefined
  if (element === undefined) throw notFound(`element "${id}"`)
  return element
}

const view =
  (permissionsScope: 'Process' | 'Element') =>
  ({ subject: { svcId, name }, level }: Privilege) => ({ permissionsScope, user: { svcId, name }, level })

export const elementPrivilegeRoutes: readonly Route[] = [
  {
    ...at,
    method: 'GET',
    answer: named('ElementPrivileges', record({ elementPrivileges: listOf(privilege) })),
    handle: (call) => {
      const { process, privileges } = elementOf(call)
      const inherited = process.privileges.list().map(view('Process'))
      return { elementPrivileges: [...inherited, ...privileges.list().map(view('Element'))] }
    },
  },
  withBody({
    ...at,
    method: 'POST',
    body: record({ user: record({ svcId: filledText }), level: oneOf(...elementLevels) }),
    handle: (call, { user: { svcId }, level }) => {
      const { privileges } = elementOf(call)
      const subject = call.state.directory.usable(svcId)
      if (subject === undefined) throw conflict(`Nobody has the svcId "${svcId}".`)
      privileges.add({ subject, level, company: undefined }, call.state.behaviour.privilegeLevels)
      return done
    },
  }),
  {
    ...at,
    method: 'DELETE',
    query: { svcId: 'required' },
    handle: (call) => {
      const { privileges } = elementOf(call)
      const subject = call.state.directory.find(call.query.svcId ?? '')
      const own = privileges.list().some((each) => each.subject === subject)
      if (subject === undefined || !own) throw conflict('Only a privilege of the element itself can be taken.')
      privileges.drop(subject)
      return done
    },
  },
]
