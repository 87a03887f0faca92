// A review begins with what people can do now, and ends with edits of the manifests.
import { accessGraphOf } from '@svcsync/core/access/access-graph.ts'
import { aftermathOf, nestsOf } from '@svcsync/core/access/aftermath.ts'
import { declaredPlaces } from '@svcsync/core/access/declared-places.ts'
import { type OwnLinks, ownLinks } from '@svcsync/core/access/own-links.ts'
import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import type { Address, NormaliseSvcId } from '@svcsync/core/model/address.ts'
import type { AssemblySettings, DesiredElement } from '@svcsync/core/model/desired.ts'
import { subjectKey } from '@svcsync/core/model/elements.ts'
import { by } from '@svcsync/core/model/group-by.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { calendarDay, isoMoment } from '@svcsync/core/model/time-bounds.ts'
import type { AccessReport } from '@svcsync/core/plan/access-report.ts'
import {
  type Answer,
  assignReviewers,
  entryOfRow,
  type Review,
  type ReviewEntry,
  type ReviewResult,
  reviewKey,
  sealed,
} from '@svcsync/core/plan/access-review.ts'
import { ListTaking, type Taken } from '@svcsync/editor/accept-list.ts'
import { FileNames } from '@svcsync/export/file-places.ts'
import { commitOf } from '@svcsync/git/commit-tree.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import type { ReadProject } from '../open/open-project.ts'
import { sha256 } from '../open/sha256.ts'

type Opened = Pick<ReadProject, 'project' | 'assembly'>

export function beginReview(
  { project, assembly }: Opened,
  answer: AccessReport,
  changes: readonly Change[],
  {
    by: inCharge,
    untilMs,
    notTold,
  }: {
    readonly by: Parameters<typeof assignReviewers>[0]
    readonly untilMs: number
    readonly notTold: readonly string[]
  },
): { readonly day: string; readonly review: Review } {
  const { nowMs, timeZone } = assembly.time
  const { entries, assigned } = assignReviewers(inCharge, answer, changes, assembly.normalise)
  const names = new FileNames()
  const ordered = [...assigned].sort(by(([reviewer]) => reviewer ?? '\uffff'))
  const parts = ordered.map(([reviewer, own]) => ({
    ...{ reviewer, entries: own },
    file: `${names.of(reviewer ?? '', reviewer ?? 'unassigned', 'reviewer')}.yaml`,
  }))
  const review = sealed(
    {
      ...{ formatVersion: '1.0' as const, target: project.targetName, by: inCharge },
      ...{ startedAt: isoMoment(nowMs), commit: headOf(project.dir) },
      ...{ until: calendarDay(untilMs - 1, timeZone), endsAt: isoMoment(untilMs) },
      ...{ notTold, entries, parts },
    },
    sha256,
  )
  return { day: calendarDay(nowMs, timeZone), review }
}

export function headOf(dir: string): string | null {
  const repository = repositoryOf(dir)
  return (repository && commitOf(repository, 'HEAD')) ?? null
}

export interface Judged {
  readonly entry: ReviewEntry
  readonly decision: NonNullable<Answer['decision']>
}

interface Revocation {
  readonly taken: readonly Taken[]
  readonly left: readonly { readonly entry: ReviewEntry; readonly why: string }[]
  readonly conflicts: readonly { readonly revoked: ReviewEntry; readonly kept: ReviewEntry }[]
}

/** Edits that take away what people have by themselves of the revoked. `changes`: everything that was read. */
export function revocation(
  changes: readonly Change[],
  judged: readonly Judged[],
  assembly: AssemblySettings,
): Revocation {
  const { normalise, sets, time } = assembly
  const graph = accessGraphOf(changes, aftermathOf(changes), [], time.nowMs)
  const linksOf = ownLinks(graph, 'after', normalise)
  const of = ({ person, level, object, company }: ReviewEntry): OwnLinks =>
    linksOf({ subject: person, level, address: object, company })
  const lineOf = declaredLines(changes, normalise)
  const revoked = judged.filter(({ decision }) => decision === 'revoke').map(({ entry }) => entry)
  const cuts = new Map<string, ReviewEntry>()
  const taken = new Map<DesiredElement, Taken>()
  const left: Revocation['left'][number][] = []
  for (const entry of revoked) {
    const { groups, isDirect } = of(entry)
    for (const group of groups) {
      const cut = cutOf(entry.person, group, normalise)
      if (!cuts.has(cut)) cuts.set(cut, entry)
    }
    const lines = [...groups.map((group) => lineOf(entry, group)), ...(isDirect ? [lineOf(entry)] : [])]
    for (const line of lines) {
      if (line === undefined || taken.has(line.element)) continue
      const { change, collection, element } = line
      const list = new ListTaking({ ...change, live: undefined }, change.desired, collection, normalise)
      const edit = list.withoutEntry(element, sets)
      if ('why' in edit) left.push({ entry, why: edit.why })
      else taken.set(element, edit)
    }
  }
  const conflicts = judged.flatMap(({ entry, decision }) => {
    if (decision !== 'keep') return []
    const { groups, isDirect } = of(entry)
    const ends = groups.map((group) => cuts.get(cutOf(entry.person, group, normalise)))
    const [first] = ends
    return isDirect || first === undefined || ends.includes(undefined) ? [] : [{ revoked: first, kept: entry }]
  })
  return { taken: [...taken.values()], left, conflicts }
}

const cutOf = (person: string, group: string, normalise: NormaliseSvcId): string =>
  JSON.stringify([normalise(person), normalise(group)])

interface DeclaredLine {
  readonly change: Change & { readonly desired: NonNullable<Change['desired']> }
  readonly collection: string
  readonly element: DesiredElement
}

function declaredLines(
  changes: readonly Change[],
  normalise: NormaliseSvcId,
): (entry: ReviewEntry, group?: string) => DeclaredLine | undefined {
  const places = declaredPlaces(changes, normalise)
  const objects = new Map<Address, Change>(changes.map((change) => [change.address, change]))
  const groups = new Map<string, Change>()
  for (const change of changes) if (nestsOf(kindOf(change)) !== undefined) groups.set(keyOf(change), change)
  return ({ person, level, object, company }, group) => {
    const change = group === undefined ? objects.get(object) : groups.get(normalise(group))
    if (change?.desired === undefined) return undefined
    const kind = level === 'owner' ? ('owner' as const) : ('privilege' as const)
    const way = { subject: person, level, address: object, company, kind, via: group === undefined ? [] : [group] }
    const element = places(way)[0]?.element
    if (element === undefined || subjectKey(element.element) !== normalise(person)) return undefined
    const { collections } = fieldsOf(element.declaration.section)
    const collection = collections.find(({ field }) => field === element.field)?.collection
    if (collection === undefined) return undefined
    return { change: { ...change, desired: change.desired }, collection, element }
  }
}

/** The result of each decision: `before` the edit, and by a plan of the edited manifests. */
export function resultsOf(
  judged: readonly Judged[],
  before: Pick<AccessReport, 'rows'>,
  after: Pick<AccessReport, 'rows'>,
  normalise: NormaliseSvcId,
): {
  readonly results: readonly ReviewResult[]
  /** Kept, and not there any more after the edit. */
  readonly ended: readonly ReviewEntry[]
} {
  const keysOf = ({ rows }: Pick<AccessReport, 'rows'>, isMeant: (row: AccessReport['rows'][number]) => boolean) =>
    new Set(rows.filter(isMeant).map((row) => reviewKey(entryOfRow(row), normalise)))
  const live = keysOf(before, (row) => row.live)
  const [stood, stands] = [before, after].map((report) => keysOf(report, ({ afterApply }) => afterApply))
  const ended: ReviewEntry[] = []
  const results = judged.map(({ entry, decision }): ReviewResult => {
    const key = reviewKey(entry, normalise)
    if (decision === 'revoke') return stands?.has(key) ? 'by-hand' : live.has(key) ? 'revoked' : 'gone'
    if (stood?.has(key) && !stands?.has(key)) ended.push(entry)
    return live.has(key) ? 'kept' : 'gone'
  })
  return { results, ended }
}

export function newSince(
  { entries }: Pick<Review, 'entries'>,
  { rows }: Pick<AccessReport, 'rows'>,
  normalise: NormaliseSvcId,
): number {
  const known = new Set(entries.map((entry) => reviewKey(entry, normalise)))
  return rows.filter((row) => row.live && !known.has(reviewKey(entryOfRow(row), normalise))).length
}
