// Every guard, in the order in which they are shown.
import { actingApplicationGuard } from './acting-application.ts'
import { administratorGainedGuard } from './administrator-gained.ts'
import { deletionsGuard } from './deletions.ts'
import { disappearedGuard } from './disappeared.ts'
import { emptiedGroupGuard } from './emptied-group.ts'
import { enoughLicencesGuard } from './enough-licences.ts'
import type { Guard, Verdict } from './guard.ts'
import { lastAdministratorGuard } from './last-administrator.ts'
import { lastOwnerGuard } from './last-owner.ts'
import { olderCommitGuard } from './older-commit.ts'
import { overwritesGuard } from './overwrites.ts'
import { promotedGuard } from './promoted.ts'
import { protectedGuard } from './protected.ts'
import { removalsGuard } from './removals.ts'
import { unreadGuard } from './unread.ts'

export const guards: readonly Guard[] = [
  administratorGainedGuard,
  deletionsGuard,
  removalsGuard,
  protectedGuard,
  lastAdministratorGuard,
  lastOwnerGuard,
  emptiedGroupGuard,
  actingApplicationGuard,
  disappearedGuard,
  unreadGuard,
  olderCommitGuard,
  promotedGuard,
  overwritesGuard,
  enoughLicencesGuard,
]

/** True if a verdict concerns the plan as a whole: no part can pass without the rest. */
export function isAboutWhole({ guard, addresses }: Pick<Verdict, 'guard' | 'addresses'>): boolean {
  return addresses.length === 0 || guards.some(({ name, counts }) => counts && name === guard)
}
