// Formats texts, and says what a manifest holds without where it stands.
import { identityOf } from '../../src/core/model/declaration.ts'
import { formatText } from '../../src/format/format-text.ts'
import { kinds } from '../../src/kinds/index.ts'
import { manifestShapeOf } from '../../src/manifests/manifest-shape.ts'
import { load } from '../manifests/manifest-fixture.ts'

const { document } = manifestShapeOf(kinds)

/** The formatted text; what is refused is thrown. */
export function format(text: string): string {
  const result = formatText(text, document)
  if ('refused' in result) throw new TypeError(`${result.refused} at ${result.offset}`)
  return result.text
}

export function refusalOf(text: string): string | undefined {
  const result = formatText(text, document)
  return 'refused' in result ? result.refused : undefined
}

/** Everything that a manifest declares, and what is wrong with it, as texts in an order of their own. */
export function meaningOf(text: string): readonly string[] {
  const { declarations, problems } = load(text)
  const items = declarations.map(({ section, item, database, parent }) =>
    JSON.stringify([section.key, database, parent && identityOf(parent), sorted(item)]),
  )
  return [...items, ...problems.map(({ code, severity }) => `${severity} ${code}`)].sort()
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => [key, sorted(part)])
}

/** The comments of a text whose strings hold no `#`. */
export function commentsOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => /(?:^|\s)(#.*)$/.exec(line)?.[1]?.trimEnd() ?? [])
    .sort()
}
