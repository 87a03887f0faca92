// What the references of one file led to: whether what was read of the file still holds when they are followed again.
import { dirname, resolve } from 'node:path'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { plainText, type Text } from '@svcsync/core/model/sensitive.ts'
import type { References } from './reading.ts'
import { isOutside, isText, type Unresolved } from './resolver.ts'
import type { Reference } from './template.ts'

/** Follows references on behalf of one file, and remembers each. It holds secrets, as the values of the file do. */
export class Lookups implements References {
  readonly #references: References
  readonly #path: string
  readonly #known = new Map<string, { readonly reference: Reference; readonly result: Text | Unresolved }>()

  constructor(references: References, path: string) {
    this.#references = references
    this.#path = path
  }

  resolve(reference: Reference, from: string): Text | Unresolved {
    const follow = () => ({ reference, result: this.#references.resolve(reference, from) })
    return getOrInsert(this.#known, `${reference.scheme}:${reference.name}`, follow).result
  }

  /** Absolute paths of the files that references lead to, there or not. */
  files(): string[] {
    return [...this.#known.values()].flatMap(({ reference: { scheme, name }, result }) => {
      const isReadable = isText(result) || !isOutside(result)
      return scheme === 'file' && isReadable ? [resolve(dirname(this.#path), name)] : []
    })
  }

  get leadToNothing(): boolean {
    return [...this.#known.values()].some(({ result }) => isText(result) && plainText(result) === '')
  }

  /** True where all of them lead to the same today. */
  holdWith(references: References): boolean {
    for (const { reference, result } of this.#known.values()) {
      if (!isSame(references.resolve(reference, this.#path), result)) return false
    }
    return true
  }
}

function isSame(now: Text | Unresolved, then: Text | Unresolved): boolean {
  if (isText(now) || isText(then)) {
    return isText(now) && isText(then) && String(now) === String(then) && plainText(now) === plainText(then)
  }
  return (
    now.code === then.code && now.message === then.message && now.hint === then.hint && now.withheld === then.withheld
  )
}
