// How to hold an apply to the plan that was reviewed.
import { shellOption, shellWord } from '../../core/guards/shell-option.ts'
import { shortDigest } from '../../core/plan/plan-digest.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { isEmpty } from '../changes/plan-groups.ts'

/** What the command has to say besides the digest. */
export interface OfferSettings {
  /** The saved plan, as the person wrote it. It carries its target, its variables and its selection, and not what is allowed. */
  readonly file?: string | undefined
  /** Options with which the plan was made, and that it does not carry, quoted for a shell: another target would make another plan. */
  readonly options?: readonly string[]
}

interface DigestOffer {
  /** `0123456789abcdef`. */
  readonly digest: string
  /** What to run. */
  readonly command: string
  /** Guards refuse the plan as it is: what they name has to be added to the command. */
  readonly wantsAllowances: boolean
}

/** Undefined where there is nothing to apply, or where an apply would refuse whatever is allowed. */
export function digestOffer(plan: PlanDocument, { file, options = [] }: OfferSettings): DigestOffer | undefined {
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
