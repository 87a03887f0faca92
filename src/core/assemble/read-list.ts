import type { Problem } from '@svcsync/errors/index.ts'
import { listedTwice } from '../model/account-sets.ts'
import { type Declaration, placeIn } from '../model/declaration.ts'
import type { AssemblySettings, DesiredCollection, DesiredElement, WrittenMode } from '../model/desired.ts'
import { elementKey, excludes, type KeyedElement, keyedElement, showElement } from '../model/elements.ts'
import { append } from '../model/group-by.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { AccountElement, Collection, DeclaredElement, Location } from '../model/kind.ts'
import type { Path } from '../model/source.ts'
import { always, type Bounds, overlaps } from '../model/time-bounds.ts'
import { countsNow, expandEntry, isPlainEntry } from './expand-entries.ts'
import type { Assembling } from './flatten-sets.ts'
import { findCompany, locateAbout } from './locate.ts'
import type { TimedElement } from './upcoming.ts'

/** What one declaration says of one collection. */
export interface ListPart {
  readonly declaration: Declaration
  readonly field: string
  readonly collection: string
  readonly mode: WrittenMode
  readonly parts: readonly string[] | 'all'
  /** Those that count now, by element key. */
  readonly elements: ReadonlyMap<string, DesiredElement>
  /** The spans with bounds, by element key. */
  readonly timed: ReadonlyMap<string, readonly TimedElement[]>
  /** The keys of elements that are listed without bounds, by themselves or through a set. */
  readonly plain: Pick<ReadonlySet<string>, 'has'>
  readonly uses: NonNullable<DesiredCollection['uses']>
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>()
const none: readonly never[] = []

export function readList(
  { declaration, field, collection, value }: Pick<ListPart, 'declaration' | 'field' | 'collection'> & { value: Json },
  at: Location,
  run: Assembling,
): ListPart {
  const definition = declaration.kind.collections[collection] as Collection
  const { parts, elements: written } = definition.fromManifest(value)
  const { about: kind } = definition
  const withAbout = (entry: DeclaredElement): DeclaredElement[] => {
    const { element, path, about: named } = entry
    if (kind === undefined || named === undefined || element.svcId !== undefined) return [entry]
    const about = locateAbout(declaration, [field, ...path], named, kind, run)
    return about === undefined ? [] : [{ path, element: { ...element, about } }]
  }
  const declared = written.some(({ about }) => about !== undefined) ? written.flatMap(withAbout) : written
  const mode = modeOf(declaration, field, definition, run)
  const isPlain = declared.every((entry) => isPlainEntry(entry) && entry.company === undefined)
  const read = isPlain ? readPlain : readTimed
  return { declaration, field, collection, mode, parts, ...read(declared, { declaration, field, definition, at, run }) }
}

interface Reading extends Pick<ListPart, 'declaration' | 'field'> {
  readonly definition: Collection
  readonly at: Location
  readonly run: Assembling
}

type ReadEntries = Pick<ListPart, 'elements' | 'timed' | 'plain' | 'uses'>

/** Nearly all lists: no sets, no times, no business entities. */
function readPlain(
  declared: readonly DeclaredElement[],
  { declaration, field, definition, run }: Reading,
): ReadEntries {
  const elements = new Map<string, DesiredElement>()
  const isItems = definition.of === 'items'
  const excluded = (element: KeyedElement): DesiredElement | undefined =>
    isItems ? [...elements.values()].find((each) => excludes(each.element, element)) : undefined
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

/** Sets and times are of accounts alone. */
function readTimed(
  declared: readonly DeclaredElement[],
  { declaration, field, definition, at, run }: Reading,
): ReadEntries {
  const elements = new Map<string, DesiredElement>()
  const plain = new Set<string>()
  const timed = new Map<string, TimedElement[]>()
  const ownLines = { declaration, lines: new Map<string, OwnLine[]>() }
  const { problems } = run
  for (const each of declared) {
    const entry = each as DeclaredElement<AccountElement>
    const path = [field, ...entry.path]
    const spans = expandEntry(declaration, path, entry, run)
    const own = withCompany(entry, path, { declaration, at, run })
    if (own === undefined) continue
    for (const span of spans) {
      const { svcId, bounds, places } = span
      const { set, listedAt } = places
      const element = keyedElement(set === undefined ? own : { ...own, svcId }, run.normalise)
      const key = elementKey(element)
      // What names nobody is a problem already.
      if (set === undefined && svcId !== '') problems.push(...listedAgain(ownLines, key, { entry, path, bounds }))
      // Most members of sets: what is always listed neither begins nor ends, whatever else names it.
      if (bounds === always) plain.add(key)
      else append(timed, key, { element, span })
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

/** Undefined: nobody knows its business entity, which is a problem already. */
function withCompany(
  { element, company: named }: DeclaredElement<AccountElement>,
  path: Path,
  { declaration, at, run }: Pick<Reading, 'declaration' | 'at' | 'run'>,
): AccountElement | undefined {
  if (named === undefined) return element
  const company = findCompany(declaration, [...path, 'company'], named, at.dbId as number, run)
  return company && { ...element, company }
}

interface OwnLine {
  readonly entry: DeclaredElement<AccountElement>
  readonly path: Path
  readonly bounds: Bounds
}

/** Where a line names the same at the same time, now or later: a list must not become wrong by itself, one day. */
function listedAgain(
  { declaration, lines }: { readonly declaration: Declaration; readonly lines: Map<string, OwnLine[]> },
  key: string,
  line: OwnLine,
): Problem[] {
  const { entry, path, bounds } = line
  const other = lines.get(key)?.find((each) => overlaps(each.bounds, bounds))
  append(lines, key, line)
  if (other === undefined) return []
  const both = [placeIn(declaration, path), placeIn(declaration, other.path)] as const
  return [listedTwice(entry.element.svcId, ...both, !isPlainEntry(entry))]
}

function usesOf(
  { set, element, path }: DeclaredElement,
  { declaration, field, definition: { part } }: Pick<Reading, 'declaration' | 'field' | 'definition'>,
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

/** What `manage` says of a field. */
export function writtenMode({ item }: Declaration, field: string): WrittenMode | undefined {
  return (item.manage as JsonObject | undefined)?.[field] as WrittenMode | undefined
}
