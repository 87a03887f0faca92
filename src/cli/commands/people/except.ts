// `svcsync accept --until`: writes exceptions, which accept drift for a time.

import { selectionOf } from '@svcsync/core/model/address.ts'
import { proposeExceptions } from '@svcsync/core/plan/exceptions-for.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { fingerprintsOf } from '@svcsync/core/plan/run-history.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { driftOf } from '@svcsync/render/changes/by-cause.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { disarmLines, neutraliseLines } from '@svcsync/render/text/neutralise.ts'
import { checkUntil } from '@svcsync/runs/access/choose-undeclared.ts'
import { keptAdministrators } from '@svcsync/runs/edit/accept-run.ts'
import { exceptionsEdit, writeExceptions } from '@svcsync/runs/edit/except-run.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'
import { sha256 } from '@svcsync/runs/open/sha256.ts'
import { type ConnectedPlan, planForCommand, readForCommand } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { allowed, contradiction, type SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import type { accept } from '../people.ts'
import { refuseAdministrators, stillDrifting } from './accept.ts'
import { planKnowingAccess } from './edit-for-command.ts'

export async function exceptCommand(options: Values<typeof accept>, console: Console) {
  const { until, reason } = options
  if (until === undefined || !reason?.trim())
    throw new OperatorError('SVC2283', '`accept` of an exception needs --until and --reason', {
      hint: 'Write both; without them, `accept` writes the differences into the manifests.',
    })
  if (options.pullRequest)
    throw contradiction('--pull-request', '--until', 'Remove one of them: exceptions are committed like any change.')
  const given: SharedOptions = { ...options, format: 'text' }
  const opened = readForCommand(given, false)
  checkUntil(until, opened)
  const { planned: before, shared } = await planKnowingAccess(opened, given, console)
  await before.client.close()
  const { target } = before
  const isWanted = selectionOf(options.only, kinds)
  const changes = driftOf(before.document).changes.filter(({ address }) => isWanted(address))
  const found = proposeExceptions(changes)
  const terms = { target: target.name, until, reason: reason.trim() }
  const wanted = found.flatMap(({ subject }): Parameters<typeof exceptionsEdit>[1][number][] =>
    subject === null ? [] : [{ ...subject, ...terms }],
  )
  const refused = found.flatMap(({ address, what, why }) =>
    why === undefined ? [] : [`Not excepted: ${address}  ${what}: ${why}.`],
  )
  const end = refused.length > 0 ? exitCodes.partial : exitCodes.done
  if (wanted.length === 0) {
    await console.result(shownLines(['There is nothing to except.', ...refused]))
    return end
  }
  const edit = exceptionsEdit(opened, wanted)
  await checkExceptions({ ...opened, exceptions: edit.read }, { before, changes }, options, shared, console)
  if (!options.dryRun) writeExceptions(opened, edit)
  const rows = found.filter(({ subject }) => subject !== null).map(({ address, what }) => `  ${address}  ${what}`)
  const count = formatCount(wanted.length, 'difference')
  const lead = options.dryRun
    ? `${edit.diff.trimEnd()}\n\nWould be left alone until ${until}: ${count}.`
    : `${count} left alone until ${until}, in ${edit.file}: commit it, so that others can review it.`
  await console.result(shownLines([lead, ...rows, ...refused]))
  return end
}

const shownLines = (lines: readonly string[]): string => disarmLines(neutraliseLines(lines.join('\n')))

/** The plan with the exceptions is the proof: it has none of them, and nobody stays Administrator unnamed. */
async function checkExceptions(
  opened: ReadProject,
  { before, changes }: { readonly before: ConnectedPlan; readonly changes: PlanDocument['changes'] },
  options: Values<typeof accept>,
  shared: SharedOptions,
  console: Console,
): Promise<void> {
  const after = await planForCommand(opened, shared, console)
  await after.client.close()
  const { svcIds } = opened.project.target
  const left = fingerprintsOf(driftOf(after.document).changes, svcIds, sha256)
  const isLeft = new Set(left.map(({ fingerprint }) => fingerprint))
  const named = proposeExceptions(changes)
  const still = fingerprintsOf(changes, svcIds, sha256).filter(
    ({ fingerprint, address }) =>
      isLeft.has(fingerprint) &&
      named.filter((each) => each.address === address).every(({ subject }) => subject !== null),
  )
  if (still.length > 0) throw stillDrifting(still.map(({ address, path = '' }) => ({ address, what: path })))
  refuseAdministrators(keptAdministrators(before, after, [], kinds), allowed(options, 'exception-administrator'))
}
