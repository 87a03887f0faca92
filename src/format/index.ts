// The canonical layout of manifests.
export { type CanonicalTexts, FormatCache } from './format-cache.ts'
export { type FormattedFile, formatFiles } from './format-files.ts'
export { formatText } from './format-text.ts'
