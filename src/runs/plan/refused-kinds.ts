import type { Kind } from '@svcsync/core/model/kind.ts'
import type { ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { AccessError } from '@svcsync/errors/index.ts'
import type { PlatformClient } from '@svcsync/platform/index.ts'

/** Where all together are refused, each by itself. `error`: by which all of them together were. */
export async function refusedKinds<Item = Kind>(
  client: Pick<PlatformClient, 'authorise'>,
  needed: ReadonlyMap<Item, readonly ScopeNeed[]>,
): Promise<{ readonly refused: ReadonlyMap<Item, string>; readonly error?: AccessError }> {
  const refused = new Map<Item, string>()
  try {
    await client.authorise([...needed.values()].flat())
    return { refused }
  } catch (error) {
    if (!isScopeRefusal(error)) throw error
    // One after the other: what is granted adds up.
    for (const [item, needs] of needed) {
      try {
        await client.authorise(needs)
      } catch (inner) {
        if (!isScopeRefusal(inner)) throw inner
        refused.set(item, inner.message)
      }
    }
    return { refused, error }
  }
}

function isScopeRefusal(error: unknown): error is AccessError {
  return error instanceof AccessError && error.type === 'InvalidScope'
}
