// Applying: what other folders may use.
export type { ApplyEvent, WriteLog } from './apply-event.ts'
export { type ApplyOptions, applyPlan, BrokenApplyError } from './apply-plan.ts'
export { readBack } from './read-back.ts'
export { createSynchronisation } from './synchronisation.ts'
