// `apply --approved`: reads the plans that reviewers approved, and says what a plan has that they have not.
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { checkApproved, platformChangedSince } from '@svcsync/core/saved/approvals.ts'
import { PlanRefusal } from '@svcsync/core/saved/plan-refusal.ts'
import { RefusedError, SvcsyncError } from '@svcsync/errors/index.ts'
import type { Target } from '@svcsync/project/project.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import { targetDifferences } from '@svcsync/runs/saved/check-saved-plan.ts'
import { parseApprovedPlan } from '@svcsync/runs/saved/plan-file.ts'
import type { Console } from '../terminal/console.ts'
import { readSavedPlan } from './plan-files.ts'

/** Throws a RefusedError that says of each file that is of no use what is wrong with it. */
export function readApprovals(files: readonly string[]) {
  const unusable: string[] = []
  const approved = files.flatMap((file) => {
    try {
      return [{ file, plan: readSavedPlan(file, parseApprovedPlan) }]
    } catch (error) {
      if (!(error instanceof SvcsyncError)) throw error
      unusable.push(`${error.message} (${error.code}).`)
      return []
    }
  })
  refuseUnusable(unusable)
  const plans = approved.map(({ plan }) => plan)
  let notNeeded = 0
  return {
    /** Undefined: all of it was approved. Throws a RefusedError for an approved plan of another target. */
    refusalOf(plan: PlanDocument, target: Target): PlanRefusal | undefined {
      refuseUnusable(
        approved.flatMap(({ file, plan: each }) => {
          const found = targetDifferences(each, target, target)
          const [first] = found
          if (first === undefined) return []
          return [
            `\`${file}\` was made for another target than \`${target.name}\`: ` +
              `${first.path} ${String(first.planned)}, and here ${String(first.found)} (SVC2106).`,
          ]
        }),
      )
      const { unseen, notNeeded: idle } = checkApproved(plan, plans, target.svcIds)
      notNeeded = idle
      if (unseen.length === 0) return undefined
      const count = new Set(unseen.map(({ subject, under }) => `${under} ${subject}`)).size
      const moved = unseen.some(({ under }) => under === platformChangedSince)
      const message =
        `${formatCount(count, 'part')} of this plan ${byCount(count, 'was', 'were')} ` +
        `not approved (${formatCount(files.length, 'plan')})`
      const again = moved
        ? 'Look at what changed on the platform, plan again, and have that plan approved.'
        : 'Have this plan approved as well: `svcsync plan --out`.'
      return new PlanRefusal('SVC2197', message, unseen, { hint: `Nothing was written. ${again}${idleText(idle)}` })
    },
    note(plan: PlanDocument, console: Console): void {
      const all = formatCount(plan.changes.length, 'change')
      console.note(`Approved: ${all}, by ${formatCount(files.length, 'plan')}.${idleText(notNeeded)}`)
    },
  }
}

function idleText(count: number): string {
  if (count === 0) return ''
  return ` ${formatCount(count, 'approved object')} no longer ${byCount(count, 'needs', 'need')} it.`
}

function refuseUnusable(reasons: readonly string[]): void {
  if (reasons.length === 0) return
  const message = `${formatCount(reasons.length, 'approved plan')} cannot be believed`
  throw new RefusedError('SVC2198', message, {
    reasons,
    hint:
      `Nothing was written. Leave ${byCount(reasons.length, 'that file', 'those files')} out: ` +
      'changes approved only there are then listed as not approved. ' +
      'Or name a file of `svcsync plan --out`, or `plan --format json`, for this target.',
  })
}
