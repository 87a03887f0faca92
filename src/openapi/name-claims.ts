// What speaks for a name being another one there: each rule by itself, in each place. None of them goes by order, since
// documents list their parts in any.
import { isStandIn, stemsOf } from '../core/model/stand-in-names.ts'
import { idOf, type Position } from './positions.ts'
import type { Shape } from './read-interface.ts'

/** One rule in one place says that a name is called so. */
export interface Said {
  readonly real: string
  readonly why: string
  readonly where: string
}

export interface Knowledge {
  /** Id of a name → what it is called there. */
  readonly known: ReadonlyMap<string, string>
  /** What those are called there, keys and words. */
  readonly taken: readonly [keys: ReadonlySet<string>, words: ReadonlySet<string>]
  /** Every name and word of ours, for telling fields that somebody knows from those that nobody does. */
  readonly vocabulary: ReadonlySet<string>
}

interface Left {
  /** Of whose counterpart nothing is known, here and there. */
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
  fits(name: string, real: string): boolean
  readonly isBalanced: boolean
}

export function leftIn(position: Position, knowledge: Knowledge): Left {
  const { known } = knowledge
  const { isWord, required } = position
  const taken = knowledge.taken[isWord ? 1 : 0]
  const ours = [...position.ours.keys()].filter((name) => !known.has(idOf(name, isWord)))
  const theirs = [...position.theirs.keys()].filter((real) => !taken.has(real))
  const fits = (name: string, real: string): boolean => {
    if (required && required[0].has(name) !== required[1].has(real)) return false
    const [a, b] = [position.ours.get(name), position.theirs.get(real)]
    if (a === undefined || b === undefined) return true
    if (a.type !== b.type && a.type !== 'any' && b.type !== 'any') return false
    return (likeness(a, b, knowledge) ?? 1) >= 0.2
  }
  const types = (names: readonly string[], of: Position['ours']) =>
    names
      .map((name) => of.get(name)?.type)
      .sort()
      .join()
  const isBalanced = types(ours, position.ours) === types(theirs, position.theirs)
  return { ours, theirs, fits, isBalanced }
}

/** Every rule in every place. */
export function claimsOf(
  positions: readonly Position[],
  knowledge: Knowledge,
  { mayDiffer, isStrict }: { readonly mayDiffer: (name: string) => boolean; readonly isStrict: boolean },
): ReadonlyMap<string, readonly Said[]> {
  const claims = new Map<string, Said[]>()
  const claim = (position: Position, name: string, real: string, why: string): void => {
    const id = idOf(name, position.isWord)
    const said = claims.get(id) ?? []
    said.push({ real, why, where: position.where })
    claims.set(id, said)
  }
  const words = wordsForStems(knowledge)
  const replaced = replacedStems(words)
  const meets = new Map<string, { candidates: Set<string>; readonly places: Position[] }>()
  const fitting = new Map<string, Set<string>>()
  for (const position of positions) {
    for (const name of position.ours.keys()) if (position.theirs.has(name)) claim(position, name, name, 'so it stands')
    const left = leftIn(position, knowledge)
    const ours = left.ours.filter((name) => !position.theirs.has(name))
    const theirs = left.theirs.filter((real) => !position.ours.has(real))
    for (const name of ours) {
      const id = idOf(name, position.isWord)
      const candidates = theirs.filter((real) => left.fits(name, real))
      for (const real of candidates) {
        const to = idOf(real, position.isWord)
        fitting.set(to, (fitting.get(to) ?? new Set()).add(id))
      }
      if (!mayDiffer(name)) continue
      const possible = candidates.filter((real) => !isStrict || isPredicted(name, real, replaced))
      const met = meets.get(id)
      if (met === undefined) meets.set(id, { candidates: new Set(possible), places: [position] })
      else {
        met.candidates = new Set(possible.filter((real) => met.candidates.has(real)))
        met.places.push(position)
      }
      const [only] = possible
      const others = ours.filter((other) => other !== name)
      if (only !== undefined && candidates.length === 1 && !others.some((other) => left.fits(other, only)))
        claim(position, name, only, 'it is the only one left')
      const alike = alikeTo(name, ours, theirs, position, knowledge)
      if (alike !== undefined && possible.includes(alike)) claim(position, name, alike, 'it has the same fields')
      for (const [stem, word] of replaced) {
        const predicted = candidates.filter((real) => real.toLowerCase() === swapped(name, stem, word))
        if (stemsOf(name).includes(stem) && predicted[0] !== undefined && predicted.length === 1)
          claim(position, name, predicted[0], `\`${word}\` is the word for \`${stem}\` elsewhere, too,`)
      }
    }
    if (position.isWord && ours.length === theirs.length)
      for (const [name, real, word] of containing(words, ours, theirs))
        claim(position, name, real, `of what is left it alone holds \`${word}\`, a word of the product elsewhere, too,`)
    for (const [name, real] of familiesIn(ours, theirs)) {
      if (mayDiffer(name)) claim(position, name, real, 'it shares its beginning with others')
    }
  }
  for (const [id, { candidates, places }] of meets) {
    const [only] = candidates
    const [first] = places
    if (only === undefined || candidates.size !== 1 || first === undefined || claims.has(id)) continue
    const rivals = fitting.get(idOf(only, first.isWord))
    if (rivals?.size === 1 && rivals.has(id))
      claim(first, id.slice(1), only, `it is left in all ${places.length} places`)
  }
  return claims
}

type Words = ReadonlyMap<string, ReadonlySet<string>>

/** `svcId` is `crmId`: then `crm` stands for `svc` wherever both can be compared. */
function wordsForStems({ known }: Knowledge): Words {
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
function replacedStems(words: Words): ReadonlyMap<string, string> {
  return new Map(
    [...words].flatMap(([stem, [word, other]]) => (word === undefined || other !== undefined ? [] : [[stem, word]])),
  )
}

/** The one name with a part, and the one word there with any of the words for it. */
function* containing(words: Words, ours: readonly string[], theirs: readonly string[]) {
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

function swapped(name: string, stem: string, word: string): string {
  return name.toLowerCase().replace(stem, word)
}

/** Where a part of the name has a known counterpart, what lacks that is another name. */
function isPredicted(name: string, real: string, replaced: ReadonlyMap<string, string>): boolean {
  return stemsOf(name).every((stem) => {
    const word = replaced.get(stem)
    return word === undefined || real.toLowerCase() === swapped(name, stem, word)
  })
}

/** Several that begin with one part and go on differently, here and there in the same ways: `Portal2013`, `PortalOnline`. */
function familiesIn(ours: readonly string[], theirs: readonly string[]): readonly (readonly [string, string])[] {
  return ['Portal', 'CrmSuiteA', 'Svc'].flatMap((stem) => {
    const members = ours.filter((name) => name.startsWith(stem) && isStandIn(name))
    const endings = members.map((name) => name.slice(stem.length))
    if (endings.length < 2) return []
    const beginnings = new Set(
      theirs.flatMap((real) =>
        endings.flatMap((end) => (real.endsWith(end) ? [real.slice(0, real.length - end.length)] : [])),
      ),
    )
    const whole = [...beginnings].filter(
      (begin) => begin !== '' && endings.every((end) => theirs.includes(begin + end)),
    )
    const [begin] = whole
    if (begin === undefined || whole.length > 1) return []
    return members.map((name) => [name, begin + name.slice(stem.length)] as const)
  })
}

/** The one that is like it, where no other comes near, on either side. */
function alikeTo(
  name: string,
  ours: readonly string[],
  theirs: readonly string[],
  position: Position,
  knowledge: Knowledge,
): string | undefined {
  const like = (mine: string, other: string): number => {
    const [a, b] = [position.ours.get(mine), position.theirs.get(other)]
    return a === undefined || b === undefined ? 0 : (likeness(a, b, knowledge) ?? 0)
  }
  const best = theirs.reduce<string | undefined>(
    (found, real) => (found === undefined || like(name, real) > like(name, found) ? real : found),
    undefined,
  )
  if (best === undefined || like(name, best) < 0.5) return undefined
  const margin = like(name, best) - 0.25
  const isRivalled =
    theirs.some((real) => real !== best && like(name, real) > margin) ||
    ours.some((mine) => mine !== name && like(mine, best) > margin)
  return isRivalled ? undefined : best
}

/** How much of what both know by name they share, 0 to 1; undefined: there is nothing to go by. */
function likeness(a: Shape, b: Shape, { known, vocabulary, taken: [keys, words] }: Knowledge): number | undefined {
  const mine = new Set<string>()
  const yours = new Set<string>()
  collect(a, '', mine, (name, isWord) => known.get(idOf(name, isWord)) ?? (isStandIn(name) ? undefined : name), 0)
  const isKnown = (name: string): boolean => vocabulary.has(name) || keys.has(name) || words.has(name)
  collect(b, '', yours, (name) => (isKnown(name) ? name : undefined), 0)
  if (mine.size === 0 || yours.size === 0) return undefined
  const shared = [...mine].filter((path) => yours.has(path)).length
  return shared / (mine.size + yours.size - shared)
}

/** What has more of them is no object of an interface. */
const mostPaths = 2000

function collect(
  shape: Shape,
  path: string,
  into: Set<string>,
  named: (name: string, isWord: boolean) => string | undefined,
  depth: number,
): void {
  for (const word of shape.words) {
    const shown = named(word, true)
    if (shown !== undefined) into.add(`${path}=${shown}`)
  }
  if (depth === 4 || into.size > mostPaths) return
  if (shape.items !== undefined) collect(shape.items(), `${path}[]`, into, named, depth + 1)
  for (const [name, inner] of shape.properties) {
    const shown = named(name, false)
    if (shown === undefined) continue
    into.add(`${path}.${shown}`)
    collect(inner(), `${path}.${shown}`, into, named, depth + 1)
  }
}
