// As which application, and as which account, the run signs in. Any token may ask.
import type { Facts } from '@svcsync/core/guards/guard.ts'
import { keyedElement } from '@svcsync/core/model/elements.ts'
import { isJsonObject } from '@svcsync/core/model/json.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { ActingApplication } from '@svcsync/core/plan/plan-document.ts'
import { AccessError, OperatorError, PlatformError } from '@svcsync/errors/index.ts'

/** Rejects where the platform does not say it: a plan that anybody could have made cannot be held to. */
export async function readActingApplication(port: PlatformPort): Promise<ActingApplication> {
  const answer = await port.send({ method: 'GET', path: '/me' }).catch((error: unknown) => {
    const isAnswer = error instanceof PlatformError && error.kind === 'status' && error.status !== 401
    if (isAnswer || (error instanceof PlatformError && !(error instanceof AccessError) && error.kind === 'unreadable'))
      throw unknown(error)
    throw error
  })
  const { svcId, name, impersonatingApplication } = isJsonObject(answer) ? answer : {}
  const told = (value: unknown): string => (typeof value === 'string' ? value : '')
  if (told(svcId) === '' && told(name) === '') throw unknown()
  return {
    svcId: told(svcId),
    name: told(name),
    ...(told(impersonatingApplication) !== '' && { impersonatedBy: told(impersonatingApplication) }),
  }
}

function unknown(cause?: PlatformError): OperatorError {
  const detail = cause === undefined ? 'its answer names nobody' : cause.message
  return new OperatorError('SVC2110', `The platform does not tell which account svcsync signs in as: ${detail}`, {
    cause,
    hint: 'Only the application that made a saved plan can apply it. Use `apply --expect DIGEST` without a file.',
  })
}

export function describeApplication({ svcId, name, impersonatedBy }: ActingApplication): string {
  const own = name === '' ? svcId : svcId === '' || svcId === name ? name : `${name} (${svcId})`
  return impersonatedBy === undefined ? own : `${impersonatedBy} in the name of ${own}`
}

/** A refusal is an answer. Rejects where the platform cannot be reached or fails: no guard is let pass for that. */
export async function readActingAccount(port: PlatformPort): Promise<Facts['acting']> {
  try {
    const answer = await port.send({ method: 'GET', path: '/me' })
    if (!isJsonObject(answer)) return { notTold: 'GET /me answered something else' }
    const { svcId } = answer
    // An application that is no account has nothing to lose.
    if (typeof svcId === 'string' || svcId === null) return keyedElement({ svcId: svcId ?? '' }, port.normalise)
    return { notTold: 'GET /me answered without `svcId`' }
  } catch (error) {
    if (!(error instanceof PlatformError) || !isAnswer(error)) throw error
    return { notTold: error.message }
  }
}

function isAnswer({ kind, status = 0 }: PlatformError): boolean {
  return kind === 'unreadable' || (kind === 'status' && status < 500 && status !== 401 && status !== 429)
}
