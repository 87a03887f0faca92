// `svcsync plan` and `svcsync drift`: read, compare, show.

import type { PlanDocument } from '../../core/plan-document.ts'
import { type Console, openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { openForCommand, planForCommand } from '../open-for-command.ts'
import { planAs } from '../render-plan.ts'
import type { SharedOptions } from '../shared-options.ts'

export interface PlanOptions extends SharedOptions {
  readonly detailedExitcode?: boolean
}

export async function planCommand(options: PlanOptions): Promise<number> {
  return runPlan(options, options.detailedExitcode === true)
}

/** Differences are the result: they always show in the exit code. */
export async function driftCommand(options: SharedOptions): Promise<number> {
  return runPlan(options, true)
}

async function runPlan(options: SharedOptions, differencesCount: boolean): Promise<number> {
  const console: Console = openConsole(options)
  const opened = openForCommand(options, console.colourErrors)
  const { document, client } = await planForCommand(opened, options, console)
  await console.result(planAs(document, options, console))
  await client.close()
  return exitCodeOfPlan(document, differencesCount)
}

/** What could not be read is never counted as "no difference". */
export function exitCodeOfPlan(document: PlanDocument, differencesCount: boolean): number {
  if (document.unreadable.length > 0) return exitCodes.error
  return differencesCount && document.changes.length > 0 ? exitCodes.differences : exitCodes.done
}
