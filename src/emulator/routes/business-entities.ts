// /admin/db/{dbId}/businessentities: read only.
import type { JsonObject } from '../../core/model/json.ts'
import type { Route } from '../http/route.ts'
import { businessEntityScopes } from '../http/scopes.ts'
import type { Database } from '../state/database.ts'
import { databaseOf, find } from './lookup.ts'

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
    handle: (call) => ({ businessEntities: databaseOf(call).businessEntities.list().map(entityView) }),
  },
  {
    method: 'GET',
    path: '/admin/db/:dbId/businessentities/:idguid',
    scopes: businessEntityScopes,
    handle: (call) => entityView(find(databaseOf(call).businessEntities, 'business entity', call.params.idguid)),
  },
]
