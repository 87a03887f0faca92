// The end of an apply as a comment or a summary of a job.
import type { ChangeDocument, DifferenceDocument } from '../../core/plan/plan-document.ts'
import type { ApplyReport, Meanwhile, StepReport, Unequal } from '../../core/plan/report.ts'
import { formatPlace } from '../../errors/index.ts'
import { newAmong } from '../changes/difference-rows.ts'
import { diffBlockLines } from '../changes/markdown-changes.ts'
import { listElements, unreadItems, withCode } from '../plan/markdown-sections.ts'
import { commentLength } from '../plan/render-plan-markdown.ts'
import { describeTarget, nameTarget } from '../plan/target.ts'
import { notLookedAt } from '../plan/unmanaged.ts'
import { withCommands } from '../text/as-called.ts'
import { formatCount, formatDuration, formatNumber } from '../text/counts.ts'
import { code, commentMarker, cutList, fence, joinBlocks, prose, shortenMarkdown } from '../text/markdown.ts'
import {
  countDone,
  countEndings,
  describeStep,
  endingsShown,
  endingTitles,
  groupTrouble,
  inOrder,
  judge,
  sayBecause,
  sayLedger,
  sayMore,
} from './report-groups.ts'

/** Entries of each list, and lines of each difference. */
interface Stage {
  readonly groups: number
  readonly steps: number
  readonly objects: number
  readonly lines: number
}

const stages: readonly Stage[] = [
  { groups: 200, steps: 20, objects: 200, lines: 100 },
  { groups: 50, steps: 10, objects: 50, lines: 20 },
  { groups: 10, steps: 5, objects: 20, lines: 0 },
  { groups: 0, steps: 0, objects: 0, lines: 0 },
]

const inOutput = ', in the output of the command'

/** `maxLength`: in UTF-16 code units. */
export function renderReportMarkdown(
  report: ApplyReport,
  { maxLength = commentLength }: { readonly maxLength?: number | undefined } = {},
): string {
  const groups = groupTrouble(report)
  return shortenMarkdown(stages, (stage) => reportMarkdown(report, groups, stage), maxLength)
}

function reportMarkdown(report: ApplyReport, groups: ReturnType<typeof groupTrouble>, stage: Stage): string {
  const { target, verified } = report
  const { kind, sentence } = judge(report)
  const mark = kind === 'declared' ? '✅' : '⚠️'
  const note = kind === 'declared' && !report.undoes && !report.due ? ` ${notLookedAt}` : ''
  const footer = [...describeTarget({ ...target, baseUrl: '' }), formatDuration(report.elapsedMs)].join(' · ')
  const blocks: readonly (readonly string[])[] = [
    [commentMarker('apply', target.name)],
    [`### ${mark} svcsync apply to ${nameTarget(target)}`],
    [`**${prose(sentence)}**${note}`],
    countTable(report),
    doneSection(report.changed, stage),
    ...endingsShown.map((ending) => {
      const own = groups.filter((group) => group.ending === ending)
      if (own.length === 0) return []
      if (stage.groups === 0) return [`${endingTitles[ending]}: these steps are in the output of the command.`]
      const rest = own.length - stage.groups
      const more = rest > 0 ? [`- … and ${formatNumber(rest)} more causes${inOutput}`] : []
      return [
        `#### ${endingTitles[ending]}`,
        '',
        ...own.slice(0, stage.groups).flatMap((g) => groupItem(g, stage)),
        ...more,
      ]
    }),
    unreadSection(report.unreadable ?? [], stage),
    unequalSection(verified.unequal, stage),
    sentenceSection('Not taken back', report.left ?? [], stage),
    sentenceSection('Changed by another writer meanwhile', report.meanwhile ?? [], stage),
    report.ledger === undefined ? [] : [prose(`Ledger: ${sayLedger(report.ledger).sentences.join(' ')}`)],
    [`<sub>${prose(footer)}</sub>`],
  ]
  return joinBlocks(blocks)
}

function countTable(report: ApplyReport): string[] {
  const { verified } = report
  const counts = countEndings(report)
  const read = `${formatNumber(verified.equal)} of ${formatNumber(verified.equal + verified.unequal.length)}`
  const columns = [
    ...(['done', 'unchanged', 'failed', 'skipped'] as const).map((each) => [each, formatNumber(counts[each])]),
    ...(counts.unconfirmed > 0 ? [['not confirmed', formatNumber(counts.unconfirmed)]] : []),
    ['unknown', formatNumber(counts.unknown)],
    ['as declared when read back', read],
  ] as [string, string][]
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    row(columns.map(([title]) => `${title[0]?.toUpperCase()}${title.slice(1)}`)),
    `|${'--:|'.repeat(columns.length)}`,
    row(columns.map(([, cell]) => cell)),
  ]
}

/** By object; what was deleted or taken away first, and who. */
function doneSection(changed: readonly ChangeDocument[], stage: Stage): string[] {
  if (changed.length === 0 || stage.objects === 0) return []
  const sorted = inOrder(changed)
  const shown = sorted.slice(0, stage.objects)
  const rest = sorted.slice(shown.length)
  const items = shown.map(({ action, address, differences }) => {
    const parts = action === 'update' ? differences.map(doneDifference) : []
    return `- ${action}d ${code(address)}${parts.length === 0 ? '' : `: ${parts.join('; ')}`}`
  })
  const more = rest.length === 0 ? [] : [`- … and ${sayMore(rest)}${inOutput}`]
  return [`#### Done: ${countDone(changed)}`, '', ...items, ...more]
}

function doneDifference({ path, added, removed }: DifferenceDocument): string {
  if (added === undefined && removed === undefined) return prose(path)
  const given = newAmong(added)
  const changed = added?.filter((element) => !given.includes(element))
  const lists = Object.entries({ added: given, changed, removed }).flatMap(([verb, elements = []]) =>
    elements.length === 0 ? [] : [`${verb} ${listElements(elements)}`],
  )
  return [prose(path), ...lists].join(' ')
}

function groupItem(group: ReturnType<typeof groupTrouble>[number], stage: Stage): string[] {
  const { steps, code: problem, reason, hint, because } = group
  const names = steps.slice(0, stage.steps).map(showStep)
  const rest = steps.length - names.length
  if (rest > 0) names.push(`and ${formatNumber(rest)} more`)
  const said = [
    ...(because === undefined ? [] : [`${prose(sayBecause(group, because))} ${code(because.address)}`]),
    ...(reason === undefined ? [] : [prose(withCode({ code: problem, reason }))]),
    ...(hint === undefined ? [] : [prose(withCommands(hint))]),
  ]
  const which = names.join(', ')
  return [`- ${(because === undefined ? [which, ...said] : [...said, which]).join('<br>')}`]
}

function showStep(step: StepReport): string {
  const { what, address } = describeStep(step)
  const at = step.place === undefined ? '' : ` (${code(formatPlace(step.place))})`
  return `${prose(what)} ${code(address)}${at}`
}

function unreadSection(unreadable: NonNullable<ApplyReport['unreadable']>, stage: Stage): string[] {
  if (unreadable.length === 0) return []
  return ['#### Could not be read, and was left alone', '', ...cutList(unreadItems(unreadable), stage.groups, inOutput)]
}

function sentenceSection(title: string, told: readonly Meanwhile[], stage: Stage): string[] {
  if (told.length === 0) return []
  const items = told.map(({ address, sentence }) => `- ${code(address)}: ${prose(sentence)}`)
  return [`#### ${title}`, '', ...cutList(items, stage.objects, inOutput)]
}

function unequalSection(unequal: readonly Unequal[], stage: Stage): string[] {
  if (unequal.length === 0) return []
  const heading = `#### ${formatCount(unequal.length, 'object')} not as declared when read back`
  const shown = unequal.slice(0, stage.objects)
  const rest = unequal.length - shown.length
  return [
    heading,
    '',
    ...(stage.lines > 0 ? ['In red what is on the Svc platform, in green what is declared.', ''] : []),
    ...shown.flatMap(({ address, differences, reason }) => [
      `- ${code(address)}${reason === undefined ? '' : `: ${prose(reason)}`}`,
      ...(stage.lines === 0 || differences.length === 0
        ? []
        : fence('diff', diffBlockLines({ action: 'update', differences }, stage.lines)).map((line) => `  ${line}`)),
    ]),
    ...(rest > 0 ? [`- … and ${formatNumber(rest)} more${inOutput}`] : []),
  ]
}
