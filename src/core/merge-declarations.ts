// What several declarations say of one object, put together; the same thing said twice is a problem that names both places.
import { formatPlace, type Place, type Problem } from '../errors/index.ts'
import { type Declarations, type IsOverride, overlay, overridesIn, withOverrides } from './apply-overrides.ts'
import { elementKey } from './compare-collection.ts'
import { type Declaration, placeIn } from './declaration.ts'
import type { AssemblySettings, Desired, DesiredCollection, DesiredElement, Mode } from './desired.ts'
import type { Directory, Found } from './directory.ts'
import { countsAt, expandEntry, isPlainEntry } from './expand-entries.ts'
import type { Json, JsonObject } from './json.ts'
import type { Collection, CompanyRef, Element } from './kind.ts'
import { suggestion } from './near-misses.ts'
import { fieldsOf } from './schema-fields.ts'
import type { Path } from './source.ts'
import { type TimedElement, upcomingIn } from './upcoming.ts'

/** The desired object that the declarations describe together. The first is the one that declares the object, if any. */
export function mergeDeclarations(
  written: Declarations,
  found: Found,
  directory: Directory,
  settings: AssemblySettings,
  problems: Problem[],
): Desired {
  const isOverride = overridesIn(settings.overrides)
  const declarations = withOverrides(written, isOverride)
  const first = declarations[0]
  let collections: Record<string, DesiredCollection> = {}
  let count = 0
  for (const declaration of declarations) {
    for (const { field, collection } of fieldsOf(declaration.section).collections) {
      const value = declaration.item[field]
      if (value === undefined) continue
      const part = readCollection(declaration, field, collection, value, found, directory, settings, problems)
      const known = collections[collection]
      if (known === undefined) count++
      collections[collection] = known === undefined ? part : join(known, part, declaration, field, problems)
    }
  }
  // Most objects have none or one, and there are many objects.
  if (count === 0) collections = noCollections
  else if (count > 1) collections = inOrder(Object.keys(first.kind.collections), collections)
  const previously = previousName(declarations)
  const desired: Desired = {
    kind: first.kind,
    address: found.address,
    at: found.at,
    spec: mergeFields(declarations, isOverride, problems),
    collections,
    absent: declarations.some(({ item }) => item.absent === true),
    partial: first.section.partial === true,
    declarations,
  }
  return previously === undefined ? desired : { ...desired, previously }
}

const noCollections: Record<string, never> = {}

function previousName(declarations: Declarations): string | undefined {
  const name = declarations.find(({ item }) => item.previously !== undefined)?.item.previously
  return name === undefined ? undefined : String(name)
}

/** The order in which an object is written, and in how many places, must not show in a plan. */
function inOrder<T>(keys: readonly string[], parts: Readonly<Record<string, T>>): Record<string, T> {
  const result: Record<string, T> = {}
  for (const key of keys) if (Object.hasOwn(parts, key)) result[key] = parts[key] as T
  return result
}

function mergeFields(declarations: Declarations, isOverride: IsOverride, problems: Problem[]): JsonObject {
  const spec: Record<string, Json | undefined> = {}
  const owners = declarations.length > 1 ? new Map<string, Declaration>() : undefined
  for (const declaration of declarations) {
    for (const field of fieldsOf(declaration.section).fields) {
      const value = declaration.item[field]
      if (value === undefined) continue
      const owner = owners?.get(field)
      if (owner === undefined) {
        spec[field] = value
        owners?.set(field, declaration)
      } else if (isOverride(declaration) && !isOverride(owner)) {
        // What both say in part: the base says no more what the override does.
        spec[field] = overlay(spec[field], value)
        owners?.set(field, declaration)
      } else {
        problems.push(saidTwice(`\`${field}\``, declaration, [field], owner, [field]))
      }
    }
  }
  // What one declaration says is in order as it is.
  if (owners === undefined) return spec
  if (owners.size === 0)
    reportBareRepetition(
      declarations.filter((each) => !isOverride(each)),
      problems,
    )
  return inOrder(fieldsOf(declarations[0].section).fields, spec)
}

/** Two items that declare the same object and say nothing that could tell them apart are a slip of copying. */
function reportBareRepetition(declarations: readonly Declaration[], problems: Problem[]): void {
  const whole = declarations.filter(({ kind, section }) => !section.partial && kind.lifecycle !== 'found')
  for (const declaration of whole.slice(1)) {
    const collects = fieldsOf(declaration.section).collections.some(
      ({ field }) => declaration.item[field] !== undefined,
    )
    if (!collects) problems.push(saidTwice('The object', declaration, [], whole[0] as Declaration, []))
  }
}

function saidTwice(
  what: string,
  declaration: Declaration,
  path: readonly (string | number)[],
  earlier: Declaration,
  earlierPath: readonly (string | number)[],
): Problem {
  const other = placeIn(earlier, earlierPath, 'key')
  const name = String(declaration.item[declaration.section.identity])
  return {
    code: 'SVC1301',
    severity: 'error',
    message: `${what} of ${declaration.kind.name} \`${name}\` is declared twice`.replace('The object of ', 'The '),
    place: placeIn(declaration, path, 'key'),
    hint: `The other place is ${formatPlace(other)}: keep one of the two.`,
    related: [{ message: 'declared here first', place: other }],
  }
}

function readCollection(
  declaration: Declaration,
  field: string,
  name: string,
  value: Json,
  found: Found,
  directory: Directory,
  settings: AssemblySettings,
  problems: Problem[],
): DesiredCollection {
  const definition = declaration.kind.collections[name] as Collection
  const { parts, elements: declared } = definition.fromManifest(value)
  const elements = new Map<string, DesiredElement>()
  const timed = new Map<string, TimedElement[]>()
  const mode = modeOf(declaration, field, settings)
  const add = (element: Element, path: Path, listedAt?: Place): void => {
    const key = elementKey(element, settings.fold)
    const earlier = elements.get(key)
    if (earlier === undefined) {
      const wanted = { element, declaration, path }
      elements.set(key, listedAt === undefined ? wanted : { ...wanted, listedAt })
    } else if (listedAt === undefined && earlier.listedAt === undefined) {
      // Sets may overlap, with each other and with what is listed beside them; the same line twice is a slip.
      problems.push({
        code: 'SVC1307',
        severity: 'error',
        message: `\`${element.svcId}\` is listed twice`,
        place: placeIn(declaration, path),
        hint: 'Remove one of the two.',
      })
    }
  }
  // Listed without bounds; asked for only where others have some.
  const plain = new Set<string>()
  const hasTimed = !declared.every(isPlainEntry)
  for (const entry of declared) {
    const path = [field, ...entry.path]
    if (isPlainEntry(entry) && entry.company === undefined) {
      add(entry.element, path)
      if (hasTimed) plain.add(elementKey(entry.element, settings.fold))
      continue
    }
    const spans = expandEntry(declaration, path, entry, settings, problems)
    if (mode === 'additive' && entry.until !== undefined) {
      problems.push({
        code: 'SVC1312',
        severity: 'warning',
        message: '`until` takes nobody out here: the list is only added to',
        place: placeIn(declaration, [...path, 'until']),
        hint: 'Whoever came in stays. To have them taken out, manage the list whole, under `groups` and without `additive`.',
      })
    }
    const company =
      entry.company === undefined
        ? undefined
        : findCompany(declaration, path, entry.company, found, directory, problems)
    if (entry.company !== undefined && company === undefined) continue
    for (const span of spans) {
      const { svcId, bounds, listedAt } = span
      const whole = entry.set === undefined && company === undefined
      const element = whole ? entry.element : { ...entry.element, svcId, ...(company && { company }) }
      const key = elementKey(element, settings.fold)
      timed.set(key, [...(timed.get(key) ?? []), { element, span }])
      if (countsAt(bounds, settings.time.nowMs)) add(element, path, listedAt)
    }
  }
  const upcoming = timed.size === 0 ? [] : upcomingIn(timed, (key) => plain.has(key), mode, settings.time)
  return { mode, parts, elements, upcoming }
}

function modeOf(declaration: Declaration, field: string, settings: AssemblySettings): Mode {
  if (declaration.section.partial) return 'additive'
  const manage = declaration.item.manage as JsonObject | undefined
  return (manage?.[field] as Mode | undefined) ?? settings.collections
}

function findCompany(
  declaration: Declaration,
  path: readonly (string | number)[],
  ref: string,
  found: Found,
  directory: Directory,
  problems: Problem[],
): CompanyRef | undefined {
  const company = directory.company(found.at.dbId as number, ref)
  if (!('reason' in company)) return company
  if (company.reason === 'pending') return undefined
  const ambiguous = company.reason === 'ambiguous'
  problems.push({
    code: ambiguous ? 'SVC1402' : 'SVC1401',
    severity: 'error',
    message: ambiguous
      ? `Several business entities are called \`${ref}\``
      : company.reason === 'unreadable'
        ? `The business entity \`${ref}\` could not be looked for: ${company.detail?.message ?? 'the list was refused'}`
        : `The database has no business entity \`${ref}\``,
    place: placeIn(declaration, [...path, 'company']),
    hint: ambiguous
      ? `Write the code or the guid: ${company.candidates.join(', ')}.`
      : (company.detail?.hint ??
        suggestion(ref, company.candidates) ??
        'Write its code, its name, its guid or its id.'),
  })
  return undefined
}

/** Two parts of one collection: additive lists add up, exclusive ones must speak of different parts (levels). */
function join(
  known: DesiredCollection,
  more: DesiredCollection,
  declaration: Declaration,
  field: string,
  problems: Problem[],
): DesiredCollection {
  const overlap =
    known.parts === 'all' ||
    more.parts === 'all' ||
    known.parts.some((part) => (more.parts as readonly string[]).includes(part))
  if (known.mode !== more.mode || (overlap && known.mode === 'exclusive')) {
    const earlier = [...known.elements.values()][0]?.declaration
    const place = placeIn(declaration, [field], 'key')
    const other = earlier && placeIn(earlier, [earlier.section.partial ? 'members' : field], 'key')
    problems.push({
      code: 'SVC1301',
      severity: 'error',
      message: `\`${field}\` of ${declaration.kind.name} \`${String(declaration.item[declaration.section.identity])}\` is declared twice, and at least one of the two is the whole list`,
      place,
      hint: `${other ? `The other place is ${formatPlace(other)}. ` : ''}To share a list between places, write \`manage: { ${field}: additive }\` beside it.`,
      ...(other && { related: [{ message: 'declared here first', place: other }] }),
    })
    return known
  }
  const elements = new Map(known.elements)
  for (const [key, element] of more.elements) if (!elements.has(key)) elements.set(key, element)
  const parts = known.parts === 'all' || more.parts === 'all' ? 'all' : [...new Set([...known.parts, ...more.parts])]
  return { mode: known.mode, parts, elements, upcoming: [...known.upcoming, ...more.upcoming] }
}
