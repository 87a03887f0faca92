// Finds an installation's names for the interface, by place, never by guessing. Ambiguous names are left open.
import { isStandIn } from '@svcsync/core/model/stand-in-names.ts'
import { isWireKey, isWireName } from '@svcsync/core/model/wire-name.ts'
import { candidatesIn, claimsOf, likenessBy, type NameClaim, type NameKnowledge } from './name-claims.ts'
import { idOf, type Position, positionsOf } from './positions.ts'
import type { Interface, WireShape } from './read-interface.ts'

interface AlignedName {
  readonly name: string
  readonly real: string
  /** A value of an enumeration, not a key. */
  readonly isWord: boolean
  /** Why, in words. */
  readonly evidence: readonly string[]
}

interface OpenName {
  readonly name: string
  readonly isWord: boolean
  /** The first place in which it should stand. */
  readonly where: string
  /** Unexplained names at its position, or that mean it elsewhere. */
  readonly candidates: readonly string[]
  /** `unusable`: the document calls it something that is no name of an interface. */
  readonly reason: 'missing' | 'ambiguous' | 'contradictory' | 'unusable'
}

interface Alignment {
  readonly names: readonly AlignedName[]
  /** The names that are equal there. */
  readonly same: readonly string[]
  readonly open: readonly OpenName[]
}

/** Stand-ins for product names differ there. Other names may differ only if the whole interface fits, name for name. */
export function alignNames(ours: Interface, theirs: Interface, given: GivenNames = {}): Alignment {
  const all = align(ours, theirs, given, { mayDiffer: () => true, isStrict: false })
  return all.isWhole ? all : align(ours, theirs, given, { mayDiffer: isStandIn, isStrict: true })
}

/** Every name and word of the interface. */
export function namesIn(ours: Interface): ReadonlySet<string> {
  return new Set([...vocabularyOf(ours)].map((id) => id.slice(1)))
}

/** Documented name → what it is called there, as somebody says who knows. */
type GivenNames = Readonly<Record<string, string>>

function align(ours: Interface, theirs: Interface, given: GivenNames, rules: Deduction['rules']) {
  const vocabulary = vocabularyOf(ours)
  // A name may be a key, a word, or both.
  const ids = Object.entries(given).flatMap(([name, real]) =>
    [false, true].flatMap((isWord) =>
      vocabulary.has(idOf(name, isWord)) ? [[idOf(name, isWord), real] as const] : [],
    ),
  )
  const refused = new Map<string, ReadonlySet<string>>()
  for (;;) {
    const realsOf = (mark: string) => new Set(ids.flatMap(([id, real]) => (id.startsWith(mark) ? [real] : [])))
    const taken = [realsOf('.'), realsOf('=')] as const
    const evidence = new Map<string, readonly NameClaim[]>(
      ids.map(([id, real]) => [id, [{ real, why: byHand, where: '' }]]),
    )
    const names = new Set([...vocabulary].map((id) => id.slice(1)))
    const gathering: Deduction = { known: new Map(ids), taken, vocabulary: names, evidence, refused, rules }
    const contradictions = deduceNames(ours, theirs, gathering)
    if (contradictions.size === 0) return resultOf(ours, theirs, gathering)
    for (const [id, reals] of contradictions) refused.set(id, new Set([...(refused.get(id) ?? []), ...reals]))
  }
}

interface Deduction extends NameKnowledge {
  readonly known: Map<string, string>
  readonly taken: readonly [Set<string>, Set<string>]
  readonly evidence: Map<string, readonly NameClaim[]>
  /** Names that contradict themselves, with what was said of them. */
  readonly refused: ReadonlyMap<string, ReadonlySet<string>>
  readonly rules: Parameters<typeof claimsOf>[2]
}

/** Adds knowledge until nothing new follows. A contradiction ends it, so that nothing rests on one. */
function deduceNames(ours: Interface, theirs: Interface, gathering: Deduction): Contradictions {
  const { known, taken, evidence, refused, rules } = gathering
  for (let before = -1; before < known.size; ) {
    before = known.size
    const claims = claimsOf(positionsOf(ours, theirs, known), gathering, rules)
    const reals = new Map([...claims].map(([id, own]) => [id, new Set(own.map(({ real }) => real))]))
    for (const [id, real] of known) reals.set(id, (reals.get(id) ?? new Set()).add(real))
    const contradictions = findContradictions(reals, refused)
    if (contradictions.size > 0) return contradictions
    for (const [id, own] of claims) {
      const [first] = own
      if (first === undefined || refused.has(id)) continue
      known.set(id, first.real)
      taken[id.startsWith('=') ? 1 : 0].add(first.real)
      if (!evidence.has(id)) evidence.set(id, own)
    }
  }
  return new Map()
}

type Contradictions = Map<string, ReadonlySet<string>>

/** One name with several counterparts, and several names with one: one of them would be wrong, so none is believed. */
function findContradictions(
  reals: ReadonlyMap<string, ReadonlySet<string>>,
  refused: Deduction['refused'],
): Contradictions {
  const claimants = new Map<string, string[]>()
  for (const [id, all] of reals) {
    for (const real of all) {
      const to = idOf(real, id.startsWith('='))
      claimants.set(to, [...(claimants.get(to) ?? []), id])
    }
  }
  const shared = new Set([...claimants.values()].filter((ids) => ids.length > 1).flat())
  return new Map([...reals].filter(([id, all]) => !refused.has(id) && (all.size > 1 || shared.has(id))))
}

function resultOf(ours: Interface, theirs: Interface, gathering: Deduction) {
  const { known, evidence } = gathering
  const positions = positionsOf(ours, theirs, known)
  const names = [...known]
    .filter(([id, real]) => id.slice(1) !== real)
    .map(([id, real]) => ({
      name: id.slice(1),
      real,
      isWord: id.startsWith('='),
      evidence: summariseClaims(evidence.get(id) ?? []),
    }))
  // One table translates keys and words in both directions, so it must not contain an ambiguous name.
  const clashes = (a: AlignedName): boolean =>
    names.some(
      (b) => a !== b && ((a.name === b.name && a.real !== b.real) || (a.name !== b.name && a.real === b.real)),
    ) ||
    (gathering.vocabulary.has(a.real) && !names.some(({ name }) => name === a.real))
  const isName = ({ real, isWord }: (typeof names)[number]): boolean => (isWord ? isWireName(real) : isWireKey(real))
  const reasonOf = (each: (typeof names)[number]) =>
    isName(each) ? (clashes(each) ? ('contradictory' as const) : undefined) : ('unusable' as const)
  const open = openNames(positions, gathering)
  return {
    names: names.filter((each) => reasonOf(each) === undefined).sort(byName),
    same: [...known].flatMap(([id, real]) => (id.slice(1) === real ? real : [])),
    open: [
      ...open,
      ...names.flatMap((each) => {
        const { name, real, isWord, evidence } = each
        const reason = reasonOf(each)
        return reason === undefined ? [] : { name, isWord, where: evidence[0] ?? '', candidates: [real], reason }
      }),
    ].sort(byName),
    isWhole: isWhole(ours, theirs, positions, gathering),
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1)

const byHand = 'it was given by hand'

function summariseClaims(claims: readonly NameClaim[]): readonly string[] {
  const whys = [...new Set(claims.map(({ why }) => why))]
  return whys.map((why) => {
    if (why === byHand) return why
    const places = claims.filter((each) => each.why === why).map(({ where }) => where)
    const others = places.length > 1 ? `, and in ${places.length - 1} more` : ''
    return `${why} in ${places[0]}${others}`
  })
}

function openNames(positions: readonly Position[], gathering: Deduction): OpenName[] {
  const open = new Map<string, OpenName>()
  const likeness = likenessBy(gathering)
  for (const position of positions) {
    const { where, isWord } = position
    const left = candidatesIn(position, gathering, likeness)
    for (const name of left.ours) {
      const id = idOf(name, isWord)
      const contradicting = gathering.refused.get(id)
      const candidates = contradicting === undefined ? left.theirs.filter(left.fits(name)) : [...contradicting]
      const earlier = open.get(id)
      if (earlier !== undefined && (earlier.candidates.length > 0 || candidates.length === 0)) continue
      const reason = contradicting ? 'contradictory' : candidates.length > 0 ? 'ambiguous' : 'missing'
      open.set(id, { name, isWord, where, candidates, reason })
    }
  }
  return [...open.values()]
}

/** Every type has as many open names here as there, and their document describes everything of ours. */
function isWhole(ours: Interface, theirs: Interface, positions: readonly Position[], gathering: Deduction): boolean {
  const isThere = [...ours.operations].every(([key, { query, body, answer }]) => {
    const other = theirs.operations.get(key)
    if (other === undefined || (body && !other.body) || (answer && !other.answer)) return false
    return query().properties.size === other.query().properties.size
  })
  const likeness = likenessBy(gathering)
  return isThere && positions.every((position) => candidatesIn(position, gathering, likeness).isBalanced)
}

/** Their ids. */
function vocabularyOf(ours: Interface): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<WireShape>()
  const visit = (shape: WireShape): void => {
    if (seen.has(shape)) return
    seen.add(shape)
    for (const word of shape.words) names.add(idOf(word, true))
    if (shape.items !== undefined) visit(shape.items())
    for (const [name, inner] of shape.properties) {
      names.add(idOf(name, false))
      visit(inner())
    }
  }
  for (const { query, body, answer } of ours.operations.values())
    for (const each of [query, body, answer]) if (each !== undefined) visit(each())
  return names
}
