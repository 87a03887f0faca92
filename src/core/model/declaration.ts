// One item of a manifest, as loaded and validated, before names are resolved.
import { formatPlace, type Place, type Problem } from '@svcsync/errors/index.ts'
import type { JsonObject } from './json.ts'
import type { Kind, Section } from './kind.ts'
import { offsetAt, type Path, type Source } from './source.ts'

export interface Declaration {
  readonly kind: Kind
  readonly section: Section
  /** Validated against `section.schema`; strings from the environment or a file are `Sensitive`. */
  readonly item: JsonObject
  readonly source: Source
  /** The `database:` of its document: a name from the project file, or a dbId. Undefined: the document says none. */
  readonly database?: string | undefined
  /** Its document, shared by all declarations in it. `at`: offset of the value of `database:`, if any. */
  readonly document?: { readonly at: number | undefined } | undefined
  /** The item that contains it. */
  readonly parent?: Declaration | undefined
}

/** The identity as written: a svcId or a name; for found kinds a name, a guid or an id. */
export function identityOf(declaration: Declaration): string {
  return String(declaration.item[declaration.section.identity])
}

/** `hint`: the end of the sentence about the other place. */
export function declaredTwice(message: string, place: Place, other: Place, hint: string): Problem {
  return {
    ...{ code: 'SVC1301', severity: 'error', message, place },
    hint: `The other place is ${formatPlace(other)}: ${hint}`,
    related: [{ message: 'declared here first', place: other }],
  }
}

export function placeIn(declaration: Declaration, path: Path, of: 'key' | 'value' = 'value'): Place {
  const { source, item } = declaration
  return source.placeAt(offsetAt(source, item, path, of))
}
