// Groups with their members and owners, and memberships that several teams declare without a say about the others.
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import { defineKind, type Element, isMisread } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import {
  accountList,
  accountWords,
  groupAccounts,
  manageField,
  readAccounts,
  readPerhapsGroups,
} from '../parts/accounts.ts'
import { extraField, identityField, textField } from '../parts/fields.ts'
import { readAccount, readFields, readWhole } from '../parts/read-fields.ts'
import { adminScopes } from '../parts/scopes.ts'

const schema = {
  type: 'object',
  description: 'A group: a set of accounts that can have privileges.',
  required: ['svcId'],
  properties: {
    svcId: identityField('The identifier of the group. It cannot be changed later.', 'finance@example.com'),
    name: { type: 'string', minLength: 1, description: 'The name that people see.', examples: ['Finance'] },
    email: { ...textField('Mail address of the group.', 'finance@example.com'), minLength: 1 },
    members: {
      ...accountList('members', 'The accounts in the group: users, groups and directory accounts.'),
      nullable: true,
    },
    owners: { ...accountList('owners', 'The accounts that may administer the group.'), nullable: true },
    manage: manageField('members', 'owners'),
    extra: extraField,
    absent: { type: 'boolean', directive: true, description: '`true`: svcsync deletes the group if it exists.' },
  },
} as const satisfies ObjectSchema

const membershipSchema = {
  type: 'object',
  description: 'Some members of a group, so that several teams can share it. svcsync does not change other members.',
  required: ['group', 'members'],
  properties: {
    group: identityField('The svcId of the group.', 'finance@example.com'),
    members: accountList('members', 'Accounts that must be in the group. svcsync does not change others.'),
  },
} as const satisfies ObjectSchema

const keys = ['name', 'email', 'members', 'owners']

function parseItem(item: Json) {
  return readWhole(item, readAccount(item, keys), (group) => readFields(group, schema.properties, ['name', 'email']))
}

export const group = defineKind({
  name: 'group',
  title: 'Groups',
  description: 'Groups, with their members and owners; `memberships` adds members to a group that others share.',
  scope: 'installation',
  order: 20,
  sections: [
    { key: 'groups', schema },
    { key: 'memberships', schema: membershipSchema, partial: true },
  ],
  comparesBy: 'svcId',
  lifecycle: 'full',
  synchronises: true,
  provides: 'group',
  collections: { members: groupAccounts('members'), owners: groupAccounts('owners') },
  administeredBy: { collection: 'owners' },
  wire: accountWords('members', 'owners'),
  scopes: adminScopes('Groups'),
  requests: {
    create: (at, spec, { members = [], owners = [] }) => ({
      method: 'POST',
      path: '/admin/groups',
      body: {
        svcId: at.name,
        ...spec,
        members: members.map(({ svcId }) => ({ svcId })),
        owners: owners.map(({ svcId }) => ({ svcId })),
      },
    }),
    update: (at, spec) => ({ method: 'PATCH', path: '/admin/group', query: { svcId: at.self }, body: spec }),
    remove: (at) => ({ method: 'DELETE', path: '/admin/group', query: { svcId: at.self } }),
    read: (at) => ({ method: 'GET', path: '/admin/group', query: { svcId: at.self } }),
    list: () => ({ path: '/admin/groups', key: 'groups', paged: true }),
  },
  parse(answer) {
    const item = parseItem(answer)
    if (isMisread(item)) return item
    const collections: Record<string, readonly Element[]> = {}
    for (const name of ['members', 'owners']) {
      const elements = readAccounts(answer as JsonObject, name)
      if (isMisread(elements)) return { name: item.name, self: item.self, ...elements }
      collections[name] = elements
    }
    const perhapsGroups = readPerhapsGroups(answer as JsonObject, ['members', 'owners'])
    return { ...item, collections, perhapsGroups }
  },
  // The list of groups does not tell who is in them.
  parseItem,
  // The documents want both fields together: a missing one might be cleared, and an empty one is refused.
  updateSpec: (changed, desired, live) => ({
    ...(live.name && { name: desired.name ?? live.name }),
    ...(live.email && { email: desired.email ?? live.email }),
    ...changed,
  }),
})
