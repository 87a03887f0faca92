// Applying: what other folders may use.
export type { ApplyEvent } from './apply-event.ts'
export { type ApplyOptions, applyPlan } from './apply-plan.ts'
export { BrokenApplyError } from './broken-apply-error.ts'
export { readBack } from './read-back.ts'
export { createSynchronisation } from './synchronisation.ts'
export type { WriteLog } from './write-log.ts'
