// The commits of the ledger: a line for people, and trailers for programs.
import { randomUUID } from 'node:crypto'
import { namesDevice } from '@svcsync/core/model/device-name.ts'
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { misfitOf } from '@svcsync/core/plan/misfit.ts'
import type { BegunCommit } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { askGit, idOf, readObjects } from '@svcsync/git/read-objects.ts'

/** The refs of a target's ledger: the commit applied last, and the lease. Any name of a target makes one. */
export function ledgerRefs(target: string) {
  const name = encodeURIComponent(target)
    // Characters that git refuses in names of refs, everywhere or in some places.
    .replace(/[!'()*~]/g, escapeCharacter)
    .replace(/^\.|\.(?=\.)|\.$|\.(?=lock$)/g, escapeCharacter)
    // Git keeps a ref as a file.
    .replace(/^./, (first, _, whole) => (namesDevice(whole) ? escapeCharacter(first) : first))
  return {
    applied: `refs/svcsync/applied/${name}`,
    lease: `refs/svcsync/lease/${name}`,
    journal: `refs/svcsync/journal/${name}`,
    history: `refs/svcsync/history/${name}`,
  }
}

const escapeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

export interface AppliedCommit {
  /** The commit that the ledger's ref is moved from. */
  readonly entry: string
  readonly commit: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly digest: string
  /** As whom svcsync signed in; empty where the platform did not tell. */
  readonly application: string
  /** The approvers that the applying job named; empty: it named none. */
  readonly approvedBy: readonly string[]
  /** The approvals of each commit that came with it, by the commit; undefined: nobody asked the forge. */
  readonly approvals?: Readonly<Record<string, readonly string[]>> | undefined
  /** The project file that was applied, from the folder with `.git`. */
  readonly project: string
  /** The address of the installation to which it was applied. */
  readonly installation: string
  /** The lease with which that was done; empty: an older svcsync wrote it. */
  readonly lease: string
}

interface AppliedEntry extends Omit<AppliedCommit, 'entry'> {
  readonly target: string
  readonly version: string
  readonly counts: ApplyReport['counts']
  readonly objects: number
}

/** The present or last holder. */
export interface Lease {
  /** The commit that the ref is moved from. */
  readonly entry: string
  readonly holder: string
  readonly where: string
  /** ISO 8601, UTC. */
  readonly since: string
  /** Undefined: it was given back. */
  readonly until: string | undefined
  /** See `ownProcess`; undefined: it is not known which process holds it. */
  readonly process?: string | undefined
  /** Applies that began since the entry `after` and did not finish: no entry says what the platform holds of them. */
  readonly begun: readonly BegunCommit[]
  /** The entry of the commit applied last; undefined: there is none. */
  readonly after: string | undefined
  /** Unique, and constant while the lease is renewed; undefined: an older svcsync wrote it. */
  readonly name?: string | undefined
  /** The part of `begun` that stays after a complete apply: an earlier holder may still be at work. */
  readonly left?: readonly BegunCommit[]
  /** The reason why it binds nobody, as the end of a sentence. Its `begun` still counts. */
  readonly flaw?: string | undefined
}

const author = 'svcsync <svcsync@svcsync.invalid>'

/** Undefined: git could not write it. Its tree is the applied commit's: `git diff` shows what is pending. */
export function writeApplied(dir: string, entry: AppliedEntry, before: string | undefined): string | undefined {
  const { target, commit, at, counts, lease, approvedBy, approvals } = entry
  const tree = idOf(dir, `${commit}^{tree}`)
  if (tree === undefined) return undefined
  const steps = `${counts.done} done, ${counts.unchanged} unchanged`
  const what = counts.done === 0 ? 'nothing was to do' : `${steps}, ${entry.objects} read back`
  const trailers = {
    Target: target,
    Project: entry.project,
    Installation: entry.installation,
    Applied: commit,
    At: at,
    Digest: entry.digest,
    Steps: steps,
    Application: entry.application,
    Version: entry.version,
    ...(lease !== '' && { Lease: lease }),
    ...(approvedBy.length > 0 && { Approvers: JSON.stringify(approvedBy) }),
    ...(approvals && { Approvals: JSON.stringify(approvals) }),
  }
  // The first entry has no parent, so `git log --first-parent` shows only entries.
  const first = before ?? writeCommit(dir, emptyTree(dir), [], 0, `Begin the ledger of ${oneLine(target)}`, {})
  const subject = `${oneLine(target)}: applied ${commit.slice(0, 12)}, ${what}`
  return first && writeCommit(dir, tree, [first, commit], Date.parse(at), subject, trailers)
}

export function writeLease(
  dir: string,
  lease: Omit<Lease, 'entry'>,
  target: string,
  nowMs: number,
  tree = emptyTree(dir),
): string | undefined {
  const { holder, where, since, until, process, begun, after, name, left = [] } = lease
  const commits = [...new Set(begun.flatMap(({ commit }) => commit ?? []))]
  const applies = begun.flatMap(({ commit, undo }) => (undo || commit === null ? [] : commit.slice(0, 12)))
  const names = [...new Set(applies)].join(', ')
  const undone = applies.length < begun.length ? ', after an undo' : ''
  const what = `${names && `, begun and not completed: ${names}`}${undone}`
  const subject = `${oneLine(target)}: ${until === undefined ? 'given back' : 'held'} by ${oneLine(holder)}${what}`
  const trailers = {
    ...{ Target: target, Holder: holder, Where: where, Since: since, ...(until && { Until: until }) },
    ...(process && { Process: process }),
    ...(begun.length > 0 && { Begun: JSON.stringify(begun), After: after ?? '' }),
    ...(name !== undefined && { Lease: name }),
    ...(left.length > 0 && { Left: JSON.stringify(left) }),
    // Two that look alike must not be one: what is given back and taken again in between has changed.
    Nonce: randomUUID(),
  }
  return writeCommit(dir, tree, commits, nowMs, subject, trailers)
}

/** Why it is nothing that svcsync has written, as the end of a sentence. */
type Flaw = string

export function appliedIn({ id: entry, flaw, trailers, parents }: LedgerEntry, target: string): AppliedCommit | Flaw {
  if (flaw !== undefined) return flaw
  const {
    Target,
    Applied: commit,
    At: at,
    Digest: digest = '',
    Application: application = '',
    Project = '',
    Installation: installation = '',
    Lease: lease = '',
    Approvers = '[]',
    Approvals = '',
  } = trailers
  if (Target === undefined || commit === undefined || at === undefined) return 'its commit is none of svcsync'
  if (Target !== oneLine(target)) return `its commit is about the target \`${Target}\``
  if (!isMoment(at)) return 'its commit does not say when that was'
  if (!parents.includes(commit)) return 'its commit does not keep the one that it names'
  const parsed = parseJson(Approvals)
  const approvals = isJsonObject(parsed)
    ? Object.fromEntries(Object.entries(parsed).map(([commit, names]) => [commit, namesIn(names)]))
    : undefined
  return {
    ...{ entry, commit, at, digest, application, approvedBy: namesIn(parseJson(Approvers)), approvals },
    ...{ project: Project, installation, lease },
  }
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((each) => (typeof each === 'string' ? each : [])) : []
}

export function leaseIn({ id: entry, flaw, trailers, parents }: LedgerEntry, target: string): Lease | Flaw {
  if (flaw !== undefined) return flaw
  const { Holder: holder, Where: where = '', Since: since, Until: until, Begun = '[]', After } = trailers
  const { Process: process, Target, Lease: name, Left = '[]' } = trailers
  if (holder === undefined || since === undefined || Target === undefined) return 'its commit is none of svcsync'
  // As where somebody has pushed that of another target there.
  if (Target !== oneLine(target)) return `its commit is about the target \`${Target}\``
  const isTimed = isMoment(since) && (until === undefined || isMoment(until))
  return {
    entry,
    holder,
    where,
    since,
    until: isTimed ? until : undefined,
    ...(!isTimed && { flaw: 'its commit does not say from when until when' }),
    process,
    begun: readBegun(Begun, parents),
    after: After || undefined,
    name,
    left: readBegun(Left, parents),
  }
}

/** Reads those whose commits it keeps. */
function readBegun(text: string, kept: readonly string[]): readonly BegunCommit[] {
  const value = parseJson(text)
  if (value === undefined || misfitOf(value, 'plan.schema.json#/properties/base/properties/begun') !== undefined)
    return []
  return (value as unknown as BegunCommit[]).filter(
    ({ commit, at }) => isMoment(at) && (commit === null || kept.includes(commit)),
  )
}

/** Within the years of calendars: whoever may push a ref can write anything there. */
export const isMoment = (text: string): boolean =>
  /^[12]\d{3}-\d{2}-\d{2}T[\d:.]{12}Z$/.test(text) &&
  Number.isFinite(Date.parse(text)) &&
  new Date(Date.parse(text)).toISOString() === text

export interface LedgerEntry {
  /** Empty: it is not here. */
  readonly id: string
  /** Why it is no commit. */
  readonly flaw?: Flaw
  readonly trailers: Readonly<Record<string, string>>
  readonly parents: readonly string[]
}

const noCommit = { trailers: {}, parents: [] }
export const unreadEntry: LedgerEntry = { id: '', flaw: 'git cannot read it', ...noCommit }

/** By ids, or names of refs. */
export function readEntries(dir: string, names: readonly string[]): readonly LedgerEntry[] {
  return readObjects(dir, names).map((object): LedgerEntry => {
    if (object === undefined) return unreadEntry
    const { id, type, bytes } = object
    return type === 'commit'
      ? { id, ...commitIn(bytes.toString()) }
      : { id, flaw: `it is a ${type}, and no commit`, ...noCommit }
  })
}

export const readEntry = (dir: string, name: string): LedgerEntry => readEntries(dir, [name])[0] as LedgerEntry

function commitIn(text: string): Pick<LedgerEntry, 'parents' | 'trailers'> {
  // The subject begins with the name of the target, which may look like a trailer.
  const [head = '', , ...body] = text.split('\n\n')
  const trailers = [...body.join('\n\n').matchAll(/^Svcsync-(\w+): (.*)$/gm)].map(([, name, value]) => [name, value])
  return {
    parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent as string),
    trailers: Object.fromEntries(trailers),
  }
}

/** As its bytes: nothing of the user's settings, such as signing, has a say. Undefined: git could not write it. */
export function writeCommit(
  dir: string,
  tree: string,
  parents: readonly string[],
  atMs: number,
  subject: string,
  trailers: Readonly<Record<string, string>>,
): string | undefined {
  const seconds = `${Math.floor(atMs / 1000)} +0000`
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${author} ${seconds}`,
    `committer ${author} ${seconds}`,
    '',
    oneLine(subject),
    ...(Object.keys(trailers).length > 0 ? [''] : []),
    ...Object.entries(trailers).map(([name, value]) => `Svcsync-${name}: ${oneLine(value)}`),
    '',
  ]
  return writeObject(dir, 'commit', lines.join('\n'))
}

/** git takes no object: what `what` names is not kept. */
export const unstorable = (what: string): OperatorError =>
  new OperatorError('SVC2236', `git cannot store ${what}`, {
    hint: 'Check that svcsync may write to the folder `.git`, and the room on the disk.',
  })

export function emptyTree(dir: string): string {
  return writeObject(dir, 'tree', '') ?? ''
}

export function writeObject(dir: string, type: string, content: string | Uint8Array): string | undefined {
  return askGit(dir, ['hash-object', '-t', type, '-w', '--stdin'], content)
}

/** A name stays part of its line, with any content. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
}
