// The rules by which one name may be the other there. None uses order, since documents list their parts in any.
import { append, getOrInsert, remembered } from '@svcsync/core/model/group-by.ts'
import { isStandIn, stemsOf } from '@svcsync/core/model/stand-in-names.ts'
import { formatCount } from '@svcsync/errors/index.ts'
import { idOf, type Position } from './positions.ts'
import type { WireShape } from './read-interface.ts'

/** One rule in one place says that a name is called so. */
export interface NameClaim {
  readonly real: string
  readonly why: string
  readonly where: string
}

export interface NameKnowledge {
  /** Id of a name → what it is called there. */
  readonly known: ReadonlyMap<string, string>
  /** The keys and words in use there. */
  readonly taken: readonly [keys: ReadonlySet<string>, words: ReadonlySet<string>]
  /** Every name and word of ours, for telling fields that somebody knows from those that nobody does. */
  readonly vocabulary: ReadonlySet<string>
}

interface Candidates {
  /** The names without a known counterpart, here and there. */
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
  fits(name: string): (real: string) => boolean
  readonly isBalanced: boolean
}

export function candidatesIn(position: Position, knowledge: NameKnowledge, likeness: Likeness): Candidates {
  const { known } = knowledge
  const { isWord, required } = position
  const taken = knowledge.taken[isWord ? 1 : 0]
  const ours = [...position.ours.keys()].filter((name) => !known.has(idOf(name, isWord)))
  const theirs = [...position.theirs.keys()].filter((real) => !taken.has(real))
  const fits = (name: string): ((real: string) => boolean) => {
    const a = position.ours.get(name)
    return (real) => {
      if (required && required[0].has(name) !== required[1].has(real)) return false
      const b = position.theirs.get(real)
      if (a === undefined || b === undefined) return true
      if (a.type !== b.type && a.type !== 'any' && b.type !== 'any') return false
      return (likeness(a, b) ?? 1) >= 0.2
    }
  }
  const types = (names: readonly string[], of: Position['ours']) =>
    names
      .map((name) => of.get(name)?.type)
      .sort()
      .join()
  const isBalanced = types(ours, position.ours) === types(theirs, position.theirs)
  return { ours, theirs, fits, isBalanced }
}

/** A place, and what of it is not the same here and there. */
interface Unmatched {
  readonly position: Position
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
  readonly fits: Candidates['fits']
}

/** The claims of one place about a single name. */
function* claimsOfName(
  name: string,
  candidates: readonly string[],
  possible: readonly string[],
  { position, ours, theirs, fits }: Unmatched,
  { likeness, replaced }: { readonly likeness: Likeness; readonly replaced: ReadonlyMap<string, string> },
): Generator<readonly [real: string, why: string]> {
  const [only] = possible
  const isSought = (real: string) => ours.some((each) => each !== name && fits(each)(real))
  if (only !== undefined && candidates.length === 1 && !isSought(only)) yield [only, 'it is the only one left']
  const alike = mostLike(name, ours, theirs, position, likeness)
  if (alike !== undefined && possible.includes(alike)) yield [alike, 'it has the same fields']
  for (const [stem, word] of replaced) {
    const [predicted, other] = candidates.filter((real) => real.toLowerCase() === replaceStem(name, stem, word))
    if (stemsOf(name).includes(stem) && predicted !== undefined && other === undefined)
      yield [predicted, `\`${word}\` is the word for \`${stem}\` elsewhere, too,`]
  }
}

/** True if the name there may belong to another of our names. */
function mayBeOf({ position, ours, fits }: Unmatched, { isWord }: Position, real: string, name: string): boolean {
  if (position.isWord !== isWord || !position.theirs.has(real) || position.ours.has(real)) return false
  return ours.some((each) => each !== name && fits(each)(real))
}

/** The claims of one place about names beside each other. */
function* groupClaims(
  { isWord }: Position,
  ours: readonly string[],
  theirs: readonly string[],
  { words, mayDiffer }: { readonly words: StemWords; readonly mayDiffer: (name: string) => boolean },
): Generator<readonly [name: string, real: string, why: string]> {
  if (isWord && ours.length === theirs.length)
    for (const [name, real, word] of pairsByStem(words, ours, theirs))
      yield [name, real, `of what is left it alone holds \`${word}\`, a word of the product elsewhere, too,`]
  for (const [name, real] of familiesIn(ours, theirs))
    if (mayDiffer(name)) yield [name, real, 'it shares its beginning with others']
}

/** Every rule in every place. */
export function claimsOf(
  positions: readonly Position[],
  knowledge: NameKnowledge,
  { mayDiffer, isStrict }: { readonly mayDiffer: (name: string) => boolean; readonly isStrict: boolean },
): ReadonlyMap<string, readonly NameClaim[]> {
  const claims = new Map<string, NameClaim[]>()
  const claim = ({ isWord, where }: Position, name: string, real: string, why: string): void =>
    append(claims, idOf(name, isWord), { real, why, where })
  const likeness = likenessBy(knowledge)
  const words = wordsForStems(knowledge)
  const replaced = replacedStems(words)
  const meets = new Map<string, { candidates: Set<string>; readonly places: Position[] }>()
  const compared = positions.map((position): Unmatched => {
    const left = candidatesIn(position, knowledge, likeness)
    const ours = left.ours.filter((name) => !position.theirs.has(name))
    return { position, ours, theirs: left.theirs.filter((real) => !position.ours.has(real)), fits: left.fits }
  })
  const rules = { likeness, replaced }
  for (const { position, ours, theirs, fits } of compared) {
    for (const name of position.ours.keys()) if (position.theirs.has(name)) claim(position, name, name, 'so it stands')
    for (const name of ours.filter(mayDiffer)) {
      const candidates = theirs.filter(fits(name))
      const possible = candidates.filter((real) => !isStrict || isPredicted(name, real, replaced))
      const met = getOrInsert(meets, idOf(name, position.isWord), () => ({ candidates: new Set(possible), places: [] }))
      met.candidates = new Set(possible.filter((real) => met.candidates.has(real)))
      met.places.push(position)
      for (const [real, why] of claimsOfName(name, candidates, possible, { position, ours, theirs, fits }, rules))
        claim(position, name, real, why)
    }
    for (const [name, real, why] of groupClaims(position, ours, theirs, { words, mayDiffer }))
      claim(position, name, real, why)
  }
  for (const [id, { candidates, places }] of meets) {
    const [only] = candidates
    const [first] = places
    if (only === undefined || candidates.size !== 1 || first === undefined || claims.has(id)) continue
    const isRivalled = compared.some((place) => mayBeOf(place, first, only, id.slice(1)))
    if (!isRivalled) claim(first, id.slice(1), only, `it is left in all ${formatCount(places.length, 'place')}`)
  }
  return claims
}

type StemWords = ReadonlyMap<string, ReadonlySet<string>>

/** If `svcId` is `crmId`, `crm` means `svc` wherever both can be compared. */
function wordsForStems({ known }: NameKnowledge): StemWords {
  const found = new Map<string, Set<string>>()
  for (const [id, real] of known) {
    const name = id.slice(1).toLowerCase()
    if (real.toLowerCase() === name) continue
    for (const stem of stemsOf(id.slice(1))) {
      const at = name.indexOf(stem)
      const [before, after] = [name.slice(0, at), name.slice(at + stem.length)]
      const lower = real.toLowerCase()
      const word = lower.slice(before.length, lower.length - after.length)
      if (word === '' || `${before}${word}${after}` !== lower) continue
      found.set(stem, (found.get(stem) ?? new Set()).add(word))
    }
  }
  return found
}

/** Two words for one part predict nothing. */
function replacedStems(words: StemWords): ReadonlyMap<string, string> {
  return new Map(
    [...words].flatMap(([stem, [word, other]]) => (word === undefined || other !== undefined ? [] : [[stem, word]])),
  )
}

/** The one name with a part, and the one word there with any of the words for it. */
function* pairsByStem(words: StemWords, ours: readonly string[], theirs: readonly string[]) {
  for (const [stem, all] of words) {
    const [name, otherName] = ours.filter((each) => stemsOf(each).includes(stem))
    const holding = theirs.flatMap((real) => {
      const word = [...all].find((each) => real.toLowerCase().includes(each))
      return word === undefined ? [] : [[real, word] as const]
    })
    const [only, otherReal] = holding
    if (name === undefined || otherName !== undefined || only === undefined || otherReal !== undefined) continue
    yield [name, ...only] as const
  }
}

function replaceStem(name: string, stem: string, word: string): string {
  return name.toLowerCase().replace(stem, word)
}

/** If a part of the name has a known counterpart, a name without that counterpart is another one. */
function isPredicted(name: string, real: string, replaced: ReadonlyMap<string, string>): boolean {
  return stemsOf(name).every((stem) => {
    const word = replaced.get(stem)
    return word === undefined || real.toLowerCase() === replaceStem(name, stem, word)
  })
}

/** Names with one beginning and different ends on both sides: `Portal2013`, `PortalOnline`. */
function familiesIn(ours: readonly string[], theirs: readonly string[]): readonly (readonly [string, string])[] {
  return ['Portal', 'CrmSuiteA', 'Svc'].flatMap((stem) => {
    const members = ours.filter((name) => name.startsWith(stem) && isStandIn(name))
    const endings = members.map((name) => name.slice(stem.length))
    if (endings.length < 2) return []
    const there = new Set(theirs)
    const beginnings = new Set(
      theirs.flatMap((real) =>
        endings.flatMap((end) => (real.endsWith(end) ? [real.slice(0, real.length - end.length)] : [])),
      ),
    )
    const whole = [...beginnings].filter((begin) => begin !== '' && endings.every((end) => there.has(begin + end)))
    const [begin] = whole
    if (begin === undefined || whole.length > 1) return []
    return members.map((name) => [name, begin + name.slice(stem.length)] as const)
  })
}

/** The one that is like it, where no other comes near, on either side. */
function mostLike(
  name: string,
  ours: readonly string[],
  theirs: readonly string[],
  position: Position,
  likeness: Likeness,
): string | undefined {
  const like = (mine: string, other: string): number => {
    const [a, b] = [position.ours.get(mine), position.theirs.get(other)]
    return a === undefined || b === undefined ? 0 : (likeness(a, b) ?? 0)
  }
  const likes = theirs.map((real) => like(name, real))
  const most = likes.reduce((a, b) => Math.max(a, b), 0)
  const best = theirs[likes.indexOf(most)]
  if (best === undefined || most < 0.5) return undefined
  const margin = most - 0.25
  const isRivalled =
    likes.filter((each) => each > margin).length > 1 || ours.some((mine) => mine !== name && like(mine, best) > margin)
  return isRivalled ? undefined : best
}

/** The shared part of names that both know, 0 to 1; undefined: no common evidence. */
type Likeness = (ours: WireShape, theirs: WireShape) => number | undefined

/** For as long as nothing more is known: the paths of each shape are collected once, however many names have it. */
export function likenessBy({ known, vocabulary, taken: [keys, words] }: NameKnowledge): Likeness {
  const isKnown = (name: string): boolean => vocabulary.has(name) || keys.has(name) || words.has(name)
  const mine = pathsBy((name, isWord) => known.get(idOf(name, isWord)) ?? (isStandIn(name) ? undefined : name))
  const yours = pathsBy((name) => (isKnown(name) ? name : undefined))
  return (a, b) => {
    const ours = mine(a)
    if (ours.size === 0) return undefined
    const theirs = yours(b)
    if (theirs.size === 0) return undefined
    let shared = 0
    for (const path of ours) if (theirs.has(path)) shared++
    return shared / (ours.size + theirs.size - shared)
  }
}

/** An object of an interface has fewer paths. */
const mostPaths = 2000

type FindRealName = (name: string, isWord: boolean) => string | undefined

function pathsBy(named: FindRealName): (shape: WireShape) => ReadonlySet<string> {
  const paths = new Map<WireShape, ReadonlySet<string>>()
  /** Only few of very many properties may have a name. */
  const namedAmong = remembered((properties: WireShape['properties']) =>
    [...properties].flatMap(([name, inner]) => {
      const shown = named(name, false)
      return shown === undefined ? [] : [[shown, inner] as const]
    }),
  )
  const collect = (shape: WireShape, path: string, into: Set<string>, depth: number): void => {
    for (const word of shape.words) {
      const shown = named(word, true)
      if (shown !== undefined) into.add(`${path}=${shown}`)
    }
    if (depth === 4 || into.size > mostPaths) return
    if (shape.items !== undefined) collect(shape.items(), `${path}[]`, into, depth + 1)
    for (const [shown, inner] of namedAmong(shape.properties)) {
      into.add(`${path}.${shown}`)
      collect(inner(), `${path}.${shown}`, into, depth + 1)
    }
  }
  return (shape) => {
    const of = shape.refersTo ?? shape
    const earlier = paths.get(of)
    if (earlier !== undefined) return earlier
    const found = new Set<string>()
    collect(shape, '', found, 0)
    paths.set(of, found)
    return found
  }
}
