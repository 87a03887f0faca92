// Asks the platform as whom it takes the run. Source: reference, current user profile; any token may ask.
import type { ActingAccount } from '../core/guards/guard.ts'
import { isJsonObject } from '../core/json.ts'
import type { PlatformPort } from '../core/platform-port.ts'
import { PlatformError } from '../errors/index.ts'

/** Rejects only where the platform cannot be reached or refuses the token: all else is an answer that does not tell. */
export async function readActingAccount(port: PlatformPort): Promise<ActingAccount> {
  try {
    const answer = await port.send({ method: 'GET', path: '/me' })
    if (!isJsonObject(answer)) return { unreadable: 'GET /me answered something else' }
    const { svcId } = answer
    if (typeof svcId === 'string') return { svcId }
    // An application that is no account has nothing to lose.
    return svcId === null ? { svcId: '' } : { unreadable: 'GET /me answered without `svcId`' }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind === 'unreachable' || error.status === 401) throw error
    return { unreadable: error.message }
  }
}
