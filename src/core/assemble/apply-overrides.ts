// Overrides: what a target's own files say of an object takes the place of what the manifests of all targets say of it.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import { type Desired, type DesiredElement, writtenFor } from '../model/desired.ts'
import { isJsonObject, isMapping, type Json, type JsonObject, withValueAt } from '../model/json.ts'
import { didYouMean, nearAccounts, nearMisses } from '../model/near-misses.ts'
import { OFFSETS, type Offsets, offsetOf, type Source } from '../model/source.ts'
import { unmanagedPaths } from './unmanaged.ts'

type Declarations = [Declaration, ...Declaration[]]

type IsOverride = (declaration: Declaration) => boolean

const noOverrides: IsOverride = () => false

export function overridesIn(files: ReadonlySet<string> | undefined): IsOverride {
  return files === undefined || files.size === 0 ? noOverrides : ({ source }) => files.has(source.file)
}

/** Mappings are put together key by key; any other value, an empty mapping included, replaces the other one. */
export function withOverrides(declarations: Declarations, isOverride: IsOverride): Declarations {
  if (isOverride === noOverrides) return declarations
  const overrides = declarations.filter(isOverride)
  if (overrides.length === 0 || overrides.length === declarations.length) return declarations
  const base = declarations.filter((declaration) => !isOverride(declaration))
  const goes = overrides.some(({ item }) => item.absent === true)
  const kept: Declaration[] = []
  for (const declaration of base) {
    const own = overrides.filter(({ section }) => section === declaration.section)
    if (goes && !declaration.section.partial) continue
    const { source, section } = declaration
    const said = own.reduce((left, { item }) => without(source, left, item, [section.identity]), declaration.item)
    const item = without(source, said, nestPaths(own.flatMap(unmanagedPaths)))
    kept.push(own.length === 0 ? declaration : managedAs({ ...declaration, item }, base, overrides))
  }
  const on = overrides.map((each) =>
    managedAs({ ...each, item: without(each.source, each.item, { unmanaged: null }) }, base, overrides),
  )
  const whole = goes ? [...on, ...kept] : [...kept, ...on]
  return whole as Declarations
}

/** A target does not revert fields that it does not manage. */
export function withoutUnmanaged(base: Desired, { unmanaged }: Pick<Desired, 'unmanaged'>): Desired {
  if (unmanaged === undefined) return base
  const isLeft = (collection: string, { element, declaration }: DesiredElement): boolean => {
    const said = unmanagedOf(declaration, unmanaged)[collection]
    const part = base.kind.collections[collection]?.part?.(element)
    return said === null || (part !== undefined && isJsonObject(said) && said[part] === null)
  }
  const collections = Object.entries(base.collections).map(([name, list]) => {
    const elements = [...list.elements].filter(([, element]) => !isLeft(name, element))
    return [name, { ...list, elements: new Map(elements) }] as const
  })
  const [first] = base.declarations
  const spec = without(first.source, base.spec, unmanagedOf(first, unmanaged))
  return { ...base, spec, collections: Object.fromEntries(collections) }
}

/** The same of its declarations, for whoever keeps them without the override. */
export function writtenWithoutUnmanaged(base: Desired, { unmanaged }: Pick<Desired, 'unmanaged'>): Desired {
  if (unmanaged === undefined) return base
  const declarations = base.declarations.map((each) => {
    return { ...each, item: without(each.source, each.item, unmanagedOf(each, unmanaged)) }
  })
  return { ...base, declarations: declarations as readonly Declaration[] as Declarations }
}

function unmanagedOf({ section }: Declaration, unmanaged: NonNullable<Desired['unmanaged']>): JsonObject {
  return nestPaths(unmanaged.flatMap((each) => (each.section === section ? each.path : [])))
}

/** The same value without what `override` says; keys of `keep` stay. */
function without(source: Source, value: JsonObject, override: JsonObject, keep: readonly string[] = []): JsonObject {
  const result: Record<string, Json | undefined> & { [OFFSETS]?: Offsets } = {}
  const start = offsetOf(source, value, 0)
  const left = start === undefined ? undefined : [start]
  for (const [index, [key, before]] of Object.entries(value).entries()) {
    const after = keep.includes(key) ? undefined : override[key]
    let part = before
    if (after !== undefined) {
      if (!isMapping(before) || !isMapping(after) || Object.keys(after).length === 0) continue
      part = without(source, before, after)
      if (Object.keys(part as JsonObject).length === 0) continue
    }
    result[key] = part
    for (const side of [1, 2]) left?.push(offsetOf(source, value, side + 2 * index) ?? 0)
  }
  if (left !== undefined) result[OFFSETS] = left
  return result
}

/** `manage` counts for a list wherever it is written: the override may hold one, and the base the other. */
function managedAs(
  declaration: Declaration,
  base: readonly Declaration[],
  overrides: readonly Declaration[],
): Declaration {
  const manageOf = (declarations: readonly Declaration[]) =>
    declarations.flatMap(({ section, item }) => (section === declaration.section ? (item.manage ?? []) : []))
  const below: Json = Object.assign({}, ...manageOf(base))
  const manage = manageOf(overrides).reduce(overlay, below) as JsonObject
  if (declaration.item.manage === undefined && Object.keys(manage).length === 0) return declaration
  // The other keys keep their places.
  const others = without(declaration.source, declaration.item, { manage: null })
  return { ...declaration, item: { ...others, manage } }
}

export function overlay(below: Json | undefined, above: Json): Json {
  if (!isMapping(below) || !isMapping(above) || Object.keys(above).length === 0) return above
  const result: Record<string, Json | undefined> = { ...below }
  for (const [key, value] of Object.entries(above)) if (value !== undefined) result[key] = overlay(below[key], value)
  return result
}

/** Overrides of what no manifest declares: one problem for the outermost item that leads nowhere. */
export function overridesOfNothing(desired: readonly Desired[], isOverride: IsOverride): Problem[] {
  if (isOverride === noOverrides) return []
  const lost = new Map<Declaration, Desired>()
  for (const object of desired) {
    const written = writtenFor(object)
    const sections = new Set(written.filter((each) => !isOverride(each)).map(({ section }) => section))
    for (const declaration of written) {
      if (isOverride(declaration) && !sections.has(declaration.section)) lost.set(declaration, object)
    }
  }
  const isLost = (declaration: Declaration) =>
    [...lost.keys()].some(
      ({ source, section, item }) =>
        source === declaration.source &&
        section === declaration.section &&
        item[section.identity] === identityOf(declaration),
    )
  return [...lost].flatMap(([declaration, { address, kind }]) => {
    if (declaration.parent !== undefined && isLost(declaration.parent)) return []
    const { section } = declaration
    const name = identityOf(declaration)
    const others = desired.flatMap((object) =>
      writtenFor(object)
        .filter((each) => each.section === section && !isOverride(each))
        .map((each) => ({ written: identityOf(each), address: object.address })),
    )
    // The same name below another application, or in another database.
    const namesakes = others.filter(({ written }) => written === name).map((each) => inCode(each.address))
    const declared = others.map(({ written }) => written)
    const near = kind.provides === undefined ? nearMisses(name, declared) : nearAccounts(name, declared)
    const what = namesakes.length > 0 ? inCode(address) : `${inCode(name)} under \`${section.key}\``
    const problem: Problem = {
      code: 'SVC1316',
      severity: 'error',
      address,
      message: `No manifest declares ${what}: there is nothing to override`,
      place: placeIn(declaration, [section.identity]),
      hint:
        namesakes.length > 0
          ? `The manifests declare ${namesakes.join(' and ')}: name its container here as they do.`
          : (didYouMean(near) ?? 'Declare it in a manifest, and write the same name here.'),
    }
    return [problem]
  })
}

function nestPaths(paths: readonly string[]): JsonObject {
  // A whole field that is named beside a part of it goes whole.
  const wholeLast = [...paths].sort((a, b) => b.length - a.length)
  return wholeLast.reduce((result: JsonObject, path) => withValueAt(result, path.split('.'), null), {})
}
