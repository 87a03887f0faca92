// A journal in a ref of the remote, pushed at intervals, so that it outlives the runner.
import { readFileSync, statSync } from 'node:fs'
import { OperatorError } from '@svcsync/errors/index.ts'
import { runGit } from '@svcsync/git/run-git.ts'
import { unstorable, writeCommit, writeObject } from './ledger-commit.ts'
import { fetchRefs, moveRef, type Remote } from './remote.ts'
import { refuseUnsigned, signEntry } from './signatures.ts'

interface KeptJournal {
  readonly ref: string
  /** The commit of the ref; undefined: the ref is missing. */
  readonly entry: string | undefined
  readonly bytes: Buffer
  readonly isFinished: boolean
}

const file = 'journal.jsonl'
const intervalMs = 15_000

/** Rejects with an OperatorError where the remote cannot be read, or the ref leads to no journal. */
export async function readKeptJournal(remote: Remote, ref: string): Promise<KeptJournal> {
  const entry = (await fetchRefs(remote, [ref])).there.get(ref)?.id
  if (entry === undefined) return { ref, entry, bytes: Buffer.alloc(0), isFinished: true }
  await refuseUnsigned(remote, [{ ref, entry }])
  const { status, stdout: bytes } = runGit(remote.dir, ['cat-file', 'blob', `${entry}:${file}`])
  if (status !== 0)
    throw new OperatorError('SVC2232', `${ref} on the remote \`${remote.name}\` is no journal of svcsync`, {
      hint:
        `\`git fetch ${remote.name} ${ref} && git show FETCH_HEAD\` shows what it is; ` +
        `\`git push ${remote.name} :${ref}\` removes it.`,
    })
  const last = bytes.toString().trimEnd().split('\n').at(-1) ?? ''
  return { ref, entry, bytes, isFinished: last.startsWith('{"event":"finished"') }
}

interface KeeperSettings {
  readonly path: string
  /** Milliseconds since 1970. */
  clock(): number
  /** Ends early, without an error, when the signal is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /** Takes a sentence for people. */
  onTrouble(sentence: string): void
}

/** `begun` rejects with an OperatorError if the remote refuses; later troubles are only reported. */
export function keepJournal(remote: Remote, kept: KeptJournal, { path, clock, sleep, onTrouble }: KeeperSettings) {
  const { ref } = kept
  let { entry } = kept
  let pushed = 0
  const ending = new AbortController()
  let looking: Promise<void> | undefined
  const push = async (): Promise<void> => {
    if (statSync(path).size === pushed) return
    const bytes = readFileSync(path)
    const to = entryOf(remote.dir, bytes, clock())
    if (to === undefined) throw unstorable(`the journal for ${ref}`)
    const next = await signEntry(remote, to)
    if ((await moveRef(remote, { ref, from: entry, to: next })) === 'raced')
      throw new OperatorError('SVC2236', `${ref} was moved by somebody else`, {
        hint: 'Another apply may keep its journal there: `svcsync status` shows who applies.',
      })
    entry = next
    pushed = bytes.length
  }
  const look = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await sleep(intervalMs, ending.signal)
      // The next look tries again, and the end tells.
      if (!ending.signal.aborted) await push().catch(() => undefined)
    }
  }
  return {
    async begun(): Promise<void> {
      await push()
      looking = look()
    },
    async ended(): Promise<void> {
      if (looking === undefined || ending.signal.aborted) return
      ending.abort()
      await looking
      await push().catch((error: Error) =>
        onTrouble(`The end of the journal is not in ${ref}: ${error.message}. It is in ${path}.`),
      )
    },
  }
}

function entryOf(dir: string, bytes: Buffer, nowMs: number): string | undefined {
  const blob = writeObject(dir, 'blob', bytes)
  const { stdout } = runGit(dir, ['mktree'], { input: `100644 blob ${blob}\t${file}\n` })
  // If git could not write one of them, it refuses the next.
  return writeCommit(dir, stdout.toString().trim(), [], nowMs, 'The journal of an apply', {})
}
