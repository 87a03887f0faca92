// Every endpoint there is.
import type { Route } from '../http/route.ts'
import { businessEntityRoutes } from './business-entities.ts'
import { connectionRoutes } from './connections.ts'
import { constantRoutes } from './constants.ts'
import { groupRoutes } from './groups.ts'
import { importRoutes } from './imports.ts'
import { licenseRoutes } from './licenses.ts'
import { metadataRoutes } from './metadata.ts'
import { privilegeRoutes } from './privileges.ts'
import { profileRoutes } from './profile.ts'
import { substitutionRoutes } from './substitutions.ts'
import { urlMetadataRoutes } from './url-metadata.ts'
import { userRoutes } from './users.ts'

export const routes: readonly Route[] = [
  ...userRoutes,
  ...groupRoutes,
  ...licenseRoutes,
  ...businessEntityRoutes,
  ...substitutionRoutes,
  ...connectionRoutes,
  ...constantRoutes,
  ...metadataRoutes,
  ...privilegeRoutes,
  ...profileRoutes,
  ...urlMetadataRoutes,
  ...importRoutes,
]
