// Finds and reads the project file.
export { findProject, findProjectFiles, projectFileNames } from './find-project.ts'
export {
  loadProject,
  type ProjectOptions,
  readTargetOf,
  usualPolicyFolder,
} from './load-project.ts'
export { parseDuration } from './parse-duration.ts'
export { type ParsedProject, parseProject } from './parse-project.ts'
export type { Limits, Project, ProjectSettings, Target } from './project.ts'
export { projectSchemaOf } from './project-schema.ts'
export { type Addresses, canonicalUrl } from './read-addresses.ts'
