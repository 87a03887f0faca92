// `svcsync licenses`: access beside licences.
import { licenceBlocks, licencesRows } from '@svcsync/render/report/licences.ts'
import { licencesRun } from '@svcsync/runs/access/licences-run.ts'
import { readForCommand, withPlan, withProgress } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { formats } from '../../program/formats.ts'
import type { Console } from '../../terminal/console.ts'
import { unlessInterrupted } from '../../terminal/interrupts.ts'
import type { licenses } from '../review.ts'

export const licensesCommand = unlessInterrupted(async (options: Values<typeof licenses>, console: Console) => {
  const shared = { ...options, only: [], allow: [], ledger: false, format: 'text' as const }
  const opened = readForCommand(shared, false)
  const report = await withPlan(opened, shared, console, (planned) =>
    withProgress(opened, console, (onProgress) => licencesRun(opened, planned.client, planned, onProgress)),
  )
  const data = { formatVersion: '1.0', ...report }
  const title = `Licences of ${report.target.name}`
  const answer = { title, blocks: licenceBlocks(report), data, csv: licencesRows(report) }
  await console.result(await formats[options.format].answer(answer, console, options.verbose))
  return report.unread.length > 0 ? exitCodes.error : exitCodes.done
})
