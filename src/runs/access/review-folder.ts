// The folder of a review of access: what is written when it begins and ends, and how it is read again.
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import { type Evidence, hasOwnDigest, type Review, type ReviewEntry } from '@svcsync/core/plan/access-review.ts'
import { OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { documentText, entry, item, list, literal, mapping } from '@svcsync/export/yaml-node.ts'
import { liesWithin, shownPath } from '@svcsync/files/paths.ts'
import { isUnread, largestDocument, readBounded } from '@svcsync/files/read-bounded.ts'
import { renamePatiently } from '@svcsync/files/rename-patiently.ts'
import { isReplaced, putInPlace } from '@svcsync/files/write-atomically.ts'
import type { FileText } from '@svcsync/files/write-together.ts'
import { reviewsFolder } from '@svcsync/project/find-project.ts'
import type { ReadProject } from '../open/open-project.ts'
import { sha256 } from '../open/sha256.ts'

const reviewFile = 'review.json'
const evidenceFile = 'evidence.json'

interface OpenedReview {
  readonly folder: string
  /** As people see it. */
  readonly shown: string
  readonly review: Review
}

/** The whole folder at once. Throws an OperatorError where it cannot be written. */
export function writeReview(folder: string, shown: string, review: Review): void {
  const beside = `${folder}.tmp`
  try {
    rmSync(beside, { recursive: true, force: true })
    mkdirSync(beside, { recursive: true })
    for (const part of review.parts) writeFileSync(join(beside, part.file), partText(review, part))
    writeFileSync(join(beside, reviewFile), jsonText(review))
    renamePatiently(beside, folder)
  } catch (error) {
    if (existsSync(beside)) rmSync(beside, { recursive: true, force: true })
    throw unwritten(shown, error)
  }
}

/** A second target may be reviewed on the same day; a second review of one throws an OperatorError. */
export function freeFolder({ project }: Pick<ReadProject, 'project'>, day: string, displayBase: string): string {
  const all = reviewsFolder(project)
  if (existsSync(all) && !liesWithin(realpathSync(project.dir), realpathSync(all)))
    throw new OperatorError('SVC2310', `\`${shownPath(all, displayBase)}\` is a link that leads out of the project`, {
      hint: 'Put the folder itself there.',
    })
  const names = [day, `${day}-${project.targetName}`]
  const free = names.find((name) => !existsSync(join(all, name)))
  if (free !== undefined && (free === day || openReview(all, day, displayBase).review.target !== project.targetName))
    return join(all, free)
  throw new OperatorError('SVC2310', `A review of \`${project.targetName}\` has begun today already`, {
    hint:
      'Go on with it: `svcsync access review status`. ' +
      `To begin anew, remove the folder \`${shownPath(join(all, day), displayBase)}\`.`,
  })
}

/** Before anything is edited for it. */
export function requireRoom({ folder, shown }: OpenedReview): void {
  try {
    isReplaced(join(folder, evidenceFile))
  } catch (error) {
    throw unwritten(shown, error)
  }
}

/** To be written together with the manifests. */
export function evidenceText({ folder }: OpenedReview, evidence: Evidence): FileText {
  const after = Buffer.from(jsonText(evidence))
  return { path: join(realpathSync(folder), evidenceFile), before: undefined, after }
}

export function writeEvidence({ folder, shown }: OpenedReview, evidence: Evidence): void {
  try {
    putInPlace(join(folder, evidenceFile), jsonText(evidence), 0o644)
  } catch (error) {
    throw unwritten(shown, error)
  }
}

function unwritten(shown: string, error: unknown): unknown {
  const { code } = error as { readonly code?: unknown }
  if (typeof code !== 'string') return error
  return new OperatorError('SVC2310', `\`${shown}\` cannot be written: ${whyUnwritable(code)}`, {
    hint: 'Mend that, and run the command again.',
  })
}

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 1)}\n`

function partText(review: Review, { reviewer, entries }: Review['parts'][number]): string {
  const header = [
    `Review of access to ${review.target}, begun on ${review.startedAt.slice(0, 10)}, until ${review.until}.`,
    'Write `keep` or `revoke` behind each `decision:`, and `comment:` where a reason helps. Change nothing else.',
    ...(reviewer === null
      ? ['These objects have no other owner or administrator: the leader of the review decides.']
      : []),
  ]
  return documentText(
    [
      ...(reviewer === null ? [] : [entry('reviewer', literal(reviewer))]),
      entry('entries', {
        ...{ type: 'sequence', props: [], flow: false, column: 0, header: [], trailing: [] },
        entries: entries.map((at) => item(entryNode(review.entries[at] as ReviewEntry))),
      }),
    ],
    header,
  )
}

function entryNode({ person, level, object, company, through, since }: ReviewEntry) {
  const fields = Object.entries({ person, level, object, company }).flatMap(([key, value]) =>
    value === null ? [] : [entry(key, literal(value))],
  )
  return mapping([
    ...fields,
    ...(through.length === 0 ? [] : [entry('through', list(through.map((group) => item(literal(group)))))]),
    ...(since === null ? [] : [entry('since', day(since))]),
    entry('decision', day('')),
  ])
}

/** A text of signs that needs no quotes. */
const day = (text: string) => ({ type: 'scalar', props: [], lines: [text], alias: undefined }) as const

function namesIn(all: string): string[] {
  if (!existsSync(all)) return []
  return readdirSync(all)
    .filter((each) => existsSync(join(all, each, reviewFile)))
    .sort()
}

/** `name`: of the folder; absent: the newest. Throws an OperatorError where there is none, or it was changed. */
export function openReview(all: string, name: string | undefined, displayBase: string): OpenedReview {
  const names = namesIn(all)
  const chosen = name === undefined ? names.at(-1) : names.find((each) => each === basename(name))
  if (chosen === undefined)
    throw new OperatorError('SVC2310', `There is no review ${name === undefined ? 'of access' : `\`${name}\``}`, {
      hint: suggestion(name ?? '', names) ?? 'Begin one: `svcsync access review start --by owner --until DATE`.',
    })
  const folder = join(all, chosen)
  const shown = shownPath(folder, displayBase)
  const review = readSealed<Review>(join(folder, reviewFile), `${shown}/${reviewFile}`, isReview)
  return { folder, shown, review }
}

/** Throws where one was changed. */
export function lastReview(
  all: string,
  target: string,
  displayBase: string,
): { readonly review: Review; readonly evidence: Evidence } | undefined {
  for (const name of namesIn(all).reverse()) {
    const opened = openReview(all, name, displayBase)
    const evidence = opened.review.target === target ? readEvidence(opened) : undefined
    if (evidence !== undefined) return { review: opened.review, evidence }
  }
  return undefined
}

export function readEvidence({ folder, shown }: OpenedReview): Evidence | undefined {
  const path = join(folder, evidenceFile)
  return existsSync(path) ? readSealed<Evidence>(path, `${shown}/${evidenceFile}`, isEvidence) : undefined
}

function readSealed<Content extends { readonly digest: string }>(
  path: string,
  shown: string,
  isIt: (data: unknown) => boolean,
): Content {
  const bytes = readBounded(path, largestDocument)
  if (isUnread(bytes)) throw changed(`\`${shown}\` cannot be read: ${bytes.reason}`)
  const data = parseJson(bytes.toString())
  if (!isJsonObject(data) || data.formatVersion !== '1.0' || !isIt(data))
    throw changed(`\`${shown}\` is not as svcsync wrote it`)
  const content = data as unknown as Content
  if (!hasOwnDigest(content, sha256)) throw changed(`\`${shown}\` was changed: its digest does not match`)
  return content
}

function changed(message: string): OperatorError {
  return new OperatorError('SVC2313', message, {
    hint: '`git log` shows who changed it. Take the file back as it was committed first.',
  })
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isListOf = (value: unknown, isPart: (part: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isPart)

const isEntry = (data: unknown): boolean =>
  isJsonObject(data) &&
  [data.person, data.level, data.object].every(isText) &&
  [data.company, data.since].every((each) => each === null || isText(each)) &&
  isListOf(data.through, isText)

function isReview(data: unknown): boolean {
  if (
    !isJsonObject(data) ||
    ![data.target, data.by, data.startedAt, data.until, data.endsAt, data.digest].every(isText)
  )
    return false
  const { entries, parts, notTold } = data
  const count = Array.isArray(entries) ? entries.length : 0
  const isNumber = (at: unknown): boolean => typeof at === 'number' && Number.isInteger(at) && at >= 0 && at < count
  const isPart = (part: unknown): boolean =>
    isJsonObject(part) &&
    (part.reviewer === null || isText(part.reviewer)) &&
    typeof part.file === 'string' &&
    basename(part.file) === part.file &&
    isListOf(part.entries, isNumber)
  return isListOf(entries, isEntry) && isListOf(parts, isPart) && isListOf(notTold, isText)
}

function isEvidence(data: unknown): boolean {
  if (!isJsonObject(data) || ![data.review, data.finishedAt, data.digest].every(isText)) return false
  const isDecided = (each: unknown): boolean =>
    isEntry(each) &&
    isJsonObject(each) &&
    isText(each.decision) &&
    isText(each.result) &&
    isListOf(each.decidedIn, isText)
  const isFile = (each: unknown): boolean => isJsonObject(each) && isText(each.file)
  return isListOf(data.entries, isDecided) && isListOf(data.files, isFile) && isListOf(data.edited, isFile)
}
