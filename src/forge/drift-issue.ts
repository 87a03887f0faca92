// The issue of a target: kept up to date, and closed by a run that finds no drift. Its text is its memory.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { packDays, shortFingerprint as short, unpackDays } from '@svcsync/core/plan/run-history.ts'
import type { Decision, Item, ItemStore } from './keep-item.ts'
import {
  formatSelection,
  markerOf,
  memoryIn,
  partsOf,
  replaceOwnPart,
  type Selection,
  selectionIn,
  uncoveredScope,
} from './own-text.ts'

interface DriftResult {
  readonly target: string
  /** One for each difference: see `fingerprintsOf`. */
  readonly fingerprints: readonly string[]
  /** So many entries and accounts end by tomorrow: whoever wants them to stay has to know. */
  readonly ends: number
  readonly selection: Selection
  /** Everything selected was read. */
  readonly isComplete: boolean
  readonly nowMs: number
}

/** Since which day a difference is known: `2026-11-22`; undefined: nobody remembers. */
type FirstSeen = (fingerprint: string) => string | undefined

interface IssueText extends Pick<Parameters<ItemStore['create']>[0], 'assignees' | 'unowned'> {
  /** Markdown of what was found; its first line is the verdict. */
  found(since: FirstSeen, maxLength: number): string
  /** One line; null: there is no drift. */
  readonly verdict: string | null
}

export const driftLabel = 'svcsync-drift'

const dayMs = 86_400_000

const markOf = (target: string): string => markerOf('drift', target)
const titleOf = (target: string): string => `Drift of ${target}`

/** True if an issue with the label is the open one of a target. Somebody may have edited its text, or its title. */
export function isIssueOf(target: string): (item: Item) => boolean {
  return ({ title, body }) =>
    (body.includes(markOf(target)) || title === titleOf(target)) && memoryIn(body, markOf(target))?.ended !== true
}

/** The last run's verdict on an open drift. Undefined: there is none, or nobody remembers. */
export function verdictIn(item: Item | undefined, target: string): string | undefined {
  const { verdict, ended: isOver } = memoryIn(item?.body ?? '', markOf(target)) ?? {}
  return typeof verdict === 'string' && isOver !== true ? verdict : undefined
}

export function decideIssue(found: DriftResult, text: IssueText): (item: Item | undefined) => Decision {
  return (item) => {
    if (item === undefined) return createIssue(found, text)
    const memory = readMemory(memoryIn(item.body, markOf(found.target)))
    const why = uncoveredScope(found.selection, memory)
    if (why !== undefined) return { act: 'leave', why }
    if (found.fingerprints.length + found.ends > 0) return updateIssue(found, text, item, memory)
    if (!found.isComplete) return { act: 'leave', why: 'not everything could be read' }
    return closeIssue(found, item, memory)
  }
}

function createIssue(found: DriftResult, text: IssueText): Decision {
  const { target, fingerprints, ends } = found
  if (fingerprints.length + ends === 0) return { act: 'leave', why: 'there is no drift' }
  const { body } = issueBody(found, text, undefined, noMemory)
  const { assignees, unowned } = text
  return { act: 'create', item: { title: titleOf(target), body, assignees, unowned } }
}

function updateIssue(found: DriftResult, text: IssueText, item: Item, memory: IssueMemory): Decision {
  const { nowMs, target } = found
  const title = titleOf(target)
  if (item.isOpen) return { act: 'change', change: { title, ...issueBody(found, text, item, memory) } }
  if (found.fingerprints.length === 0) return { act: 'leave', why: 'somebody closed it, and there is no drift' }
  const { reopened } = memory
  if (reopened !== undefined && nowMs - Date.parse(reopened) < dayMs)
    return { act: 'leave', why: 'somebody closed it, and svcsync reopens it once a day at most' }
  const again = { ...memory, reopened: new Date(nowMs).toISOString() }
  const change = { title, isOpen: true, ...issueBody(found, text, item, again) }
  return { act: 'change', change, says: `Reopened, since the drift is still there: ${text.verdict}.` }
}

function closeIssue({ target, selection, nowMs }: DriftResult, { body, isOpen }: Item, memory: IssueMemory): Decision {
  const { own } = partsOf(body, markOf(target))
  const [oldest] = [...memory.since.values()].sort()
  const since = oldest === undefined ? '' : ` The oldest difference was there since ${oldest}.`
  const scope = formatSelection(selection)
  const sentence = `No drift is left: a full run over ${scope} found none on ${dayOf(nowMs)}.${since}`
  const about = ['<details>', '<summary>What it was about</summary>', '', own.trim(), '', '</details>']
  const render = () => [`### ✅ ${sentence}`, '', ...about].join('\n')
  const change = { body: replaceOwnPart(body, markOf(target), { ended: true }, { render }), isOpen: false }
  return { act: 'change', change, says: isOpen ? sentence : undefined }
}

/** Text that people wrote around it stays. */
function issueBody(found: DriftResult, text: IssueText, item: Item | undefined, memory: IssueMemory) {
  const { target, fingerprints, nowMs, selection, isComplete } = found
  const today = dayOf(nowMs)
  const all = fingerprints.map((each): [string, string] => [short(each), memory.since.get(short(each)) ?? today])
  // The unread part may contain the known differences.
  const since = new Map([...(isComplete ? [] : memory.since), ...all])
  const kept = { since: packDays(since), ...selection, reopened: memory.reopened, verdict: text.verdict }
  const render = (most: number) => text.found((each) => since.get(short(each)), most)
  return { body: replaceOwnPart(item?.body ?? '', markOf(target), kept, { render }) }
}

interface IssueMemory extends Selection {
  /** By the short form of a fingerprint, its day. */
  readonly since: ReadonlyMap<string, string>
  /** When svcsync reopened it. ISO 8601, UTC. */
  readonly reopened?: string | undefined
}

const noMemory: IssueMemory = { since: new Map(), only: [], access: false }

function readMemory(data: JsonObject | undefined): IssueMemory {
  if (data === undefined) return noMemory
  const { since: days, reopened } = data
  const since = unpackDays(isJsonObject(days) ? days : {})
  return { since, ...selectionIn(data), reopened: typeof reopened === 'string' ? reopened : undefined }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
