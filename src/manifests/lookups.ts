// What the references of one file led to: whether what was read of the file still holds when they are followed again.
import { dirname, resolve } from 'node:path'
import type { References } from './reading.ts'
import { isOutside, type Unresolved } from './resolver.ts'
import type { Reference } from './template.ts'

interface Lookup {
  readonly reference: Reference
  readonly result: string | Unresolved
}

/** Follows references on behalf of one file, and remembers each. It holds secrets, as the values of the file do. */
export class Lookups implements References {
  readonly #references: References
  readonly #path: string
  readonly #known = new Map<string, Lookup>()

  /** `path`: absolute, of the file in which the references stand. */
  constructor(references: References, path: string) {
    this.#references = references
    this.#path = path
  }

  resolve(reference: Reference, from: string): string | Unresolved {
    const key = `${reference.scheme}:${reference.name}`
    let known = this.#known.get(key)
    if (known === undefined) {
      known = { reference, result: this.#references.resolve(reference, from) }
      this.#known.set(key, known)
    }
    return known.result
  }

  /** Absolute paths of the files that references lead to, there or not. */
  files(): string[] {
    return [...this.#known.values()].flatMap(({ reference: { scheme, name }, result }) => {
      const isReadable = typeof result === 'string' || !isOutside(result)
      return scheme === 'file' && isReadable ? [resolve(dirname(this.#path), name)] : []
    })
  }

  /** True where all of them lead to the same today. */
  holdWith(references: References): boolean {
    for (const { reference, result } of this.#known.values()) {
      if (!isSame(references.resolve(reference, this.#path), result)) return false
    }
    return true
  }
}

function isSame(now: string | Unresolved, then: string | Unresolved): boolean {
  if (typeof now === 'string' || typeof then === 'string') return now === then
  return (
    now.code === then.code && now.message === then.message && now.hint === then.hint && now.withheld === then.withheld
  )
}
