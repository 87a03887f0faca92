// Global constants of a content database.
import { defineKind } from '@svcsync/core/model/kind.ts'
import { constantSchema, constantsUnder } from '../parts/constants.ts'
import { adminScopes } from '../parts/scopes.ts'

export const constant = defineKind({
  name: 'constant',
  title: 'Global constants',
  description: 'Global constants of a content database, with a value for each environment.',
  scope: 'database',
  order: 30,
  sections: [{ key: 'constants', schema: constantSchema }],
  scopes: adminScopes('Constants'),
  ...constantsUnder((at) => `/db/${at.dbId}/admin/constants`),
})
