// /admin/db/{dbId}/businessentities: read only.
import { get, type Route } from '../http/route.ts'
import { businessEntityScopes as scopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import { addressLines, businessEntityTexts, nameLines } from '../tenant/tenant-shape.ts'
import { databaseOf, find, ids } from './lookup.ts'

const { logo, ...texts } = s.each(businessEntityTexts, s.text)
const answer = s.named(
  'BusinessEntity',
  s.record({
    ...{ ...ids, name: s.text, code: s.text, ...texts },
    fullName: s.record(s.each(nameLines, s.text)),
    address: s.record(s.each(addressLines, s.text)),
    logo,
    permissions: s.listOf(s.record({ svcId: s.text, name: s.textOrNull, type: s.oneOf('Default', 'Additional') })),
  }),
)
const path = '/admin/db/:dbId/businessentities'

export const businessEntityRoutes: readonly Route[] = [
  get(path, scopes, { answer: s.record({ businessEntities: s.listOf(answer) }) }, (call) => ({
    businessEntities: databaseOf(call).businessEntities.list().map(answer.tell),
  })),
  get(`${path}/:idguid`, scopes, { answer }, (call) =>
    answer.tell(find(databaseOf(call).businessEntities, 'business entity', call.params.idguid)),
  ),
]
