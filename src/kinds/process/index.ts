// Privileges on processes. The processes themselves are made elsewhere.
import { defineKind, type Location } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { foundField } from '../parts/fields.ts'
import { managePrivileges, privilegesField, privilegesUnder, processLevels } from '../parts/privileges.ts'

const schema = {
  type: 'object',
  description: 'An existing process with its privileges, constants and workflows.',
  required: ['process'],
  properties: {
    process: foundField('The process', 'Invoice approval'),
    application: {
      type: 'nameOrId',
      directive: true,
      description: 'Its application, if several have a process of this name.',
      examples: ['Purchasing'],
    },
    privileges: privilegesField(processLevels, { companies: true }),
    manage: managePrivileges,
  },
} as const satisfies ObjectSchema

const base = (at: Location) => ({
  path: `/db/${at.dbId}/processes/${segment(at.process)}/admin/privileges`,
})

export const process = defineKind({
  name: 'process',
  title: 'Process privileges',
  description: 'Privileges on processes. Processes are found, never created.',
  scope: 'database',
  parent: 'application',
  order: 60,
  sections: [{ key: 'processes', schema }],
  lookup: {
    request: (at) => ({ method: 'GET', path: `/db/${at.dbId}/applications/${segment(at.application)}/processes` }),
    key: 'processes',
  },
  administeredBy: { collection: 'privileges', level: 'Administrator' },
  ...privilegesUnder(base, processLevels, { companies: true }),
})
