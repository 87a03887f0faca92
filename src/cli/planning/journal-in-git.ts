// `--journal git:` and `--resume git:`: the journal of a target in a ref beside its ledger.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@svcsync/errors/index.ts'
import type { JournalPlace } from '@svcsync/journal/journal.ts'
import { keepJournal, readKeptJournal } from '@svcsync/ledger/journal-ref.ts'
import { ledgerRefs } from '@svcsync/ledger/ledger-commit.ts'
import type { Project } from '@svcsync/project/project.ts'
import { remoteOf } from '@svcsync/runs/open/open-ledger.ts'
import type { Console } from '../terminal/console.ts'

export const journalInGit = 'git:'

/** The folder goes when all of it is in the ref. Rejects with an OperatorError if the ref is missing or must stay. */
export async function placeInGit(
  { file, ledger, targetName }: Pick<Project, 'file' | 'ledger' | 'targetName'>,
  console: Console,
  does: 'begin' | 'resume',
): Promise<JournalPlace & { discard(): void }> {
  if (ledger === undefined)
    throw new OperatorError('SVC2238', '`git:` keeps a journal in the remote of the ledger, and the project has none', {
      hint: 'Name a file, or add `ledger: { remote: origin }` to the project file.',
    })
  const remote = remoteOf({ file, ledger })
  const kept = await readKeptJournal(remote, ledgerRefs(targetName).journal)
  if (does === 'begin' && !kept.isFinished)
    throw new OperatorError('SVC2239', `${kept.ref} holds the journal of an apply that was broken off`, {
      hint:
        'Nothing was written. ' +
        `\`svcsync apply --resume git:\` resumes it; \`git push ${remote.name} :${kept.ref}\` discards it.`,
    })
  if (does === 'resume' && kept.entry === undefined)
    throw new OperatorError('SVC2239', `There is no journal in ${kept.ref}`, {
      hint: '`apply --journal git:` begins one.',
    })
  const folder = mkdtempSync(join(tmpdir(), 'svcsync-journal-'))
  const path = join(folder, 'journal.jsonl')
  if (does === 'resume') writeFileSync(path, kept.bytes, { mode: 0o600 })
  let isWhole = true
  const discard = (): void => {
    if (isWhole) rmSync(folder, { recursive: true, force: true })
  }
  const keeper = keepJournal(remote, kept, {
    path,
    clock: Date.now,
    sleep: (delayMs, signal) => delay(delayMs, undefined, signal && { signal }).catch(() => undefined),
    onTrouble: (sentence) => {
      isWhole = false
      console.note(sentence)
    },
  })
  return {
    path,
    shown: journalInGit,
    clock: Date.now,
    keeper: {
      begun: keeper.begun,
      ended: async () => {
        await keeper.ended()
        discard()
      },
    },
    discard,
  }
}

/** Finds an existing journal, in a file or in the ref. `discard`: for after the last read. */
export async function placeOfJournal(
  shown: string,
  project: () => Pick<Project, 'file' | 'ledger' | 'targetName'>,
  console: Console,
): Promise<JournalPlace & { discard(): void }> {
  if (shown === journalInGit) return placeInGit(project(), console, 'resume')
  return { path: resolve(shown), shown, clock: Date.now, discard: () => undefined }
}
