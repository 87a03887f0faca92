// Why a review of access cannot be finished: nothing is written then.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { firstFew } from '@svcsync/core/model/near-misses.ts'
import type { decide, Evidence, Review, ReviewEntry } from '@svcsync/core/plan/access-review.ts'
import type { Refused } from '@svcsync/editor/accepted.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { entrySaid } from '@svcsync/render/report/access-review.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { type OpenedReview, readEvidence } from '@svcsync/runs/access/review-folder.ts'
import type { revocation } from '@svcsync/runs/access/review-run.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'

const mostNamed = 10

export function firstNamed(lines: readonly string[]): string[] {
  const rest = lines.length - mostNamed
  return rest > 0 ? [...lines.slice(0, mostNamed), `and ${rest} more`] : [...lines]
}

export function refuseOtherReview(own: OpenedReview, { project }: ReadProject): void {
  const { review, shown } = own
  if (readEvidence(own) !== undefined) {
    throw new OperatorError('SVC2310', `The review \`${shown}\` is finished`, {
      hint: 'Look at it: `svcsync access review verify`. Begin another one: `svcsync access review start`.',
    })
  }
  if (review.target === project.targetName) return
  throw new OperatorError('SVC2310', `The review \`${shown}\` is of another target: \`${review.target}\``, {
    hint: `Add \`-t ${review.target}\`.`,
  })
}

/** The commits tell who decided. */
export function refuseUncommitted(files: Evidence['files'], { folder, shown }: OpenedReview): void {
  const own = files.filter(({ committed }) => committed === null)
  if (own.length === 0 || repositoryOf(folder) === undefined) return
  const names = own.map(({ file }) => `${shown}/${file}`)
  throw new OperatorError('SVC2302', `There are uncommitted decisions: ${firstFew(names, 5)}`, {
    hint: 'Commit them first: the evidence names who committed each decision. Or finish all the same with --force.',
  })
}

export function refuseUndecided(
  { entries, parts }: Review,
  { contrary, open }: Pick<ReturnType<typeof decide>, 'contrary' | 'open'>,
  shown: string,
): void {
  if (contrary.length + open.length === 0) return
  const isOpen = new Set(open)
  const late = parts.flatMap(({ reviewer, file, entries: own }) => {
    const left = own.filter((at) => isOpen.has(at)).length
    return left === 0
      ? []
      : [`${shown}/${file}  ${formatCount(left, 'entry', 'entries')} open: ${reviewer ?? 'unassigned'}`]
  })
  const contraries = contrary.map(([first, ...others]) => {
    const said = [first, ...others].map((answer) => `${answer?.place} says ${answer?.decision}`)
    return `${entrySaid(entries[first?.entry ?? 0] as ReviewEntry)}: ${said.join(', ')}`
  })
  throw new OperatorError('SVC2311', 'The review cannot be finished: nothing is written', {
    findings: [...firstNamed(contraries), ...firstNamed(late)],
    hint:
      contrary.length > 0
        ? 'The reviewers must agree on one decision. `svcsync access review status` counts the open entries.'
        : 'Write `keep` or `revoke` behind each `decision:`. `svcsync access review status` counts the open entries.',
  })
}

export function endsKept(
  conflicts: readonly { readonly revoked: ReviewEntry | undefined; readonly kept: ReviewEntry }[],
): OperatorError {
  const lines = [...groupBy(conflicts, ({ revoked }) => revoked)].flatMap(([revoked, own]) => [
    ...(revoked === undefined ? [] : [`revoke  ${entrySaid(revoked)}`]),
    ...own.map(({ kept }) => `keep    ${entrySaid(kept)}`),
  ])
  return new OperatorError('SVC2312', 'A revoked entry would end a kept one: nothing is written', {
    findings: firstNamed(lines),
    hint: 'Revoke both, keep both, or first grant the kept entry by another way.',
  })
}

export function refuseUnedited(left: ReturnType<typeof revocation>['left'], refused: readonly Refused[]): void {
  const lines = [
    ...left.map(({ entry, why }) => `${entrySaid(entry)}: ${why}`),
    ...refused.map(({ address, what, why }) => `${address}  ${what}: ${why}`),
  ]
  if (lines.length === 0) return
  throw new OperatorError('SVC2301', 'The manifests cannot be edited so: nothing is written', {
    findings: firstNamed(lines),
    hint: 'Edit these places by hand, and run the command again.',
  })
}
