// Looks for accounts that are given something without being declared: a user or group on the platform, or nobody known.

import type { Change } from '../../core/compare/change.ts'
import { undeclaredAccounts } from '../../core/compare/unknown-accounts.ts'
import type { FoldSvcId } from '../../core/model/address.ts'
import type { Kind } from '../../core/model/kind.ts'
import type { PlatformPort } from '../../core/model/platform-port.ts'
import { PlatformError } from '../../errors/index.ts'
import { readList } from '../../live/read-list.ts'
import { isUnaskable, readObject } from '../../live/read-object.ts'

/** Up to this many, each is looked for by itself; above, the lists are fewer requests. */
const fewAccounts = 20

/**
 * Accounts that exist, folded: those that are known already, and those found now. Where the application may not look, it
 * goes without: the accounts then stay unknown, which is a warning and no more.
 */
export async function probeAccounts(
  port: PlatformPort,
  changes: readonly Change[],
  known: ReadonlySet<string>,
  kinds: readonly Kind[],
  settings: { readonly fold: FoldSvcId; readonly pageSize: number },
  isExternal: (svcId: string) => boolean,
): Promise<ReadonlySet<string>> {
  const { fold } = settings
  const wanted = undeclaredAccounts(changes, known, fold, isExternal).map(({ svcId }) => svcId)
  if (wanted.length === 0) return known
  const found = new Set(known)
  await Promise.all(
    kinds
      .filter(({ provides }) => provides !== undefined)
      .map(async (kind) => {
        try {
          await port.authorise(kind.scopes.read)
          const list = kind.requests.list?.({})
          if (list !== undefined && wanted.length > fewAccounts) {
            for (const svcId of (await readList(port, kind, {}, list, settings)).keys()) found.add(svcId)
            return
          }
          await Promise.all(
            wanted.map(async (svcId) => {
              if ((await readObject(port, kind, svcId, { self: svcId }, settings)) !== undefined) found.add(fold(svcId))
            }),
          )
        } catch (error) {
          // Nothing rests on this look: what is refused, fails or cannot be asked stays unknown.
          if (isUnaskable(error)) return
          if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error
        }
      }),
  )
  return found
}
