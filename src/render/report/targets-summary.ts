// Sums up a run over several targets: one line for each.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { type Block, name, note, type Row, type Sign, section, table } from '../blocks/block.ts'
import { printText } from '../printers/text.ts'
import { capitalise } from '../problems/problem-sentences.ts'
import { formatCount, formatDuration } from '../text/counts.ts'
import type { TextForm, Tone } from '../text/line.ts'

/** How a target ended, with what its command printed. */
export interface TargetRecord {
  readonly name: string
  /** null: it was not begun. */
  readonly exitCode: number | null
  readonly severity: 'none' | 'notice' | 'danger'
  readonly sentence: string
  readonly elapsedMs: number
  /** By a guard, or before anything was planned. */
  readonly isRefused?: boolean | undefined
  /** By the run that this one resumes. */
  readonly isBefore?: true
  readonly startedAt: string | null
  readonly problems: readonly Problem[]
  /** As the command prints it with `--format json`; null: it printed none. */
  readonly result: JsonObject | null
}

type TargetOutcome = Omit<TargetRecord, 'startedAt' | 'problems' | 'result'>

type TargetEnding = 'done' | 'noted' | 'differs' | 'refused' | 'failed' | 'not begun' | 'done before'

const endings: Readonly<Record<TargetEnding, { readonly sign: Sign; readonly tone: Tone }>> = {
  failed: { sign: '✗', tone: 'error' },
  refused: { sign: '✗', tone: 'error' },
  'not begun': { sign: '○', tone: 'faint' },
  differs: { sign: '~', tone: 'change' },
  noted: { sign: '•', tone: 'change' },
  done: { sign: '•', tone: 'good' },
  'done before': { sign: '•', tone: 'faint' },
}

function endingOf(command: string, { exitCode, severity, isRefused, isBefore }: TargetOutcome): TargetEnding {
  if (isBefore) return 'done before'
  if (exitCode === null) return 'not begun'
  if (isRefused) return 'refused'
  if (exitCode === 2) return 'differs'
  // A drift without differences may tell of merged changes that are not applied.
  if (exitCode === 0 && severity !== 'none') return command === 'drift' ? 'noted' : 'differs'
  return exitCode === 0 ? 'done' : 'failed'
}

export const formatTarget = ({ name, exitCode, sentence, elapsedMs }: TargetOutcome): string =>
  `${name}: ${sentence.replace(/\.$/, '')} (exit code ${exitCode}, ${formatDuration(elapsedMs)})`

function targetsBlocks(command: string, all: readonly TargetOutcome[]): Block[] {
  const rows = (Object.keys(endings) as TargetEnding[]).flatMap((ending) =>
    all
      .filter((each) => endingOf(command, each) === ending)
      .map((each): Row => {
        const { sign, tone } = endings[ending]
        const sentence = each.sentence.replace(/\.$/, '')
        return {
          sign,
          tone,
          cells: [[name(each.name)], sentence],
          isGrave: ['failed', 'refused'].includes(ending),
          tags: [ending],
        }
      }),
  )
  const heading = `${capitalise(command)} over ${formatCount(all.length, 'target')}`
  return [
    ...section(heading, 'strong', table(rows, { noun: ['target', 'targets'] })),
    note(formatCounts(command, all), 'strong'),
  ]
}

const differing: Readonly<Record<string, string>> = {
  drift: 'with drift',
  doctor: 'with warnings',
  apply: 'to look at',
}

function formatCounts(command: string, all: readonly TargetOutcome[]): string {
  if (all.length === 0) return 'This shard has no targets.'
  const words: Readonly<Record<TargetEnding, string>> = {
    ...{ failed: 'failed', refused: 'refused' },
    'not begun': 'not begun',
    'done before': 'done before',
    differs: differing[command] ?? 'with changes',
    noted: 'to look at',
    done: command === 'doctor' ? 'well' : 'as declared',
  }
  const parts = (Object.keys(endings) as TargetEnding[]).flatMap((ending) => {
    const count = all.filter((each) => endingOf(command, each) === ending).length
    return count === 0 ? [] : [`${count} ${words[ending]}`]
  })
  return `${formatCount(all.length, 'target')}: ${parts.join(', ')}.`
}

export const renderTargetsText = (command: string, all: readonly TargetOutcome[], form: TextForm): string =>
  printText(targetsBlocks(command, all), form)

interface ListedTarget {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly baseUrl: string | null
  readonly shard?: string
}

/** All of them, since a requested list is never reduced to a count. */
export function renderTargetList(all: readonly ListedTarget[], form: TextForm): string {
  const rows = all.map(({ name: target, labels, baseUrl, shard }): Row => {
    const marks = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
    return {
      cells: [[name(target)], baseUrl === null ? '' : [name(baseUrl)], [marks.join(' '), shard ?? ''].join('  ')],
    }
  })
  return printText(table(rows, { noun: ['target', 'targets'], weight: 'loss' }), form)
}
