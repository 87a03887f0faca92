// Samples of connections for the contract test.
import type { Kind } from '@svcsync/core/model/kind.ts'

export const samples: Kind['samples'] = {
  minimal: {
    name: 'SampleConnection',
    type: 'SQL',
    sql: { common: { server: 'sql01', database: 'ERP', integratedAuthentication: true } },
  },
  full: {
    name: 'SampleConnection',
    type: 'SQL',
    sql: {
      common: {
        server: 'sql01',
        database: 'ERP',
        integratedAuthentication: false,
        user: 'erp',
        password: '${env:SAMPLE_SECRET}',
      },
      dev: { server: 'sql-dev' },
      test: { server: 'sql-test', database: 'ERP_TEST' },
    },
  },
  changed: {
    name: 'SampleConnection',
    type: 'SQL',
    sql: {
      common: {
        server: 'sql02',
        database: 'ERP',
        integratedAuthentication: false,
        user: 'erp',
        password: '${env:SAMPLE_SECRET}',
      },
      dev: null,
      test: { server: 'sql-test', database: 'ERP_T' },
      prod: { server: 'sql-prod' },
    },
  },
  invalid: [
    {},
    { name: 'A' },
    { name: 'A', type: 'Oracle' },
    { name: 'A', type: 'SQL', rest: { common: { baseUrl: 'https://example.com' } } },
    { name: 'A', type: 'SQL', sql: { common: { sever: 'x' } } },
    { name: 'A', type: 'SQL', sql: { common: { password: 'in clear text' } } },
  ],
}
