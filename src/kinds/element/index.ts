// The privileges of an element itself. The privileges of its process are shown beside them, and stay.
import { isPageAddress } from '@svcsync/core/model/address.ts'
import { inherits } from '@svcsync/core/model/capabilities/inherits.ts'
import { page } from '@svcsync/core/model/capabilities/page.ts'
import { takesAll } from '@svcsync/core/model/capabilities/takes-all.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import {
  type AccountElement,
  type Collection,
  defineKind,
  type Finding,
  isMisread,
  type Location,
  type MisreadAnswer,
} from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { manageField } from '../parts/accounts.ts'
import { byLevel, levelWords, privilegesField } from '../parts/privileges.ts'
import { within } from '../parts/read-fields.ts'
import { elementAdminScopes } from '../parts/scopes.ts'
import { process } from '../process/index.ts'

const levels = ['Administrator', 'ModifyWithoutDeleting', 'ReadOnly', 'ReadOnlyWithoutAttachments'] as const

const schema = {
  type: 'object',
  description: 'An existing element (instance of a workflow), and its privileges in addition to those of its process.',
  required: ['element'],
  properties: {
    element: {
      type: 'nameOrId',
      identity: true,
      description: 'The element: its number, or the address of its page in the browser.',
      examples: [4711, 'https://svc.example.com/db/1/app/12/element/4711'],
    },
    privileges: privilegesField(levels, { companies: false, whole: true }),
    manage: manageField('privileges'),
  },
} as const satisfies ObjectSchema

const base = (at: Location) => `/db/${at.dbId}/elements/${segment(at.name)}/admin/privileges`

const privileges: Collection<AccountElement> = {
  ...byLevel,
  capabilities: [takesAll(true)],
  // A removal names no level: no level can be left to others.
  fromManifest: (value) => ({ ...byLevel.fromManifest(value), parts: 'all' }),
  add: (at, [element]) => ({
    method: 'POST',
    path: base(at),
    body: { user: { svcId: element?.svcId ?? '' }, level: element?.level ?? '' },
  }),
  remove: (at, [element]) => ({ method: 'DELETE', path: base(at), query: { svcId: element?.svcId } }),
}

/** The keys in an address of the portal. */
const pageKeys = ['url', 'mode', 'dbId', 'application', 'dashboard', 'report', 'view', 'element', 'startelement']

const keys = ['permissionsScope', 'user', 'level']

/** Levels that come from the process may be called as on the process: they are shown, and compared with nothing. */
function readPrivilege(item: Json): { readonly isOwn: boolean; readonly element: AccountElement } | MisreadAnswer {
  if (!isJsonObject(item)) return { misread: 'an item is no object' }
  const { permissionsScope: scope, user, level = null } = item
  if (!isJsonObject(user)) return missingKey(item, 'user', keys)
  if (typeof user.svcId !== 'string' || user.svcId === '') return within('user', missingKey(user, 'svcId', []))
  if (level !== null && typeof level !== 'string') return missingKey(item, 'level', keys)
  const isOwn = scope === 'Element'
  return { isOwn, element: { svcId: user.svcId, ...(level !== null && { level, company: null }) } }
}

function check({ element = '' }: { readonly element?: string }): Finding[] {
  // With zeros before it, one element would be two objects.
  if (/^[1-9]\d{0,14}$/.test(element) || isPageAddress(element)) return []
  const hint = 'Write the number, or copy the address of its page from the browser.'
  const message = `\`${element}\` is neither the number of an element nor an address`
  return [{ code: 'SVC1361', message, hint, path: ['element'] }]
}

export const element = defineKind({
  name: 'element',
  title: 'Element privileges',
  description: 'Privileges on single elements. Elements are found, never created.',
  scope: 'database',
  order: 65,
  sections: [{ key: 'elements', schema }],
  lifecycle: 'found',
  capabilities: [
    page({
      request: (url) => ({ method: 'GET', path: '/urlMetadata', query: { url } }),
      needs: [{ anyOf: ['Admin.Read.Urls', 'Admin.Read.All', 'Admin.ReadWrite.All'], ask: 'first' }],
      parse(answer) {
        if (!isJsonObject(answer)) return { misread: 'it is no object' }
        const { mode, dbId, element: found } = answer
        if (typeof mode !== 'string') return missingKey(answer, 'mode', pageKeys)
        if (mode !== 'Element') return undefined
        if (typeof dbId !== 'number') return missingKey(answer, 'dbId', pageKeys)
        if (!isJsonObject(found)) return missingKey(answer, 'element', pageKeys)
        return typeof found.id === 'number' ? { id: found.id, dbId } : within('element', missingKey(found, 'id', []))
      },
    }),
    inherits(process.name),
  ],
  collections: { privileges },
  alsoTold: ['elementPrivileges'],
  wire: {
    ...levelWords,
    elementPrivileges: { keys: { ...levelWords, permissionsScope: { word: true } } },
    mode: { word: true },
  },
  scopes: elementAdminScopes,
  requests: { read: (at) => ({ method: 'GET', path: base(at) }) },
  parse(answer, at) {
    if (!isJsonObject(answer)) return { misread: 'it is no object' }
    const { elementPrivileges: list } = answer
    if (list === undefined) return missingKey(answer, 'elementPrivileges', [])
    if (!Array.isArray(list)) return { misread: '`elementPrivileges` is no list' }
    const own: AccountElement[] = []
    const inherited: AccountElement[] = []
    for (const item of list as readonly Json[]) {
      const read = readPrivilege(item)
      if (isMisread(read)) return within('elementPrivileges', read)
      ;(read.isOwn ? own : inherited).push(read.element)
    }
    const names = { name: at.name ?? '', self: at.name ?? '' }
    return { spec: {}, collections: { privileges: own }, inherited: { privileges: inherited }, ready: true, ...names }
  },
  check,
})
