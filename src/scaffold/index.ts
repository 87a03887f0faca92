// The files of a new project, and new files of any.
export { templates } from './generated/templates.ts'
export { liveTemplates } from './live-templates.ts'
export { exists, refuseExisting, refuseUnwritable, writeNewFiles } from './write-new-files.ts'
export { refuseProject, type WrittenProject, writeProject } from './write-project.ts'
