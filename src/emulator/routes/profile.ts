// /me: who the caller is.
import type { Route } from '../http/route.ts'
import type { Grant } from '../http/tokens.ts'
import { flag, optional, record, text, textOrNull } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'

const answer = record({
  ...{ svcId: text, name: textOrNull, email: textOrNull },
  ...{ impersonated: optional(flag), impersonatingApplication: optional(text) },
})

function profileOf(state: PlatformState, { application }: Grant) {
  const { impersonates, svcId = '', name } = application
  const person = impersonates === undefined ? undefined : state.directory.find(impersonates)
  const own = { svcId: impersonates ?? svcId, name: person?.name ?? name, email: person?.email ?? null }
  return {
    own,
    impersonated: impersonates !== undefined,
    impersonatingApplication: impersonates === undefined ? '' : name,
  }
}

export const profileRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/me',
    // The reference lists no scope for this read: any valid token will do.
    scopes: [],
    answer,
    handle: ({ state, grant }) => {
      const { own, ...impersonation } = profileOf(state, grant)
      return { ...own, ...impersonation }
    },
  },
  {
    method: 'GET',
    path: '/me',
    only: 'beta',
    answer,
    scopes: ['User.Data'],
    handle: ({ state, grant }) => profileOf(state, grant).own,
  },
]
