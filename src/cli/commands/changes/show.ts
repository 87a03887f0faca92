// `svcsync show`: a saved plan, as the `plan` that saved it printed it.
import { renderPlanFile } from '@svcsync/render/plan/render-plan-file.ts'
import { describeApplication } from '@svcsync/runs/plan/acting-application.ts'
import { documentOf, parsePlanFile } from '@svcsync/runs/saved/plan-file.ts'
import { readSavedPlan } from '../../planning/plan-files.ts'
import { planAs } from '../../planning/render-plan.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import type { show } from '../changes.ts'

export async function showCommand(options: Values<typeof show>, console: Console, { plan: file }: { plan: string }) {
  const saved = readSavedPlan(file, parsePlanFile)
  const application = describeApplication(saved.application)
  console.rendered(`${renderPlanFile(saved, { ...console.errorForm, nowMs: Date.now(), file, application })}\n`)
  await console.result(await planAs(documentOf(saved), options, console, { file }))
  return exitCodes.done
}
