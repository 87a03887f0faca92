// The shape of a file with policies: the only declaration of it. Validation and the editors' schema follow from it.
import type { Kind } from '../core/model/kind.ts'
import type { ExtendedObjectSchema, FormattedSchema } from '../manifests/extended-schema.ts'

const expression = (description: string, example: string): FormattedSchema => ({
  type: 'string',
  minLength: 1,
  // Beyond it nobody can read it, and the time that checking takes stays small.
  maxLength: 4000,
  description,
  examples: [example],
})

/** `kinds`: those that a policy may be for. */
export function policiesSchemaOf(kinds: readonly Kind[]): ExtendedObjectSchema {
  const policy: ExtendedObjectSchema = {
    type: 'object',
    required: ['name', 'for', 'expression', 'message'],
    description: 'A rule that objects, or changes of them, must keep.',
    properties: {
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 63,
        description: 'What the policy is called: lower-case letters, digits and hyphens. Each name stands once.',
        examples: ['two-owners'],
      },
      description: {
        type: 'string',
        description: 'Why the policy is there. Shown where it does not hold.',
        examples: ['A group with one owner is stuck when they leave.'],
      },
      for: {
        type: 'array',
        minItems: 1,
        description: 'The kinds of objects that the policy looks at.',
        examples: [['group']],
        items: { type: 'string', enum: kinds.map(({ name }) => name).sort() },
      },
      on: {
        type: 'string',
        enum: ['desired', 'change'],
        description:
          'What it looks at: `desired` (the default), objects as the manifests declare them; `change`, what a plan would do to an object.',
      },
      level: {
        type: 'string',
        enum: ['deny', 'warn'],
        description: '`deny` (the default): an error; `warn`: a warning.',
      },
      when: expression('Only objects for which this CEL expression is true are looked at.', 'has(object.owners)'),
      expression: expression('A CEL expression that has to be true.', 'size(object.owners) >= 2'),
      message: {
        type: 'string',
        minLength: 1,
        maxLength: 1000,
        description: 'What is said where the expression is not true.',
        examples: ['A group has at least two owners'],
      },
      messageExpression: expression(
        'A CEL expression for a text that is said instead of `message`; where it cannot be evaluated, `message` is said.',
        '"the group has " + string(size(object.owners)) + " owners"',
      ),
    },
  }
  return {
    type: 'object',
    required: ['policies'],
    properties: { policies: { type: 'array', description: 'The policies of this file.', items: policy } },
  }
}
