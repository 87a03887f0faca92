// Privileges on applications. The applications themselves are made elsewhere.
import { defineKind, type Location } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { foundField } from '../parts/fields.ts'
import { managePrivileges, privilegesField, privilegesUnder } from '../parts/privileges.ts'

const levels = ['Administrator', 'PortalDesigner', 'MetadataAccess', 'ReadOnly']

const schema = {
  type: 'object',
  description: 'An existing application, and the privileges on it.',
  required: ['application'],
  properties: {
    application: foundField('The application', 'Purchasing'),
    privileges: privilegesField(levels, { companies: false }),
    manage: managePrivileges,
  },
} as const satisfies ObjectSchema

const base = (at: Location) => ({
  path: `/db/${at.dbId}/applications/${segment(at.application)}/admin/privileges`,
  pathIn50: `/db/${at.dbId}/application/${segment(at.application)}/admin/privileges`,
})

export const application = defineKind({
  name: 'application',
  title: 'Application privileges',
  description: 'Privileges on applications. Applications are found, never created.',
  scope: 'database',
  order: 50,
  sections: [{ key: 'applications', schema }],
  lookup: {
    request: (at) => ({ method: 'GET', path: `/db/${at.dbId}/applications` }),
    key: 'applications',
  },
  administeredBy: { collection: 'privileges', level: 'Administrator' },
  ...privilegesUnder(base, levels, { companies: false }),
})
