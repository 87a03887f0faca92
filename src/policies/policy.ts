// One policy as its file says it, and what its expressions became.
import type { Place } from '../errors/index.ts'
import type { Expression } from './expression.ts'

/** An expression with its place in a file. */
export interface PolicyExpression extends Expression {
  /** The place of a character of its text, by its UTF-16 code units from the start. */
  placeAt(index: number): Place
}

export interface Policy {
  /** Unique among all policies of a project. */
  readonly name: string
  /** Why it is there. */
  readonly description: string | undefined
  /** Names of kinds. */
  readonly for: ReadonlySet<string>
  readonly on: 'desired' | 'change'
  readonly level: 'deny' | 'warn'
  /** Undefined: it looks at every object of its kinds. */
  readonly when: PolicyExpression | undefined
  readonly expression: PolicyExpression
  readonly message: string
  readonly messageExpression: PolicyExpression | undefined
  /** Where its name stands. */
  readonly place: Place
}
