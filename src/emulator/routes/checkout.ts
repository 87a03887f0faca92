// A process that somebody has checked out refuses writes to its constants, until the checkout ends.
import { Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import type { Process } from '../state/metadata.ts'

/** Ends the checkout first, if its time or its number of refusals is up. */
export function refuseWhileCheckedOut({ state }: Call, process: Process): void {
  const { checkout } = process
  if (checkout === undefined) return
  const isOver = checkout.endsAt !== undefined && state.now() >= checkout.endsAt
  if (isOver || checkout.attemptsLeft === 0) {
    process.checkout = undefined
    return
  }
  if (checkout.attemptsLeft !== undefined) checkout.attemptsLeft--
  throw new Refusal(409, 'ResourceIsLocked', `"${checkout.by}" has the process "${process.name}" checked out.`)
}
