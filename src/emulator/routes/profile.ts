// /me: who the caller is.
import { type Call, get, type Route } from '../http/route.ts'
import * as s from '../shape/shape.ts'

const answer = s.record({
  ...{ svcId: s.text, name: s.textOrNull, email: s.textOrNull },
  ...{ impersonated: s.optional(s.flag), impersonatingApplication: s.optional(s.text) },
})

function ownAccount({ state, grant: { application } }: Call) {
  const { impersonates, svcId = '', name } = application
  const person = impersonates === undefined ? undefined : state.directory.find(impersonates)
  return { svcId: impersonates ?? svcId, name: person?.name ?? name, email: person?.email ?? null }
}

export const profileRoutes: readonly Route[] = [
  // The reference lists no scope for this read: any valid token will do.
  get('/me', [], { answer }, (call) => {
    const { impersonates, name } = call.grant.application
    const impersonated = impersonates !== undefined
    return { ...ownAccount(call), impersonated, impersonatingApplication: impersonated ? name : '' }
  }),
  get('/me', ['User.Data'], { answer, only: 'beta' }, ownAccount),
]
