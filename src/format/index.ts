// The canonical layout of manifests.
export { type CanonicalTexts, FormatCache } from './format-cache.ts'
export { type FormatOptions, type FormattedFile, formatFiles } from './format-files.ts'
export { type Formatted, formatText } from './format-text.ts'
