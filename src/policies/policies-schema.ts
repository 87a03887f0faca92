// The only declaration of a file with policies: validation and the editors' schema follow from it.
import type { Kind } from '@svcsync/core/model/kind.ts'
import { filledText, type ObjectSchema } from '@svcsync/core/model/schema.ts'
import { manifestShapeOf } from '@svcsync/manifests/manifest-shape.ts'
import { type MappingShape, mappingShapeOf } from '@svcsync/manifests/shape.ts'

/** Beyond it nobody can read an expression, and the time that checking takes stays small. */
const longestExpression = 4000

/** `kinds`: those that a policy may be for. */
export function policiesSchemaOf(kinds: readonly Kind[]): ObjectSchema {
  const policy: ObjectSchema = {
    type: 'object',
    required: ['name', 'for', 'expression', 'message'],
    description: 'A rule that objects, or changes of them, must keep.',
    properties: {
      name: filledText(
        'What the policy is called: lower-case letters, digits and hyphens. Each name stands once.',
        'two-owners',
        63,
      ),
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
        enum: ['desired', 'change', 'access', 'exception'],
        description:
          'What it looks at: `desired` (the default), objects as the manifests declare them; `change`, what a plan would do to an object; `access`, what somebody can do with an object, as it is and as it will be; `exception`, a line of the file of exceptions about an object.',
      },
      level: {
        type: 'string',
        enum: ['deny', 'warn'],
        description: '`deny` (the default): an error; `warn`: a warning.',
      },
      when: filledText(
        'Only objects for which this CEL expression is true are looked at.',
        'has(object.owners)',
        longestExpression,
      ),
      expression: filledText('A CEL expression that has to be true.', 'size(object.owners) >= 2', longestExpression),
      message: filledText('What is said where the expression is not true.', 'A group has at least two owners', 1000),
      messageExpression: filledText(
        'A CEL expression for a text that is said instead of `message`; where it cannot be evaluated, `message` is said.',
        '"the group has " + string(size(object.owners)) + " owners"',
        longestExpression,
      ),
    },
  }
  return {
    type: 'object',
    properties: { policies: { type: 'array', description: 'The policies of this file.', items: policy } },
  }
}

const sample = { groups: [{ svcId: 'finance@example.com', owners: ['anna@example.com'] }] }

/** The key of a test that holds its manifests. */
const manifests: ObjectSchema['properties'] = {
  declared: {
    type: 'object',
    description: 'The objects, in the form of a manifest.',
    examples: [sample],
    properties: {},
  },
  live: {
    type: 'object',
    description:
      'For policies on changes: the same objects as they are on the platform before. What is not here is created.',
    examples: [sample],
    properties: {},
  },
}

export const testManifests = Object.keys(manifests)

/** Without what stands in its manifests. */
export const policyTestSchema: ObjectSchema = {
  type: 'object',
  required: ['name', 'policy', 'declared'],
  description: 'Objects, or a change of them, and which of them the policy does not let pass.',
  examples: [
    { name: 'one owner is not enough', policy: 'two-owners', declared: sample, breaks: ['group/finance@example.com'] },
  ],
  properties: {
    name: filledText('What is tried, as a sentence.', 'one owner is not enough', 200),
    policy: filledText('The name of the policy.', 'two-owners'),
    target: filledText('`target.name`. Default: `test`.', 'prod'),
    today: filledText('`today`. Default: `2026-01-01`.', '2026-12-24'),
    ...manifests,
    breaks: {
      type: 'array',
      description: 'Addresses of the objects that break the policy: those and no others. Without it: none does.',
      examples: [['group/finance@example.com']],
      items: { type: 'string', minLength: 1 },
    },
    says: filledText('Part of what is said of each object that breaks the policy.', 'at least two owners'),
  },
}

export function policiesShapeOf(kinds: readonly Kind[]): MappingShape {
  const manifest = { ...manifestShapeOf(kinds).document, isManifest: true } as const
  const fields = testManifests.map((name) => ({ name, shape: manifest, apart: false }))
  const items = mappingShapeOf(policyTestSchema, fields)
  const tests = { type: 'list', nullable: false, items, minItems: 0, ofDeclarations: false } as const
  return mappingShapeOf(policiesSchemaOf(kinds), [{ name: 'tests', shape: tests, apart: false }])
}
