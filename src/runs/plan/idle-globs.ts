import { addressMatcher } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { LiveSnapshot } from '@svcsync/core/model/live.ts'
import { globSuggestion } from '@svcsync/core/model/near-misses.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import type { OpenedProject } from '../open/open-project.ts'

/** A glob that selects nothing is a slip: what it should select would pass for unchanged. */
export function refuseIdleGlobs(
  globs: readonly string[],
  { changes, unreadable, exceptions }: Omit<Plan, 'guards'>,
  live: LiveSnapshot,
  desired: OpenedProject['desired'],
  kinds: readonly Kind[],
): void {
  const seen = [...changes, ...unreadable, ...live.unreadable.values(), ...(exceptions?.left ?? [])]
  const idle = globs.find((glob) => {
    const matches = addressMatcher(glob, kinds)
    return !seen.some(({ address }) => matches(address))
  })
  if (idle === undefined) return
  const near = globSuggestion(
    idle,
    desired.map(({ address }) => address),
    kinds,
  )
  throw new OperatorError('SVC2004', `No declared object matches \`--only ${idle}\``, {
    hint:
      near ?? 'Addresses are like `user/anna@example.com` or `process/main/Purchasing/**`; `svcsync plan` shows them.',
  })
}
