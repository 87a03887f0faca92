// The one vocabulary of shapes, a subset of JSON Schema with marks: validation, editor schemas and types follow.
import type { JsonObject } from './json.ts'

/** The meaning of a field beyond its JSON type. The published schema has each mark as an annotation. */
export interface SchemaMarks {
  readonly description?: string
  readonly examples?: readonly unknown[]
  /** `null` may be written: the field is cleared. */
  readonly nullable?: true
  /** Part of the object's identity: never compared, never changed. */
  readonly identity?: true
  /** Made of other fields: nobody writes it. */
  readonly derived?: true
  /** Brought into the time zone of the project, to the second. `until`: a date includes its day. */
  readonly moment?: 'from' | 'until'
  /** Set once: the platform offers no way to change it. */
  readonly immutable?: true
  /** The svcId of an account, or the name of a company: an edge in the order of steps. */
  readonly reference?: 'user' | 'account' | 'company'
  /** Sent, never returned by the platform: it cannot be compared. */
  readonly writeOnly?: true
  /** A credential: takes a whole `${env:…}` or `${file:…}` reference only; never shown. Implies writeOnly. */
  readonly secret?: true
  /** An environment's value: `null` restores inheritance, and is not the same as an empty string. */
  readonly inherited?: true
  /** May be written at length: a text as `{ value, inherit }`, settings with `inherit` beside them. */
  readonly environment?: true
  /** The first API version that has the field. Default: all that svcsync speaks. */
  readonly since?: '6.0'
  /** Its values are words of the interface, which an installation may call otherwise: see `wireNames`. */
  readonly word?: true
  /** Later releases have more words than `enum`: another one may be declared where the installation shows it. */
  readonly grows?: true
  /** Says how svcsync treats the object; never sent. */
  readonly directive?: true
  /** A directive beside credentials, a number or a date: they are sent anew when it is another one than before. */
  readonly rotation?: true
  /** Named values that the platform treats as the same, spelled as it may return them: alias to canonical. */
  readonly aliases?: Readonly<Record<string, string>>
  /** The elements of this field are one of the kind's collections (by name). */
  readonly collection?: string
  /** The field that holds the id of this name: svcsync sends the id, and compares the name. */
  readonly nameOf?: string
}

export interface StringSchema extends SchemaMarks {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  /** Written in a form of its own; what reads it checks the form. */
  readonly format?: 'duration' | 'url'
}

export function filledText(description: string, example: string, maxLength?: number): StringSchema {
  return { type: 'string', minLength: 1, ...(maxLength && { maxLength }), description, examples: [example] }
}

export interface ObjectSchema extends SchemaMarks {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  /** Exactly one of these keys is present. */
  readonly exactlyOne?: readonly string[]
  /** Keys that begin with `x-` may stand beside the others, with anything behind them: for anchors. */
  readonly fragments?: true
  /** An item of a table: in braces it stays in its line, however long that is. */
  readonly inLine?: true
}

/** `open`: any keys and values. `map`: free keys, values of one shape. `shorthand`: a text or an object. */
export type Schema =
  | StringSchema
  | (SchemaMarks & { readonly type: 'integer'; readonly minimum?: number })
  | (SchemaMarks & { readonly type: 'boolean' })
  | (SchemaMarks & { readonly type: 'nameOrId' })
  | (SchemaMarks & { readonly type: 'open' })
  /** `known`: keys that have a shape of their own. */
  | (SchemaMarks & {
      readonly type: 'map'
      readonly values: Schema
      readonly known?: Readonly<Record<string, Schema>>
    })
  | (SchemaMarks & { readonly type: 'array'; readonly items: Schema; readonly minItems?: number })
  | ObjectSchema
  | (SchemaMarks & { readonly type: 'shorthand'; readonly short: StringSchema; readonly long: ObjectSchema })

/** One place of a body or an answer. A list counts as what is in it. */
export interface WireShape {
  /** A text here is a word of the interface. */
  readonly word?: true
  readonly keys?: Readonly<Record<string, WireShape>>
  /** Other keys are somebody's own, with all that is below them: they travel as they are. */
  readonly open?: true
}

type Nullable<S, T> = S extends { nullable: true } ? T | null : T
type RequiredKey<S> = S extends { required: readonly (infer K extends string)[] } ? K : never

export type Infer<S> = Nullable<
  S,
  S extends { type: 'string'; enum: readonly (infer E)[] }
    ? E
    : S extends { type: 'string' }
      ? string
      : S extends { type: 'integer' }
        ? number
        : S extends { type: 'boolean' }
          ? boolean
          : S extends { type: 'nameOrId' }
            ? string
            : S extends { type: 'open' }
              ? JsonObject
              : S extends { type: 'array'; items: infer I }
                ? readonly Infer<I>[]
                : S extends { type: 'shorthand'; short: infer A; long: infer B }
                  ? Infer<A> | Infer<B>
                  : S extends { type: 'object'; properties: infer P }
                    ? { readonly [K in keyof P as K extends RequiredKey<S> ? K : never]: Infer<P[K]> } & {
                        readonly [K in keyof P as K extends RequiredKey<S> ? never : K]?: Infer<P[K]> | undefined
                      }
                    : never
>
