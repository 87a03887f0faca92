// `unmanaged` of an override: fields that the base says and that one target leaves alone.
import type { Problem } from '../errors/index.ts'
import { type Declaration, identityOf, placeIn } from './declaration.ts'
import type { Json, JsonObject } from './json.ts'

/** The paths as written: `jobTitle`, `sql.test`. */
export function unmanagedPaths({ item }: Pick<Declaration, 'item'>): readonly string[] {
  return Array.isArray(item.unmanaged) ? (item.unmanaged as readonly string[]) : []
}

/** As an override would write it that says the fields: with `null` where a path ends. */
export function asMapping(paths: readonly string[]): JsonObject {
  const result: Record<string, Json> = {}
  for (const path of paths) {
    const keys = path.split('.')
    let here = result
    for (const [index, key] of keys.entries()) {
      if (index === keys.length - 1) here[key] = null
      // A whole field that is named beside a part of it goes whole.
      else if (here[key] === null) break
      else {
        here[key] ??= {}
        here = here[key] as Record<string, Json>
      }
    }
  }
  return result
}

/** Paths that take nothing out, of the declarations of one object as they are written. */
export function checkUnmanaged(
  declarations: readonly Declaration[],
  isOverride: (declaration: Declaration) => boolean,
  problems: Problem[],
): void {
  for (const declaration of declarations) {
    if (declaration.item.unmanaged === undefined) continue
    for (const [index, path] of unmanagedPaths(declaration).entries()) {
      const finding = findingOf(path, declaration, declarations, isOverride)
      if (finding === undefined) continue
      const place = placeIn(declaration, ['unmanaged', index])
      problems.push({ code: 'SVC1319', severity: 'error', ...finding, place })
    }
  }
}

function findingOf(
  path: string,
  declaration: Declaration,
  declarations: readonly Declaration[],
  isOverride: (declaration: Declaration) => boolean,
): Pick<Problem, 'message' | 'hint'> | undefined {
  if (!isOverride(declaration)) {
    const hint =
      'Leave the field out: what no manifest says is not managed. `unmanaged` is for the overrides of a target.'
    return { message: `\`${path}\` cannot be taken out of management here: this manifest is of every target`, hint }
  }
  const same = declarations.filter(({ section }) => section === declaration.section)
  const others = same.filter((each) => !isOverride(each))
  // That the base does not declare the object at all is said of the object.
  if (others.length > 0 && !others.some(({ item }) => says(item, path))) {
    const name = `${declaration.kind.name} \`${identityOf(declaration)}\``
    const hint = 'Remove it: the field is not managed anyway.'
    return { message: `No manifest says \`${path}\` of ${name}: there is nothing to take out`, hint }
  }
  if (same.some((each) => isOverride(each) && says(each.item, path))) {
    const hint = 'Keep one of the two: the field is managed as the override says, or it is not.'
    return { message: `An override says \`${path}\` and takes it out of management`, hint }
  }
  return undefined
}

function says(item: JsonObject, path: string): boolean {
  let here: Json | undefined = item
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null || Array.isArray(here)) return false
    here = (here as JsonObject)[key]
    if (here === undefined) return false
  }
  return true
}
