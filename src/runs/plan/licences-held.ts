// Licences that people hold: all of them by one list, or those of a few one by one.
import { stock } from '@svcsync/core/model/capabilities/stock.ts'
import { type ItemElement, isMisread, type Kind } from '@svcsync/core/model/kind.ts'
import { AccessError } from '@svcsync/errors/index.ts'
import type { ObjectLists } from '@svcsync/live/object-lists.ts'
import { concernsOne } from '@svcsync/live/read-object.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Project } from '@svcsync/project/project.ts'

/** The kind whose items the platform counts. Undefined: these kinds have none. */
export function licenceKindIn(kinds: readonly Kind[]) {
  for (const kind of kinds) {
    const [collection] = Object.entries(kind.collections).find(([, each]) => stock.of(each) !== undefined) ?? []
    if (collection !== undefined) return { kind, collection }
  }
  return undefined
}

/** One request, or none where the run has read the list. Rejects as reading does. */
export async function listLicences(
  client: PlatformClient,
  { kind, collection }: NonNullable<ReturnType<typeof licenceKindIn>>,
  lists: ObjectLists,
  pageSize: number,
) {
  const list = kind.requests.list?.({})
  const listed = list === undefined ? new Map() : await lists.read(client, kind, {}, list, { pageSize })
  const byPerson = new Map<string, ItemElement[]>()
  const names = new Map<string, string>()
  const unread = new Map<string, string>()
  for (const [key, parts] of listed) {
    for (const part of parts) {
      names.set(key, names.get(key) ?? part.name ?? key)
      if (isMisread(part)) unread.set(key, part.misread)
      else if (part.doubted?.length) unread.set(key, 'it has unknown field names')
      else byPerson.set(key, [...(byPerson.get(key) ?? []), ...((part.collections[collection] ?? []) as ItemElement[])])
    }
  }
  for (const key of unread.keys()) byPerson.delete(key)
  return { byPerson, names, unread }
}

/** Why licences could not be read: that says nothing of anything else. Throws what concerns the whole run. */
export function whyUnread(error: unknown): string {
  if (error instanceof AccessError && error.type === 'InvalidScope') return error.message
  if (!concernsOne(error)) throw error
  return error.message
}

/** Licence types by the holder's key; null: nobody knows. A text: why the licences could not be read. */
export async function licencesOrWhy(
  client: PlatformClient,
  { kinds, settings }: Pick<Project, 'kinds' | 'settings'>,
  lists: ObjectLists,
): Promise<((key: string) => readonly string[] | null) | string> {
  const licence = licenceKindIn(kinds)
  if (licence === undefined) return 'there are none'
  try {
    await client.authorise(licence.kind.scopes.read)
    const { byPerson, unread } = await listLicences(client, licence, lists, settings.pageSize)
    return (key) => (unread.has(key) ? null : typesOf(byPerson.get(key) ?? []))
  } catch (error) {
    return whyUnread(error)
  }
}

export const typesOf = (own: readonly ItemElement[]): readonly string[] =>
  [...new Set(own.map(({ item }) => item))].sort()

/** null: nobody knows. */
export const holdsAny = (types: readonly string[] | null): boolean | null => types && types.length > 0
