// The remote of the ledger. Messages of git are never shown: they quote addresses with passwords.
import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isShallow } from '@svcsync/git/commit-tree.ts'
import { askGit, idOf } from '@svcsync/git/read-objects.ts'
import { commonFolderOf, readSettings, repositoryOf } from '@svcsync/git/repository.ts'
import { runGit, runRemoteGit } from '@svcsync/git/run-git.ts'
import { type LedgerEntry, readEntries, unreadEntry } from './ledger-commit.ts'
import { refuseDetour, refuseHead, refusePlace, refuseRefInTheWay, refuseSettings } from './remote-refusals.ts'

export interface Remote {
  /** The folder with `.git`. */
  readonly dir: string
  /** The folder with `refs`, of all work trees. */
  readonly common: string
  /** The project file from there, as git writes paths: a repository may hold several projects. */
  readonly project: string
  readonly name: string
  readonly signal: AbortSignal | undefined
  /** Every entry must be signed, except those `allowed` by name. Undefined: signatures are optional. */
  readonly signed?: { readonly allowed: readonly string[] } | undefined
}

/** Each takes as long as an exchange with the remote, and the other run holds its lock for less than one. */
const moreFetches = 20
const inUseReason = 'another git is at work in this clone, or has left a lock'

/** Milliseconds that git may take for one exchange with the remote. */
const timeoutMs = 120_000

/** For what a remote is opened, and what to do where there is none. */
const purposes = {
  ledger: {
    lead: 'The project has a ledger',
    without: '`--no-ledger` ignores the applied commit.',
    correct: 'Correct `ledger.remote` in the project file',
  },
  branch: { lead: 'A pull request needs a branch', without: '', correct: 'Name it `origin`' },
} as const

/** `file`: the project file. Throws an OperatorError where there is no such remote, or none that may be used. */
export function openRemote(
  file: string,
  name: string,
  signal?: AbortSignal,
  purpose: keyof typeof purposes = 'ledger',
): Remote {
  const { lead, without, correct } = purposes[purpose]
  const dir = repositoryOf(dirname(file))
  const setUp = (message: string, hint: string): OperatorError => new OperatorError('SVC2230', message, { hint })
  if (dir === undefined) {
    const where = purpose === 'ledger' ? 'is' : 'the project is'
    throw setUp(
      `${lead}, but ${where} in no git repository`,
      `Run svcsync in a clone, or make one: \`git init && git remote add ${name} URL\`. ${without}`.trim(),
    )
  }
  const settings = readSettings(dir)
  const common = commonFolderOf(dir)
  if (settings === undefined || common === undefined) {
    if (runGit(dir, ['--version']).isMissing)
      throw setUp(`${lead}, but git is not installed`, 'Install git 2.30 or later.')
    throw new OperatorError('SVC2233', 'git cannot read the settings of the repository', {
      hint: 'Run `git config --list --show-scope` there to see why; svcsync needs git 2.30 or later.',
    })
  }
  const urls = settings.filter(({ key }) => key === `remote.${name}.url`)
  // An empty one takes away those before it.
  if (!urls.at(-1)?.value)
    throw setUp(
      purpose === 'ledger'
        ? `The ledger is in the remote \`${name}\`, but the repository has no remote of that name`
        : `${lead}, but the repository has no remote \`${name}\``,
      `\`git remote -v\` lists them. ${correct}, or add the remote.`,
    )
  refuseSettings(dir, settings, name)
  refusePlace({ dir, common }, settings, name)
  refuseHead({ dir, common })
  const project = relative(realpathSync(dir), join(realpathSync(dirname(file)), basename(file)))
    .split(sep)
    .join('/')
  return { dir, common, project, name, signal }
}

/** By name: what each ref leads to. One that is not there is left out; refs that end alike may be among them. */
export async function listRefs(remote: Remote, refs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { text, failed } = await runOnRemote(remote, ['ls-remote', '--quiet', '--refs', '--', remote.name, ...refs])
  if (failed !== undefined) throw unreadable(remote, failed)
  return new Map(
    text.split('\n').map((line): [string, string] => {
      const [id = '', ref = ''] = line.split('\t')
      return [ref, id]
    }),
  )
}

interface FetchedRefs {
  /** The remote's refs, as fetched just now. */
  readonly there: ReadonlyMap<string, LedgerEntry>
  /** This clone's memory of all of them. */
  readonly here: ReadonlyMap<string, LedgerEntry>
  /** The commit that is checked out; undefined: there is none. */
  readonly head: LedgerEntry | undefined
}

/**
 * The same, with all that they lead to. Into refs of the same name: the user's own branches, and what they fetched
 * last, stay as they are. `besides`: decide nothing, so that all of them are left out where one cannot be had.
 */
export async function fetchRefs(
  remote: Remote,
  refs: readonly string[],
  besides: readonly string[] = [],
): Promise<FetchedRefs> {
  for (const ref of refs) refuseDetour(remote, ref)
  const existing = await listRefs(remote, [...refs, ...besides])
  const all = besides.length > 0 && fetchListed(remote, [...refs, ...besides], existing).catch(() => undefined)
  return (await all) || fetchListed(remote, refs, existing)
}

async function fetchListed(
  remote: Remote,
  refs: readonly string[],
  existing: ReadonlyMap<string, string>,
): Promise<FetchedRefs> {
  for (const ref of refs) refuseDetour(remote, ref)
  const there = refs.filter((ref) => existing.has(ref))
  const look = () => {
    const [head, ...read] = readEntries(remote.dir, ['HEAD^{commit}', ...refs])
    const missing = refs.filter((ref, index) => !existing.has(ref) && read[index]?.id)
    // For a ref that is not here, git reads a tag or a branch of that name, which others may push.
    const own = readIds(remote, missing)
    const isForeign = (ref: string): boolean => missing.includes(ref) && !own.has(ref)
    const here = new Map(refs.map((ref, index) => [ref, isForeign(ref) ? unreadEntry : (read[index] as LedgerEntry)]))
    const found = [...here].filter(([ref]) => existing.has(ref))
    const isAsListed = found.every(([ref, { id }]) => id === existing.get(ref))
    return { there: new Map(found), here, head: head?.id ? head : undefined, isAsListed }
  }
  const before = look()
  // Mostly nothing has happened since the last time.
  if (before.isAsListed) return before
  const isHere = () => look().isAsListed
  const fetch = [
    ...fetchArguments(remote),
    // An entry, and the commit that it keeps. A whole clone would be made shallow by that.
    ...(isShallow(remote.dir) ? ['--depth=2'] : []),
    ...['--', remote.name, ...there.map((ref) => `+${ref}:${ref}`)],
  ]
  let { failed } = await runOnRemote(remote, fetch)
  // Another run in the same clone may have been there first, or still hold the lock of a shallow clone.
  for (let more = moreFetches; failed === inUseReason && !isHere() && more > 0; more--)
    ({ failed } = await runOnRemote(remote, fetch))
  if (failed !== undefined && !isHere()) {
    for (const ref of there) refuseRefInTheWay(remote, ref)
    throw unreadable(remote, failed)
  }
  // They may have moved since they were listed.
  return look()
}

/** Other refs than of the ledger: each into a ref of another name. By the first of each, what it leads to. */
export async function fetchInto(
  remote: Remote,
  refs: readonly (readonly [name: string, from: string, to: string])[],
): Promise<ReadonlyMap<string, string>> {
  if (refs.length === 0) return new Map()
  for (const [, , to] of refs) refuseDetour(remote, to)
  const specs = refs.map(([, from, to]) => `+${from}:${to}`)
  const { failed } = await runOnRemote(remote, [...fetchArguments(remote), '--', remote.name, ...specs])
  if (failed !== undefined) throw unreadable(remote, failed)
  const all = refs.map(([, , to]) => to)
  const ids = readIds(remote, all)
  return new Map(refs.map(([name, , to]) => [name, ids.get(to) ?? '']))
}

const fetchArguments = ({ name }: Remote): readonly string[] => [
  // No ref is written but these.
  ...['-c', `remote.${name}.followRemoteHEAD=never`, 'fetch', '--quiet', '--refmap=', '--no-prune'],
  ...['--no-tags', '--no-prune-tags', '--no-write-fetch-head', '--no-write-commit-graph', '--no-recurse-submodules'],
]

/** The commit of each existing ref. */
function readIds({ dir }: Remote, refs: readonly string[]): ReadonlyMap<string, string> {
  if (refs.length === 0) return new Map()
  const answer = askGit(dir, ['for-each-ref', '--format=%(refname) %(objectname)', '--', ...refs]) ?? ''
  return new Map(answer.split('\n').map((line) => line.split(' ') as [string, string]))
}

interface RefMove {
  readonly ref: string
  /** The commit before; undefined: the ref is missing. */
  readonly from: string | undefined
  /** Undefined: it goes. */
  readonly to: string | undefined
}

export interface RefUpdate extends RefMove {
  readonly to: string
}

/** `raced`: the ref is not at `from`, and stays. Rejects with an OperatorError if the remote refuses. */
export async function moveRef(remote: Remote, move: RefUpdate): Promise<'moved' | 'raced'> {
  refuseDetour(remote, move.ref)
  const moved = await pushRef(remote, move)
  if (moved === 'moved') remember(remote, [move])
  return moved
}

/** Tries to move all of them in one push. False: none is known to have moved, as not every server takes that. */
export async function moveTogether(remote: Remote, moves: readonly RefUpdate[]): Promise<boolean> {
  for (const { ref } of moves) refuseDetour(remote, ref)
  const { failed } = await runOnRemote(remote, pushArguments(remote, moves, ['--atomic']))
  if (failed !== undefined) return false
  remember(remote, moves)
  return true
}

function remember({ dir }: Remote, moves: readonly RefUpdate[]): void {
  const input = moves.map(({ ref, to }) => `update ${ref} ${to}\n`).join('')
  runGit(dir, ['update-ref', '--no-deref', '--stdin'], { input })
}

/** The same on the remote alone. `hint`: where it is not taken. */
export async function pushRef(remote: Remote, move: RefMove, hint = ledgerHint): Promise<'moved' | 'raced'> {
  const { ref, from, to } = move
  const { failed } = await runOnRemote(remote, pushArguments(remote, [move]))
  if (failed === undefined) return 'moved'
  const existing = await listRefs(remote, [ref]).catch(() => undefined)
  if (existing !== undefined && existing.get(ref) === to) return 'moved'
  if (existing !== undefined && existing.get(ref) !== from) return 'raced'
  throw refusedRef(remote, ref, failed, hint)
}

const ledgerHint = 'An apply with a ledger needs the right to push refs below refs/svcsync/, see docs/ledger.md.'

function refusedRef(remote: Remote, ref: string, why: string, hint = ledgerHint): OperatorError {
  return new OperatorError('SVC2236', `The remote \`${remote.name}\` does not take ${ref}: ${why}`, { hint })
}

/** Checks that the remote would accept a ref from here; nothing is sent. Rejects as `moveRef`. */
export async function tryToPush(remote: Remote, ref: string): Promise<void> {
  const from = (await listRefs(remote, [ref])).get(ref)
  const to = idOf(remote.dir, 'HEAD')
  // Without a commit there is nothing to push, and the other form of that takes a ref away.
  if (to === undefined) return
  const { failed } = await runOnRemote(remote, pushArguments(remote, [{ ref, from, to }], ['--dry-run']))
  if (failed !== undefined) throw refusedRef(remote, ref, failed)
}

function pushArguments(remote: Remote, moves: readonly RefMove[], more: readonly string[] = []): string[] {
  return [
    ...['push', '--porcelain', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no'],
    // An empty one says that it must not be there.
    ...moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`),
    ...[...more, '--', remote.name, ...moves.map(({ ref, to }) => `${to ?? ''}:${ref}`)],
  ]
}

/** `failed`: why it came to nothing; undefined where it did not. */
async function runOnRemote({ dir, signal }: Remote, args: readonly string[]) {
  const { status, stdout, stderr, isMissing } = await runRemoteGit(dir, args, { timeoutMs, signal })
  const text = stdout.toString()
  if (status === 0) return { text, failed: undefined }
  return { text, failed: isMissing ? 'there is no git here' : failureReason(status, `${text}\n${stderr}`) }
}

function unreadable({ name }: Remote, why: string): OperatorError {
  return new OperatorError('SVC2231', `The remote \`${name}\`, which holds the ledger, cannot be read: ${why}`, {
    hint:
      why === otherTransport
        ? `\`git ls-remote --get-url ${name}\` shows the address that git uses: ` +
          '`url.….insteadOf` in your settings of git may put another one there.'
        : why === notWritable
          ? 'Make room on the disk, or make its folder `.git` writable; then run again.'
          : 'Run `git ls-remote` with its name. Plans, drift and applies ignore the ledger with `--no-ledger`.',
  })
}

const notWritable = 'git cannot write into this clone'
const otherTransport = 'its address uses a transport that svcsync does not use'
const causes: readonly (readonly [RegExp, string])[] = [
  [/shallow\.lock': File exists|shallow file has changed/i, inUseReason],
  [
    /^(?!remote: ).*(?:couldn't write|write error|no space left|disk quota|\.lock': (?:permission denied|read-only))/im,
    notWritable,
  ],
  [/stale info|cannot lock ref|incorrect old value/i, 'it was moved by somebody else'],
  [/transport .* not allowed/i, otherTransport],
  [/hook declined/i, 'a hook there declined it'],
  [/protected|prohibited|deny updating|hidden ref|not allowed/i, 'its rules do not allow it'],
  [
    /could not read Username|could not read Password|terminal prompts disabled/i,
    'it asks for credentials, and git has none',
  ],
  [/authentication failed|invalid credentials|error: 401/i, 'it does not accept the credentials that git has'],
  [
    /permission .*denied|permission denied|error: 403|read[- ]only|insufficient permission/i,
    'the account of git has no right to do that there',
  ],
  [/host key verification failed/i, 'the key of its host is not known here'],
  [/could not resolve host|name or service not known/i, 'its host is not found'],
  [
    /connection refused|connection timed out|failed to connect|no route to host|network is unreachable/i,
    'it cannot be reached',
  ],
  [
    /not appear to be a git repository|repository .*not found|does not exist|error: 404/i,
    'there is no repository at its address',
  ],
  [/shallow update not allowed/i, 'this clone is shallow'],
  [/remote rejected/i, 'it was rejected'],
  [/could not read from remote repository|unable to access/i, 'it cannot be reached, or does not let git in'],
]

function failureReason(status: number | null, stderr: string): string {
  const known = causes.find(([pattern]) => pattern.test(stderr))
  if (known !== undefined) return known[1]
  return status === null ? 'git did not end in time' : `git ended with ${status}`
}

/** The place of each branch here: the user's own branches stay as they are. */
const localBranchRef = (branch: string): string => `refs/svcsync/remote/${branch}`
const refOf = (branch: string): string => `refs/heads/${branch}`

/** By name, with all commits; one that is not there is left out. */
export async function fetchBranches(remote: Remote, branches: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const existing = await listRefs(remote, branches.map(refOf))
  const there = branches.filter((branch) => existing.has(refOf(branch)))
  return fetchInto(
    remote,
    there.map((branch) => [branch, refOf(branch), localBranchRef(branch)] as const),
  )
}

/** `to` undefined: it is deleted. Rejects with an OperatorError if the remote refuses, or somebody moved it. */
export async function moveBranch(remote: Remote, branch: string, from: string | undefined, to: string | undefined) {
  const moved = await pushRef(remote, { ref: refOf(branch), from, to }, branchHint)
  if (moved === 'moved') return
  throw new OperatorError('SVC2825', `Somebody else moved the branch \`${branch}\` meanwhile: it is left as it is`, {
    hint: 'Run the command again.',
  })
}

const branchHint =
  'The job needs the right to push this branch. A rule of the repository that protects it has to let svcsync through.'
