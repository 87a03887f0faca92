// Licences: who holds which, how many there are, and their assignment. Cloud installations only.
import type { Json, JsonObject } from '../../core/model/json.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { bothForms, type Call, type Route, svcIdOf, withBody } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import { flag, integer, listOf, named, nullable, optional, record, text, textOrNull, word } from '../shape/shape.ts'
import type { Licenses } from '../state/licenses.ts'
import { type HeldLicense, licenseTypes } from '../tenant/tenant-shape.ts'
import { assignLicenses, assignmentBody } from './license-assignment.ts'

const read = readScopes('Licenses')

const numberOrNull = nullable(integer)
const place = record({ id: numberOrNull, guid: textOrNull, dbId: numberOrNull, name: textOrNull })
const license = named(
  'License',
  record({
    type: word(...licenseTypes),
    singleSolutionSettings: optional(record({ processes: listOf(place) })),
    designerDeskSettings: optional(
      record({ allowDesignerDeskProjectCreation: flag, allowDesignerDeskProjectPublishing: flag }),
    ),
  }),
)
const holder = { svcId: text, name: textOrNull, licenses: listOf(license) }
const supply = record({ license: word(...licenseTypes), total: integer, assigned: integer })

/** The handler, on installations that have licences at all. */
function inCloud(handle: Route['handle']): Route['handle'] {
  return (call, body) => {
    if (call.state.licenses.installation !== 'cloud') {
      throw new Refusal(405, 'UnsupportedInstallationType', 'Licences exist in cloud installations only.')
    }
    return handle(call, body)
  }
}

function licenseViews(holder: ReturnType<Licenses['holder']> | undefined): Json[] {
  return [...(holder?.licenses.values() ?? [])].map(licenseView)
}

function licenseView({ type, singleSolutionSettings, designerDeskSettings }: HeldLicense): JsonObject {
  if (type === 'SingleSolutionUser') {
    const processes = (singleSolutionSettings?.processes ?? []).map(({ id, guid, dbId, name }) => ({
      id: id ?? null,
      guid: guid ?? null,
      dbId: dbId ?? null,
      name: name ?? null,
    }))
    return { type, singleSolutionSettings: { processes } }
  }
  if (type !== 'DesignerDeskUser') return { type }
  const { allowDesignerDeskProjectCreation = false, allowDesignerDeskProjectPublishing = false } =
    designerDeskSettings ?? {}
  return { type, designerDeskSettings: { allowDesignerDeskProjectCreation, allowDesignerDeskProjectPublishing } }
}

/** Also for those who were deleted, unless the installation forgets them. */
function holderView({ state }: Call, svcId: string): JsonObject {
  const subject = state.directory.find(svcId)
  const isPerson = subject?.kind === 'user' || subject?.kind === 'account'
  const holder = state.licenses.holder(svcId)
  const isForgotten = holder === undefined || state.behaviour.licensesOfDeleted === 'notFound'
  if (!isPerson && isForgotten) throw notFound(`user "${svcId}"`)
  return {
    svcId: subject?.svcId ?? holder?.svcId ?? svcId,
    name: subject?.name ?? holder?.name ?? null,
    userIsDeleted: !isPerson,
    licenses: licenseViews(holder),
  }
}

export const licenseRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/licenses',
    scopes: read,
    answer: record({ assignedLicenses: listOf(record(holder)) }),
    handle: inCloud(({ state }) => ({
      assignedLicenses: state.licenses.holders().map((each) => ({
        svcId: each.svcId,
        name: state.directory.find(each.svcId)?.name ?? each.name,
        licenses: licenseViews(each),
      })),
    })),
  },
  {
    method: 'GET',
    path: '/admin/licenses/summary',
    scopes: read,
    answer: record({ licenses: listOf(supply) }),
    handle: inCloud(({ state }) => ({ licenses: state.licenses.summary() })),
  },
  ...bothForms('/admin/license', '/admin/licenses', '', (path) => ({
    method: 'GET',
    path,
    scopes: read,
    answer: record({ ...holder, userIsDeleted: flag }),
    handle: inCloud((call) => holderView(call, svcIdOf(call))),
  })),
  withBody({
    method: 'POST',
    path: '/admin/licenses/assign',
    scopes: writeScopes('Licenses'),
    body: assignmentBody,
    handle: (call, body) => inCloud(() => assignLicenses(call, body))(call, body),
  }),
]
