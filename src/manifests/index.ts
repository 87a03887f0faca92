// Manifest files → declarations, with places and problems.
export { codeFrame } from './code-frame.ts'
export { fixedPart } from './find-by-glob.ts'
export { type FoundFiles, findManifestFiles } from './find-manifest-files.ts'
export { type LoadOptions, type LoadResult, loadManifests, shownPath } from './load-manifests.ts'
export { resolveTemplate, variablesIn } from './resolve-template.ts'
export { Resolver } from './resolver.ts'
export { TextSource } from './text-source.ts'
