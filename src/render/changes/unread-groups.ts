// Words the reasons for unreadable objects: objects with one cause together.
import type { Unreadable } from '@svcsync/core/model/live.ts'

interface UnreadGroup extends Omit<Unreadable, 'address'> {
  readonly addresses: readonly string[]
}

/** In the order of the first of each: a list that could not be read is one cause, however many are looked for in it. */
export function groupUnread(unreadable: readonly Unreadable[]): readonly UnreadGroup[] {
  const groups = new Map<string, UnreadGroup & { addresses: string[] }>()
  for (const { address, account: _, ...cause } of unreadable) {
    const key = JSON.stringify([cause.code, cause.reason, cause.hint, cause.isNew])
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { ...cause, addresses: [address] })
    else known.addresses.push(address)
  }
  return [...groups.values()]
}
