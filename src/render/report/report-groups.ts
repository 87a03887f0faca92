// Sums up a report: its verdict, and the steps that did not succeed, grouped by cause.
import { showElement } from '@svcsync/core/model/elements.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { ApplyReport, Outcome, StepReport } from '@svcsync/core/plan/report.ts'
import { describeMissing } from '../changes/plan-counts.ts'
import { enumerateSome } from '../problems/problem-sentences.ts'
import { byCount, formatCount, formatNumber } from '../text/counts.ts'

interface ReportVerdict {
  readonly kind: 'declared' | 'different' | 'unknown'
  readonly sentence: string
}

export function reportVerdict(report: ApplyReport): ReportVerdict {
  const verdict = verdictOfVerified(report)
  // Nobody declares what an undo restores.
  const sentence = verdict.sentence + describeMissing(report)
  const others = [
    [report.left, 'as before the apply'],
    [report.undoes, 'as the undo has it'],
    [report.due, 'as declared in the due changes'],
  ] as const
  const as = others.find(([isSo]) => isSo)?.[1]
  return { ...verdict, sentence: as === undefined ? sentence : sentence.replaceAll('as declared', as) }
}

function verdictOfVerified(report: ApplyReport): ReportVerdict {
  const { outcome, verified } = report
  const { failed, unconfirmed, unknown, skipped } = countEndings(report)
  const unequal = verified.unequal.length
  const left = report.left?.length ?? 0
  const unread = report.unreadable?.length ?? 0
  const held = report.refused?.length ?? 0
  const trouble = describeTrouble(report).join(', ')
  if (outcome === 'interrupted') {
    const unknown = 'It is not known whether the Svc platform is as declared: not all was read back.'
    return trouble === ''
      ? { kind: 'unknown', sentence: `Interrupted. ${unknown}` }
      : { kind: 'different', sentence: `Interrupted. The Svc platform is not as declared: ${trouble}.` }
  }
  if (failed + skipped + unequal + left + held === 0 && unconfirmed + unknown + unread > 0)
    return { kind: 'unknown', sentence: `It is not known whether the Svc platform is as declared: ${trouble}.` }
  if (trouble !== '' || outcome === 'partial' || outcome === 'different') {
    const why = trouble === '' ? `the run ended as ${outcome}` : trouble
    return { kind: 'different', sentence: `The Svc platform is NOT as declared: ${why}.` }
  }
  // It claims no more than was compared or written: the plan may be of a part.
  if (outcome === 'nothing-to-do')
    return { kind: 'declared', sentence: 'Nothing to do: every compared object is as declared.' }
  const byHand = (report.byHand ?? []).length > 0 ? ', but for what to complete by hand' : ''
  return { kind: 'declared', sentence: `Every changed object is as declared${byHand}: ${describeReadBack(report)}.` }
}

function describeTrouble(report: ApplyReport): string[] {
  const { failed, unconfirmed, unknown, skipped } = countEndings(report)
  const { left = [], refused = [], unreadable = [], verified } = report
  const as = byCount(refused.length, 'it is', 'they are')
  const counted: readonly (readonly [count: number, noun: string, what: string])[] = [
    [failed, 'step', 'failed'],
    [skipped, 'step', 'skipped'],
    [unconfirmed, 'step', 'written, not confirmed'],
    [unknown, 'step', 'of unknown outcome'],
    [verified.unequal.length, 'object', 'not as declared when read back'],
    [left.length, 'thing', 'not reverted'],
    [refused.length, 'account', `left as ${as}, refused by guards`],
    [unreadable.length, 'object', 'could not be read'],
  ]
  return counted.flatMap(([count, noun, what]) => (count > 0 ? [`${formatCount(count, noun)} ${what}`] : []))
}

function describeReadBack({ verified: { equal, unverifiable = [] } }: ApplyReport): string {
  if (equal === 0) return 'every step ended well'
  const vague = unverifiable.length
  const reach =
    vague === 0 ? '' : `, ${formatNumber(vague)} of them as far as ${byCount(vague, 'it', 'they')} can be compared`
  return `${formatNumber(equal)} read back and found equal${reach}`
}

/** The wording of a step that did not succeed. `unconfirmed`: the step was written, but no read confirmed it. */
type StepEnding = Exclude<Outcome, 'done' | 'unchanged'> | 'unconfirmed'

const endingOf = ({ outcome, written }: Pick<StepReport, 'outcome' | 'written'>): StepEnding | 'done' | 'unchanged' =>
  written ? 'unconfirmed' : outcome

function countEndings({ counts, steps }: Pick<ApplyReport, 'counts' | 'steps'>) {
  const written = steps.filter((step) => endingOf(step) === 'unconfirmed')
  const without = (outcome: Outcome): number =>
    counts[outcome] - written.filter((step) => step.outcome === outcome).length
  return { ...counts, failed: without('failed'), unknown: without('unknown'), unconfirmed: written.length }
}

interface StepGroup {
  readonly ending: StepEnding
  readonly steps: readonly StepReport[]
  readonly code?: string | undefined
  readonly reason?: string | undefined
  readonly hint?: string | undefined
  /** For skipped steps: the step that began the chain, however long. */
  readonly because?: StepReport | undefined
  /** Skipped steps that would have taken something away. */
  readonly spares?: boolean
}

export const endingsShown = ['failed', 'unconfirmed', 'unknown', 'skipped'] as const
export const endingTitles: Readonly<Record<StepEnding, string>> = {
  failed: 'Failed',
  unconfirmed: 'Written, not confirmed',
  unknown: 'Unknown',
  skipped: 'Skipped',
}

export function groupTrouble(report: ApplyReport): StepGroup[] {
  const troubled = report.steps.filter((step) => endingsShown.some((ending) => ending === endingOf(step)))
  if (troubled.length === 0) return []
  const byId = new Map(report.steps.map((step) => [step.id, step]))
  const groups = new Map<string, StepGroup & { steps: StepReport[] }>()
  for (const ending of endingsShown) {
    for (const step of troubled) {
      if (endingOf(step) !== ending) continue
      const because = ending === 'skipped' ? rootOf(step, byId) : undefined
      const spares = because !== undefined && (step.verb === 'remove' || step.verb === 'delete')
      const cause = because === undefined ? [step.code, step.reason, step.hint] : [because.id, spares]
      const key = JSON.stringify([ending, because !== undefined, ...cause])
      const { code, reason, hint }: Pick<StepReport, 'code' | 'reason' | 'hint'> = because === undefined ? step : {}
      const group = getOrInsert(groups, key, () => ({ ending, steps: [], code, reason, hint, because, spares }))
      group.steps.push(step)
    }
  }
  return [...groups.values()]
}

function rootOf(step: StepReport, byId: ReadonlyMap<string, StepReport>): StepReport | undefined {
  const seen = new Set([step.id])
  let cause = step.because === undefined ? undefined : byId.get(step.because)
  while (cause?.because !== undefined && !seen.has(cause.id)) {
    const next = byId.get(cause.because)
    if (next === undefined) break
    seen.add(cause.id)
    cause = next
  }
  return cause
}

const named = 3

/** `create group/a`, `add jan and ewa to members of group/a`: what a step does, for people. The address comes last. */
export function describeStep(step: Pick<StepReport, 'verb' | 'collection' | 'address' | 'elements'>) {
  const { verb, collection = 'elements', address, elements = [] } = step
  if (verb !== 'add' && verb !== 'remove') return { what: verb, address }
  const way = verb === 'add' ? 'to' : 'from'
  if (elements.length === 0) return { what: `${verb} ${collection} ${way}`, address }
  const names = elements.slice(0, named).map((element) => showElement(element))
  return { what: `${verb} ${enumerateSome(names, elements.length)} ${way} ${collection} of`, address }
}

const endings: Readonly<Record<Outcome, string>> = {
  done: 'done',
  unchanged: 'unchanged',
  failed: 'failed',
  skipped: 'was skipped',
  unknown: 'ended unknown',
}

export function describeCause({ steps, spares }: Pick<StepGroup, 'steps' | 'spares'>, because: StepReport): string {
  const what = spares === true ? 'not taken away' : formatCount(steps.length, 'step')
  return `${what}, because step ${because.id} ${endings[because.outcome]}: ${describeStep(because).what}`
}
