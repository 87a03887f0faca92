// Workflows of a process: nothing of theirs is managed but the form types they are associated with.
import { defineKind } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { foundField } from '../parts/fields.ts'
import { metadataScopes } from '../parts/scopes.ts'

const schema = {
  type: 'object',
  description: 'An existing workflow, for its associated form types.',
  required: ['workflow'],
  properties: {
    workflow: foundField('The workflow', 'Main'),
  },
} as const satisfies ObjectSchema

export const workflow = defineKind({
  name: 'workflow',
  title: 'Workflows',
  description: 'Workflows, for the form types associated with them.',
  scope: 'parent',
  parent: 'process',
  order: 70,
  sections: [{ key: 'workflows', within: 'process', schema }],
  lifecycle: 'found',
  lookup: {
    request: (at) => ({ method: 'GET', path: `/db/${at.dbId}/processes/${segment(at.process)}/workflows` }),
    key: 'workflows',
  },
  scopes: metadataScopes,
  requests: {},
  parse: () => ({ misread: 'nothing of it is read' }),
})
