// Records drifts, applies and refusals in the history of a target. Each trouble with it is one line of output.
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import { refusals } from '@svcsync/core/guards/judge-guards.ts'
import { maxUnmanagedAddresses, type Unmanaged } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import type { HistoryDocument, HistoryRun } from '@svcsync/core/plan/run-history.ts'
import {
  accessFingerprint,
  fingerprintsOf,
  formatDifference,
  knownDifferences,
  maxFingerprints,
  oldestDifferences,
  packDays,
  shortFingerprint,
  splitFingerprints,
  summariseRun,
} from '@svcsync/core/plan/run-history.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { keepRun, readHistory } from '@svcsync/ledger/history-ref.ts'
import type { LedgerState } from '@svcsync/ledger/ledger.ts'
import type { Project } from '@svcsync/project/project.ts'
import type { ShownPlan } from '@svcsync/render/changes/by-cause.ts'
import { undeclaredIn } from '@svcsync/render/report/drift-issue.ts'
import { verdictAsJson } from '@svcsync/render/report/render-json.ts'
import { reportVerdict } from '@svcsync/render/report/report-groups.ts'
import { remoteOf } from '@svcsync/runs/open/open-ledger.ts'
import { sha256 } from '@svcsync/runs/open/sha256.ts'
import { allowed, type SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'
import type { ConnectedPlan } from './open-for-command.ts'
import { isPosted } from './posting.ts'

interface OpenedHistory {
  /** Undefined: the remote cannot be read, and a line says so. */
  readonly kept: Awaited<ReturnType<typeof readHistory>> | undefined
  keep(run: HistoryRun): Promise<readonly HistoryRun[]>
}

/** Undefined: nobody keeps one. Never rejects for what is wrong with it. `known`: it was read with the ledger. */
export async function openHistory(
  { file, ledger, target }: Pick<Project, 'file' | 'ledger' | 'target'>,
  options: Pick<SharedOptions, 'ledger' | 'baseUrl' | 'allow'>,
  console: Console,
  known: LedgerState['history'],
): Promise<OpenedHistory | undefined> {
  if (ledger === undefined || options.ledger === false || options.baseUrl !== undefined) return undefined
  const warnOnFailure = (what: string, act: () => Promise<void>) =>
    isPosted('warning', console, () => noteFailure(what, act))
  // It is kept also where the apply was told to end.
  let opened: LedgerState['history'] = known && { ...known, remote: { ...known.remote, signal: undefined } }
  if (opened === undefined)
    await warnOnFailure(`The history of \`${target.name}\` cannot be read`, async () => {
      const remote = remoteOf({ file, ledger }, allowed(options, 'unsigned'))
      opened = { remote, kept: await readHistory(remote, target.name) }
    })
  const { kept, remote } = opened ?? { kept: undefined, remote: undefined }
  if (kept?.flaw !== undefined) console.note(`warning SVC2248  ${kept.flaw}. svcsync ignores that, and continues.`)
  return {
    kept,
    async keep(run) {
      let runs = [...(kept?.runs ?? []), run] as readonly HistoryRun[]
      if (kept === undefined || remote === undefined) return runs
      await warnOnFailure(`The history of \`${target.name}\` does not have this run`, async () => {
        runs = await keepRun(remote, target.name, kept, run)
      })
      return runs
    },
  }
}

/** Any trouble becomes a line, so that the report of the apply still appears. */
async function noteFailure(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const hint = `The result stands. The job needs the right to push below refs/svcsync/, see docs/ledger.md.`
    throw new OperatorError('SVC2248', `${what}: ${error instanceof OperatorError ? error.message : 'git failed'}`, {
      hint,
    })
  }
}

interface DriftRun extends Pick<ConnectedPlan, 'plan' | 'client'> {
  readonly svcIds: Project['target']['svcIds']
  /** Runs before, the oldest first. */
  readonly runs: readonly HistoryRun[]
  readonly looksAtAccess: boolean
  /** True if the contents of undeclared objects were counted, too. */
  readonly everywhere: boolean
  readonly notify: readonly string[]
  readonly startedMs: number
  readonly nowMs: number
}

/** The run to keep, and the drift with the findings of earlier runs. */
export function recordDrift(
  drift: ShownPlan,
  { plan, client, svcIds, runs, looksAtAccess, everywhere, notify, startedMs, nowMs }: DriftRun,
): { readonly run: HistoryRun; readonly document: ShownPlan; readonly last: HistoryRun | undefined } {
  const at = new Date(nowMs).toISOString()
  const { only, unreadable, accessDrift } = drift
  const today = at.slice(0, 10)
  const found = fingerprintsOf(drift.changes, svcIds, sha256).map((each) => ({
    is: shortFingerprint(each.fingerprint),
    what: formatDifference(each),
  }))
  const held = undeclaredIn(drift).map((entry) => ({
    is: shortFingerprint(accessFingerprint(entry, sha256)),
    what: formatAccess(entry),
  }))
  const objects = dateFindings(found, runs, { only, today, what: 'days' })
  const people = looksAtAccess
    ? dateFindings(held, runs, { only, today, what: 'people' })
    : { all: [], before: undefined }
  const all = [...objects.all, ...people.all]
  const { severity, sentence } = verdictAsJson(drift, true)
  const undeclared = only.length === 0 ? undeclaredOf(plan.unmanaged ?? null, everywhere) : undefined
  const run: HistoryRun = {
    ...{ at, command: 'drift', only, severity, verdict: sentence.slice(0, 300) },
    isComplete: unreadable.length + (accessDrift?.unread.length ?? 0) === 0,
    counts: { differences: found.length, ...(looksAtAccess && { access: held.length }) },
    elapsedMs: nowMs - startedMs,
    requests: client.stats().requests,
    days: packDays(new Map(objects.all.map(({ is, since }) => [is, since]))),
    ...(looksAtAccess && { people: packDays(new Map(people.all.map(({ is, since }) => [is, since]))) }),
    ...(only.length === 0 && { named: oldestDifferences(all.map(({ isNew: _, ...each }) => each)) }),
    ...(undeclared && { undeclared }),
    ...(notify.length > 0 && { notify: [...notify] }),
  }
  const history = {
    before: objects.before?.at ?? null,
    differences: all.map(({ is: _, ...each }) => each),
    runs: [...runs, run].map(summariseRun),
  }
  const unmanaged =
    undeclared && newFirst(drift.unmanaged ?? {}, plan.unmanaged ?? {}, knownUndeclared(runs, everywhere))
  const last = runs.findLast(
    (each) =>
      each.command === 'drift' &&
      `${each.only}` === `${only}` &&
      !each.people === !looksAtAccess &&
      notify.every((name) => each.notify?.includes(name)),
  )
  return { run, last, document: { ...drift, history, ...(unmanaged && { unmanaged }) } }
}

type DatedFinding = NonNullable<HistoryRun['named']>[number] & { readonly isNew: boolean }

function dateFindings(
  found: readonly Omit<DatedFinding, 'since' | 'isNew'>[],
  runs: readonly HistoryRun[],
  { only, today, what }: { only: readonly string[]; today: string; what: 'days' | 'people' },
): { readonly all: readonly DatedFinding[]; readonly before: HistoryRun | undefined } {
  const { since, had, before } = knownDifferences(runs, only, what)
  const all = found.map((each): DatedFinding => {
    const isNew = before !== undefined && !(since.has(each.is) && had.has(each.is))
    return { ...each, since: since.get(each.is) ?? today, isNew }
  })
  return { all, before }
}

function formatAccess({ subject, level, address, company }: AccessEntry): string {
  const where = company === null ? address : `${address} (${company})`
  return `${subject} ${level ?? 'substitutes on'} ${where}`.slice(0, 300)
}

const shortOfAddress = (address: string): string => shortFingerprint(sha256([address]).slice('sha256:'.length, 23))

/** Undefined: not all could be listed, or they are too many to be remembered. */
function undeclaredOf(unmanaged: Unmanaged | null, everywhere: boolean): HistoryRun['undeclared'] {
  const kinds = Object.values(unmanaged ?? {})
  const all = kinds.flatMap(({ addresses, excepted = [] }) => [...addresses, ...excepted])
  if (unmanaged === null || all.length > maxFingerprints || kinds.some(({ unlisted }) => unlisted)) return undefined
  return { everywhere, known: all.map(shortOfAddress).join('') }
}

function knownUndeclared(runs: readonly HistoryRun[], everywhere: boolean): ReadonlySet<string> | undefined {
  const known = runs.findLast(({ undeclared }) => undeclared?.everywhere === everywhere)?.undeclared?.known
  return known === undefined ? undefined : new Set(splitFingerprints(known))
}

/** `all`: with every address. */
function newFirst(shown: Unmanaged, all: Unmanaged, known: ReadonlySet<string> | undefined): Unmanaged {
  if (known === undefined) return shown
  const kinds = Object.entries(shown).map(([kind, each]) => {
    const fresh = (all[kind]?.addresses ?? []).filter((address) => !known.has(shortOfAddress(address)))
    if (fresh.length === 0) return [kind, each] as const
    const isNew = new Set(fresh)
    const addresses = [...fresh, ...each.addresses.filter((address) => !isNew.has(address))]
    const most = maxUnmanagedAddresses
    return [kind, { ...each, addresses: addresses.slice(0, most), new: fresh.slice(0, most) }] as const
  })
  return Object.fromEntries(kinds)
}

/** An apply at its end: gives the last runs, with itself. */
export async function recordApply(
  report: ApplyReport,
  { document, client }: Pick<ConnectedPlan, 'document' | 'client'>,
  svcIds: Project['target']['svcIds'],
  history: OpenedHistory,
): Promise<HistoryDocument['runs']> {
  const { kind, sentence } = reportVerdict(report)
  const run: HistoryRun = {
    at: new Date().toISOString(),
    command: 'apply',
    only: document.only,
    isComplete: report.outcome === 'converged' || report.outcome === 'nothing-to-do',
    severity: kind === 'declared' ? 'none' : 'danger',
    verdict: sentence.slice(0, 300),
    counts: { ...report.counts },
    elapsedMs: report.elapsedMs,
    requests: client.stats().requests,
    healed: fingerprintsOf(report.changed, svcIds, sha256)
      .slice(0, maxFingerprints)
      .map(({ fingerprint }) => shortFingerprint(fingerprint))
      .join(''),
  }
  return (await history.keep(run)).map(summariseRun)
}

export async function recordRefusal(
  { document, plan, client }: Pick<ConnectedPlan, 'document' | 'plan' | 'client'>,
  history: OpenedHistory | undefined,
): Promise<void> {
  const refused = [...new Set(refusals(plan.guards).map(({ guard }) => guard))]
  await history?.keep({
    ...{ at: new Date().toISOString(), command: 'apply', only: document.only, isComplete: false, refused },
    ...{ severity: 'danger', verdict: `Refused by ${refused.join(', ')}`.slice(0, 300), counts: {} },
    elapsedMs: Math.max(0, Date.now() - Date.parse(document.createdAt)),
    requests: client.stats().requests,
  })
}
