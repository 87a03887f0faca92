// `svcsync licenses`: access beside licences.
import { kinds } from '@svcsync/kinds/index.ts'
import { csvOf } from '@svcsync/render/report/csv.ts'
import { licencesRows, renderLicencesMarkdown, renderLicencesText } from '@svcsync/render/report/licences.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { licencesRun } from '@svcsync/runs/access/licences-run.ts'
import { planForCommand, readForCommand, reading } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { unlessInterrupted } from '../../terminal/interrupts.ts'
import type { licenses } from '../review.ts'

export async function licensesCommand(options: Values<typeof licenses>, console: Console) {
  return unlessInterrupted(findLicenses(options, console))
}

async function findLicenses(options: Values<typeof licenses>, console: Console) {
  const shared = { ...options, only: [], allow: [], ledger: false, format: 'text' as const }
  const opened = readForCommand(shared, console.errorForm, false)
  const planned = await planForCommand(opened, shared, console)
  try {
    const report = await reading(opened.project.target, opened.sources, console, (onProgress) =>
      licencesRun(opened, planned.client, planned, kinds, onProgress),
    )
    const rendered = {
      csv: () => csvOf(licencesRows(report)),
      json: () => safeJson({ formatVersion: '1.0', ...report }),
      markdown: () => renderLicencesMarkdown(report),
      text: () => renderLicencesText(report, { ...console, verbose: options.verbose === true }),
    }
    await console.result(rendered[options.format]())
    return report.unread.length > 0 ? exitCodes.error : exitCodes.done
  } finally {
    await planned.client.close()
  }
}
