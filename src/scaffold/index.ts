// The files of a new project.
export { templates } from './generated/templates.ts'
export { type WrittenProject, writeProject } from './write-project.ts'
