// Resolves the references of a text that was checked and saved before: nothing but their values can be missing.
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { schemaAt } from '@svcsync/core/model/schema-fields.ts'
import { plainText, Sensitive, type Text } from '@svcsync/core/model/sensitive.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import { errorAt, formatCount, type Place, type Problem } from '@svcsync/errors/index.ts'
import { isText, type Resolver, type Unresolved } from './resolver.ts'
import { isReference, joinParts, parseTemplate } from './template.ts'

interface SavedText {
  readonly template: string
  readonly from: string
  readonly place: Place
  /** The path in an item of this schema. */
  readonly schema: ObjectSchema
  readonly path: Path
}

/** Undefined where a value is missing, or does not fit its field any more: `problems` says so. */
export function resolveTemplate(text: SavedText, resolver: Resolver, problems: Problem[]): Sensitive | undefined {
  const { template, from, place } = text
  const report = ({ code, message, hint }: Unresolved): undefined => {
    problems.push(errorAt(code, message, place, hint))
  }
  const value = joinParts(parseTemplate(template), (part) => {
    const piece: Text | Unresolved = isReference(part) ? resolver.resolve(part, from) : part
    return isText(piece) ? plainText(piece) : report(piece)
  })
  if (value === undefined) return undefined
  const misfit = misfitOf(value, text)
  return misfit === undefined ? new Sensitive(template, value) : report(misfit)
}

/** Checks the value behind a reference as the walk over a manifest does. The message never holds the value. */
function misfitOf(value: string, { template, schema, path }: SavedText): Unresolved | undefined {
  const names = path.filter((key): key is string => typeof key === 'string')
  const field = schemaAt(schema, names)
  const what = `\`${names.join('.')}\``
  if (field?.secret && value === '') {
    return { code: 'SVC1201', message: `The value of \`${template}\` is empty, but ${what} needs a credential` }
  }
  if (field?.type !== 'string') return undefined
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field
  if (value.length >= minLength && value.length <= maxLength) return undefined
  const bound = value.length < minLength ? `${minLength} are wanted` : `${maxLength} are allowed`
  return { code: 'SVC1105', message: `${what} has ${formatCount(value.length, 'character')}, and ${bound}` }
}

/** The variables of the target that a text with references to the environment or a file names, too. */
export function variablesIn(template: string): string[] {
  return parseTemplate(template).flatMap((part) => (isReference(part) && part.scheme === 'var' ? [part.name] : []))
}
