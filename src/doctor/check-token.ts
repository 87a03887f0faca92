// What the answers to the requests for tokens showed: that there is one, how long it lives, and what time it is there.
import type { Check } from '../core/plan/doctor-report.ts'
import { check, notChecked } from './make-check.ts'

export interface TokenSeen {
  readonly scopes: readonly string[]
  readonly lifetimeMs: number | undefined
  readonly aheadMs: number | undefined
}

/** Up to this, clocks are as alike as they need be: entries with bounds in time and saved plans count in minutes. */
const toleratedMs = 60_000
/** A token that lives shorter is renewed every few requests. */
const shortMs = 120_000

export function checkToken({ lifetimeMs }: TokenSeen): Check {
  if (lifetimeMs === undefined) {
    return check(
      'token',
      'ok',
      'A token was given; its answer has no usable `expires_in`, so it is renewed when it is refused.',
    )
  }
  const life = `${Math.round(lifetimeMs / 1000)} s`
  if (lifetimeMs >= shortMs) return check('token', 'ok', `A token was given, for ${life}.`)
  return check('token', 'warning', `Tokens live for ${life} only: runs spend much of their time on new ones.`, {
    todo: 'Ask those who run the platform for a longer life of tokens.',
  })
}

export function checkClock({ aheadMs }: TokenSeen): Check {
  if (aheadMs === undefined) return notChecked('clock', 'The platform does not say what time it is there.')
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (Math.abs(aheadMs) <= toleratedMs) return check('clock', 'ok', 'The clocks here and there agree to a minute.')
  return check(
    'clock',
    'warning',
    `The clock here is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} the platform's.`,
    {
      todo: 'Set the clock of this machine: entries with `from` and `until`, and the age of saved plans, go by it.',
    },
  )
}
