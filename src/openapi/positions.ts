// Positions of names in both interfaces: properties of one object, parameters of one query, words of one enumeration.
import type { Interface, WireShape } from './read-interface.ts'

export interface Position {
  readonly where: string
  readonly isWord: boolean
  readonly ours: ReadonlyMap<string, WireShape | undefined>
  readonly theirs: ReadonlyMap<string, WireShape | undefined>
  /** The required names of queries, which help to tell names apart. */
  readonly required?: readonly [ours: ReadonlySet<string>, theirs: ReadonlySet<string>]
}

/** A key and a word that are spelled the same are two names. */
export function idOf(name: string, isWord: boolean): string {
  return `${isWord ? '=' : '.'}${name}`
}

const deepest = 16

/** The positions within reach of the `known` names: id of a name → name there. */
export function positionsOf(ours: Interface, theirs: Interface, known: ReadonlyMap<string, string>): Position[] {
  const positions: Position[] = []
  const seen = new WeakMap<WireShape, Set<WireShape>>()
  const compare = (a: WireShape, b: WireShape, where: string, depth: number): void => {
    const pairs = seen.get(a) ?? new Set()
    if (pairs.has(b) || depth > deepest) return
    seen.set(a, pairs.add(b))
    if (a.items !== undefined && b.items !== undefined) compare(a.items(), b.items(), where, depth + 1)
    if (a.words.length > 0 && b.words.length > 0) positions.push({ where, isWord: true, ...words(a, b) })
    if (a.properties.size === 0 || b.properties.size === 0) return
    const position: Position = { where, isWord: false, ours: shapes(a), theirs: shapes(b) }
    positions.push(position)
    for (const [name, shape] of position.ours) {
      const real = known.get(idOf(name, false)) ?? name
      const other = position.theirs.get(real)
      if (shape !== undefined && other !== undefined) compare(shape, other, `${where} ${name}`, depth + 1)
    }
  }
  for (const [key, operation] of ours.operations) {
    const other = theirs.operations.get(key)
    if (other === undefined) continue
    const where = `${operation.method} ${operation.path}`
    const [query, theirQuery] = [operation.query(), other.query()]
    const required = [query.required, theirQuery.required] as const
    if (query.properties.size > 0 && theirQuery.properties.size > 0)
      positions.push({ where, isWord: false, ours: shapes(query), theirs: shapes(theirQuery), required })
    if (operation.body && other.body) compare(operation.body(), other.body(), where, 0)
    if (operation.answer && other.answer) compare(operation.answer(), other.answer(), where, 0)
  }
  return positions
}

function shapes({ properties }: WireShape): Map<string, WireShape> {
  return new Map([...properties].map(([name, shape]) => [name, shape()]))
}

function words(a: WireShape, b: WireShape): Pick<Position, 'ours' | 'theirs'> {
  const named = (all: readonly string[]) => new Map(all.map((word) => [word, undefined]))
  return { ours: named(a.words), theirs: named(b.words) }
}
