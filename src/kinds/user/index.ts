// External users: people who are managed through the interface, not by a directory.
import { boundField } from '@svcsync/core/model/account-entry.ts'
import { defineKind } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { accountWords } from '../parts/accounts.ts'
import { extraField, identityField, textField } from '../parts/fields.ts'
import { readAccount, readFields, readWhole } from '../parts/read-fields.ts'
import { adminScopes } from '../parts/scopes.ts'

const schema = {
  type: 'object',
  description: 'An external user of the installation.',
  required: ['svcId'],
  properties: {
    svcId: identityField(
      'The login, mostly like an e-mail address. It cannot be changed later.',
      'anna.nowak@example.com',
    ),
    name: textField('The name that people see.', 'Anna Nowak'),
    email: textField('Mail address of the user.', 'anna.nowak@example.com'),
    phoneNumber: textField('Telephone number, as text.', '+48 600 000 000'),
    managerSvcId: { ...textField('The svcId of the manager.', 'jan.kos@example.com'), reference: 'user' },
    jobTitle: textField('Position in the organisation.', 'Controller'),
    extra: extraField,
    replaces: {
      type: 'string',
      minLength: 1,
      directive: true,
      description:
        'The former login: svcsync takes nothing from that account before the new one has all that manifests declare.',
      examples: ['anna.lis@example.com'],
    },
    until: boundField(
      'svcsync deletes the account afterwards (after the end of a date); ' +
        'its memberships, privileges and licences end with it.',
    ),
    absent: { type: 'boolean', directive: true, description: '`true`: svcsync deletes the user if it exists.' },
  },
} as const satisfies ObjectSchema

const cleared = { name: null, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null }
const fields = Object.keys(cleared)

export const user = defineKind({
  name: 'user',
  title: 'Users',
  description: 'External users: people whose accounts are managed through the platform.',
  scope: 'installation',
  order: 10,
  sections: [{ key: 'users', schema }],
  comparesBy: 'svcId',
  lifecycle: 'full',
  synchronises: true,
  provides: 'user',
  wire: accountWords(),
  scopes: adminScopes('Users'),
  requests: {
    create: (at, spec) => ({ method: 'POST', path: '/admin/users', body: { svcId: at.name, ...spec } }),
    update: (at, spec) => ({ method: 'PATCH', path: '/admin/user', query: { svcId: at.self }, body: spec }),
    remove: (at) => ({ method: 'DELETE', path: '/admin/user', query: { svcId: at.self } }),
    read: (at) => ({ method: 'GET', path: '/admin/user', query: { svcId: at.self } }),
    list: () => ({ path: '/admin/users', key: 'users', paged: true }),
  },
  parse: (answer) =>
    readWhole(answer, readAccount(answer, fields), (user) => readFields(user, schema.properties, fields)),
  check: ({ svcId, replaces }) =>
    replaces?.toLowerCase() !== svcId.toLowerCase()
      ? []
      : [
          {
            code: 'SVC1305',
            message: 'An account cannot take the place of itself',
            hint: 'Write the login before, or remove `replaces`.',
            path: ['replaces'],
          },
        ],
  // Some installations may clear fields that an update leaves out: all of what is declared is sent along.
  updateSpec: (changed, desired, live) => ({ ...cleared, ...live, ...desired, ...changed }),
})
