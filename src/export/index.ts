// Live objects → manifests as text.
export { type Exported, type ExportedFile, type ExportOptions, exportFiles } from './export-files.ts'
export { type ProjectFileOptions, projectFile } from './project-file.ts'
