// The reads that a run's readers share: each list, and each single account, is read once.

import { objectAddress } from '@svcsync/core/model/address.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Kind, ListRequest } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { type ListedParts, readList } from './read-list.ts'
import { readObject } from './read-object.ts'

export class ObjectLists {
  readonly #begun = new Map<string, Promise<ListedParts>>()

  /** The first reader triggers the read, with its settings; each waits for it, and gets its error. */
  read(...asked: Parameters<typeof readList>): Promise<ListedParts> {
    const [, , , { path }] = asked
    return getOrInsert(this.#begun, path, () => readList(...asked))
  }

  isBegun({ path }: ListRequest): boolean {
    return this.#begun.has(path)
  }
}

/** Undefined: the platform has no such account of this kind. Rejects as `readObject` does. */
type AccountReads = (port: PlatformPort, kind: Kind, svcId: string) => Promise<Live | undefined>

export function createAccountReads(): AccountReads {
  const begun = new Map<string, Promise<Live | undefined>>()
  return (port, kind, svcId) =>
    getOrInsert(begun, `${kind.name} ${port.normalise(svcId)}`, () =>
      readObject(port, kind, objectAddress(kind, svcId), { name: svcId, self: svcId }),
    )
}
