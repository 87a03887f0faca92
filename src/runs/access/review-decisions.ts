// The decisions of reviewers, their evidence, and objections to existing evidence. It asks no platform.
import { join } from 'node:path'
import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import {
  type Answer,
  decide,
  type Evidence,
  type Review,
  type ReviewEntry,
  type ReviewResult,
  reviewKey,
  sealed,
} from '@svcsync/core/plan/access-review.ts'
import { compareProblems, type Problem } from '@svcsync/errors/index.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import type { FileText } from '@svcsync/files/write-together.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { readAnswers } from '@svcsync/project/access-review.ts'
import { sha256 } from '../open/sha256.ts'
import { committedAs } from './review-commits.ts'
import type { OpenedReview } from './review-folder.ts'
import type { Judged } from './review-run.ts'

type Decisions = ReturnType<typeof decisionsOf>

/** The reviewers' decisions so far. Never throws for their contents. */
export function decisionsOf({ folder, shown, review }: OpenedReview, normalise: NormaliseSvcId) {
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
  return { ...decide(review, answers), problems: problems.sort(compareProblems), sources, files }
}

/** Each entry with who decided it. `decided`: all of them are. */
export function judgedEntries({ entries }: Review, { decided }: Pick<Decisions, 'decided'>) {
  return entries.map((entry, at): Judged & { readonly by: readonly Answer[] } => {
    const by = decided.get(at) ?? []
    return { entry, decision: by[0]?.decision ?? 'keep', by }
  })
}

interface Ending extends Pick<Evidence, 'finishedAt' | 'commit' | 'files'> {
  readonly results: readonly ReviewResult[]
  readonly edited: readonly (FileText & { readonly file: string })[]
}

export function evidenceOf(
  { digest }: Review,
  judged: ReturnType<typeof judgedEntries>,
  { results, edited, finishedAt, commit, files }: Ending,
): Evidence {
  const entries = judged.map(({ entry, decision, by }, at): Evidence['entries'][number] => {
    const comments = by.flatMap(({ comment }) => comment ?? [])
    return { ...entry, decision, result: results[at] ?? 'kept', decidedIn: by.map(({ file }) => file), comments }
  })
  const digestOf = (text: Uint8Array = new Uint8Array()): string => sha256([Buffer.from(text).toString()])
  const written = edited.map(({ file, before, after }) => ({ file, before: digestOf(before), after: digestOf(after) }))
  const about = { formatVersion: '1.0' as const, review: digest, finishedAt, commit }
  return sealed({ ...about, entries, files, edited: written }, sha256)
}

/** Digests of the two documents were looked at when they were read. */
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
