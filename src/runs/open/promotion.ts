// What the ledger of another target says of the commit that is planned: for a target that takes only what that one has.
import type { Promotion } from '@svcsync/core/guards/guard.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { commitsBetween, type ExactCommit } from '@svcsync/ledger/exact-commit.ts'
import { readLedger } from '@svcsync/ledger/ledger.ts'
import type { Project } from '@svcsync/project/project.ts'
import { remoteOf } from './open-ledger.ts'

interface PromotionOptions {
  /** What is planned; `reason`: why that is no commit. */
  readonly planned: ExactCommit
  /** Files and folders of the project: two commits that differ in none of them are one. */
  readonly roots: readonly string[]
  readonly withoutLedger: boolean
  readonly nowMs: number
}

/** Undefined: the target takes what it gets. Rejects never: what cannot be read is told. */
export async function promotionOf(
  project: Pick<Project, 'file' | 'ledger' | 'guards'>,
  { planned: exact, roots, withoutLedger, nowMs }: PromotionOptions,
): Promise<Promotion | undefined> {
  const { file, ledger, guards } = project
  const from = guards.promotedFrom
  if (from === undefined) return undefined
  const isCommit = exact.commit !== undefined && (exact.reason === undefined || exact.isPart === true)
  const planned = isCommit ? (exact.commit ?? null) : null
  const unknown = (why: string): Promotion => ({ from, planned, applied: undefined, state: 'unknown', why })
  if (ledger === undefined) return unknown('the project has no ledger')
  if (withoutLedger) return unknown('`--no-ledger` leaves the ledger alone')
  try {
    const remote = remoteOf({ file, ledger })
    const applied = (await readLedger(remote, from, nowMs)).applied?.commit
    if (planned === null || applied === undefined) return { from, planned, applied, state: 'other', why: exact.reason }
    const isSame = planned === applied || isAlike(remote.dir, planned, applied, roots)
    return { from, planned, applied, state: isSame ? 'applied' : 'other' }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return unknown(`${error.message} (${error.code})`)
  }
}

/** No commit between them touches the project. */
function isAlike(dir: string, planned: string, applied: string, roots: readonly string[]): boolean {
  return commitsBetween(dir, applied, planned, roots) === 0 && commitsBetween(dir, planned, applied, roots) === 0
}
