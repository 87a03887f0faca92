// Privileges on the form types that are associated with a workflow.
import { defineKind, type Location } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { foundField } from '../parts/fields.ts'
import { managePrivileges, privilegesField, privilegesUnder, processLevels } from '../parts/privileges.ts'

const schema = {
  type: 'object',
  description: 'A form type associated with the workflow, and the privileges on it.',
  required: ['formType'],
  properties: {
    formType: foundField('The form type', 'Invoice'),
    privileges: privilegesField(processLevels, { companies: true }),
    manage: managePrivileges,
  },
} as const satisfies ObjectSchema

const base = (at: Location) => ({
  path: `/db/${at.dbId}/workflows/${segment(at.workflow)}/associatedFormTypes/${segment(at.formType)}/admin/privileges`,
})

export const formType = defineKind({
  name: 'form-type',
  title: 'Form type privileges',
  description: 'Privileges on the form types associated with a workflow.',
  scope: 'parent',
  parent: 'workflow',
  order: 80,
  sections: [{ key: 'formTypes', within: 'workflow', schema }],
  lookup: {
    request: (at) => ({ method: 'GET', path: `/db/${at.dbId}/workflows/${segment(at.workflow)}/associatedFormTypes` }),
    key: 'associatedFormTypes',
  },
  ...privilegesUnder(base, processLevels, { companies: true }),
})
