// The files of a new project.
export { templates } from './generated/templates.ts'
export { liveTemplates } from './live-templates.ts'
export { refuseProject, type WrittenProject, writeProject } from './write-project.ts'
