// Licences: who holds which, how many there are, and their assignment. Cloud installations only.
import type { Json } from '../../core/model/json.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { bothForms, type Call, get, type Route, svcIdOf, write } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { LicenseHolder } from '../state/licenses.ts'
import { designerDeskSettings, type HeldLicense, licenseTypes } from '../tenant/tenant-shape.ts'
import { assignLicenses, assignmentBody } from './license-assignment.ts'

const numberOrNull = s.nullable(s.integer)
const place = s.record({ id: numberOrNull, guid: s.textOrNull, dbId: numberOrNull, name: s.textOrNull })
const singleSolutionSettings = s.record({ processes: s.listOf(place) })
const license = s.named(
  'License',
  s.record({
    type: s.word(...licenseTypes),
    singleSolutionSettings: s.optional(singleSolutionSettings),
    designerDeskSettings: s.optional(s.record(s.each(designerDeskSettings, s.flag))),
  }),
)
const holderFields = { svcId: s.text, name: s.textOrNull, licenses: s.listOf(license) }
const holder = s.record(holderFields)
const supply = s.record({ license: s.word(...licenseTypes), total: s.integer, assigned: s.integer })

/** The handler, on installations that have licences at all. */
function inCloud(handle: Route['handle']): Route['handle'] {
  return (call, body) => {
    if (call.state.licenses.installation === 'cloud') return handle(call, body)
    throw new Refusal('UnsupportedInstallationType', 'Licences exist in cloud installations only.')
  }
}

/** The settings that go with the type, set or not. */
function licensesOf(of: LicenseHolder | undefined): HeldLicense[] {
  return [...(of?.licenses.values() ?? [])].map(
    ({ type, singleSolutionSettings: places, designerDeskSettings: desk }) => ({
      type,
      ...(type === 'SingleSolutionUser' && { singleSolutionSettings: places ?? { processes: [] } }),
      ...(type === 'DesignerDeskUser' && { designerDeskSettings: desk ?? {} }),
    }),
  )
}

const ofOne = s.record({ ...holderFields, userIsDeleted: s.flag })
/** Also for those who were deleted, unless the installation forgets them. */
function viewOfOne({ state }: Call, svcId: string): Json {
  const subject = state.directory.find(svcId)
  const isPerson = subject?.kind === 'user' || subject?.kind === 'account'
  const known = state.licenses.holder(svcId)
  const isForgotten = known === undefined || state.behaviour.licensesOfDeleted === 'notFound'
  if (!isPerson && isForgotten) throw notFound(`user "${svcId}"`)
  const who = { svcId: subject?.svcId ?? known?.svcId ?? svcId, name: subject?.name ?? known?.name }
  return ofOne.tell({ ...who, userIsDeleted: !isPerson, licenses: licensesOf(known) })
}

const reading = readScopes('Licenses')
const path = '/admin/licenses'
export const licenseRoutes: readonly Route[] = [
  get(
    path,
    reading,
    { answer: s.record({ assignedLicenses: s.listOf(holder) }) },
    inCloud(({ state: { licenses, directory } }) => ({
      assignedLicenses: licenses.holders().map((each) => {
        const name = directory.find(each.svcId)?.name ?? each.name
        return holder.tell({ svcId: each.svcId, name, licenses: licensesOf(each) })
      }),
    })),
  ),
  get(
    `${path}/summary`,
    reading,
    { answer: s.record({ licenses: s.listOf(supply) }) },
    inCloud(({ state }) => ({ licenses: state.licenses.summary() })),
  ),
  ...bothForms('/admin/license', '', (at) =>
    get(
      at,
      reading,
      { answer: ofOne },
      inCloud((call) => viewOfOne(call, svcIdOf(call))),
    ),
  ),
  write('POST', `${path}/assign`, writeScopes('Licenses'), { body: assignmentBody }, (call, body) =>
    inCloud(() => assignLicenses(call, body))(call, body),
  ),
]
