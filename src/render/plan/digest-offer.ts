// How to hold an apply to the plan that was reviewed.
import { shellOption, shellWord } from '../../core/guards/shell-option.ts'
import { shortDigest } from '../../core/plan/plan-digest.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import type { WaySettings } from '../changes/drift-words.ts'
import { isEmpty } from '../changes/plan-groups.ts'

interface DigestOffer {
  /** `0123456789abcdef`. */
  readonly digest: string
  /** What to run. */
  readonly command: string
  /** Guards refuse the plan as it is: what they name has to be added to the command. */
  readonly wantsAllowances: boolean
}

/** Undefined where there is nothing to apply, or where an apply would refuse whatever is allowed. */
export function digestOffer(plan: PlanDocument, { file, options = [] }: WaySettings): DigestOffer | undefined {
  const refused = plan.guards.filter(({ verdict }) => verdict === 'refused')
  if (isEmpty(plan) || plan.unreadable.length > 0 || refused.some(({ allow }) => allow === undefined)) return undefined
  const digest = shortDigest(plan.digest)
  // The selection is a part of the content: with another one the digest is another, too.
  const only = plan.only.map((glob) => `--only ${shellWord(glob)}`)
  const allowed = plan.guards.filter(({ verdict }) => verdict === 'allowed').flatMap(({ allow }) => allow ?? [])
  const allowances = [...new Set(allowed.map(shellOption))]
  const made = file === undefined ? [...options, ...only] : options
  const named = file === undefined ? [] : [shellWord(file)]
  const words = [...named, `--expect ${digest}`, ...made, ...allowances]
  return { digest, command: `svcsync apply ${words.join(' ')}`, wantsAllowances: refused.length > 0 }
}
