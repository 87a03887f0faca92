// A review begins with what people can do now, and ends with edits of the manifests.

import { join } from 'node:path'
import { accessGraphOf } from '@svcsync/core/access/access-graph.ts'
import { nestsOf } from '@svcsync/core/access/aftermath.ts'
import { declaredPlaces } from '@svcsync/core/access/declared-places.ts'
import { ownLinks } from '@svcsync/core/access/own-links.ts'
import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import type { Address, NormaliseSvcId } from '@svcsync/core/model/address.ts'
import type { AssemblySettings, DesiredElement } from '@svcsync/core/model/desired.ts'
import { subjectKey } from '@svcsync/core/model/elements.ts'
import { compareBy } from '@svcsync/core/model/group-by.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { calendarDay, isoMoment } from '@svcsync/core/model/time-bounds.ts'
import type { AccessReport } from '@svcsync/core/plan/access-report.ts'
import {
  type Answer,
  assignReviewers,
  countDecisions,
  type Evidence,
  entryOfRow,
  type Review,
  type ReviewEntry,
  reviewKey,
  withDigest,
} from '@svcsync/core/plan/access-review.ts'
import { type Acceptance, ListAcceptance } from '@svcsync/editor/accept-list.ts'
import { compareProblems, type Problem } from '@svcsync/errors/index.ts'
import { FileNames } from '@svcsync/export/file-places.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import type { FileText } from '@svcsync/files/write-together.ts'
import { commitOf } from '@svcsync/git/commit-tree.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { readAnswers } from '@svcsync/project/access-review.ts'
import type { ReadProject } from '../open/open-project.ts'
import { sha256 } from '../open/sha256.ts'
import { committedAs } from './review-commits.ts'
import type { openReview } from './review-folder.ts'

export function beginReview(
  { project, assembly }: Pick<ReadProject, 'project' | 'assembly'>,
  answer: AccessReport,
  changes: readonly Change[],
  { by: inCharge, notTold, untilMs }: Pick<Review, 'by' | 'notTold'> & { readonly untilMs: number },
): { readonly day: string; readonly review: Review } {
  const { nowMs, timeZone } = assembly.time
  const { entries, assigned } = assignReviewers(inCharge, answer, changes, assembly.normalise)
  const names = new FileNames()
  const ordered = [...assigned].sort(compareBy(([reviewer]) => reviewer ?? '\uffff'))
  const parts = ordered.map(([reviewer, own]) => ({
    ...{ reviewer, entries: own },
    file: `${names.of(reviewer ?? '', reviewer ?? 'unassigned', 'reviewer')}.yaml`,
  }))
  const review = withDigest(
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

interface DecidedRow {
  readonly entry: ReviewEntry
  readonly decision: NonNullable<Answer['decision']>
}

/** Edits that take away what people have by themselves of the revoked. `changes`: everything that was read. */
export function revocation(changes: readonly Change[], judged: readonly DecidedRow[], assembly: AssemblySettings) {
  const { normalise, sets, time } = assembly
  const graph = accessGraphOf(changes, time.nowMs)
  const linksOf = ownLinks(graph, 'after', normalise)
  const of = ({ person, level, object, company }: ReviewEntry) =>
    linksOf({ subject: person, level, address: object, company })
  const lineOf = declaredLines(changes, normalise)
  const revoked = judged.filter(({ decision }) => decision === 'revoke').map(({ entry }) => entry)
  const cuts = new Map<string, ReviewEntry>()
  const taken = new Map<DesiredElement, Acceptance>()
  const left: { readonly entry: ReviewEntry; readonly why: string }[] = []
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
      const list = new ListAcceptance({ ...change, live: undefined }, change.desired, collection, normalise)
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

type ReviewResult = Evidence['entries'][number]['result']

/** The result of each decision: `before` the edit, and by a plan of the edited manifests. */
export function resultsOf(
  judged: readonly DecidedRow[],
  before: Pick<AccessReport, 'rows'>,
  after: Pick<AccessReport, 'rows'>,
  normalise: NormaliseSvcId,
) {
  const keysOf = ({ rows }: Pick<AccessReport, 'rows'>, isMeant: (row: AccessReport['rows'][number]) => boolean) =>
    new Set(rows.filter(isMeant).map((row) => reviewKey(entryOfRow(row), normalise)))
  const live = keysOf(before, (row) => row.live)
  const [stood, stands] = [before, after].map((report) => keysOf(report, ({ afterApply }) => afterApply))
  // Kept, and not there any more after the edit.
  const ended: ReviewEntry[] = []
  const results = judged.map(({ entry, decision }): ReviewResult => {
    const key = reviewKey(entry, normalise)
    if (decision === 'revoke') return stands?.has(key) ? 'by-hand' : live.has(key) ? 'revoked' : 'gone'
    if (stood?.has(key) && !stands?.has(key)) ended.push(entry)
    return live.has(key) ? 'kept' : 'gone'
  })
  return { results, ended }
}

export function countNewRows(
  { entries }: Pick<Review, 'entries'>,
  { rows }: Pick<AccessReport, 'rows'>,
  normalise: NormaliseSvcId,
): number {
  const known = new Set(entries.map((entry) => reviewKey(entry, normalise)))
  return rows.filter((row) => row.live && !known.has(reviewKey(entryOfRow(row), normalise))).length
}

type Decisions = ReturnType<typeof decisionsOf>

/** The reviewers' decisions so far. Never throws for their contents. */
export function decisionsOf({ folder, shown, review }: ReturnType<typeof openReview>, normalise: NormaliseSvcId) {
  const problems: Problem[] = []
  const sources = new Map<string, TextSource>()
  const answers: Answer[] = []
  const files: Evidence['files'][number][] = []
  const dir = repositoryOf(folder)
  for (const { file, reviewer } of review.parts) {
    const path = join(folder, file)
    const source = readText(path, `${shown}/${file}`)
    if (!isSource(source)) {
      problems.push(source)
      continue
    }
    sources.set(source.file, source)
    answers.push(...readAnswers({ source, path, file }, review, normalise, problems))
    const committed = dir === undefined ? null : committedAs(dir, relativePath(dir, path), source.text)
    files.push({ file, reviewer, digest: sha256([source.text]), committed })
  }
  return { ...countDecisions(review, answers), problems: problems.sort(compareProblems), sources, files }
}

/** Each entry with who decided it. `decided`: all of them are. */
export function judgedEntries({ entries }: Review, { decided }: Pick<Decisions, 'decided'>) {
  return entries.map((entry, at): DecidedRow & { readonly by: readonly Answer[] } => {
    const by = decided.get(at) ?? []
    return { entry, decision: by[0]?.decision ?? 'keep', by }
  })
}

interface ReviewEnd extends Pick<Evidence, 'finishedAt' | 'commit' | 'files'> {
  readonly results: readonly ReviewResult[]
  readonly edited: readonly (FileText & { readonly file: string })[]
}

export function evidenceOf(
  { digest }: Review,
  judged: ReturnType<typeof judgedEntries>,
  { results, edited, finishedAt, commit, files }: ReviewEnd,
): Evidence {
  const entries = judged.map(({ entry, decision, by }, at): Evidence['entries'][number] => {
    const comments = by.flatMap(({ comment }) => comment ?? [])
    return { ...entry, decision, result: results[at] ?? 'kept', decidedIn: by.map(({ file }) => file), comments }
  })
  const digestOf = (text: Uint8Array = new Uint8Array()): string => sha256([Buffer.from(text).toString()])
  const written = edited.map(({ file, before, after }) => ({ file, before: digestOf(before), after: digestOf(after) }))
  const about = { formatVersion: '1.0' as const, review: digest, finishedAt, commit }
  return withDigest({ ...about, entries, files, edited: written }, sha256)
}

/** Their reader has compared the digests of both documents. */
export function discrepancies(
  review: Review,
  evidence: Evidence,
  { decided, files }: Pick<Decisions, 'decided' | 'files'>,
): readonly { readonly about: string | ReviewEntry; readonly why: string }[] {
  const wrong: { readonly about: string | ReviewEntry; readonly why: string }[] = []
  const note = (about: string | ReviewEntry, why: string): void => void wrong.push({ about, why })
  if (evidence.review !== review.digest) note('evidence.json', 'is of another review.json')
  const known = new Map(files.map(({ file, digest }) => [file, digest]))
  for (const { file, digest } of evidence.files)
    if (known.get(file) !== digest) note(file, 'was changed after the review had ended')
  for (const { file } of review.parts)
    if (!evidence.files.some((each) => each.file === file)) note(file, 'is not in the evidence')
  const asIs = (svcId: string): string => svcId
  for (const [at, entry] of review.entries.entries()) {
    const said = evidence.entries[at]
    const isSame = said !== undefined && reviewKey(said, asIs) === reviewKey(entry, asIs)
    if (!isSame || decided.get(at)?.some(({ decision }) => decision !== said.decision) !== false)
      note(entry, 'the evidence says something else than the files of the reviewers')
  }
  if (evidence.entries.length > review.entries.length) note('evidence.json', 'has unreviewed entries')
  return wrong
}
