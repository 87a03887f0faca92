// Every guard, in the order in which they are shown.
import { actingApplicationKeepsAccess } from './acting-application-keeps-access.ts'
import { administratorsAreExpected } from './administrators-are-expected.ts'
import { administratorsRemain } from './administrators-remain.ts'
import { commitsGoForward } from './commits-go-forward.ts'
import { deletionsRestOnWholeReads } from './deletions-rest-on-whole-reads.ts'
import { licencesSuffice } from './enough-licences.ts'
import { groupsStayFilled, ownersRemain } from './groups-keep-somebody.ts'
import type { Guard } from './guard.ts'
import { deletionsStayUnderLimit, removalsStayUnderLimit } from './limits.ts'
import { nothingDisappearsWhole } from './nothing-disappears-whole.ts'
import { handsAreKept } from './overwrites.ts'
import { protectedStayWhole } from './protected-stay-whole.ts'

export const guards: readonly Guard[] = [
  administratorsAreExpected,
  deletionsStayUnderLimit,
  removalsStayUnderLimit,
  protectedStayWhole,
  administratorsRemain,
  ownersRemain,
  groupsStayFilled,
  actingApplicationKeepsAccess,
  nothingDisappearsWhole,
  deletionsRestOnWholeReads,
  commitsGoForward,
  handsAreKept,
  licencesSuffice,
]
