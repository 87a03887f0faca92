// Applying: what other folders may use.
export type { ApplyEvent } from './apply-event.ts'
export { type ApplyOptions, applyPlan } from './apply-plan.ts'
export { BrokenApplyError } from './broken-apply-error.ts'
