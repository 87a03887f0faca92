// Lists of accounts, as groups hold them: members and owners.
import { accountEntrySchema, readAccountEntry } from '@svcsync/core/model/account-entry.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { AccountElement, Collection, Kind, MisreadAnswer } from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import type { Schema } from '@svcsync/core/model/schema.ts'
import { within } from './read-fields.ts'

/** The schema of a list of accounts that fills `collection`. */
export function accountList(collection: string, description: string) {
  return {
    type: 'array',
    collection,
    description,
    examples: [['anna.nowak@example.com', 'ap-clerks@example.com']],
    items: accountEntrySchema(),
  } as const satisfies Schema
}

export function manageField<const Name extends string>(...lists: readonly Name[]) {
  const mode = (list: Name) =>
    ({
      type: 'string',
      enum: ['exclusive', 'additive'],
      description: `How \`${list}\` is managed: \`exclusive\` removes unlisted entries, \`additive\` only adds.`,
    }) as const
  const properties = Object.fromEntries(lists.map((list) => [list, mode(list)])) as Record<
    Name,
    ReturnType<typeof mode>
  >
  const description = 'The management of lists: `exclusive` removes unlisted entries, `additive` only adds.'
  return { type: 'object', directive: true, description, properties } as const
}

/** A collection of accounts whose changes go to `/admin/group/{name}/add` and `/remove`. */
export function groupAccounts(name: 'members' | 'owners'): Collection<AccountElement> {
  const change = (verb: 'add' | 'remove') => (at: { readonly self?: string }, elements: readonly AccountElement[]) => ({
    method: 'POST' as const,
    path: `/admin/group/${name}/${verb}`,
    query: { svcId: at.self },
    body: { [name]: elements.map(({ svcId }) => ({ svcId })) },
  })
  return {
    batch: 200,
    nests: name === 'members',
    fromManifest: (value: Json) => ({
      parts: 'all',
      elements: ((value ?? []) as readonly Json[]).map((item, index) => {
        // Most entries say no more.
        if (typeof item === 'string') return { element: { svcId: item }, path: [index] }
        const { svcId = '', ...rest } = readAccountEntry(item)
        return { ...rest, element: { svcId }, path: [index] }
      }),
    }),
    toManifest: (elements) => elements.map(({ svcId }) => svcId),
    add: change('add'),
    remove: change('remove'),
  }
}

/** Accounts as listed under `key`: `[{ svcId, name, email, type }]`; null or absent: none. Each once. */
export function readAccounts(answer: JsonObject, key: string): AccountElement[] | MisreadAnswer {
  const value = answer[key] ?? null
  if (value === null) return []
  if (!Array.isArray(value)) return { misread: `\`${key}\` is no list` }
  const items: readonly Json[] = value
  const svcIds = new Set<string>()
  for (const item of items) {
    if (!isJsonObject(item)) return { misread: `\`${key}\` holds something else than objects` }
    const { svcId } = item
    if (typeof svcId !== 'string' || svcId === '') return within(key, missingKey(item, 'svcId', ['email']))
    svcIds.add(svcId)
  }
  return Array.from(svcIds, (svcId) => ({ svcId }))
}

/** For users and groups: the words for the state of an account, and for the sort of listed accounts. */
export const accountWords = (...lists: readonly string[]): NonNullable<Kind['wire']> => ({
  status: { word: true },
  ...Object.fromEntries(lists.map((list) => [list, { keys: { type: { word: true } } }])),
})

const people: readonly Json[] = ['User', 'ApiApplication']

/** Listed accounts that may be groups, by the sort that the platform tells. Undefined: it does not tell every sort. */
export function readPerhapsGroups(answer: JsonObject, keys: readonly string[]): string[] | undefined {
  const found: string[] = []
  for (const key of keys) {
    for (const item of (answer[key] ?? []) as readonly JsonObject[]) {
      if (typeof item.type !== 'string') return undefined
      if (!people.includes(item.type)) found.push(item.svcId as string)
    }
  }
  return found
}
