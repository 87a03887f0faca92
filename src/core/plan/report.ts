// The result of an apply, step by step, and the comparison of the platform with the declarations.
import type { Place } from '@svcsync/errors/index.ts'
import { byAddress } from '../model/address.ts'
import { listedElement } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import type { Element } from '../model/kind.ts'
import type { Unreadable } from '../model/live.ts'
import { stepIdentity } from './build-plan-document.ts'
import type { ChangeDocument, DifferenceDocument, PlanDocument, StepDocument, TargetIdentity } from './plan-document.ts'
import type { HistoryDocument } from './run-history.ts'

/** `unchanged`: the platform was so already. `unknown`: the answer was lost, and reading back did not settle it. */
export type Outcome = 'done' | 'unchanged' | 'failed' | 'skipped' | 'unknown'

export interface StepReport extends ReturnType<typeof stepIdentity> {
  readonly outcome: Outcome
  /** For a failed or unknown step: the platform carried it out, but svcsync did not see it synchronise. */
  readonly written?: true
  /** The code of the problem that stopped it, as in docs/problems.md. */
  readonly code?: string
  readonly reason?: string
  readonly hint?: string
  /** For a failed or unknown step: the place of the object's declaration. */
  readonly place?: Place
  /** For a skipped step: the id of the step that caused this. */
  readonly because?: string
  /** Times that the request was sent. */
  readonly attempts: number
  readonly elapsedMs: number
  /** When it began, from the beginning of the run. Absent: it did not. */
  readonly startedMs?: number
  /** It ended in the interrupted run, before this resume. */
  readonly earlier?: true
}

interface RemainingWork {
  readonly address: string
  readonly code: string
  readonly sentence: string
}

type WarningText = Pick<PlanDocument['warnings'][number], 'code' | 'address' | 'message'>

function among(codes: readonly string[], warnings: readonly WarningText[]): RemainingWork[] {
  return warnings.flatMap(({ code, address = '', message }) =>
    codes.includes(code) ? [{ address, code, sentence: message }] : [],
  )
}

/** For the plan of an undo. */
export function findUnreverted(warnings: readonly WarningText[]): RemainingWork[] {
  return among(['SVC2260', 'SVC2261'], warnings)
}

/** The report with what nobody can set over the interface: the logins of connections, and the groups of constants. */
export function withManualSteps(report: ApplyReport, warnings: readonly WarningText[]): ApplyReport {
  const told = among(['SVC1318', 'SVC1406'], warnings)
  if (told.length === 0) return report
  const changed = new Set(report.changed.map(({ address }) => address))
  const byHand = told.filter(({ address }) => changed.has(address))
  return byHand.length === 0 ? report : { ...report, byHand }
}

/** A report of an undo is no better than what it left: nothing counts as taken back that stays. */
export function withUnreverted(report: ApplyReport, { warnings }: Pick<PlanDocument, 'warnings'>): ApplyReport {
  const left = findUnreverted(warnings)
  const isDone = report.outcome === 'converged' || report.outcome === 'nothing-to-do'
  return { ...report, undoes: true, ...(left.length > 0 && { left, ...(isDone && { outcome: 'different' }) }) }
}

/** A report of what was due says what guards refused of it: that is still to be done. */
export function withRefusals(report: ApplyReport, { refused }: NonNullable<PlanDocument['due']>): ApplyReport {
  const isDone = report.outcome === 'converged' || report.outcome === 'nothing-to-do'
  return { ...report, due: true, ...(refused && { refused, ...(isDone && { outcome: 'partial' }) }) }
}

interface LedgerReport {
  readonly ref: string
  /** The commit that counts as applied from now on; null: none does. */
  readonly commit: string | null
  /** False, and no reason: it leads to that commit already. */
  readonly moved: boolean
  /** The reason why it did not move: the rest of a sentence after "stays as it is:". */
  readonly reason?: string
  readonly hint?: string
  /** Sentences for people about the lease. */
  readonly lease?: readonly string[]
}

export const reportFormatVersion = '1.4'

export interface ApplyReport {
  readonly formatVersion: string
  readonly target: TargetIdentity
  readonly outcome: 'converged' | 'partial' | 'different' | 'interrupted' | 'nothing-to-do'
  readonly counts: Readonly<Record<Outcome, number>>
  readonly steps: readonly StepReport[]
  /** The work that was done, by object: the parts of the plan's changes whose steps were carried out. */
  readonly changed: readonly ChangeDocument[]
  /** Written objects were read again: the number that are as desired, and the others. */
  readonly verified: {
    readonly equal: number
    readonly unequal: readonly {
      readonly address: string
      readonly differences: readonly DifferenceDocument[]
      readonly reason?: string
    }[]
    /** Fields of equal objects that could not be compared. Absent: none. */
    readonly unverifiable?: PlanDocument['unverifiable']
  }
  /** Unreadable objects, which the run skipped. Absent: none. */
  readonly unreadable?: readonly Unreadable[]
  /** As in the plan. */
  readonly lacking?: NonNullable<PlanDocument['lacking']>
  /** What another writer changed during the run, as far as svcsync saw it. Absent: nobody was seen to write. */
  readonly meanwhile?: readonly Pick<RemainingWork, 'address' | 'sentence'>[]
  /** It took back what an apply did. */
  readonly undoes?: true
  /** For an undo: the parts that it left. Absent: none. */
  readonly left?: readonly RemainingWork[]
  /** Written objects that somebody must complete before they are usable. Absent: none. */
  readonly byHand?: readonly RemainingWork[]
  /** It applied what was due, and no more. */
  readonly due?: true
  /** Due work that guards refused: see the plan. Absent: none. */
  readonly refused?: NonNullable<NonNullable<PlanDocument['due']>['refused']>
  /** Absent: the project has no ledger, or does without. */
  readonly ledger?: LedgerReport
  /** The last runs, this one last. Absent: no history is kept. */
  readonly history?: Pick<HistoryDocument, 'runs'>
  readonly startedAt: string
  readonly elapsedMs: number
}

export function countOutcomes(steps: readonly Pick<StepReport, 'outcome'>[]): ApplyReport['counts'] {
  const counts: Record<Outcome, number> = { done: 0, unchanged: 0, failed: 0, skipped: 0, unknown: 0 }
  for (const { outcome } of steps) counts[outcome]++
  return counts
}

type SentStep = Pick<StepDocument, 'address' | 'verb' | 'collections' | 'collection' | 'elements'> & {
  readonly spec?: unknown
}

/** `all`: the steps of the plan. `isDone`: one was carried out. Changes of which none was are left out. */
export function changesDone<Sent extends SentStep>(
  changes: readonly ChangeDocument[],
  all: readonly Sent[],
  isDone: (step: Sent) => boolean,
): ChangeDocument[] {
  const stepsOf = groupBy(all, ({ address }) => address)
  return changes.flatMap((change) => {
    const own = stepsOf.get(change.address) ?? []
    const done = own.filter(isDone)
    if (done.length === 0) return []
    if (done.length === own.length) return [change]
    return [{ ...change, differences: change.differences.flatMap((difference) => partOf(difference, done)) }]
  })
}

function partOf(difference: DifferenceDocument, done: readonly SentStep[]): DifferenceDocument[] {
  const { path, added, removed } = difference
  if (added === undefined && removed === undefined) {
    const [field] = path.split('.') as [string]
    return done.some(({ spec }) => typeof spec === 'object' && spec !== null && Object.hasOwn(spec, field))
      ? [difference]
      : []
  }
  const sent = (verb: 'add' | 'remove') =>
    new Set(
      done
        .flatMap((step) => [
          ...(verb === 'add' ? (step.collections?.[path] ?? []) : []),
          ...(step.verb === verb && step.collection === path ? (step.elements ?? []) : []),
        ])
        .map(keyOf),
    )
  const [came, went] = [sent('add'), sent('remove')]
  const left = {
    added: (added ?? []).filter((element) => came.has(keyOf(element))),
    removed: (removed ?? []).filter((element) => went.has(keyOf(element))),
  }
  return left.added.length + left.removed.length === 0 ? [] : [withElements(difference, left)]
}

/** The difference of a list with only these elements and their details. */
export function withElements(
  { throughSets, notInSets, unlisted, outsideTime, ...plain }: DifferenceDocument,
  { added, removed }: Required<Pick<DifferenceDocument, 'added' | 'removed'>>,
): DifferenceDocument {
  const among = (elements: readonly Element[]) => {
    const keys = new Set(elements.map(keyOf))
    return (entry: Element): boolean => keys.has(keyOf(entry))
  }
  const hasLevel = (level: string): boolean => removed.some((element) => element.level === level)
  return {
    ...{ ...plain, added, removed },
    ...(throughSets && { throughSets: throughSets.filter(among(added)) }),
    ...(notInSets && removed.length > 0 && { notInSets }),
    ...(unlisted && { unlisted: unlisted.filter(hasLevel) }),
    ...(outsideTime && { outsideTime: outsideTime.filter((entry) => among(removed)(listedElement(entry))) }),
  }
}

function keyOf({ svcId, item, level, company, about }: Element): string {
  return JSON.stringify([svcId ?? item, level, (company ?? about)?.guid])
}

/**
 * `rest`: the report of the steps that were left. `unverifiable`: of all objects, as the rest was worked out.
 * `earlier`: the outcome of a step that was not left.
 */
export function joinReports(
  { steps, changes }: PlanDocument,
  rest: ApplyReport,
  unverifiable: PlanDocument['unverifiable'],
  earlier: (step: StepDocument) => Pick<StepReport, 'attempts'> & { readonly outcome: 'done' | 'unchanged' },
): ApplyReport {
  const now = new Map(rest.steps.map((step) => [step.id, step]))
  const all = steps.map(
    (step): StepReport => now.get(step.id) ?? { ...stepIdentity(step), ...earlier(step), elapsedMs: 0, earlier: true },
  )
  const done = new Set(all.filter(({ outcome }) => outcome === 'done').map(({ id }) => id))
  const left = new Set(rest.steps.map(({ address }) => address))
  for (const { address } of rest.unreadable ?? []) left.add(address)
  // They were read when the rest was worked out, and nothing was left to do on them.
  const proven = new Set(steps.map(({ address }) => address).filter((address) => !left.has(address)))
  const uncompared = [
    ...unverifiable.filter(({ address }) => proven.has(address)),
    ...(rest.verified.unverifiable ?? []),
  ].sort(byAddress)
  return {
    ...rest,
    outcome: rest.outcome === 'nothing-to-do' && all.length > 0 ? 'converged' : rest.outcome,
    counts: countOutcomes(all),
    steps: all,
    changed: changesDone(changes, steps, ({ id }) => done.has(id)),
    verified: {
      ...rest.verified,
      equal: rest.verified.equal + proven.size,
      ...(uncompared.length > 0 && { unverifiable: uncompared }),
    },
  }
}
