// Lists of accounts, as groups hold them: members and owners.
import { accountEntrySchema, readAccountEntry } from '../../core/model/account-entry.ts'
import type { Json } from '../../core/model/json.ts'
import { isJsonObject } from '../../core/model/json.ts'
import type { Collection, Element } from '../../core/model/kind.ts'
import type { ArraySchema } from '../../core/model/schema.ts'

/** The schema of a list of accounts that fills `collection`. */
export function accountList(collection: string, description: string) {
  return {
    type: 'array',
    collection,
    description,
    examples: [['anna.nowak@example.com', 'ap-clerks@example.com']],
    items: accountEntrySchema(),
  } as const satisfies ArraySchema
}

/** A collection of accounts whose changes go to `/admin/group/{name}/add` and `/remove`. */
export function groupAccounts(name: 'members' | 'owners'): Collection {
  const change = (verb: 'add' | 'remove') => (at: { readonly self?: string }, elements: readonly Element[]) => ({
    method: 'POST' as const,
    path: `/admin/group/${name}/${verb}`,
    query: { svcId: at.self },
    body: { [name]: elements.map(({ svcId }) => ({ svcId })) },
  })
  return {
    batch: 200,
    inCreate: true,
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

/**
 * Accounts as the platform lists them: `[{ svcId, name, email, type }]`, or null when there are none. Undefined: it is
 * something else, and nobody knows who is in it.
 */
export function readAccounts(value: Json | undefined): Element[] | undefined {
  if (value === null) return []
  if (!Array.isArray(value)) return undefined
  const items: readonly Json[] = value
  const elements: Element[] = []
  for (const item of items) {
    if (!isJsonObject(item) || typeof item.svcId !== 'string' || item.svcId === '') return undefined
    elements.push({ svcId: item.svcId })
  }
  return elements
}
