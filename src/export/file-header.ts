// The comments at the head of an exported file: its schema, what has to be known, and what is left out.
import type { LeftOut } from '../core/model/live-tree.ts'
import { type Entry, isCollection } from '../format/layout.ts'
import { commentText } from './scalar-text.ts'

/** Lines without `# `. */
export function fileHeader(
  schema: string,
  entries: readonly Entry[],
  leftOut: readonly LeftOut[],
  isAddition: boolean,
): string[] {
  const lines = [`yaml-language-server: $schema=${schema}`]
  if (isAddition)
    lines.push('Live, and in no manifest when this was exported. Move the items where you would look for them.')
  if (entries.some(hasPlacesForSecrets)) {
    lines.push(
      'The platform never returns logins and credentials, so they are not managed here. Each environment has lines for them',
      'at its end: fill in those that apply before you change anything else in it, since an environment is sent whole.',
    )
  }
  if (leftOut.length > 0) {
    lines.push('Left out, and so not managed here:')
    for (const { address, field, reason } of leftOut) {
      const what = field === undefined ? address : `${address} ${field}`
      lines.push(`- ${commentText(what, 200)}: ${commentText(reason)}`)
    }
  }
  return lines
}

/** They are the comments behind what is said of an environment, or above one of which nothing is. */
function hasPlacesForSecrets({ leading, value }: Entry): boolean {
  if (leading.length > 0) return true
  return isCollection(value) && (value.trailing.length > 0 || value.entries.some(hasPlacesForSecrets))
}
