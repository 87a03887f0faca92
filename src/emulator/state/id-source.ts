// Numbers and guids for new objects: counted and hashed, so that the same tenant always gets the same ones.
import { createHash } from 'node:crypto'

export class IdSource {
  readonly #next: Map<string, number>

  /** `next` comes from saved state: the number that each sort of object gets next. */
  constructor(next: Readonly<Record<string, number>> = {}) {
    this.#next = new Map(Object.entries(next))
  }

  /** Keeps a number that a document gives away from being given again. */
  reserve(sort: string, id: number): void {
    if (id >= (this.#next.get(sort) ?? 1)) this.#next.set(sort, id + 1)
  }

  next(sort: string): number {
    const id = this.#next.get(sort) ?? 1
    this.#next.set(sort, id + 1)
    return id
  }

  /** The given ids, or new ones. */
  identify(sort: string, dbId: number, given: { id?: number | undefined; guid?: string | undefined } = {}) {
    const id = given.id ?? this.next(sort)
    return { id, guid: given.guid ?? guidFor(sort, dbId, id) }
  }

  state(): Record<string, number> {
    return Object.fromEntries(this.#next)
  }
}

/** A well-formed guid (version 4 by its marks) that depends on nothing but its arguments. */
export function guidFor(...parts: readonly (string | number)[]): string {
  const hex = createHash('md5').update(parts.join('\n')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
