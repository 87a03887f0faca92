// `unmanaged` of an override: fields that the base says and that one target leaves alone.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import type { AssemblySettings, Desired } from '../model/desired.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { AssemblyRun } from './flatten-sets.ts'
import { writtenMode } from './read-list.ts'

/** The paths as written: `jobTitle`, `sql.test`. */
export function unmanagedPaths({ item }: Pick<Declaration, 'item'>): readonly string[] {
  return Array.isArray(item.unmanaged) ? (item.unmanaged as readonly string[]) : []
}

/** Undefined: nothing is, as of nearly every object. */
export function unmanagedIn(declarations: readonly Declaration[]): Desired['unmanaged'] {
  if (declarations.every(({ item }) => item.unmanaged === undefined)) return undefined
  return declarations.flatMap((declaration) =>
    unmanagedPaths(declaration).map((path, index) => {
      return { path, section: declaration.section, place: placeIn(declaration, ['unmanaged', index]) }
    }),
  )
}

/** Paths that take nothing out, of the declarations of one object as they are written. */
export function checkUnmanaged(
  declarations: readonly Declaration[],
  isOverride: (declaration: Declaration) => boolean,
  settings: Pick<AssemblyRun, 'privileges' | 'problems'>,
): void {
  for (const declaration of declarations) {
    if (declaration.item.unmanaged === undefined) continue
    for (const [index, path] of unmanagedPaths(declaration).entries()) {
      const finding = findingOf(path, declaration, declarations, isOverride, settings)
      if (finding === undefined) continue
      const place = placeIn(declaration, ['unmanaged', index])
      settings.problems.push({ code: 'SVC1319', severity: 'error', ...finding, place })
    }
  }
}

function findingOf(
  path: string,
  declaration: Declaration,
  declarations: readonly Declaration[],
  isOverride: (declaration: Declaration) => boolean,
  settings: Pick<AssemblySettings, 'privileges'>,
): Pick<Problem, 'message' | 'hint'> | undefined {
  if (!isOverride(declaration)) {
    const hint =
      'Remove the field: svcsync does not manage absent fields. `unmanaged` is for the overrides of a target.'
    return { message: `\`${path}\` cannot be unmanaged here: this manifest applies to every target`, hint }
  }
  const same = declarations.filter(({ section }) => section === declaration.section)
  const others = same.filter((each) => !isOverride(each))
  const name = `${declaration.kind.name} ${inCode(identityOf(declaration))}`
  const saying = others.map(({ item }) => findSaying(item, path)).filter((found) => found !== undefined)
  // The message about the object says that the base does not declare it.
  if (others.length > 0 && !saying.includes(path) && !emptiesPart(path, same, others, settings)) {
    const [whole] = saying
    if (whole !== undefined) {
      const hint = `List \`${whole}\` to leave all of it as it is, or write its parts in the manifest.`
      return {
        message: `A manifest declares \`${whole}\` of ${name} as a whole, and \`${path}\` is a part of it`,
        hint,
      }
    }
    const hint = 'Remove it: the field is not managed anyway.'
    return { message: `No manifest declares \`${path}\` of ${name}: there is nothing to unmanage`, hint }
  }
  for (const { item } of same.filter(isOverride)) {
    const said = findSaying(item, path)
    if (said === undefined) continue
    const hint = 'Keep one of the two.'
    const message =
      said === path
        ? `An override declares \`${path}\` and unmanages it`
        : `An override declares \`${said}\` as a whole, and unmanages \`${path}\`, a part of it`
    return { message, hint }
  }
  return undefined
}

/** True for a level that nothing lists, in privileges that are managed whole. */
function emptiesPart(
  path: string,
  declarations: readonly Declaration[],
  base: readonly Declaration[],
  { privileges }: Pick<AssemblySettings, 'privileges'>,
): boolean {
  const [field = '', level] = path.split('.')
  if (level === undefined || !base.some(({ item }) => isFilled(item[field]))) return false
  const modes = declarations.flatMap((each) => writtenMode(each, field) ?? [])
  return (modes.at(-1) ?? privileges) === 'whole'
}

function isFilled(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length > 0
}

function findSaying(item: JsonObject, path: string): string | undefined {
  const keys = path.split('.')
  let here: Json = item
  for (const [index, key] of keys.entries()) {
    const next: Json | undefined = (here as JsonObject)[key]
    if (next === undefined) return undefined
    const isLeaf = typeof next !== 'object' || next === null || Array.isArray(next) || Object.keys(next).length === 0
    if (isLeaf) return keys.slice(0, index + 1).join('.')
    here = next
  }
  return path
}
