// Makes annotations of the gravest results of plans, drifts and reports, for services that show them beside the files.
import { accessEvents, throughChain } from '@svcsync/core/access/describe-access.ts'
import { shellOption } from '@svcsync/core/guards/shell-option.ts'
import { showElement } from '@svcsync/core/model/elements.ts'
import type { Element } from '@svcsync/core/model/kind.ts'
import type { ChangeDocument, PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { selectSide } from '../changes/by-cause.ts'
import { newEntries } from '../changes/difference-rows.ts'
import { causeWords, objectSentence } from '../changes/drift-words.ts'
import { verdictOf } from '../changes/verdict.ts'
import { groupUnread } from '../plan/notices.ts'
import { capitalise, enumerateSome } from '../problems/problem-sentences.ts'
import { byCount, formatNumber } from '../text/counts.ts'
import { groupResults, type RunResult } from './combined.ts'
import { describeStep, endingTitles, groupTrouble } from './report-groups.ts'

/** The most serious first. Several targets share one annotation. A title replaces a code. */
export function annotationsOf(all: readonly RunResult[]): readonly Problem[] {
  const groups = groupResults(all)
  const found = groups.flatMap(({ first, targets }) => {
    const inThem = groups.length > 1 && { targets: targets.map(({ name }) => name) }
    return problemsOfResult(first).map((each) => ({ ...each, ...inThem }))
  })
  const isError = ({ severity }: Problem): boolean => severity === 'error'
  return [...found.filter(isError), ...found.filter((each) => !isError(each))]
}

function problemsOfResult(reported: RunResult): readonly Problem[] {
  if (reported.command === 'apply') return reportProblems(reported.report)
  const { plan, command } = reported
  const objects = new Map(plan.changes.map((change) => [change.address, change]))
  return [
    ...verdictProblems(verdictOf(plan, command === 'drift')),
    ...refusalProblems(plan, objects),
    ...unreadProblems(plan),
    ...(command === 'drift'
      ? plan.changes.flatMap(driftProblems)
      : [
          ...administratorProblems(plan, objects),
          ...plan.changes.flatMap(deletionProblems),
          ...plan.changes.flatMap(lossProblems),
          ...selectSide(plan, 'both').changes.flatMap(overwriteProblems),
          ...selectSide(plan, 'live').changes.flatMap(overwriteProblems),
          ...(plan.weakened ?? []).map(({ sentence, place }) => warning('Weaker', sentence, place)),
        ]),
    ...plan.warnings,
  ]
}

/** A service shows few annotations: the first of the warnings tells all in a line. */
const verdictProblems = ({ severity, sentence }: ReturnType<typeof verdictOf>): readonly Problem[] =>
  severity === 'danger' ? [warning('Verdict', capitalise(sentence), undefined)] : []

type ChangesByAddress = ReadonlyMap<string, ChangeDocument>

function refusalProblems({ guards }: PlanDocument, objects: ChangesByAddress): readonly Problem[] {
  return guards
    .filter(({ verdict }) => verdict === 'refused')
    .map(({ guard, sentence, addresses, allow }) => {
      const at = addresses.flatMap((address) => placeOf(objects.get(address)) ?? [])[0]
      const hint = allow === undefined ? undefined : `If this is intended, allow it: \`${shellOption(allow)}\``
      return error(`Refused by the guard ${guard}`, sentence, at, hint)
    })
}

function administratorProblems({ access }: PlanDocument, objects: ChangesByAddress): readonly Problem[] {
  const found = (access === undefined ? [] : accessEvents(access)).filter(
    ({ effect, entry }) => effect === 'gain' && entry.level === 'Administrator',
  )
  return found.map(({ entry, certain }) => {
    const { subject, address, via, substitutions } = entry
    const comes = `${subject} ${certain ? 'comes' : 'may come'} to administer ${inCode(address)}`
    const groups = via.map((svcId) => `group/${svcId}`)
    const bringing = [address, ...groups, ...(substitutions ?? []).map((each) => each.address)]
    const [changed] = bringing.flatMap((each) => objects.get(each) ?? [])
    return warning('Comes to administer', `${comes} ${throughChain(entry)}`.trimEnd(), placeOf(changed))
  })
}

function deletionProblems(change: ChangeDocument): readonly Problem[] {
  const { action, address, prunedBy } = change
  if (action !== 'delete') return []
  const why = prunedBy === undefined ? '' : `, pruned by \`${prunedBy}\``
  return [warning('Deleted', `${inCode(address)} is deleted${why}`, placeOf(change))]
}

function lossProblems(change: ChangeDocument): readonly Problem[] {
  const { address, differences } = change
  return differences.flatMap(({ path, removed = [], place }) =>
    removed.length === 0
      ? []
      : [warning('Taken away', `${inCode(address)} loses ${path} ${showAll(removed)}`, place ?? placeOf(change))],
  )
}

function overwriteProblems({ address, differences, ...change }: ChangeDocument): readonly Problem[] {
  return differences
    .filter(({ removed = [] }) => removed.length === 0)
    .map(({ path, place }) => {
      const message = `${path} of ${inCode(address)} was changed on the platform, and is changed back`
      return warning('Changed on the platform', message, place ?? change.place)
    })
}

function driftProblems(change: ChangeDocument): readonly Problem[] {
  const { action, address, differences } = change
  if (action !== 'update')
    return [driftProblem(`${inCode(address)} is ${objectSentence(change)}`, change, action === 'delete')]
  return differences.flatMap((difference) => {
    const { path, added = [], removed = [] } = difference
    const what = `${path} of ${inCode(address)}`
    const at = { ...change, ...(difference.place && { place: difference.place }) }
    const { value, entry } = causeWords(Boolean(difference.cause))
    if (difference.added === undefined && difference.removed === undefined)
      return [driftProblem(`${what} was ${value}`, at, false)]
    const missing = newEntries(added)
    const changed = added.filter((element) => !missing.includes(element))
    const lists = [
      [changed, `was ${value}`, true],
      [removed, entry.added, true],
      [missing, entry.missing, false],
    ] as const
    return lists
      .filter(([elements]) => elements.length > 0)
      .map(([elements, says, gives]) => driftProblem(`${what}: ${showAll(elements)} ${says}`, at, gives))
  })
}

/** `gives`: somebody may have got something by it. */
const driftProblem = (message: string, change: ChangeDocument, gives: boolean): Problem =>
  (gives ? error : warning)('Drift', message, placeOf(change))

function unreadProblems({ unreadable = [] }: Partial<Pick<PlanDocument, 'unreadable'>>): readonly Problem[] {
  return groupUnread(unreadable).map(({ addresses, code = 'Could not be read', reason, hint }) => {
    const [first, ...others] = addresses as [string, ...string[]]
    const more = others.length === 0 ? '' : ` and ${formatNumber(others.length)} more`
    return error(code, `${inCode(first)}${more} could not be read: ${reason}`, undefined, hint)
  })
}

function reportProblems(report: ApplyReport): readonly Problem[] {
  const lines = new Map(report.changed.map((change) => [change.address, change]))
  return [
    ...unreadProblems(report),
    ...groupTrouble(report).map(({ ending, steps, code, reason, hint }) => {
      const [first] = steps as [(typeof steps)[number]]
      const { what, address } = describeStep(first)
      const others = byCount(steps.length, '', `, and ${formatNumber(steps.length - 1)} more`)
      const why = reason === undefined ? '' : `: ${reason}`
      const how = endingTitles[ending].toLowerCase()
      return error(code ?? `Step ${how}`, `${what} ${inCode(address)} ${how}${others}${why}`, first.place, hint)
    }),
    ...report.verified.unequal.map(({ address, reason }) => {
      const why = reason === undefined ? '' : `: ${reason}`
      const message = `${inCode(address)} is not as declared when read back${why}`
      return error('Different', message, placeOf(lines.get(address)))
    }),
  ]
}

function showAll(elements: readonly Element[]): string {
  const first = elements.slice(0, 10).map((element) => showElement(element))
  return enumerateSome(first, elements.length)
}

const placeOf = (change: ChangeDocument | undefined): Problem['place'] =>
  change?.place ?? change?.differences.find(({ place }) => place !== undefined)?.place

function error(code: string, message: string, place: Problem['place'], hint?: string): Problem {
  return { code, severity: 'error', message, place, hint }
}

function warning(code: string, message: string, place: Problem['place']): Problem {
  return { code, severity: 'warning', message, place }
}
