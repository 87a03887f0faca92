// The common part of commands that edit manifests: every target is opened, the result planned, and written or shown.
import { dirname } from 'node:path'
import { cwd } from 'node:process'
import { mentionedAccounts } from '@svcsync/core/assemble/mentioned-accounts.ts'
import { append } from '@svcsync/core/model/group-by.ts'
import { didYouMean, nearAccounts } from '@svcsync/core/model/near-misses.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { allFacts } from '@svcsync/editor/facts.ts'
import { inCode, OperatorError } from '@svcsync/errors/index.ts'
import type { FileText } from '@svcsync/files/write-together.ts'
import { formatTargets } from '@svcsync/render/problems/problem-sentences.ts'
import { disarmLines, neutraliseLines } from '@svcsync/render/text/neutralise.ts'
import type { EditedProject } from '@svcsync/runs/edit/edit-project.ts'
import { openForEdit, type ProjectForEdit, readEdited } from '@svcsync/runs/edit/open-for-edit.ts'
import { finishEdits, refuseUncommitted, writeEdits } from '@svcsync/runs/edit/write-edits.ts'
import { projectFile, type ReadProject } from '@svcsync/runs/open/open-project.ts'
import { type ConnectedPlan, openOptions, planForCommand } from '../../planning/open-for-command.ts'
import { planAs } from '../../planning/render-plan.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { SharedOptions } from '../../program/options.ts'
import { type Console, wrapNote } from '../../terminal/console.ts'
import type { editing } from '../people.ts'

/** Goes on with what a killed command has begun, and refuses a folder with uncommitted changes. */
type EditOptions = Omit<Values<typeof editing>, 'offline'> & Partial<Pick<Values<typeof editing>, 'offline'>>

/** True: a killed command had begun an edit. */
export function completeEdit(options: Pick<EditOptions, 'project'>, console: Console): boolean {
  const isCompleted = finishEdits(dirname(projectFile(options.project, cwd())), cwd())
  if (isCompleted) console.note('An edit that was broken off is completed: its files are in their places.')
  return isCompleted
}

export function openEdit(options: EditOptions, console: Console): ProjectForEdit {
  completeEdit(options, console)
  const project = openForEdit(openOptions(options))
  if (!options.force && !options.dryRun) refuseUncommitted(project)
  return project
}

interface FinishOptions {
  readonly lead?: string
  readonly notes?: readonly string[] | (() => readonly string[])
  readonly check?: (planned: ConnectedPlan, read: ReadProject) => void | Promise<void>
  readonly moreFiles?: () => readonly FileText[]
  readonly only?: readonly string[]
  /** The edit is nothing without its plan. */
  readonly needsPlan?: boolean
}

/** `check`: throws for a plan that is not to be; asked before anything is written. */
export async function finishEdit(
  edited: EditedProject,
  options: EditOptions,
  console: Console,
  { lead, notes: given = [], check, moreFiles, only = [], needsPlan = false }: FinishOptions = {},
) {
  const notesNow = () => (typeof given === 'function' ? given() : given)
  if (edited.files.length === 0) {
    await console.result(
      wrapNote(['The manifests say so already: there is nothing to edit.', ...notesNow()].join('\n')),
    )
    return exitCodes.done
  }
  const plan = options.offline ? undefined : await planOfEdit(edited, { ...options, only, needsPlan }, console, check)
  if (!options.dryRun) writeEdits(edited, moreFiles?.())
  const notes = notesNow()
  const parts = [
    ...(lead === undefined ? [] : [lead.trimEnd()]),
    options.dryRun ? edited.files.map(({ diff }) => diff.trimEnd()).join('\n') : editedText(edited),
    ...(notes.length === 0 ? [] : [wrapNote(notes.join('\n'))]),
  ]
  const own = disarmLines(neutraliseLines(parts.join('\n\n')))
  await console.result(plan === undefined ? own : `${own}\n\n${plan}`)
  return exitCodes.done
}

/** The plan of all, where a part does not tell whose access changes: nobody is to stay Administrator unnamed. */
export async function planKnowingAccess(read: ReadProject, shared: SharedOptions, console: Console) {
  const planned = await planForCommand(read, shared, console)
  const { unknown = [] } = planned.document.access ?? {}
  if (shared.only.length === 0 || unknown.length === 0) return { planned, shared }
  await planned.client.close()
  const whole = { ...shared, only: [] }
  return { planned: await planForCommand(read, whole, console), shared: whole }
}

/** The plan of an edit that is carried out elsewhere. `check`: as above. */
export async function planAfter(
  edited: EditedProject,
  options: EditOptions & { readonly only: readonly string[] },
  console: Console,
  check: NonNullable<FinishOptions['check']>,
): Promise<PlanDocument> {
  let document: PlanDocument | undefined
  await planOfEdit(edited, { ...options, needsPlan: true }, console, (planned, read) => {
    check(planned, read)
    document = planned.document
  })
  return document as PlanDocument
}

/** A user without access to the platform may leave the plan to the pull request. A refused plan has its own message. */
async function planOfEdit(
  edited: EditedProject,
  options: EditOptions & Required<Pick<FinishOptions, 'only' | 'needsPlan'>>,
  console: Console,
  check: FinishOptions['check'],
): Promise<string> {
  const shared: SharedOptions = { ...options, format: 'text' }
  let planned: ConnectedPlan | undefined
  try {
    const read = readEdited(edited.after, edited.texts)
    planned = await planForCommand(read, shared, console, { unmanaged: undefined, licences: true })
    await check?.(planned, read)
    return await planAs(planned.document, shared, console)
  } catch (error) {
    const hint = options.needsPlan ? '' : ' `--offline` edits without asking the platform.'
    if (planned === undefined) console.note(`No file was changed: the plan comes first.${hint}`)
    throw error
  } finally {
    await planned?.client.close()
  }
}

function editedText({ files }: EditedProject): string {
  const lines = files.map(({ file, diff }) => {
    const changed = diff.split('\n').slice(2)
    const count = (sign: string): number => changed.filter((line) => line.startsWith(sign)).length
    return `  ${file}  +${count('+')} -${count('-')}`
  })
  return ['Edited', ...lines].join('\n')
}

/** Arguments that cannot be edited so. */
export const editMisuse = (message: string, hint: string, findings: readonly string[] = []): OperatorError =>
  new OperatorError('SVC2305', message, { hint, findings })

export function unknownPerson({ targets }: ProjectForEdit, person: string, otherwise = ''): OperatorError {
  const [{ declarations, assembly }] = targets
  const known = mentionedAccounts(declarations, assembly.sets, assembly.normalise).keys()
  const near = didYouMean(nearAccounts(person, known), person)
  return new OperatorError('SVC2300', `No manifest names ${inCode(person)}`, {
    hint: `${near ?? 'Check the spelling: `svcsync access explain` shows what the platform has.'} ${otherwise}`.trim(),
  })
}

/** For entries that only some targets have, as those of a variable. Empty: all have it. */
export function whereOf(names: readonly string[], { targets }: ProjectForEdit): string {
  return names.length === targets.length ? '' : ` ${formatTargets(names)}`
}

export function refuseStillNamed({ after }: EditedProject, person: string): void {
  const left = new Map<string, string[]>()
  for (const target of after.targets) {
    const key = target.assembly.normalise(person)
    const lines = allFacts(target).flatMap(({ accounts, about, address, shown }) =>
      accounts.includes(key) && !about.includes(key) ? [`${address}: ${shown}`] : [],
    )
    for (const line of new Set(lines)) append(left, line, target.project.targetName)
  }
  if (left.size === 0) return
  throw new OperatorError('SVC2301', `${inCode(person)} would stay in lists: nothing is written`, {
    findings: [...left].map(([line, names]) => `${line}${whereOf(names, after)}`),
    hint: 'Edit these places by hand, and run the command again.',
  })
}
