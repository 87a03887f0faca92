// How to hold an apply to the plan that was reviewed.
import { shortDigest } from '../core/plan-digest.ts'
import type { PlanDocument } from '../core/plan-document.ts'
import { isEmpty } from './plan-summary.ts'

export interface DigestOffer {
  /** `0123456789abcdef`. */
  readonly digest: string
  /** What to run. */
  readonly command: string
}

/** Undefined where there is nothing to apply, or where an apply would refuse for what could not be read. */
export function digestOffer(plan: PlanDocument): DigestOffer | undefined {
  if (isEmpty(plan) || plan.unreadable.length > 0) return undefined
  const digest = shortDigest(plan.digest)
  // The selection is a part of the content: with another one the digest is another, too.
  const only = plan.only.map((glob) => ` --only ${quoted(glob)}`).join('')
  return { digest, command: `svcsync apply --expect ${digest}${only}` }
}

function quoted(glob: string): string {
  return /^[\w@%+=:,./-]+$/.test(glob) ? glob : `'${glob.replaceAll("'", `'\\''`)}'`
}
