// Checks that an exception can have an effect: that its path leads to something svcsync compares.
import type { Kind } from '@svcsync/core/model/kind.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { fieldsOf, isWriteOnly, schemaAt } from '@svcsync/core/model/schema-fields.ts'
import { inCode } from '@svcsync/errors/index.ts'

interface WrittenPath {
  readonly path: string | undefined
  readonly entry: string | undefined
  readonly level: string | undefined
  readonly company: string | undefined
}

/** `key`: with which something is wrong, and what. */
type PathFinding =
  | { readonly path: string | undefined }
  | { readonly key: 'path' | 'entry' | 'level' | 'company'; readonly message: string; readonly hint: string }

/** `path`: as differences have it, where a list has another name in manifests. */
export function pathFinding(kinds: readonly Kind[], written: WrittenPath): PathFinding {
  const found = kinds.map((kind) => findingOf(kind, written))
  return found.find((each) => !('key' in each)) ?? (found[0] as PathFinding)
}

function findingOf(kind: Kind, { path, entry, level, company }: WrittenPath): PathFinding {
  const [beside] = Object.entries({ entry, level, company }).flatMap(([key, text]) => (text === undefined ? [] : key))
  const key = beside as 'entry' | 'level' | 'company' | undefined
  if (path === undefined) {
    if (key === undefined) return { path }
    return { key, message: `\`${key}\` says nothing without \`path\``, hint: 'Name the list, like `path: members`.' }
  }
  const [section] = kind.sections
  const { collections } = fieldsOf(section)
  const list = collections.find(({ collection, field }) => collection === path || field === path)
  if (list !== undefined) return listFinding(kind, list.collection, { path, entry, level, company })
  const words = path.split('.')
  const schema = kind.sections.map((each) => schemaAt(each.schema, words)).find((each) => each !== undefined)
  if (schema === undefined || schema.identity || schema.directive) {
    const known = [...fieldsOf(section).fields, ...collections.map(({ collection }) => collection)]
    const hint = suggestion(path, known) ?? `Its fields and lists are ${quoted(known)}.`
    return { key: 'path', message: `A ${kind.name.replaceAll('-', ' ')} has no field ${inCode(path)}`, hint }
  }
  if (isWriteOnly(schema)) {
    const message = `${inCode(path)} is never compared: the platform does not return it, and an exception hides nothing`
    return { key: 'path', message, hint: 'Remove the exception.' }
  }
  if (key === undefined) return { path }
  return { key, message: `${inCode(path)} is no list`, hint: `Remove \`${key}\`.` }
}

function listFinding(kind: Kind, collection: string, { entry, level, company }: WrittenPath): PathFinding {
  if (entry === undefined) {
    const message = `${inCode(collection)} is a list: an exception names one entry of it`
    return { key: 'path', message, hint: 'Add `entry:`, one line for each.' }
  }
  const hasLevels = kind.collections[collection]?.part !== undefined
  if (hasLevels && level === undefined)
    return { key: 'entry', message: 'The entry has no level', hint: 'Add `level:`, like `level: ReadOnly`.' }
  const extra = hasLevels ? undefined : level !== undefined ? 'level' : company !== undefined ? 'company' : undefined
  if (extra === undefined) return { path: collection }
  return { key: extra, message: `${inCode(collection)} has no levels`, hint: `Remove \`${extra}\`.` }
}
