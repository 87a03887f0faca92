// Every endpoint there is.
import type { Route } from '../http/route.ts'
import { applicationRoutes } from './applications.ts'
import { groupMemberRoutes } from './group-members.ts'
import { groupRoutes } from './groups.ts'
import { privilegeRoutes } from './privileges.ts'
import { processRoutes } from './processes.ts'
import { userRoutes } from './users.ts'

export const routes: readonly Route[] = [
  ...userRoutes,
  ...groupRoutes,
  ...groupMemberRoutes,
  ...applicationRoutes,
  ...processRoutes,
  ...privilegeRoutes,
]
