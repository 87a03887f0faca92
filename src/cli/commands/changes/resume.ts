// `svcsync apply --resume`: resumes an interrupted apply with the same plan.
import { refuseByGuards } from '@svcsync/core/guards/judge-guards.ts'
import { isDigest } from '@svcsync/core/plan/plan-digest.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import type { JournalPlace } from '@svcsync/journal/journal.ts'
import { readJournal } from '@svcsync/journal/read-journal.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import { refuseUnreadable } from '@svcsync/runs/plan/apply-run.ts'
import { applyRest, type ResumedRun } from '@svcsync/runs/saved/resume-run.ts'
import { placeOfJournal } from '../../planning/journal-in-git.ts'
import { readForCommand } from '../../planning/open-for-command.ts'
import { runApply, withInterrupts } from '../../planning/run-apply.ts'
import { resumeForCommand } from '../../planning/saved-for-command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { keepHeapSmall } from '../../v8-settings.ts'
import { version } from '../../version.ts'
import { approvalsOf, refuseApproversAlone, refuseDigest } from './apply.ts'

/** `file`: of a saved plan, which has no place here. */
export async function resumeCommand(options: SharedOptions, console: Console, file: string | undefined, shown: string) {
  keepHeapSmall()
  refuseIdleOptions(file, options)
  refuseApproversAlone(options)
  const approvals = await approvalsOf(options)
  const place = await placeOfJournal(shown, () => readForCommand(options).project, console)
  try {
    return await resumeAt(place, approvals, options, console)
  } finally {
    place.discard()
  }
}

async function resumeAt(
  place: JournalPlace,
  approvals: Awaited<ReturnType<typeof approvalsOf>>,
  options: SharedOptions,
  console: Console,
) {
  const journal = await readJournal(place)
  if (options.expect !== undefined && !isDigest(journal.plan.digest, options.expect))
    refuseDigest(journal.plan, options.expect)
  return withInterrupts(
    console,
    (kill) => resumeForCommand(journal, options, console, kill),
    async ({ opened, planned, ledger }, { stop, kill }) => {
      const { client, document, plan } = planned
      refuseUnreadable(document, opened.project.settings)
      refuseByGuards(plan.guards)
      // The steps that are done were approved with the plan.
      const unapproved = approvals?.refusalOf(journal.plan, opened.project.target)
      if (unapproved !== undefined) throw unapproved
      console.note(describeResume(planned))
      if (stop.aborted) {
        console.note('Nothing more was changed.')
        return exitCodes.interrupted
      }
      return runApply(plan.steps.length, stop, options, console, (onEvent) =>
        applyRest(opened, client, planned, place, { version, stop, kill, onEvent, ledger }),
      )
    },
  )
}

function refuseIdleOptions(file: string | undefined, options: SharedOptions): void {
  const { only, rotate, journal, maxAge, confirm, since, due } = options
  const all = { only: only[0], rotate: rotate?.[0], journal, since, confirm, due: due || undefined, 'max-age': maxAge }
  const [option] = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`\`--${name}\``]))
  const idle = file === undefined ? option : 'A plan file'
  if (idle === undefined) return
  throw new OperatorError('SVC2127', `${idle} does not apply to \`--resume\`: the journal holds the plan`, {
    hint: 'Remove it: svcsync resumes the plan of the journal.',
  })
}

function describeResume({ journal, planned, rest, plan }: ResumedRun): string {
  const [total, left] = [planned.steps.length, plan.steps.length]
  const { foundDone, foundNotDone } = rest
  const unknown = foundDone.length + foundNotDone.length
  const readState =
    unknown === 0
      ? ''
      : ` ${unknown} ${byCount(unknown, 'was', 'were')} unknown: ${foundDone.length} turned out to be done.`
  const are = (count: number): string => byCount(count, 'is', 'are')
  const done = `${total - left} of ${formatCount(total, 'step')} ${are(total - left)} done`
  return `Resuming the apply of ${journal.begunAt}: ${done}, ${left} ${are(left)} left.${readState}`
}
