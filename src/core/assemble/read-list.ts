// Reads the entries of one list in one declaration, with mode and bounds, and reports an account that it names twice.
import type { Place, Problem } from '@svcsync/errors/index.ts'
import { listedTwice } from '../model/account-sets.ts'
import { type Declaration, placeIn } from '../model/declaration.ts'
import type {
  AssemblySettings,
  DesiredCollection,
  DesiredElement,
  placesOfEntry,
  WrittenMode,
} from '../model/desired.ts'
import {
  areExclusive,
  elementKey,
  elementName,
  type KeyedElement,
  keyedElement,
  showElement,
  subjectKey,
} from '../model/elements.ts'
import { append } from '../model/group-by.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { AccountElement, Collection, DeclaredElement, Element, Location } from '../model/kind.ts'
import type { Path } from '../model/source.ts'
import { countsNow, intersectBounds, overlaps, readBounds, type TimeBounds, unbounded } from '../model/time-bounds.ts'
import { type AssemblyRun, unknownSet } from './flatten-sets.ts'
import { findCompany, locateAbout } from './locate.ts'

interface Span {
  readonly bounds: TimeBounds
  readonly places: Parameters<typeof placesOfEntry>[0]
}

interface TimedElement {
  readonly element: KeyedElement
  readonly span: Span
}

interface ListPart {
  readonly declaration: Declaration
  readonly field: string
  readonly collection: string
  readonly mode: WrittenMode
  readonly parts: readonly string[] | 'all'
  readonly elements: ReadonlyMap<string, DesiredElement>
  readonly timed: ReadonlyMap<string, readonly TimedElement[]>
  /** The keys of elements that are listed without bounds, by themselves or through a set. */
  readonly plain: Pick<ReadonlySet<string>, 'has'>
  readonly uses: NonNullable<DesiredCollection['uses']>
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>()
const none: readonly never[] = []

export function readList(
  { declaration, field, collection, value }: Pick<ListPart, 'declaration' | 'field' | 'collection'> & { value: Json },
  { at, outer }: { readonly at: Location; readonly outer: TimeBounds },
  run: AssemblyRun,
): ListPart {
  const definition = declaration.kind.collections[collection] as Collection
  const { parts, elements: written } = definition.fromManifest(value)
  const { about: kind } = definition
  const withAbout = (entry: DeclaredElement): DeclaredElement[] => {
    const { about: named, ...rest } = entry
    const { element, path } = rest
    if (kind === undefined || named === undefined || element.svcId !== undefined) return [entry]
    const about = locateAbout(declaration, [field, ...path], named, kind, run)
    return about === undefined ? [] : [{ ...rest, element: { ...element, about } }]
  }
  const declared = written.some(({ about }) => about !== undefined) ? written.flatMap(withAbout) : written
  const mode = modeOf(declaration, field, definition, run)
  const isPlain = declared.every(
    (entry) => isPlainEntry(entry) && entry.company === undefined && !endsWithAccount(entry, run),
  )
  const read = isPlain && outer === unbounded ? readPlain : readTimed
  const reading = { declaration, field, definition, at, outer, run }
  return { declaration, field, collection, mode, parts, ...read(declared, reading) }
}

interface ListContext extends Pick<ListPart, 'declaration' | 'field'> {
  readonly definition: Collection
  readonly at: Location
  /** In which all of it can count. */
  readonly outer: TimeBounds
  readonly run: AssemblyRun
}

/** True of nearly all entries: each always means one element. */
function isPlainEntry({ set, from, until }: DeclaredElement): boolean {
  return set === undefined && from === undefined && until === undefined
}

function expandEntry(
  declaration: Declaration,
  path: readonly (string | number)[],
  declared: DeclaredElement,
  { time, flat, sets, problems }: AssemblyRun,
): readonly (Span & { readonly svcId: string | undefined })[] {
  const at = placeIn(declaration, path)
  const place = (key?: string): Place => (key === undefined ? at : placeIn(declaration, [...path, key]))
  const { element, set, from, until } = declared
  const bounds = readBounds({ svcId: elementName(element), set, from, until }, unbounded, place, time, problems)
  if (set === undefined) return [{ svcId: element.svcId, bounds, places: { place: at } }]
  const entries = flat.accountsOf(set, at)
  if (entries === undefined && set !== '') problems.push(unknownSet(set, at, sets.keys()))
  return (entries ?? []).map(({ svcId, bounds: inner, place: listedAt }) => {
    return { svcId, bounds: intersectBounds(bounds, inner), places: { place: at, set, listedAt } }
  })
}

function endsWithAccount({ element: { svcId } }: DeclaredElement, { ends, normalise }: AssemblyRun): boolean {
  return ends.size > 0 && svcId !== undefined && ends.has(normalise(svcId))
}

type ListEntries = Pick<ListPart, 'elements' | 'timed' | 'plain' | 'uses'>

/** Nearly all lists: no sets, no times, no business entities. */
function readPlain(
  declared: readonly DeclaredElement[],
  { declaration, field, definition, run }: ListContext,
): ListEntries {
  const elements = new Map<string, DesiredElement>()
  const isItems = definition.of === 'items'
  const excluded = (element: KeyedElement): DesiredElement | undefined =>
    isItems ? [...elements.values()].find((each) => areExclusive(each.element, element)) : undefined
  for (const entry of declared) {
    const { path } = entry
    const element = keyedElement(entry.element, run.normalise)
    const key = elementKey(element)
    const earlier = elements.get(key) ?? excluded(element)
    if (earlier === undefined) {
      elements.set(key, { element, declaration, field, path, set: undefined, listedAt: undefined })
    } else if (element.svcId !== '') {
      const other = placeIn(declaration, [field, ...earlier.path])
      run.problems.push(listedTwice(showElement(element), placeIn(declaration, [field, ...path]), other, false))
    }
  }
  return { elements, timed: nothing, plain: elements, uses: none }
}

function readTimed(
  declared: readonly DeclaredElement[],
  { declaration, field, definition, at, outer, run }: ListContext,
): ListEntries {
  const elements = new Map<string, DesiredElement>()
  const plain = new Set<string>()
  const timed = new Map<string, TimedElement[]>()
  const ownLines = { declaration, lines: new Map<string, ListLine[]>() }
  const { problems } = run
  for (const entry of declared) {
    const path = [field, ...entry.path]
    const spans = expandEntry(declaration, path, entry, run)
    const own = withCompany(entry, path, { declaration, at, run })
    if (own === undefined) continue
    for (const span of spans) {
      const { places } = span
      const { set, listedAt } = places
      const element = keyedElement(set === undefined ? own : ({ ...own, svcId: span.svcId } as Element), run.normalise)
      const key = elementKey(element)
      problems.push(...listedAgain(ownLines, { element, entry, path, bounds: span.bounds }))
      const bounds = intersectBounds(intersectBounds(span.bounds, outer), boundsOfAccount(element, run))
      // Most members of sets: what is always listed neither begins nor ends, whatever else names it.
      if (bounds === unbounded) plain.add(key)
      else append(timed, key, { element, span: { bounds, places } })
      // Sets may overlap, with each other and with what is listed beside them.
      if (!countsNow(bounds, run.time) || elements.has(key)) continue
      elements.set(key, { element, declaration, field, path: entry.path, set, listedAt })
    }
  }
  return {
    elements,
    timed,
    plain,
    uses: declared.flatMap((entry) => usesOf(entry, { declaration, field, definition })),
  }
}

function boundsOfAccount(element: KeyedElement, { ends }: AssemblyRun): TimeBounds {
  return (element.svcId === undefined ? undefined : ends.get(subjectKey(element))?.bounds) ?? unbounded
}

/** Undefined: nobody knows its business entity, which is a problem already. */
function withCompany(
  { element, company: named }: DeclaredElement,
  path: Path,
  { declaration, at, run }: Pick<ListContext, 'declaration' | 'at' | 'run'>,
): Element | undefined {
  if (named === undefined) return element
  const company = findCompany(declaration, [...path, 'company'], named, at.dbId as number, run)
  return company && ({ ...element, company } as AccountElement)
}

interface ListLine {
  readonly element: KeyedElement
  readonly entry: DeclaredElement
  readonly path: Path
  readonly bounds: TimeBounds
}

/** Finds a line with the same entry at the same or another time: a list must not become wrong by itself one day. */
function listedAgain(
  { declaration, lines }: { readonly declaration: Declaration; readonly lines: Map<string, ListLine[]> },
  line: ListLine,
): Problem[] {
  const { element, entry, path, bounds } = line
  // Sets have their own lines. An entry without a name is already a problem.
  if (entry.set !== undefined || element.svcId === '') return []
  // Two items that exclude each other have different keys.
  const key = element.item ?? elementKey(element)
  const isSame = (each: ListLine): boolean =>
    element.item === undefined ||
    elementKey(each.element) === elementKey(element) ||
    areExclusive(each.element, element)
  const other = lines.get(key)?.find((each) => overlaps(each.bounds, bounds) && isSame(each))
  append(lines, key, line)
  if (other === undefined) return []
  const both = [placeIn(declaration, path), placeIn(declaration, other.path)] as const
  return [listedTwice(entry.element.svcId ?? showElement(element), ...both, !isPlainEntry(entry))]
}

function usesOf(
  { set, element, path }: DeclaredElement,
  { declaration, field, definition: { part } }: Pick<ListContext, 'declaration' | 'field' | 'definition'>,
): ListPart['uses'] {
  if (set === undefined) return none
  const place = placeIn(declaration, [field, ...path])
  return [part === undefined ? { set, place } : { set, part: part(element), place }]
}

function modeOf(
  declaration: Declaration,
  field: string,
  { part, whole }: Collection,
  settings: AssemblySettings,
): WrittenMode {
  if (whole) return 'exclusive'
  if (declaration.section.partial) return 'additive'
  const byDefault = part === undefined ? settings.collections : (settings.privileges ?? settings.collections)
  return writtenMode(declaration, field) ?? byDefault
}

export function writtenMode({ item }: Declaration, field: string): WrittenMode | undefined {
  return (item.manage as JsonObject | undefined)?.[field] as WrittenMode | undefined
}
