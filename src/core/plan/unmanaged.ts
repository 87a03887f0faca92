// What is live and no manifest declares, beside a plan.
import type { Plan } from './plan.ts'
import type { Unmanaged } from './plan-document.ts'

/** What only the base declares is looked at, and stands among the changes. */
export function notPlanned(unmanaged: Unmanaged, { changes }: Pick<Plan, 'changes'>): Unmanaged {
  const planned = new Set(changes.map(({ address }) => address))
  const rest = Object.entries(unmanaged).map(([kind, counted]) => {
    const { live, addresses } = counted
    const others = addresses.filter((address) => !planned.has(address))
    return [kind, { ...counted, live: live && live - (addresses.length - others.length), addresses: others }] as const
  })
  return Object.fromEntries(rest)
}
