// Keeps a target's last runs, for people alone: how many, and from them the age of each difference and the trend.
import type { AccessEntry } from '../access/describe-access.ts'
import type { Address, SvcIdCase } from '../model/address.ts'
import { showElement } from '../model/elements.ts'
import { canonicalJson } from '../model/json.ts'
import type { Element } from '../model/kind.ts'
import { isDay } from '../model/time-bounds.ts'
import { type Digest, documentTexts } from './plan-digest.ts'
import type { CausedElement, ChangeDocument, DifferenceDocument } from './plan-document.ts'

/** The findings of one run. */
export interface HistoryRun {
  /** When it ended. ISO 8601, UTC. */
  readonly at: string
  readonly command: 'drift' | 'apply'
  /** Globs over addresses: only these objects. None: all. */
  readonly only: readonly string[]
  /** Everything selected was read; of an apply: the platform then was as declared. */
  readonly isComplete: boolean
  readonly severity: 'none' | 'notice' | 'danger'
  /** One line, without a full stop. */
  readonly verdict: string
  /** For drift, `differences`, and `access` if it was checked; for an apply, its steps by outcome. */
  readonly counts: Readonly<Record<string, number>>
  readonly elapsedMs: number
  readonly requests: number
  /** For drift: short fingerprints of all differences, by the day since which each is known. */
  readonly days?: PackedDays
  /** The same for undeclared access. Absent: not computed. */
  readonly people?: PackedDays
  /** For drift: the webhooks it told. A run by hand tells none, so the nightly runs still tell the news. */
  readonly notify?: readonly string[]
  /** For an apply that guards refused before its first write: the guards. */
  readonly refused?: readonly string[]
  /** For an apply: short fingerprints of its changes. */
  readonly healed?: string
  /** For the last drift: the oldest differences. */
  readonly named?: readonly KnownDifference[]
  /** For the last drift: undeclared live objects. `everywhere`: also nested ones. */
  readonly undeclared?: { readonly everywhere: boolean; readonly known: string }
}

/** By day, such as `2026-11-22`: fingerprints of six characters, one behind the other. */
type PackedDays = Readonly<Record<string, string>>

interface KnownDifference {
  /** Its short fingerprint. */
  readonly is: string
  /** `2026-11-22`. */
  readonly since: string
  /** `group/finance@example.com members + kim.lee@example.com`. */
  readonly what: string
}

/** Beside a drift: what is known of it from the runs before. */
export interface HistoryDocument {
  /** The run before over as much, since which something is new. null: there is none. */
  readonly before: string | null
  readonly differences: readonly (Omit<KnownDifference, 'is'> & { readonly isNew: boolean })[]
  /** The oldest first; this one is the last. */
  readonly runs: readonly RunSummary[]
}

/** Without what only the next run needs. */
type RunSummary = Omit<HistoryRun, 'days' | 'people' | 'healed' | 'named' | 'undeclared' | 'notify'>

export function summariseRun({ days, people, healed, named, undeclared, notify, ...run }: HistoryRun): RunSummary {
  return run
}

/** So many runs are kept, in so many characters. */
const [mostRuns, mostLength] = [100, 256 * 1024]
/** So many fingerprints of one sort are kept of a run: those first that are known longest. */
export const maxFingerprints = 6000
const mostNamed = 50

/** Adds a run. Details that only the last run needs are dropped from earlier ones. */
export function appendRun(runs: readonly HistoryRun[], run: HistoryRun): readonly HistoryRun[] {
  const names = run.command === 'drift' && run.only.length === 0
  const older = runs.slice(-(mostRuns - 1)).map(({ named, undeclared, ...each }): HistoryRun => {
    const isRenewed = run.undeclared !== undefined && undeclared?.everywhere === run.undeclared.everywhere
    return { ...each, ...(named && !names && { named }), ...(undeclared && !isRenewed && { undeclared }) }
  })
  const kept = [run]
  let left = mostLength - JSON.stringify(run).length
  for (const each of older.reverse()) {
    left -= JSON.stringify(each).length + 1
    if (left < 0) break
    kept.unshift(each)
  }
  return kept
}

/** 36 bits of the 64: thousands of them have to fit. */
export function shortFingerprint(fingerprint: string): string {
  return Buffer.from(fingerprint, 'hex').toString('base64').slice(0, shortLength)
}

const shortLength = 6

export function splitFingerprints(text: string): readonly string[] {
  return text.match(/.{6}/g) ?? []
}

/** Keeps the oldest if there are too many. */
export function packDays(since: ReadonlyMap<string, string>): PackedDays {
  const oldest = [...since].sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0)).slice(0, maxFingerprints)
  const days: Record<string, string> = {}
  for (const [each, day] of oldest) days[day] = `${days[day] ?? ''}${each}`
  return days
}

/** Other texts are left out: anybody may have written them. */
export function unpackDays(days: Readonly<Record<string, unknown>>): Map<string, string> {
  const since = new Map<string, string>()
  for (const [day, all] of Object.entries(days)) {
    if (!isDay(day) || typeof all !== 'string') continue
    for (const each of splitFingerprints(all)) since.set(each, day)
  }
  return since
}

interface KnownDifferences {
  /** By short fingerprint, its day. */
  readonly since: ReadonlyMap<string, string>
  /** The last complete run of the same extent: differences that it did not have are new. */
  readonly before: HistoryRun | undefined
  readonly had: ReadonlyMap<string, string>
}

/** The known differences, or people's access, before a run over these objects. */
export function knownDifferences(
  runs: readonly HistoryRun[],
  only: readonly string[],
  what: 'days' | 'people',
): KnownDifferences {
  const since = new Map<string, string>()
  const healed = new Set<string>()
  for (const run of runs.toReversed()) {
    for (const each of splitFingerprints(run.healed ?? '')) if (!since.has(each)) healed.add(each)
    const days = run[what]
    if (days === undefined) continue
    const had = unpackDays(days)
    for (const [each, day] of had) if (!since.has(each) && !healed.has(each)) since.set(each, day)
    if (run.isComplete && (run.only.length === 0 || `${run.only}` === `${only}`)) return { since, before: run, had }
  }
  return { since, before: undefined, had: new Map() }
}

/** The oldest first. */
export function oldestDifferences(all: readonly KnownDifference[]): readonly KnownDifference[] {
  return [...all].sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0)).slice(0, mostNamed)
}

/** `group/finance@example.com members + kim.lee@example.com`: as the platform shows it, without values. */
export function formatDifference({ address, path, element, act }: FingerprintedDifference): string {
  const sign = { add: ' -', remove: ' +', create: ' missing', delete: ' undeclared', set: '' }[act]
  const entry = element === undefined ? '' : ` ${element.svcId ?? element.item ?? ''}`
  const level = element?.level === undefined ? '' : ` (${element.level})`
  return `${address}${path === undefined ? '' : ` ${path}`}${sign}${entry}${level}`.slice(0, 300)
}

export function differencesOf({ counts: { differences = 0, access = 0 } }: RunSummary): number {
  return differences + access
}

/** Comparable runs of drift: over everything, with or without access as the last one. The oldest first. */
export function trendOf<Run extends RunSummary>(runs: readonly Run[]): readonly Run[] {
  const whole = runs.filter(({ command, only }) => command === 'drift' && only.length === 0)
  const looksAtAccess = (run: Run | undefined): boolean => run?.counts.access !== undefined
  return whole.filter((run) => looksAtAccess(run) === looksAtAccess(whole.at(-1)))
}

interface FingerprintedDifference {
  readonly address: Address
  readonly path?: string
  readonly element?: Element
  /** The act of an apply: it creates or deletes the object, sets the field, adds or removes the entry. */
  readonly act: 'create' | 'delete' | 'set' | 'add' | 'remove'
  /** 16 hexadecimal digits. */
  readonly fingerprint: string
}

/** No value goes into a fingerprint: it is published. So a value that moves on keeps its age. */
export function fingerprintsOf(
  changes: readonly ChangeDocument[],
  svcIds: SvcIdCase,
  digest: Digest,
): FingerprintedDifference[] {
  const { comparable } = documentTexts(svcIds)
  const marked = (each: Omit<FingerprintedDifference, 'fingerprint'>): FingerprintedDifference => {
    const { address, path = null, element = null, act } = each
    const { settings: _, ...entry } = element ?? {}
    const text = comparable([act, address, path, element && entry])
    return { ...each, fingerprint: digest([text]).slice('sha256:'.length).slice(0, 16) }
  }
  return changes.flatMap(({ address, action, differences }) => {
    if (action !== 'update') return [marked({ address, act: action })]
    return differences.flatMap((difference) => {
      const { path } = difference
      const { added, removed } = netMovements(difference)
      if (added === undefined || removed === undefined) return [marked({ address, path, act: 'set' })]
      const come = added.map((caused) => marked({ address, path, element: elementOf(caused), act: 'add' }))
      const gone = removed.map((caused) => marked({ address, path, element: elementOf(caused), act: 'remove' }))
      return [...come, ...gone]
    })
  })
}

export function accessFingerprint(entry: AccessEntry, digest: Digest): string {
  const { subject, level, address, company, kind } = entry
  const text = canonicalJson(['access', subject, level, address, company, kind])
  return digest([text]).slice('sha256:'.length).slice(0, 16)
}

/** Without what is taken and given anew. Undefined: it is no list. */
export function netMovements({ added, removed }: DifferenceDocument): Pick<DifferenceDocument, 'added' | 'removed'> {
  if (added === undefined && removed === undefined) return {}
  const [come, gone] = [added, removed].map((list) => new Set((list ?? []).map((each) => showElement(each))))
  return {
    added: (added ?? []).filter((each) => !gone?.has(showElement(each))),
    removed: (removed ?? []).filter((each) => !come?.has(showElement(each))),
  }
}

function elementOf({ cause: _, before: __, ...element }: CausedElement): Element {
  return element
}
