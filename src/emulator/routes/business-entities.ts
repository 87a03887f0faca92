// /admin/db/{dbId}/businessentities: read only.
import type { JsonObject } from '../../core/model/json.ts'
import type { Route } from '../http/route.ts'
import { businessEntityScopes } from '../http/scopes.ts'
import { listOf, named, oneOf, record, text, textOrNull } from '../shape/shape.ts'
import type { Database } from '../state/database.ts'
import { ids } from './answers.ts'
import { databaseOf, find } from './lookup.ts'

const answer = named(
  'BusinessEntity',
  record({
    ...ids,
    name: text,
    code: text,
    taxId: text,
    phone: text,
    crc: text,
    description: text,
    fullName: record({ firstLine: text, secondLine: text }),
    address: record({ firstLine: text, secondLine: text, thirdLine: text }),
    logo: text,
    permissions: listOf(record({ svcId: text, name: textOrNull, type: oneOf('Default', 'Additional') })),
  }),
)

function entityView({ id, guid, name, code, details }: NonNullable<ReturnType<Database['company']>>): JsonObject {
  const { taxId = '', phone = '', crc = '', description = '', logo = '', fullName, address, permissions } = details
  return {
    id,
    guid,
    name,
    code,
    taxId,
    phone,
    crc,
    description,
    fullName: { firstLine: '', secondLine: '', ...fullName },
    address: { firstLine: '', secondLine: '', thirdLine: '', ...address },
    logo,
    permissions: permissions?.map(({ svcId, name: holder, type }) => ({ svcId, name: holder ?? null, type })) ?? [],
  }
}

export const businessEntityRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/db/:dbId/businessentities',
    scopes: businessEntityScopes,
    answer: record({ businessEntities: listOf(answer) }),
    handle: (call) => ({ businessEntities: databaseOf(call).businessEntities.list().map(entityView) }),
  },
  {
    method: 'GET',
    path: '/admin/db/:dbId/businessentities/:idguid',
    scopes: businessEntityScopes,
    answer,
    handle: (call) => entityView(find(databaseOf(call).businessEntities, 'business entity', call.params.idguid)),
  },
]
