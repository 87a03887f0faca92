// The library: what other programs may build on. Everything else is inside and may change.
export { type ApplyEvent, type ApplyOptions, applyPlan, BrokenApplyError } from './apply/index.ts'
export type { Change } from './core/change.ts'
export type { Check, DoctorReport, Variant } from './core/doctor-report.ts'
export type { Kind } from './core/kind.ts'
export type { Plan } from './core/plan.ts'
export type {
  ChangeDocument,
  DifferenceDocument,
  PlanDocument,
  StepDocument,
  TargetIdentity,
} from './core/plan-document.ts'
export { type Discrepancy, PlanRefusal } from './core/plan-refusal.ts'
export type { PlatformPort, PlatformRequest, ScopeNeed } from './core/platform-port.ts'
export type { ApplyReport, Outcome, StepReport } from './core/report.ts'
export type { SavedPlan } from './core/saved-plan.ts'
export type { Step } from './core/step.ts'
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator/index.ts'
export * from './errors/index.ts'
export type { Exported, ExportedFile } from './export/index.ts'
export { beginJournal, type Journal, type JournalPlace, type JournalState, readJournal } from './journal/index.ts'
export { kinds } from './kinds/index.ts'
export {
  renderDoctorJson,
  renderDoctorText,
  renderErrorText,
  renderPlanJson,
  renderPlanMarkdown,
  renderPlanText,
  renderProblemsText,
  renderReportJson,
  renderReportMarkdown,
  renderReportText,
} from './render/index.ts'
export { type ApplyRunOptions, applyRun } from './runs/apply-run.ts'
export { type ConnectOptions, connect } from './runs/connect.ts'
export { type DoctorRunOptions, doctorRun } from './runs/doctor-run.ts'
export { type ExportRunOptions, exportRun } from './runs/export-run.ts'
export { type OpenedProject, type OpenOptions, openProject } from './runs/open-project.ts'
export { foldOf, type OpenedTarget, type OpenTargetOptions, openTarget } from './runs/open-target.ts'
export { documentOf, parsePlanFile, planFileText } from './runs/plan-file.ts'
export { type PlanRun, type PlanRunOptions, planRun } from './runs/plan-run.ts'
export {
  applyRest,
  type ResumedRun,
  type ResumedSavedRun,
  type ResumeRunOptions,
  resumeRun,
  resumeSavedRun,
} from './runs/resume-run.ts'
export { type SaveOptions, savePlan } from './runs/save-plan.ts'
export { type SavedPlanRun, type SavedPlanRunOptions, savedPlanRun } from './runs/saved-plan-run.ts'
export { type ValidatedTarget, type ValidateRunOptions, type Validation, validateRun } from './runs/validate-run.ts'
export { problemsOfDesired, withPolicies } from './runs/with-policies.ts'
