// Plans, reports, problems and errors as text, Markdown and JSON. Data in, a string out.
export { neutralise } from './neutralise.ts'
export { type ProgressOptions, type ProgressState, progressLine } from './progress-line.ts'
export { type ErrorTextOptions, renderErrorText } from './render-error-text.ts'
export { renderPlanJson, renderProblemsJson, renderReportJson } from './render-json.ts'
export { renderPlanText, type TextOptions } from './render-plan-text.ts'
export { type ProblemTextOptions, renderProblemsText } from './render-problems-text.ts'
