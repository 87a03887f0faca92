// The library: what other programs may build on. Everything else is inside and may change.

export type { ApplyEvent } from './apply/apply-event.ts'
export { type ApplyOptions, applyPlan, BrokenApplyError } from './apply/apply-plan.ts'
export type { Change } from './core/compare/change.ts'
export type { Kind } from './core/model/kind.ts'
export type { PlatformPort, PlatformRequest, ScopeNeed } from './core/model/platform-port.ts'
export type { Step } from './core/model/step.ts'
export type { Check, DoctorReport, Variant } from './core/plan/doctor-report.ts'
export type { Plan } from './core/plan/plan.ts'
export type {
  ChangeDocument,
  DifferenceDocument,
  PlanDocument,
  StepDocument,
  TargetIdentity,
} from './core/plan/plan-document.ts'
export type { ApplyReport, Outcome, StepReport } from './core/plan/report.ts'
export { type Discrepancy, PlanRefusal } from './core/saved/plan-refusal.ts'
export type { SavedPlan } from './core/saved/saved-plan.ts'
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator/index.ts'
export * from './errors/index.ts'
export type { Exported, ExportedFile } from './export/export-files.ts'
export { beginJournal, type Journal, type JournalPlace } from './journal/journal.ts'
export { type JournalState, readJournal } from './journal/read-journal.ts'
export { kinds } from './kinds/index.ts'
export { renderPlanMarkdown } from './render/plan/render-plan-markdown.ts'
export { renderPlanText } from './render/plan/render-plan-text.ts'
export { renderProblemsText } from './render/problems/render-problems-text.ts'
export { renderDoctorText } from './render/report/render-doctor-text.ts'
export { renderErrorText } from './render/report/render-error-text.ts'
export { renderDoctorJson, renderPlanJson, renderReportJson } from './render/report/render-json.ts'
export { renderReportMarkdown } from './render/report/render-report-markdown.ts'
export { renderReportText } from './render/report/render-report-text.ts'
export { type DoctorRunOptions, doctorRun } from './runs/doctor/doctor-run.ts'
export { type ExportRunOptions, exportRun } from './runs/export/export-run.ts'
export { type ConnectOptions, connect } from './runs/open/connect.ts'
export { type Base, openBase } from './runs/open/open-base.ts'
export { type OpenedProject, type OpenOptions, openProject, readProjectAlone } from './runs/open/open-project.ts'
export { type OpenedTarget, type OpenTargetOptions, openTarget } from './runs/open/open-target.ts'
export {
  type ValidatedTarget,
  type ValidateRunOptions,
  type Validation,
  validateRun,
} from './runs/open/validate-run.ts'
export { problemsOfDesired, withPolicies } from './runs/open/with-policies.ts'
export { type ApplyRunOptions, applyRun } from './runs/plan/apply-run.ts'
export { type PlanRun, type PlanRunOptions, planRun } from './runs/plan/plan-run.ts'
export type { HeldRun } from './runs/saved/held-plan.ts'
export { documentOf, parsePlanFile, planFileText } from './runs/saved/plan-file.ts'
export {
  applyRest,
  type ResumedRun,
  type ResumeRunOptions,
  resumeRun,
  resumeSavedRun,
} from './runs/saved/resume-run.ts'
export { type SaveOptions, savePlan } from './runs/saved/save-plan.ts'
export { type SavedPlanRunOptions, savedPlanRun } from './runs/saved/saved-plan-run.ts'
export { saveUndo, type UndoRun, undoRun } from './runs/saved/undo-run.ts'
