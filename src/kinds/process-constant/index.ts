// Constants of one process.
import { defineKind } from '@svcsync/core/model/kind.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { constantSchema, constantsUnder } from '../parts/constants.ts'
import { processConstantScopes } from '../parts/scopes.ts'

export const processConstant = defineKind({
  name: 'process-constant',
  title: 'Process constants',
  description: 'Constants of one process, with a value for each environment.',
  scope: 'parent',
  parent: 'process',
  order: 30,
  segment: 'constant',
  sections: [{ key: 'constants', within: 'process', schema: constantSchema }],
  scopes: processConstantScopes,
  ...constantsUnder((at) => `/db/${at.dbId}/processes/${segment(at.process)}/admin/constants`),
})
