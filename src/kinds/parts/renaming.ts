// Renaming: the item says what it was called before, and the object keeps its id and all that refers to it.
import type { StringSchema } from '../../core/model/schema.ts'

/** The schema of `previously` for a kind whose name can be changed in place. */
export const previouslyField = {
  type: 'string',
  minLength: 1,
  directive: true,
  description:
    'The name it had before: an object that still bears it is renamed. It can be removed once that is done everywhere.',
  examples: ['OldName'],
} as const satisfies StringSchema
