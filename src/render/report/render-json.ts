// The machine formats: the data as they are, in the order in which they were made.

import type { DoctorReport } from '@svcsync/core/plan/doctor-report.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { newEntries } from '../changes/difference-rows.ts'
import { driftVerbs } from '../changes/drift-words.ts'
import { verdictOf } from '../changes/verdict.ts'
import { type CommandOptions, nextCommands } from '../plan/next-commands.ts'
import { countProblems, firstProblems, mostForMachines } from '../problems/problem-sentences.ts'
import { safeJson } from '../text/neutralise.ts'

export const renderPlanJson = (plan: PlanDocument): string => safeJson(withVerdict(plan, false))
export const renderReportJson: (report: ApplyReport) => string = safeJson
export const renderDoctorJson: (report: DoctorReport) => string = safeJson

/** So many names a point are enough for a program that decides: the changes have all. */
const mostNames = 50

export function verdictAsJson(plan: ShownPlan, drift: boolean) {
  const { points, ...verdict } = verdictOf(plan, drift)
  const short = points.map(({ addresses, accounts, ...point }) => ({
    ...point,
    addresses: addresses.slice(0, mostNames),
    ...(accounts && { accounts: accounts.slice(0, mostNames) }),
  }))
  return { ...verdict, points: short }
}

/** The verdict stands first, as in every medium. It is made of the rest, and never read back. */
function withVerdict({ formatVersion, tool, target, createdAt, digest, ...plan }: ShownPlan, drift: boolean) {
  const verdict = verdictAsJson({ formatVersion, tool, target, createdAt, digest, ...plan }, drift)
  return { formatVersion, tool, target, createdAt, digest, verdict, ...plan }
}

/** A plan with the view of the platform: `added` and `removed` stay the changes of healing. */
export function renderDriftJson(plan: ShownPlan, settings: CommandOptions): string {
  const ways = nextCommands(plan, settings)
  return safeJson({
    ...withVerdict(plan, true),
    changes: plan.changes.map(({ address, kind, action, differences, ...change }) => ({
      ...{ address, kind, action, onPlatform: driftVerbs[action] },
      differences: differences.map(({ path, added, removed, ...rest }) =>
        added === undefined && removed === undefined
          ? { path, ...rest }
          : { path, onPlatform: { added: removed ?? [], removed: newEntries(added) }, added, removed, ...rest },
      ),
      ...change,
    })),
    ways:
      ways.heal === undefined
        ? null
        : { heal: ways.heal.lines[0], writeDown: ways.keep?.lines[0] ?? null, except: ways.except?.lines[0] ?? null },
  })
}

/**
 * Sorted by place, at most `mostForMachines`; `counts` are of all. `targets`: the checked ones, for checks of files.
 * `notSet`: names of missing variables and files that a validation does not need.
 */
export function renderProblemsJson(
  problems: readonly Problem[],
  targets?: readonly { readonly notSet: readonly string[] }[],
): string {
  const shown = firstProblems(problems, mostForMachines)
  return safeJson({
    formatVersion: '1.1',
    counts: countProblems(problems),
    ...(shown.length < problems.length && { omitted: problems.length - shown.length }),
    ...(targets !== undefined && {
      targets: targets.map(({ notSet, ...target }) => ({ ...target, ...(notSet.length > 0 && { notSet }) })),
    }),
    problems: shown,
  })
}
