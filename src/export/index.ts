// Live objects → manifests as text.

export { type Exported, type ExportedFile, type ExportOptions, exportFiles } from './export-files.ts'
export { sectionFiles } from './file-places.ts'
export type { Extent } from './fitting.ts'
export { projectFile } from './project-file.ts'
