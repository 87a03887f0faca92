// The known names of an installation, and the fields in doubt.
export interface DoubtedName {
  /** The path of the field: property names from the object down. */
  readonly path: readonly string[]
  /** The neutral name of the field or word. */
  readonly name: string
  /** `name` is a word: the field can be compared with any other one. */
  readonly isWord: boolean
  /** The keys beside it, or the word there, that nobody knows. */
  readonly met: readonly string[]
}

export class KnownNames {
  readonly #known: Set<string>

  /** `given`: those that the target names, for all kinds. */
  constructor(given: readonly string[]) {
    this.#known = new Set(given)
  }

  /** `kind`: the name of the kind whose answers are meant. */
  knows(kind: string, name: string): boolean {
    return this.#known.has(name) || this.#known.has(`${kind} ${name}`)
  }

  learn(kind: string, name: string): void {
    this.#known.add(`${kind} ${name}`)
  }
}
