// The long form of an environment: what the short form says by a bare value or `null`, said by name.
import type { BooleanSchema, StringSchema } from '../core/model/schema.ts'
import type { ExtendedObjectSchema } from './extended-schema.ts'

export const inheritSchema: BooleanSchema = {
  type: 'boolean',
  directive: true,
  description:
    '`true`: the environment has nothing of its own and follows `common`; as `null` in its place. `false`: it has.',
}

/** The mapping that may stand in the place of an environment's text. */
export function longEnvironment(schema: StringSchema): ExtendedObjectSchema {
  const { environment, nullable: _, inherited, description: __, ...text } = schema
  const value: StringSchema = { ...text, description: 'The value. An empty text is one.' }
  // Of `common`, the value is all there is to say.
  if (!inherited) return { type: 'object', required: ['value'], properties: { value } }
  return {
    type: 'object',
    ...(environment && { environment }),
    inherited,
    properties: { value, inherit: inheritSchema },
  }
}
