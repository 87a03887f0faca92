// Undeclared live objects, beside a plan.
import { type Exception, isAccessException } from '../model/exception.ts'
import type { Plan } from './plan.ts'
import { maxUnmanagedAddresses, type Unmanaged } from './plan-document.ts'

interface PlannedAndExcepted extends Pick<Plan, 'changes'> {
  readonly exceptions: readonly Exception[]
  readonly nowMs: number
}

/** Objects that only the base declares are among the changes. Excepted ones are counted, and listed apart. */
export function withoutPlanned(unmanaged: Unmanaged, { changes, exceptions, nowMs }: PlannedAndExcepted): Unmanaged {
  const planned = new Set(changes.map(({ address }) => address))
  const known = new Set(
    exceptions.flatMap((each) =>
      isAccessException(each) || each.path !== undefined || each.untilMs <= nowMs ? [] : [each.address],
    ),
  )
  const rest = Object.entries(unmanaged).map(([kind, counted]) => {
    const { live, addresses, declared } = counted
    const others = addresses.filter((address) => !planned.has(address))
    const excepted = others.filter((address) => known.has(address))
    const all = live && live - (addresses.length - others.length)
    const own = {
      ...{ ...counted, live: all, addresses: others.filter((address) => !known.has(address)) },
      ...(all && { percent: Math.floor((100 * declared) / all) }),
      ...(excepted.length > 0 && { excepted }),
    }
    return [kind, own] as const
  })
  return Object.fromEntries(rest)
}

/** As a document holds it: the first of each kind. */
export function firstUnmanaged(unmanaged: Unmanaged): Unmanaged {
  const kinds = Object.entries(unmanaged).map(([kind, { addresses, excepted, ...each }]) => {
    const first = (list: readonly string[]) => list.slice(0, maxUnmanagedAddresses)
    return [kind, { ...each, addresses: first(addresses), ...(excepted && { excepted: first(excepted) }) }] as const
  })
  return Object.fromEntries(kinds)
}
