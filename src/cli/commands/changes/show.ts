// `svcsync show`: a saved plan, as the `plan` that saved it printed it.
import { renderPlanFile } from '@svcsync/render/plan/render-plan-file.ts'
import { describeApplication } from '@svcsync/runs/plan/acting-application.ts'
import { documentOf } from '@svcsync/runs/saved/plan-file.ts'
import { readSavedPlan } from '../../planning/plan-files.ts'
import { planAs } from '../../planning/render-plan.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { openConsole } from '../../terminal/console.ts'
import type { ShowOptions } from '../changes.ts'

export async function showCommand(file: string, options: ShowOptions) {
  const console = openConsole(options)
  const saved = readSavedPlan(file)
  const application = describeApplication(saved.application)
  console.rendered(`${renderPlanFile(saved, { ...console.errorForm, nowMs: Date.now(), file, application })}\n`)
  await console.result(await planAs(documentOf(saved), options, console, { file }))
  return exitCodes.done
}
