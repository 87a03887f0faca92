// `svcsync access`: who can do what, live and as declared, through groups in groups.
import { relative } from 'node:path'
import { cwd } from 'node:process'
import { documentAccessDrift } from '../../../core/access/access-drift.ts'
import { countAccess } from '../../../core/access/describe-access.ts'
import type { AccessReport } from '../../../core/plan/access-report.ts'
import { OperatorError } from '../../../errors/index.ts'
import { lineHistory } from '../../../git/line-history.ts'
import { kinds } from '../../../kinds/index.ts'
import type { AccessBaseline } from '../../../project/access-baseline.ts'
import type { ShownPlan } from '../../../render/changes/by-cause.ts'
import { standInsSaid } from '../../../render/plan/access-drift.ts'
import {
  acceptedText,
  renderAccessCsv,
  renderAccessMarkdown,
  renderAccessText,
} from '../../../render/report/access-list.ts'
import { safeJson } from '../../../render/text/neutralise.ts'
import { type AccessQuestion, accessRun } from '../../../runs/access/access-run.ts'
import { driftAccessRun } from '../../../runs/access/drift-access-run.ts'
import type { ReadProject } from '../../../runs/open/open-project.ts'
import { withBaseline } from '../../../runs/open/with-baseline.ts'
import { type Planned, planForCommand, readForCommand, reading } from '../../planning/open-for-command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { type Console, openConsole } from '../../terminal/console.ts'
import { unlessInterrupted } from '../../terminal/interrupts.ts'
import type { AccessOptions, AccessQuestionName as What } from '../review.ts'

export async function accessCommand(
  what: What,
  first: string | undefined,
  second: string | undefined,
  options: AccessOptions,
) {
  if (what === 'accept') return acceptCommand(first, options)
  return unlessInterrupted(answerQuestion(what, first, second, options))
}

async function answerQuestion(
  what: Exclude<What, 'accept'>,
  first: string | undefined,
  second: string | undefined,
  options: AccessOptions,
) {
  const question = questionOf(what, first, second)
  const alone = [...wanted, 'until', 'reason'].filter((key) => options[key as keyof AccessOptions] !== undefined)
  if (alone.length > 0) throw misasked(what, `\`--${alone[0]}\` is for \`access accept\`.`)
  const console = openConsole(options)
  // A review is about what is so, and what manifests say today.
  const ledger = what === 'explain' && options.ledger !== false
  const shared = { ...options, only: [], allow: [], ledger, format: 'text' as const }
  const { opened, baseline } = withBaseline(readForCommand(shared, console.errorForm, false), kinds)
  const planned = await planForCommand(opened, shared, console)
  try {
    const answer = await reading(opened.project.target, opened.sources, console, (onProgress) =>
      accessRun(opened, planned.client, planned, question, {
        ...{ kinds, onProgress, exceptions: baseline.exceptions },
        historyOf: what === 'list' ? lineHistory : undefined,
      }),
    )
    if (what === 'list') refuseGaps(answer)
    const { person, address } = question
    const on = address === undefined ? '' : ` on \`${address}\``
    const who = person === undefined ? 'Nobody' : `\`${person}\``
    const nobody = `${who} can do ${person === undefined ? 'anything' : 'nothing'}${on} now, as far as was read.`
    const rendered = {
      csv: renderAccessCsv,
      json: () => safeJson({ formatVersion: '1.0', ...answer }),
      markdown: renderAccessMarkdown,
      text: () => renderAccessText(answer, { ...console, nobody }),
    }
    await console.result(rendered[options.format](answer))
    // A table has no room for it.
    const note = options.format === 'csv' ? standInsSaid(answer.looked) : ''
    if (note !== '') console.note(note)
    return answer.unread.length > 0 ? exitCodes.error : exitCodes.done
  } finally {
    await planned.client.close()
  }
}

const wanted = ['person', 'level', 'object', 'company', 'all'] as const

/** What `drift --access` shows becomes an exception, which ends. */
async function acceptCommand(first: string | undefined, options: AccessOptions) {
  const { until, reason, person, level, object, company, format } = options
  if (first !== undefined) throw misasked('accept', 'Who is meant says --person, and on what --object.')
  if (wanted.every((key) => options[key] === undefined)) {
    throw misasked('accept', 'Say what is accepted: --person, --level, --object, or --all.')
  }
  if (until === undefined || !reason?.trim()) throw misasked('accept', 'Every exception has an end and a reason.')
  if (format === 'csv' || format === 'markdown') throw misasked('accept', 'Its result is text or JSON.')
  const { checkUntil, chooseUndeclared, acceptAccess } = await import('../../../runs/access/accept-run.ts')
  const console = openConsole(options)
  const shared = { ...options, only: [], allow: [], format: 'text' as const }
  const { opened, baseline } = withBaseline(readForCommand(shared, console.errorForm, false), kinds)
  checkUntil(until, opened)
  const planned = await planForCommand(opened, shared, console)
  try {
    const acceptance = { person, level, object, company, until, reason: reason.trim() }
    const found = await findAccess(opened, planned, baseline, console)
    const chosen = chooseUndeclared(found, acceptance, { normalise: planned.client.normalise, kinds })
    const file = relative(cwd(), acceptAccess(opened, chosen, acceptance, kinds))
    await console.result(
      format === 'json'
        ? safeJson({ formatVersion: '1.0', file, until, accepted: chosen })
        : acceptedText(chosen, file, until, console),
    )
    return exitCodes.done
  } finally {
    await planned.client.close()
  }
}

function misasked(what: What, hint: string): OperatorError {
  return new OperatorError('SVC2283', `\`access ${what}\` was not asked as it wants to be`, {
    hint: `${hint === '' ? '' : `${hint} `}Write \`svcsync access ${forms[what]}\`. A name with blanks stands in quotes.`,
  })
}

const forms: Readonly<Record<What, string>> = {
  explain: 'explain PERSON [ADDRESS]',
  of: 'of ADDRESS',
  list: 'list',
  accept: 'accept --person SVCID --until DATE --reason TEXT',
}

function questionOf(what: What, first: string | undefined, second: string | undefined): AccessQuestion {
  if (what === 'explain' && first !== undefined) return { person: first, address: second }
  if (what === 'of' && first !== undefined && second === undefined) return { address: first }
  if (what === 'list' && first === undefined) return {}
  throw misasked(what, '')
}

const named = 10

/** A review that is not whole is none. */
function refuseGaps({ unread }: AccessReport): void {
  if (unread.length === 0) return
  const shown = unread.slice(0, named).map(({ address, reason }) => `\`${address}\` (${reason})`)
  const rest = unread.length - shown.length
  throw new OperatorError('SVC2282', 'The list would not be whole: not everything could be read', {
    hint: `Not read: ${shown.join('; ')}${rest > 0 ? `, and ${rest} more` : ''}. A whole list reads all users and groups, and every list of levels: the reason stands behind each. \`svcsync access of\` and \`access explain\` tell what was read.`,
  })
}

/** Problems of the baseline are shown with their frames. */
function findAccess(opened: ReadProject, planned: Planned, baseline: AccessBaseline, console: Console) {
  return reading(opened.project.target, opened.sources, console, (onProgress) =>
    driftAccessRun(opened, planned.client, planned, baseline, kinds, onProgress),
  )
}

/** The drift, with what people can do in the place of what the plan alone knows of that. */
export async function addAccess(
  drift: ShownPlan,
  opened: ReadProject,
  planned: Planned,
  baseline: AccessBaseline,
  console: Console,
): Promise<ShownPlan> {
  const found = await findAccess(opened, planned, baseline, console)
  const { access, accessDrift } = documentAccessDrift(found)
  const counts = { ...drift.counts, gained: countAccess(access, 'gained'), lost: countAccess(access, 'lost') }
  return { ...drift, access, accessDrift, counts }
}
