// The ledger as an apply of the command line uses it: waits for another apply, and says what of the ledger people should know.
import { env } from 'node:process'
import type { SavedPlan } from '../core/saved/saved-plan.ts'
import type { ExactCommit } from '../ledger/exact-commit.ts'
import { awaitLease, describeLease, takeLease } from '../ledger/lease.ts'
import { type LedgerState, noteApplied, readLedger } from '../ledger/ledger.ts'
import type { Lease } from '../ledger/ledger-commit.ts'
import type { Project } from '../project/project.ts'
import { commitOf, type OpenedLedger, openLedger } from '../runs/open/open-ledger.ts'
import type { ReadProject } from '../runs/open/open-project.ts'
import type { OpenedTarget } from '../runs/open/open-target.ts'
import { describeApplication, readActingApplication } from '../runs/plan/acting-application.ts'
import type { RunLedger } from '../runs/plan/apply-run.ts'
import type { Console } from './console.ts'
import type { SharedOptions } from './shared-options.ts'
import { version } from './version.ts'

/** Undefined: without a ledger. Waits until nobody else applies, or rejects with a RefusedError. `saved`: what is applied in the place of the manifests. */
export async function ledgerForCommand(
  { project, ...rest }: ReadProject | OpenedTarget,
  options: SharedOptions & { readonly leaseTimeout?: number },
  console: Console,
  kill: AbortSignal,
  saved: SavedPlan | 'undo' | undefined,
): Promise<(RunLedger & Pick<LedgerState, 'applied'>) | undefined> {
  const opened = await openLedger(project, { env, clock: Date.now, signal: kill })
  if (opened === undefined) return undefined
  const { remote, target } = opened
  // What is applied is what is there now.
  const exact =
    saved === undefined && 'manifests' in rest
      ? commitForCommand(remote.dir, { project, ...rest }, options)
      : commitOfSaved(saved)
  const state = await whenFree(opened, options, console, kill)
  const { lease } = state
  if (state.applied === undefined) {
    console.note(`The ledger of \`${target}\` begins with this apply: nothing says what was applied before.`)
  }
  return {
    applied: state.applied,
    async takeLease() {
      const held = await takeLease(lease, opened)
      if (lease.state !== 'free' && lease.lease !== undefined) {
        const { holder, until } = lease.lease
        const why = lease.state === 'held' ? 'as `--allow` says' : `it ran out at ${until}`
        console.note(`The lease of \`${target}\` was taken over from ${holder}: ${why}.`)
      }
      return held
    },
    note: (report, { document }, client) =>
      noteApplied(remote, target, state, report, {
        ...{ exact, version, installation: project.target.baseUrl, digest: document.digest },
        base: document.base?.commit,
        application: () => readActingApplication(client).then(describeApplication, () => ''),
      }),
  }
}

/** What was applied before. The lease is nobody's business who only looks. */
export async function ledgerForPlan(project: Project, console: Console): Promise<LedgerState | undefined> {
  const opened = await openLedger(project, { env, clock: Date.now })
  if (opened !== undefined && opened.state.applied === undefined) {
    console.note(`The ledger of \`${opened.target}\` is empty: nothing says what was applied before.`)
  }
  return opened?.state
}

/** Whether what is planned is a commit, all of it and nothing else. `dir`: the folder with `.git`. */
export function commitForCommand(
  dir: string,
  opened: Pick<ReadProject, 'project' | 'parsed' | 'manifests' | 'policyFiles'>,
  { only, due, var: variables, baseUrl }: Pick<SharedOptions, 'only' | 'due' | 'var' | 'baseUrl'>,
): ExactCommit {
  const exact = commitOf({ dir }, opened)
  if (due)
    return { ...exact, reason: 'only what was due was applied, by `--due`', hint: 'An apply of the whole moves it.' }
  const without = 'What was applied stays so. Apply without it: that moves the ledger.'
  if (only.length > 0) {
    const hint = `${without} A line of this part that is deleted before that takes nothing back.`
    return { ...exact, reason: 'only a part of the project was applied, by `--only`', hint }
  }
  if (Object.keys(variables).length > 0) {
    return { ...exact, reason: 'no commit says what `--var` says', hint: without }
  }
  if (baseUrl !== undefined) return { ...exact, reason: '`--base-url` names another installation', hint: without }
  return exact
}

function commitOfSaved(saved: SavedPlan | 'undo' | undefined): ExactCommit {
  if (saved === 'undo')
    return {
      commit: undefined,
      reason: 'what an undo leaves is no commit',
      hint: 'Revert the commit as well, and apply: that moves it.',
    }
  const commit = saved?.saved.commit?.match(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)?.[0]
  return commit === undefined ? { commit, reason: 'the saved plan was not made of exactly a commit' } : { commit }
}

/** The ledger as whoever was waited for has left it. */
async function whenFree(
  opened: OpenedLedger,
  { leaseTimeout: timeoutMs = 0, allowLease: allowed }: SharedOptions & { readonly leaseTimeout?: number },
  console: Console,
  signal: AbortSignal,
): Promise<LedgerState> {
  const { remote, target, state, clock } = opened
  if (state.lease.state !== 'held') return state
  const onWait = (lease: Lease): void => console.note(`Waiting: ${describeLease(lease)}.`)
  await awaitLease(state.lease, opened, { timeoutMs, onWait, signal, allowed })
  return readLedger(remote, target, clock())
}
