// A review of access as data: what is to be decided, by whom, and what came of it.
import { nestsOf } from '../access/aftermath.ts'
import { containersOf } from '../access/containers.ts'
import { chainNames } from '../access/describe-access.ts'
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { Address, NormaliseSvcId } from '../model/address.ts'
import { append, compareBy as byText, groupBy } from '../model/group-by.ts'
import { canonicalJson, type Json } from '../model/json.ts'
import { fieldsOf, isAccount } from '../model/schema-fields.ts'
import { type AccessReport, type AccessRow, dayOfGrant } from './access-report.ts'
import type { Digest } from './plan-digest.ts'

export const reviewers = ['owner', 'object', 'person'] as const
type ReviewBy = (typeof reviewers)[number]
export const decisions = ['keep', 'revoke'] as const
type Decision = (typeof decisions)[number]

export interface ReviewEntry {
  readonly person: string
  readonly level: string
  readonly object: Address
  /** null: it holds for all. */
  readonly company: string | null
  /** As `access list` tells it: the group that the account is in first. */
  readonly through: readonly string[]
  /** The day on which the commit came that completed the chain; null: nobody declared it, or git does not know. */
  readonly since: string | null
}

interface ReviewPart {
  /** null: nobody else owns or administers what these entries are about. */
  readonly reviewer: string | null
  readonly file: string
  readonly entries: readonly number[]
}

export interface Review {
  readonly formatVersion: '1.0'
  readonly target: string
  readonly by: ReviewBy
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** The last day, in the time zone of the project, and its end. */
  readonly until: string
  readonly endsAt: string
  /** The checked-out commit; null: no repository. */
  readonly commit: string | null
  /** The limits of the review, in sentences. */
  readonly notTold: readonly string[]
  readonly entries: readonly ReviewEntry[]
  readonly parts: readonly ReviewPart[]
  /** Of all else in it. */
  readonly digest: string
}

interface DecidedEntry extends ReviewEntry {
  readonly decision: Decision
  /** `gone`: no more when the review ended. `by-hand`: it stays until somebody takes it away on the platform. */
  readonly result: 'kept' | 'revoked' | 'gone' | 'by-hand'
  readonly decidedIn: readonly string[]
  readonly comments: readonly string[]
}

export interface Evidence {
  readonly formatVersion: '1.0'
  readonly review: string
  readonly finishedAt: string
  /** The commit that was checked out when the manifests were edited. */
  readonly commit: string | null
  readonly entries: readonly DecidedEntry[]
  /** The files of the reviewers, each with the commit of its present content; null: not committed. */
  readonly files: readonly {
    readonly file: string
    readonly reviewer: string | null
    readonly digest: string
    readonly committed: { readonly commit: string; readonly date: string; readonly author: string } | null
  }[]
  /** Manifests, and what they were before and after. */
  readonly edited: readonly { readonly file: string; readonly before: string; readonly after: string }[]
  /** Of all else in it. */
  readonly digest: string
}

export function withDigest<Content extends object>(
  content: Content,
  digest: Digest,
): Content & { readonly digest: string } {
  return { ...content, digest: digestOf(content, digest) }
}

export function hasOwnDigest({ digest: said, ...content }: { readonly digest: string }, digest: Digest): boolean {
  return digestOf(content, digest) === said
}

const digestOf = (content: object, digest: Digest): string => digest([canonicalJson(content as Json)])

/** An entry is known by what somebody can do: how it comes about may change meanwhile. */
export function reviewKey(
  { person, level, object, company }: Pick<ReviewEntry, 'person' | 'level' | 'object' | 'company'>,
  normalise: NormaliseSvcId,
): string {
  return JSON.stringify([normalise(person), level, object, company])
}

export function entryOfRow(row: AccessRow): ReviewEntry {
  const { subject, level, address, company, since } = row
  return {
    ...{ person: subject ?? '', level: level ?? 'unknown', object: address, company },
    ...{ through: chainNames(row), since: since === null ? null : dayOfGrant(since) },
  }
}

/** Nobody decides on what they can do themselves. */
export function assignReviewers(
  by: ReviewBy,
  { rows }: Pick<AccessReport, 'rows'>,
  changes: readonly Change[],
  normalise: NormaliseSvcId,
): { readonly entries: readonly ReviewEntry[]; readonly assigned: ReadonlyMap<string | null, readonly number[]> } {
  const live = rows.filter((row) => row.live)
  const askedFor = reviewersOf(live, changes, normalise)
  const entries = live.map((row) => ({ entry: entryOfRow(row), own: askedFor(by, row) }))
  const keyed = entries.map((each) => ({ ...each, sort: sortKey(by, each.entry) })).sort(byText(({ sort }) => sort))
  const assigned = new Map<string | null, number[]>()
  for (const [index, { own }] of keyed.entries())
    for (const reviewer of own.length === 0 ? [null] : own) append(assigned, reviewer, index)
  return { entries: keyed.map(({ entry }) => entry), assigned }
}

function sortKey(by: ReviewBy, { person, level, object, company, through: [group = ''] }: ReviewEntry): string {
  const rest = [person, object, level, company ?? '']
  return JSON.stringify(by === 'owner' ? [group, ...rest] : by === 'object' ? [object, ...rest] : rest)
}

function reviewersOf(
  rows: readonly AccessRow[],
  changes: readonly Change[],
  normalise: NormaliseSvcId,
): (by: ReviewBy, row: AccessRow) => readonly string[] {
  const objects = new Map(changes.map((change) => [change.address, change]))
  const isInCharge = ({ address, level, company, kind }: AccessRow): boolean => {
    const change = objects.get(address)
    if (change === undefined || company !== null) return false
    return kind === 'owner' || level === kindOf(change).administeredBy?.level
  }
  const inCharge = groupBy(rows.filter(isInCharge), ({ address }) => address)
  const groups = new Map<string, Address>()
  for (const change of changes) if (nestsOf(kindOf(change)) !== undefined) groups.set(keyOf(change), change.address)
  const above = containersOf(changes)
  const managers = managersIn(changes)
  return (by, row) => {
    const self = normalise(row.subject ?? '')
    const others = (all: readonly string[]): string[] =>
      [...new Set(all)].filter((each) => normalise(each) !== self).sort()
    const of = (address: Address | undefined): string[] =>
      others((inCharge.get(address as Address) ?? []).map(({ subject }) => subject ?? ''))
    const manager = by === 'person' ? others([managers.get(self) ?? self]) : []
    if (manager.length > 0) return manager
    const owners = by === 'object' ? [] : of(groups.get(normalise(row.via[0] ?? '')))
    if (owners.length > 0) return owners
    const administrators = of(row.address)
    return administrators.length > 0 ? administrators : of(above.get(row.address)?.at(-1)?.address)
  }
}

/** By the key of the account: the account that a field of it names. */
function managersIn(changes: readonly Change[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const change of changes) {
    const kind = kindOf(change)
    if (kind.provides === undefined || nestsOf(kind) !== undefined) continue
    const [reference] = fieldsOf(kind.sections[0]).references.filter(({ to }) => isAccount(to))
    const value = reference && { ...change.desired?.spec, ...change.live?.spec }[reference.field]
    if (typeof value === 'string' && value !== '') found.set(keyOf(change), value)
  }
  return found
}

export interface Answer {
  readonly entry: number
  /** null: not decided yet. */
  readonly decision: Decision | null
  readonly comment?: string | undefined
  readonly file: string
  readonly place: string
}

/** If several reviewers may decide, one is enough. */
export function countDecisions({ entries }: Pick<Review, 'entries'>, answers: readonly Answer[]) {
  const decided = new Map<number, readonly Answer[]>()
  const contrary: Answer[][] = []
  for (const [entry, own] of groupBy(
    answers.filter(({ decision }) => decision !== null),
    (answer) => answer.entry,
  )) {
    if (new Set(own.map(({ decision }) => decision)).size > 1) contrary.push(own)
    decided.set(entry, own)
  }
  return { decided, contrary, open: [...entries.keys()].filter((each) => !decided.has(each)) }
}
