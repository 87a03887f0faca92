// The known names of an installation, and the fields in doubt.
export interface Doubt {
  /** The path of the field: property names from the object down. */
  readonly path: readonly string[]
  /** The neutral name of the field or word. */
  readonly name: string
  /** `name` is a word: the field can be compared with any other one. */
  readonly isWord: boolean
  /** The keys beside it, or the word there, that nobody knows. */
  readonly met: readonly string[]
}

export interface KnownNames {
  /** `kind`: the name of the kind whose answers are meant. */
  knows(kind: string, name: string): boolean
  learn(kind: string, name: string): void
}

/** `given`: those that the target names, for all kinds. */
export function createKnownNames(given: readonly string[]): KnownNames {
  const known = new Set(given)
  return {
    knows: (kind, name) => known.has(name) || known.has(`${kind} ${name}`),
    learn: (kind, name) => known.add(`${kind} ${name}`),
  }
}
