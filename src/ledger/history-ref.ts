// Reads and writes the history of a target's runs in a ref of the remote. It decides nothing, so no error in it ends a
// run.
import { type Json, parseJson } from '@svcsync/core/model/json.ts'
import { isDay } from '@svcsync/core/model/time-bounds.ts'
import { misfitOf } from '@svcsync/core/plan/misfit.ts'
import { appendRun, type HistoryRun } from '@svcsync/core/plan/run-history.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { emptyTree, isMoment, type LedgerEntry, ledgerRefs, oneLine, unstorable, writeCommit } from './ledger-commit.ts'
import { fetchRefs, moveRef, type Remote } from './remote.ts'
import { refuseUnsigned, signEntry } from './signatures.ts'

interface KeptHistory {
  /** The commit that the ref is moved from; undefined: the ref is missing. */
  readonly entry: string | undefined
  /** The oldest first. */
  readonly runs: readonly HistoryRun[]
  /** A sentence about parts that svcsync did not write: they count as missing. */
  readonly flaw?: string
}

/** Others push at the same time: so often they are waited for. */
const mostTries = 8
/** More than svcsync ever writes. */
const longest = 1024 * 1024

/** Rejects with an OperatorError where the remote cannot be read. */
export async function readHistory(remote: Remote, target: string): Promise<KeptHistory> {
  const [kept] = await readHistories(remote, [target])
  return kept as KeptHistory
}

/** For several targets, in their order. */
export async function readHistories(remote: Remote, targets: readonly string[]): Promise<readonly KeptHistory[]> {
  const refOf = (target: string): string => ledgerRefs(target).history
  const { there } = await fetchRefs(remote, targets.map(refOf))
  return Promise.all(targets.map((target) => historyIn(remote, there.get(refOf(target)), target)))
}

/** `read`: what the ref leads to, fetched. Never rejects for what that is. */
export async function historyIn(remote: Remote, read: LedgerEntry | undefined, target: string): Promise<KeptHistory> {
  if (read === undefined) return { entry: undefined, runs: [] }
  const { id: entry, trailers } = read
  const { history: ref } = ledgerRefs(target)
  const none = (flaw: string): KeptHistory => ({ entry, runs: [], flaw: `${ref} ${flaw}` })
  try {
    await refuseUnsigned(remote, [{ ref, entry }])
  } catch (error) {
    if (error instanceof OperatorError) return none('has no signature that your git trusts')
    throw error
  }
  const text = trailers.Target === oneLine(target) ? trailers.Runs : undefined
  const all = text === undefined || text.length > longest ? undefined : parseJson(text)
  if (!Array.isArray(all)) return none('was not written by svcsync')
  const runs = all.filter(isRun) as unknown as HistoryRun[]
  const others = all.length - runs.length
  return { entry, runs, ...(others > 0 && { flaw: `${ref} has entries that svcsync did not write: ${others}` }) }
}

function isRun(value: Json): boolean {
  if (misfitOf(value, 'plan.schema.json#/definitions/run') !== undefined) return false
  const { at, named = [] } = value as unknown as HistoryRun
  return isMoment(at) && named.every(({ since }) => isDay(since))
}

/** Gives the runs with this one. Rejects with an OperatorError where the remote does not take it. */
export async function keepRun(
  remote: Remote,
  target: string,
  kept: KeptHistory,
  run: HistoryRun,
): Promise<readonly HistoryRun[]> {
  const { history: ref } = ledgerRefs(target)
  const tree = emptyTree(remote.dir)
  let { entry, runs } = kept
  for (let left = mostTries; left > 0; left--) {
    const all = appendRun(runs, run)
    const subject = `${target}: ${run.command} at ${run.at}: ${run.verdict}`
    const trailers = { Target: target, Runs: JSON.stringify(all) }
    const written = writeCommit(remote.dir, tree, [], Date.parse(run.at), subject, trailers)
    // Pushing nothing would delete the ref.
    if (written === undefined) throw unstorable(ref)
    if ((await moveRef(remote, { ref, from: entry, to: await signEntry(remote, written) })) === 'moved') return all
    ;({ entry, runs } = await readHistory(remote, target))
  }
  throw new OperatorError('SVC2236', `other runs moved ${ref} ${mostTries} times meanwhile`)
}
