// The vocabulary of kinds, and what the project file needs beyond it: mappings whose keys their author chooses.
import type { Marks, Schema, StringSchema } from '../core/model/schema.ts'

/** A string that is written in a form of its own; what reads it checks the form. */
export interface FormattedSchema extends StringSchema {
  readonly format?: 'duration' | 'url'
}

/** A text that is not empty, with an example. */
export function filledText(description: string, example: string, maxLength?: number): StringSchema {
  return { type: 'string', minLength: 1, ...(maxLength && { maxLength }), description, examples: [example] }
}

export interface ExtendedObjectSchema extends Marks {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, ExtendedSchema>>
  readonly required?: readonly string[]
  readonly exactlyOne?: readonly string[]
  /** Keys that begin with `x-` may stand beside the others, with anything behind them: for anchors. */
  readonly fragments?: true
  /** An item of a table: in braces it stays in its line, however long that is. */
  readonly inLine?: true
}

/** Every `Schema` of a kind is one of these. `map`: free keys, all with values of one shape. */
export type ExtendedSchema =
  | Exclude<Schema, { readonly type: 'string' | 'array' | 'object' | 'shorthand' }>
  | FormattedSchema
  | (Marks & { readonly type: 'map'; readonly values: ExtendedSchema })
  | ExtendedObjectSchema
  | (Marks & { readonly type: 'array'; readonly items: ExtendedSchema; readonly minItems?: number })
  | (Marks & { readonly type: 'shorthand'; readonly short: StringSchema; readonly long: ExtendedObjectSchema })
