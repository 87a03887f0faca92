// The library: what other programs may build on. Everything else is inside and may change.

export type { ApplyEvent } from '@svcsync/apply/apply-event.ts'
export { type ApplyOptions, applyPlan, BrokenApplyError } from '@svcsync/apply/apply-plan.ts'
export type { Change } from '@svcsync/core/compare/change.ts'
export type { Kind } from '@svcsync/core/model/kind.ts'
export type { PlatformPort, PlatformRequest, ScopeNeed } from '@svcsync/core/model/platform-port.ts'
export type { Step } from '@svcsync/core/model/step.ts'
export type { Check, DoctorReport, Variant } from '@svcsync/core/plan/doctor-report.ts'
export type { Plan } from '@svcsync/core/plan/plan.ts'
export type {
  ChangeDocument,
  DifferenceDocument,
  PlanDocument,
  StepDocument,
  TargetIdentity,
} from '@svcsync/core/plan/plan-document.ts'
export type { ApplyReport, Outcome, StepReport } from '@svcsync/core/plan/report.ts'
export { type Discrepancy, PlanRefusal } from '@svcsync/core/saved/plan-refusal.ts'
export type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
export { type Emulator, type EmulatorOptions, startEmulator } from '@svcsync/emulator/index.ts'
export * from '@svcsync/errors/index.ts'
export type { Exported } from '@svcsync/export/export-files.ts'
export { beginJournal, type Journal, type JournalPlace } from '@svcsync/journal/journal.ts'
export { type JournalState, readJournal } from '@svcsync/journal/read-journal.ts'
export { kinds } from '@svcsync/kinds/index.ts'
export { renderPlanMarkdown, renderPlanText } from '@svcsync/render/plan/plan-blocks.ts'
export { renderProblemsText } from '@svcsync/render/problems/render-problems-text.ts'
export { renderDoctorText } from '@svcsync/render/report/render-doctor-text.ts'
export { renderErrorText } from '@svcsync/render/report/render-error-text.ts'
export { renderDoctorJson, renderPlanJson, renderReportJson } from '@svcsync/render/report/render-json.ts'
export { renderReportMarkdown, renderReportText } from '@svcsync/render/report/report-blocks.ts'
export { type DoctorRunOptions, doctorRun } from '@svcsync/runs/doctor/doctor-run.ts'
export { type ExportRunOptions, exportRun } from '@svcsync/runs/export/export-run.ts'
export { type ConnectOptions, connect } from '@svcsync/runs/open/connect.ts'
export { type Base, openBase } from '@svcsync/runs/open/open-base.ts'
export { type OpenedProject, type OpenOptions, openProject, readProjectAlone } from '@svcsync/runs/open/open-project.ts'
export { type OpenedTarget, openTarget } from '@svcsync/runs/open/open-target.ts'
export { type ValidateRunOptions, type Validation, validateRun } from '@svcsync/runs/open/validate-run.ts'
export { problemsOfDesired, withPolicies } from '@svcsync/runs/open/with-policies.ts'
export { type ApplyRunOptions, applyRun } from '@svcsync/runs/plan/apply-run.ts'
export { type PlanRun, type PlanRunOptions, planRun } from '@svcsync/runs/plan/plan-run.ts'
export type { HeldRun } from '@svcsync/runs/saved/held-plan.ts'
export { documentOf, parsePlanFile, planFileText } from '@svcsync/runs/saved/plan-file.ts'
export {
  applyRest,
  type ResumedRun,
  type ResumeRunOptions,
  resumeRun,
  resumeSavedRun,
} from '@svcsync/runs/saved/resume-run.ts'
export { savePlan } from '@svcsync/runs/saved/save-plan.ts'
export { type SavedPlanRunOptions, savedPlanRun } from '@svcsync/runs/saved/saved-plan-run.ts'
export { saveUndo, type UndoRun, undoRun } from '@svcsync/runs/saved/undo-run.ts'
