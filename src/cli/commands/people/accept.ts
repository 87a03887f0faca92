// `svcsync accept`: what was changed by hand is kept, and the manifests say it.

import { shellOption } from '@svcsync/core/guards/shell-option.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Acceptance, AcceptResult } from '@svcsync/editor/accept-list.ts'
import { inCode, OperatorError, RefusedError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import {
  acceptable,
  editAccepted,
  findRemaining,
  keptAdministrators,
  withoutKept,
} from '@svcsync/runs/edit/accept-run.ts'
import type { EditedProject } from '@svcsync/runs/edit/edit-project.ts'
import { type ProjectForEdit, readEdited } from '@svcsync/runs/edit/open-for-edit.ts'
import type { PlanRun } from '@svcsync/runs/plan/plan-run.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { allowed, type SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import type { accept } from '../people.ts'
import { finishEdit, openEdit, planAfter, planKnowingAccess } from './edit-for-command.ts'

export async function acceptCommand(options: Values<typeof accept>, console: Console) {
  const project = openEdit(options, console)
  const given: SharedOptions = { ...options, format: 'text' }
  const { planned: before, shared } = await planKnowingAccess(readEdited(project), given, console)
  const { only: planOnly } = shared
  const close = () => before.client.close()
  const all = await acceptable(before, project, before.client, options.only).finally(close)
  const request = options.pullRequest ? await import('./accept-request.ts') : undefined
  const allowances = allowed(options, 'exception-administrator')
  const found = request?.withoutAdministrators(all, allowances) ?? all
  if (request !== undefined) {
    const { edited, after, ...own } = await editForRequest(
      project,
      found,
      before,
      { ...options, only: planOnly },
      console,
    )
    const accepted = { project, before: before.document, ...own, made: edited && after && { edited, after } }
    const { only, to = 'auto', dryRun = false } = options
    return request.openRequest(accepted, { only, to, dryRun }, console)
  }
  const { taken, refused, pending, edited } = editAccepted(project, found)
  const rest = [
    ...refused.map(({ address, what, why }) => `Not taken: ${address}  ${what}: ${why}.`),
    ...(pending === 0
      ? []
      : [`Left to the next apply: ${formatCount(pending, 'difference')} that the manifests brought about.`]),
  ]
  const end = refused.length > 0 ? exitCodes.partial : exitCodes.done
  if (edited === undefined) {
    await console.result(['There is nothing to accept.', ...rest].join('\n'))
    return end
  }
  const notes = [...taken.map(({ address, what }) => `  ${address}  ${what}`), ...othersNote(edited), ...rest]
  await finishEdit(edited, options, console, {
    only: selectionAfter(taken, planOnly),
    needsPlan: true,
    notes: [`Accepted: ${formatCount(taken.length, 'difference')}. The plan below has none of them.`, ...notes],
    check: (after) => checkAccepted(before, after, taken, allowances),
  })
  return end
}

/** After an object was deleted by hand, no manifest declares it, and nothing could be selected: all is planned. */
const selectionAfter = (taken: readonly Acceptance[], only: readonly string[]): readonly string[] =>
  taken.some(({ path }) => path === '') ? [] : only

function checkAccepted(
  before: PlanRun,
  after: PlanRun,
  taken: readonly Acceptance[],
  allowances: readonly string[],
): void {
  const left = findRemaining(after, taken)
  if (left.length > 0) throw stillDrifting(left)
  refuseAdministrators(keptAdministrators(before, after, taken, kinds), allowances)
}

/** An entry that would keep somebody Administrator is left out: it must block nobody else. */
async function editForRequest(
  project: ProjectForEdit,
  given: AcceptResult,
  before: PlanRun,
  options: Values<typeof accept>,
  console: Console,
): Promise<ReturnType<typeof editAccepted> & { readonly after?: PlanDocument }> {
  const allowances = allowed(options, 'exception-administrator')
  const { normalise } = project.targets[0].assembly
  for (let found = given; ; ) {
    const { edited, ...own } = editAccepted(project, found)
    if (edited === undefined) return own
    let rest = own as AcceptResult
    const only = selectionAfter(own.taken, options.only)
    const after = await planAfter(edited, { ...options, only }, console, (planned) => {
      rest = withoutKept(own, before, planned, { kinds, allowances, normalise })
      if (rest.taken.length === own.taken.length) checkAccepted(before, planned, own.taken, allowances)
    })
    if (rest.taken.length === own.taken.length) return { ...own, edited, after }
    found = rest
  }
}

export function stillDrifting(left: readonly Pick<Acceptance, 'address' | 'what'>[]): OperatorError {
  return new OperatorError('SVC2306', 'After the edit some differences would still be there: nothing is written', {
    findings: left.map(({ address, what }) => `${address}  ${what}`),
    hint: 'Leave them out with --only, and edit them by hand.',
  })
}

/** An Administrator whom nobody declared stays for good: by name alone. */
export function refuseAdministrators(kept: readonly string[], allowances: readonly string[]): void {
  const refused = kept.filter((svcId) => !allowances.includes(svcId))
  if (refused.length === 0) return
  throw new RefusedError('SVC2307', 'Somebody who was made Administrator by hand would stay one: nothing is written', {
    reasons: refused.map((svcId) => `${inCode(svcId)} is Administrator by a change made by hand`),
    hint: 'If that is right, allow it:',
    options: refused.map((svcId) => shellOption(`exception-administrator=${svcId}`)).join(' '),
  })
}

/** The edited files may be shared, so the edit concerns other targets, too. */
export function othersNote({ changes }: EditedProject): string[] {
  const [, ...others] = changes
  const moved = others.filter(([, { gone, added }]) => gone.length + added.length > 0).map(([target]) => target)
  return moved.length === 0
    ? []
    : [`The same files are of other targets, whose plans change as well: ${moved.join(', ')}.`]
}
