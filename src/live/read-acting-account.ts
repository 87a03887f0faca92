// Asks the platform as whom it takes the run. Source: reference, current user profile; any token may ask.
import type { ActingAccount } from '../core/guards/guard.ts'
import { isJsonObject } from '../core/model/json.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'
import { PlatformError } from '../errors/index.ts'

/**
 * What does not tell is an answer: an object without the account, or a refusal. Rejects where the platform cannot be
 * reached, refuses the token, or fails: a guard is not let pass for that, whatever is allowed.
 */
export async function readActingAccount(port: PlatformPort): Promise<ActingAccount> {
  try {
    const answer = await port.send({ method: 'GET', path: '/me' })
    if (!isJsonObject(answer)) return { unreadable: 'GET /me answered something else' }
    const { svcId } = answer
    if (typeof svcId === 'string') return { svcId }
    // An application that is no account has nothing to lose.
    return svcId === null ? { svcId: '' } : { unreadable: 'GET /me answered without `svcId`' }
  } catch (error) {
    if (!(error instanceof PlatformError) || !isAnswer(error)) throw error
    return { unreadable: error.message }
  }
}

function isAnswer({ kind, status = 0 }: PlatformError): boolean {
  return kind === 'unreadable' || (kind === 'status' && status < 500 && status !== 401 && status !== 429)
}
