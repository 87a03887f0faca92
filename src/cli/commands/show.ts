// `svcsync show`: a saved plan, as the `plan` that saved it printed it.
import { renderPlanFile } from '../../render/plan/render-plan-file.ts'
import { describeApplication } from '../../runs/plan/acting-application.ts'
import { documentOf } from '../../runs/saved/plan-file.ts'
import { openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { readSavedPlan } from '../plan-files.ts'
import { planAs } from '../render-plan.ts'
import type { SharedOptions } from '../shared-options.ts'

type ShowOptions = Pick<SharedOptions, 'format' | 'color' | 'quiet' | 'verbose' | 'summary'>

export async function showCommand(file: string, options: ShowOptions): Promise<number> {
  const console = openConsole(options)
  const saved = readSavedPlan(file)
  const application = describeApplication(saved.application)
  console.rendered(`${renderPlanFile(saved, { ...console.errorForm, nowMs: Date.now(), file, application })}\n`)
  await console.result(await planAs(documentOf(saved), options, console, { file }))
  return exitCodes.done
}
