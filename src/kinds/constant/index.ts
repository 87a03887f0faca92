// Global constants of a content database.
import { defineKind } from '../../core/model/kind.ts'
import { constantRequests, constantSamples, constantSchema, parseConstant, reviewConstant } from '../parts/constants.ts'
import { readNamed } from '../parts/read-fields.ts'
import { adminScopes } from '../parts/scopes.ts'

export const constant = defineKind({
  name: 'constant',
  title: 'Global constants',
  description: 'Global constants of a content database, with a value for each environment.',
  scope: 'database',
  order: 30,
  sections: [{ key: 'constants', schema: constantSchema }],
  lifecycle: 'kept',
  requiredToCreate: ['common'],
  scopes: adminScopes('Constants'),
  requests: constantRequests((at) => `/db/${at.dbId}/admin/constants`),
  parse: parseConstant,
  review: reviewConstant,
  parseItem: readNamed,
  samples: constantSamples,
})
