// The issue of a target: opened when drift is found, kept up to date in its place, and closed by a run that finds none. Its text is its memory.
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import type { Act, Item, NewItem } from './keep-item.ts'

/** What a run looked at. No glob: everything. */
export interface Selection {
  readonly only: readonly string[]
  /** What people can do undeclared as well. */
  readonly access: boolean
}

export interface DriftFound {
  readonly target: string
  /** One for each difference: see `fingerprintsOf`. */
  readonly fingerprints: readonly string[]
  readonly selection: Selection
  /** Everything selected was read. */
  readonly isComplete: boolean
  readonly nowMs: number
}

/** Since which day a difference is known: `2026-11-22`; undefined: nobody remembers. */
export type SinceOf = (fingerprint: string) => string | undefined

export interface IssueText extends Pick<NewItem, 'assignees' | 'unowned'> {
  /** Markdown of what was found; its first line is the verdict. */
  found(since: SinceOf, maxLength: number): string
  /** One line. */
  readonly verdict: string
}

export const driftLabel = 'svcsync-drift'

/** Forges refuse more than 65,536 characters. */
const longest = 65_000
/** With less room, nothing of use could be said. */
const shortest = 5000
const dayMs = 86_400_000
/** So many differences are remembered, those first that are known longest. */
const mostRemembered = 6000

const end = '<!-- svcsync:end -->'
const markerOf = (target: string): string => `<!-- svcsync:drift:${target.replace(/[^\w.]/g, encodeURIComponent)} -->`
const titleOf = (target: string): string => `Drift of ${target}`

/** Whether an issue with the label is the one of a target, and not over. Somebody may have edited its text, or its title. */
export function isIssueOf(target: string): (item: Item) => boolean {
  return ({ title, body }) =>
    (body.includes(markerOf(target)) || title === titleOf(target)) && memoryIn(body, target).ended !== true
}

export function duplicateOf(first: string) {
  const says = `Closed: another run of svcsync opened ${first} at the same moment.`
  return { isOpen: false, body: `${memoryLine({ ended: true })}\n\n${says}\n`, says }
}

/** What becomes of the issue after a run. */
export function decideIssue(found: DriftFound, text: IssueText): (item: Item | undefined) => Act {
  return (item) => {
    if (item === undefined) return opened(found, text)
    const memory = memoryIn(item.body, found.target)
    if (!covers(found.selection, memory))
      return { act: 'leave', why: `it is about ${saidOf(memory)}, and this run looked at ${saidOf(found.selection)}` }
    if (found.fingerprints.length > 0) return kept(found, text, item, memory)
    if (!found.isComplete) return { act: 'leave', why: 'not everything could be read' }
    return ended(found, item, memory)
  }
}

function opened(found: DriftFound, text: IssueText): Act {
  const { target, fingerprints } = found
  if (fingerprints.length === 0) return { act: 'leave', why: 'there is no drift' }
  const { body } = written(found, text, undefined, noMemory)
  const { assignees, unowned } = text
  return { act: 'create', item: { title: titleOf(target), body, assignees, unowned } }
}

function kept(found: DriftFound, text: IssueText, item: Item, memory: Memory): Act {
  const { nowMs, target } = found
  const title = titleOf(target)
  if (item.isOpen) return { act: 'change', change: { title, ...written(found, text, item, memory) } }
  const { reopened } = memory
  if (reopened !== undefined && nowMs - Date.parse(reopened) < dayMs)
    return { act: 'leave', why: 'somebody closed it, and svcsync reopens it once a day at most' }
  const again = { ...memory, reopened: new Date(nowMs).toISOString() }
  const change = { title, isOpen: true, ...written(found, text, item, again) }
  return { act: 'change', change, says: `Reopened, since the drift is still there: ${text.verdict}.` }
}

function ended({ target, selection, nowMs }: DriftFound, { body, isOpen }: Item, memory: Memory): Act {
  const { before, own, after } = partsOf(body, target)
  const days = [...memory.since.values()].sort()
  const since = days[0] === undefined ? '' : ` The oldest difference was there since ${days[0]}.`
  const sentence = `No drift is left: a complete run over ${saidOf(selection)} found none on ${dayOf(nowMs)}.${since}`
  const about = ['<details>', '<summary>What it was about</summary>', '', own.trim(), '', '</details>']
  const lines = [markerOf(target), memoryLine({ ended: true }), '', `### ✅ ${sentence}`, '', ...about, end]
  const change = { body: `${before}${lines.join('\n')}${after}`, isOpen: false }
  return { act: 'change', change, says: isOpen ? sentence : undefined }
}

/** What people wrote around the text stays. */
function written(found: DriftFound, text: IssueText, item: Item | undefined, memory: Memory) {
  const { target, fingerprints, nowMs, selection, isComplete } = found
  const { before, after } = partsOf(item?.body ?? '', target)
  const today = dayOf(nowMs)
  const all = fingerprints.map((each): [string, string] => [short(each), memory.since.get(short(each)) ?? today])
  // What is left out of the memory would be new each night.
  const oldest = all.sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0)).slice(0, mostRemembered)
  // What could not be read may be just what was known.
  const since = new Map([...(isComplete ? [] : memory.since), ...oldest])
  const head = [markerOf(target), memoryLine({ ...memory, ...selection, since }), '']
  const room = longest - before.length - after.length - head.join('\n').length - end.length - 4
  const own = text.found((each) => since.get(short(each)), Math.max(shortest, room))
  return { body: `${before}${[...head, own.trim(), '', end].join('\n')}${after}` }
}

/** A text without the marker is replaced as a whole: what of it is ours, nobody can tell. */
function partsOf(body: string, target: string) {
  const text = body.replaceAll('\r\n', '\n')
  const from = text.indexOf(markerOf(target))
  if (from < 0) return { before: '', own: '', after: '' }
  const to = text.indexOf(end, from)
  const own = text.slice(from, to < 0 ? undefined : to).split('\n')
  const isHidden = (line: string): boolean => line.startsWith('<!-- svcsync:')
  const shown = own.filter((line) => !isHidden(line)).join('\n')
  return { before: text.slice(0, from), own: shown, after: to < 0 ? '' : text.slice(to + end.length).trimEnd() }
}

interface Memory extends Selection {
  /** By the short form of a fingerprint, its day. */
  readonly since: ReadonlyMap<string, string>
  /** When svcsync reopened it. ISO 8601, UTC. */
  readonly reopened?: string | undefined
  /** svcsync closed it for good. */
  readonly ended?: boolean
}

const noMemory: Memory = { since: new Map(), only: [], access: false }

/** 36 bits of the 64: thousands of them have to fit. */
function short(fingerprint: string): string {
  return Buffer.from(fingerprint, 'hex').toString('base64').slice(0, 6)
}

/** By day, one behind the other. */
function memoryLine({ since = new Map(), only = [], access = false, reopened, ended: over }: Partial<Memory>): string {
  const days: Record<string, string> = {}
  for (const [each, day] of since) days[day] = `${days[day] ?? ''}${each}`
  const data = over ? { ended: true } : { since: days, only, access, reopened }
  // Nothing in it ends the comment.
  const text = JSON.stringify(data).replace(/--|[<>]/g, (part) =>
    [...part].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(''),
  )
  return `<!-- svcsync:memory ${text} -->`
}

/** Anybody may have edited it: what is not as svcsync writes it is forgotten. */
function memoryIn(body: string, target: string): Memory {
  const marker = body.indexOf(markerOf(target))
  const [, text = ''] = /<!-- svcsync:memory (.*) -->/.exec(body.slice(Math.max(0, marker))) ?? []
  const data = parseJson(text)
  if (!isJsonObject(data)) return noMemory
  const { since: days, only, access, reopened, ended: over } = data
  const since = new Map<string, string>()
  for (const [day, all] of Object.entries(isJsonObject(days) ? days : {})) {
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || typeof all !== 'string') continue
    for (const each of all.match(/.{6}/g) ?? []) since.set(each, day)
  }
  return {
    since,
    only: Array.isArray(only) ? only.filter((each) => typeof each === 'string') : [],
    access: access === true,
    reopened: typeof reopened === 'string' ? reopened : undefined,
    ended: over === true,
  }
}

/** Whether a run looked at all that an issue is about. */
function covers(run: Selection, issue: Selection): boolean {
  const isSame = JSON.stringify([...run.only].sort()) === JSON.stringify([...issue.only].sort())
  return (run.only.length === 0 || isSame) && (run.access || !issue.access)
}

function saidOf({ only, access }: Selection): string {
  const what = only.length === 0 ? 'everything that is declared' : only.map((glob) => `\`${glob}\``).join(', ')
  return access ? `${what} and all access` : what
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
