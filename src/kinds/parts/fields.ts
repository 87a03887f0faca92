// Fields that several kinds have.
import type { StringSchema } from '@svcsync/core/model/schema.ts'

export const identityField = (description: string, example: string) =>
  ({ type: 'string', minLength: 1, identity: true, description, examples: [example] }) as const

/** The same of what exists, and is found. `what`: `The process`. */
export const foundField = (what: string, example: string) =>
  ({
    type: 'nameOrId',
    identity: true,
    description: `${what}: its name, guid or id.`,
    examples: [example],
  }) as const

export const textField = (description: string, example: string) =>
  ({ type: 'string', nullable: true, description, examples: [example] }) as const

export const extraField = {
  type: 'open',
  description:
    'Fields that svcsync does not know, under the names that the installation gives them. ' +
    'svcsync sends them, and compares them if the platform returns them.',
  examples: [{ costCentre: 'A-12' }],
} as const

/** The schema of `previously` for a kind whose name can be changed in place. */
export const previouslyField = {
  type: 'string',
  minLength: 1,
  directive: true,
  description:
    'The former name: svcsync renames an object that still has it. Remove this line after all targets are renamed.',
  examples: ['OldName'],
} as const satisfies StringSchema
