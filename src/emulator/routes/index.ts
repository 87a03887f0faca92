// Every endpoint there is, with what it answers.
import type { Route } from '../http/route.ts'
import { answers } from './answers.ts'
import { applicationRoutes } from './applications.ts'
import { businessEntityRoutes } from './business-entities.ts'
import { connectionRoutes } from './connections.ts'
import { constantRoutes } from './constants.ts'
import { elementPrivilegeRoutes } from './element-privileges.ts'
import { groupMemberRoutes } from './group-members.ts'
import { groupRoutes } from './groups.ts'
import { importRoutes } from './imports.ts'
import { licenseRoutes } from './licenses.ts'
import { privilegeRoutes } from './privileges.ts'
import { processRoutes } from './processes.ts'
import { profileRoutes } from './profile.ts'
import { substitutionRoutes } from './substitutions.ts'
import { urlMetadataRoutes } from './url-metadata.ts'
import { userRoutes } from './users.ts'

const all: readonly Route[] = [
  ...userRoutes,
  ...groupRoutes,
  ...groupMemberRoutes,
  ...licenseRoutes,
  ...businessEntityRoutes,
  ...substitutionRoutes,
  ...connectionRoutes,
  ...constantRoutes,
  ...applicationRoutes,
  ...processRoutes,
  ...privilegeRoutes,
  ...elementPrivilegeRoutes,
  ...profileRoutes,
  ...urlMetadataRoutes,
  ...importRoutes,
]

export const routes: readonly Route[] = all.map((route): Route => {
  const answer = answers[`${route.method} ${route.path}`]
  return answer === undefined ? route : { ...route, answer }
})
