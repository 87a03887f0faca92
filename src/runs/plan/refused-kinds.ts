// Which kinds an application may not read.
import type { Kind } from '../../core/model/kind.ts'
import { AccessError } from '../../errors/index.ts'
import type { PlatformClient } from '../../platform/index.ts'

interface RefusedKinds {
  /** With the reason. */
  readonly refused: ReadonlyMap<Kind, string>
  /** By which all of them together were refused. */
  readonly error?: AccessError
}

/** Asks for access to all, and where that is refused to each by itself. Rejects with what is no refusal. */
export async function refusedKinds(
  client: PlatformClient,
  needed: ReadonlyMap<Kind, Kind['scopes']['read']>,
): Promise<RefusedKinds> {
  const refused = new Map<Kind, string>()
  try {
    await client.authorise([...needed.values()].flat())
    return { refused }
  } catch (error) {
    if (!isScopeRefusal(error)) throw error
    // One after the other: what is granted adds up.
    for (const [kind, needs] of needed) {
      try {
        await client.authorise(needs)
      } catch (inner) {
        if (!isScopeRefusal(inner)) throw inner
        refused.set(kind, inner.message)
      }
    }
    return { refused, error }
  }
}

function isScopeRefusal(error: unknown): error is AccessError {
  return error instanceof AccessError && error.type === 'InvalidScope'
}
