// Whether the ledger can be read, and an apply could move it.
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { check, sentence } from '@svcsync/doctor/make-check.ts'
import { SvcsyncError } from '@svcsync/errors/index.ts'
import { readLedger } from '@svcsync/ledger/ledger.ts'
import { ledgerRefs } from '@svcsync/ledger/ledger-commit.ts'
import { tryToPush } from '@svcsync/ledger/remote.ts'
import { remoteOf } from '../open/open-ledger.ts'
import type { OpenedProject } from '../open/open-project.ts'

/** Undefined: the project has none. `purpose`: `plan` needs no right to push. Nothing is pushed. */
export async function checkLedger(
  { project }: Pick<OpenedProject, 'project'>,
  purpose: 'plan' | 'apply' | undefined,
): Promise<Check | undefined> {
  const { ledger, file, targetName } = project
  if (ledger === undefined) return undefined
  const found = (result: Check['result'], text: string, { code, hint }: Partial<SvcsyncError> = {}): Check =>
    check('ledger', result, sentence(text), { code, todo: hint })
  try {
    const remote = remoteOf({ file, ledger })
    const { applied } = await readLedger(remote, targetName, Date.now())
    const last =
      applied === undefined ? 'nothing was applied yet' : `${applied.commit.slice(0, 7)} was applied at ${applied.at}`
    const read = `The remote \`${ledger.remote}\` can be read: ${last}.`
    if (purpose === 'plan') return found('ok', read)
    try {
      await tryToPush(remote, ledgerRefs(targetName).lease)
      return found('ok', `${read} An apply may push there, as far as can be told without doing it.`)
    } catch (error) {
      if (!(error instanceof SvcsyncError)) throw error
      return found(purpose === 'apply' ? 'problem' : 'warning', `${read} ${error.message}`, error)
    }
  } catch (error) {
    if (!(error instanceof SvcsyncError)) throw error
    return found('problem', error.message, error)
  }
}
