// An entry in a list of accounts, as it may be written: a svcId, a svcId with bounds in time, or a named set.
import { isJsonObject, type Json } from './json.ts'
import type { ObjectSchema, Schema } from './schema.ts'

const account = {
  type: 'string',
  minLength: 1,
  reference: 'account',
  examples: ['anna.nowak@example.com'],
} as const

export const boundField = (what: string) =>
  ({
    type: 'string',
    directive: true,
    description:
      `${what} A date (\`2026-11-01\`, a whole day in the time zone of the project) ` +
      'or a moment with its offset (`2026-11-01T08:00:00+01:00`).',
    examples: ['2026-11-01'],
  }) as const

/** The schema of an entry; `more` are properties that only some lists have. */
export function accountEntrySchema(
  more: Readonly<Record<string, Schema>> = {},
): Extract<Schema, { readonly type: 'shorthand' }> {
  const long: ObjectSchema = {
    type: 'object',
    exactlyOne: ['svcId', 'set'],
    properties: {
      svcId: { ...account, description: 'The svcId of a user, a group or a directory account.' },
      set: {
        type: 'string',
        minLength: 1,
        directive: true,
        description: 'The name of a set of accounts, from `sets`.',
        examples: ['clerks'],
      },
      ...more,
      from: boundField('The entry counts from here on.'),
      until: boundField('The entry counts until here, including a date.'),
    },
  }
  return {
    type: 'shorthand',
    description: 'An account: its svcId, its svcId with bounds in time, or a set of accounts.',
    short: account,
    long,
  }
}

const entryKeys = ['svcId', 'set', 'from', 'until', 'company'] as const

export function readAccountEntry(item: Json): { readonly [Key in (typeof entryKeys)[number]]?: string } {
  if (!isJsonObject(item)) return { svcId: String(item) }
  const entry: Record<string, string> = {}
  for (const key of entryKeys) if (item[key] != null) entry[key] = String(item[key])
  return entry
}
