// The forms of an answer about access: one text, or rows written as they are made, since there may be a million.
import { cwd } from 'node:process'
import type { AccessReport, AccessRow } from '@svcsync/core/plan/access-report.ts'
import { refuseOverfull } from '@svcsync/platform/memory-budget.ts'
import { reviewsFolder } from '@svcsync/project/find-project.ts'
import type { Block } from '@svcsync/render/blocks/block.ts'
import { printTextParts } from '@svcsync/render/printers/text.ts'
import { accessAnswerBlocks } from '@svcsync/render/report/access-answer.ts'
import { accessListBlocks, describeMoment, notesOf } from '@svcsync/render/report/access-list.ts'
import { safeJsonLines, safeJsonParts } from '@svcsync/render/text/neutralise.ts'
import { type answerAccess, wholeAnswer } from '@svcsync/runs/access/access-run.ts'
import { lastReview } from '@svcsync/runs/access/review-folder.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'
import type { Console } from '../../terminal/console.ts'
import type { AccessOptions } from '../review.ts'

export { renderAccessCsv as accessCsv } from '@svcsync/render/report/access-list.ts'

type AccessAnswer = AccessReport<Iterable<AccessRow>>
type AccessOutput = {
  readonly console: Console
  readonly options: AccessOptions
  readonly question: Parameters<typeof answerAccess>[3]
  readonly isAnswer: boolean
  readonly opened: ReadProject
}

/** A text takes more than the rows that it is made of. */
const shareForText = 0.4

function allOf(answer: AccessAnswer): AccessReport {
  const whole = wholeAnswer(answer)
  refuseOverfull('The list of access as one text', 'Take `--format csv`, `json` or `jsonl`', shareForText)
  return whole
}

function blocksOf(answer: AccessAnswer, form: AccessOutput, rowsAtOnce?: number): Iterable<Block> {
  const { at } = form.options
  const { person, level } = form.question
  if (form.isAnswer && level !== undefined) {
    const whole = allOf(answer)
    const remarks = { notes: notesOf(whole, at !== undefined), asOf: describeMoment(whole, at) }
    return accessAnswerBlocks(whole, level, remarks)
  }
  const nobody = describeNobody(form.question, at !== undefined)
  return accessListBlocks(rowsAtOnce === undefined ? allOf(answer) : answer, { nobody, person, at }, rowsAtOnce)
}

function describeNobody({ person, address, level }: AccessOutput['question'], isPast: boolean): string {
  const on = address === undefined ? '' : ` on \`${address}\``
  const end = isPast ? `${on}, as far as was declared then.` : `${on} now, as far as svcsync could read.`
  const [can, has, does] = isPast ? ['could', 'had', 'did'] : ['can', 'has', 'does']
  // Whoever lacks one level may have another one.
  const what = level === undefined ? undefined : `the level \`${level}\``
  if (person === undefined) return `Nobody ${what === undefined ? `${can} do anything` : `${has} ${what}`}${end}`
  return `\`${person}\` ${what === undefined ? `${can} do nothing` : `${does} not have ${what}`}${end}`
}

/** Columns and headings are those of so many rows: more than a person reads. */
const rowsOfText = 2000

export const accessText = (answer: AccessAnswer, form: AccessOutput): Iterable<string> =>
  printTextParts(blocksOf(answer, form, rowsOfText), { ...form.console, verbose: true })

export async function accessMarkdown(answer: AccessAnswer, form: AccessOutput): Promise<string> {
  const { printMarkdown } = await import('@svcsync/render/printers/markdown.ts')
  return printMarkdown([...blocksOf(answer, form)], { whole: true })
}

export async function accessHtml(answer: AccessAnswer, { options, opened }: AccessOutput): Promise<string> {
  const { accessPage } = await import('../../planning/as-page.ts')
  const { project, assembly } = opened
  const last = lastReview(reviewsFolder(project), project.targetName, cwd())
  const only = (['person', 'object', 'level'] as const).flatMap((key) =>
    options[key] === undefined ? [] : [`--${key} ${options[key]}`],
  )
  return accessPage(allOf(answer), last, { normalise: assembly.normalise, only })
}

export function accessJson({ rows, licencesOf, licencesUnread, ...others }: AccessAnswer): Iterable<string> {
  const subjects = new Set<string>()
  return safeJsonParts({ formatVersion: '1.0' }, ['rows', collectSubjects(rows, subjects)], () => {
    const held = Array.from(subjects, (svcId) => [svcId, licencesOf(svcId)] as const)
    const licences = Object.fromEntries(held.filter(([, types]) => types.length > 0))
    return { ...others, licences, licencesUnread }
  })
}

/** The last line says what no row does. */
export function* accessJsonLines(answer: AccessAnswer): Iterable<string> {
  const { rows, above, outside, perhapsGroups, unread, unlooked } = answer
  yield* safeJsonLines(rows)
  yield* safeJsonLines([{ above, outside, perhapsGroups, unread, ...(unlooked && { unlooked }) }])
}

function* collectSubjects(rows: AccessAnswer['rows'], subjects: Set<string>): Generator<AccessRow> {
  for (const row of rows) {
    subjects.add(row.subject ?? '')
    yield row
  }
}
