// Accounts that several parts of a run look for by themselves: each is asked for once.
import { objectAddress } from '@svcsync/core/model/address.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { readObject } from './read-object.ts'

/** Undefined: the platform has no such account of this kind. Rejects as `readObject` does. */
export type AccountReads = (port: PlatformPort, kind: Kind, svcId: string) => Promise<Live | undefined>

export function createAccountReads(): AccountReads {
  const begun = new Map<string, Promise<Live | undefined>>()
  return (port, kind, svcId) =>
    getOrInsert(begun, `${kind.name} ${port.normalise(svcId)}`, () => {
      const reading = readObject(port, kind, objectAddress(kind, svcId), { name: svcId, self: svcId })
      // Whoever waits for it hears of it; until then it must not end the process.
      reading.catch(() => undefined)
      return reading
    })
}
