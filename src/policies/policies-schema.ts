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
    description: 'A rule for objects, or for changes of them.',
    properties: {
      name: filledText(
        'The name of the policy: lower-case letters, digits and hyphens. Names are unique.',
        'two-owners',
        63,
      ),
      description: {
        type: 'string',
        description: 'The reason for the policy. Shown if an object breaks it.',
        examples: ['A group with one owner is stuck when they leave.'],
      },
      for: {
        type: 'array',
        minItems: 1,
        description: 'The kinds of objects that the policy checks.',
        examples: [['group']],
        items: { type: 'string', enum: kinds.map(({ name }) => name).sort() },
      },
      on: {
        type: 'string',
        enum: ['desired', 'change', 'access', 'exception'],
        description:
          'The subject: `desired` (the default), objects as the manifests declare them; ' +
          '`change`, the change of an object in a plan; `access`, access of a person to an object, ' +
          'as it is and as it will be; `exception`, an accepted difference of an object.',
      },
      level: {
        type: 'string',
        enum: ['deny', 'warn'],
        description: '`deny` (the default): an error; `warn`: a warning.',
      },
      when: filledText(
        'The policy checks only objects for which this CEL expression is true.',
        'has(object.owners)',
        longestExpression,
      ),
      expression: filledText('A CEL expression that must be true.', 'size(object.owners) >= 2', longestExpression),
      message: filledText('The message if the expression is not true.', 'A group needs at least two owners', 1000),
      messageExpression: filledText(
        'A CEL expression for a text that replaces `message`; if it cannot be evaluated, `message` is shown.',
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
      'For policies on changes: the same objects as they are on the platform before. Objects missing here are created.',
    examples: [sample],
    properties: {},
  },
}

export const testManifests = Object.keys(manifests)

/** Without the content of its manifests. */
export const policyTestSchema: ObjectSchema = {
  type: 'object',
  required: ['name', 'policy', 'declared'],
  description: 'Objects, or a change of them, and those that break the policy.',
  examples: [
    { name: 'one owner is not enough', policy: 'two-owners', declared: sample, breaks: ['group/finance@example.com'] },
  ],
  properties: {
    name: filledText('The purpose of the test, as a sentence.', 'one owner is not enough', 200),
    policy: filledText('The name of the policy.', 'two-owners'),
    target: filledText('`target.name`. Default: `test`.', 'prod'),
    today: filledText('`today`. Default: `2026-01-01`.', '2026-12-24'),
    ...manifests,
    breaks: {
      type: 'array',
      description: 'Addresses of all objects that break the policy. Default: none.',
      examples: [['group/finance@example.com']],
      items: { type: 'string', minLength: 1 },
    },
    says: filledText('Part of the message for each object that breaks the policy.', 'at least two owners'),
  },
}

export function policiesShapeOf(kinds: readonly Kind[]): MappingShape {
  const manifest = { ...manifestShapeOf(kinds).document, isManifest: true } as const
  const fields = testManifests.map((name) => ({ name, shape: manifest, apart: false }))
  const items = mappingShapeOf(policyTestSchema, fields)
  const tests = { type: 'list', nullable: false, items, minItems: 0, ofDeclarations: false } as const
  return mappingShapeOf(policiesSchemaOf(kinds), [{ name: 'tests', shape: tests, apart: false }])
}
