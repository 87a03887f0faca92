// Licences: who holds which, how many there are, and their assignment. Cloud installations only.
import type { Json } from '@svcsync/core/model/json.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { type Call, get, inBothForms, type Route, svcIdOf, write } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { Licenses } from '../state/licenses.ts'
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

/** The settings that go with the type, set or not. */
function licenseView({
  type,
  singleSolutionSettings = { processes: [] },
  designerDeskSettings = {},
}: HeldLicense): HeldLicense {
  if (type === 'SingleSolutionUser') return { type, singleSolutionSettings }
  return type === 'DesignerDeskUser' ? { type, designerDeskSettings } : { type }
}

function licensesOf(of: ReturnType<Licenses['holder']>): HeldLicense[] {
  return [...(of?.licenses.values() ?? [])].map(licenseView)
}

const userLicenses = s.record({ ...holderFields, userIsDeleted: s.flag })
/** Also for those who were deleted, unless the installation forgets them. */
function userLicensesView({ state }: Call, svcId: string): Json {
  const subject = state.directory.find(svcId)
  const isPerson = subject?.kind === 'user' || subject?.kind === 'account'
  const known = state.licenses.holder(svcId)
  const isForgotten = known === undefined || state.behaviour.licensesOfDeleted === 'notFound'
  if (!isPerson && isForgotten) throw notFound(`user "${svcId}"`)
  const who = { svcId: subject?.svcId ?? known?.svcId ?? svcId, name: subject?.name ?? known?.name }
  return userLicenses.tell({ ...who, userIsDeleted: !isPerson, licenses: licensesOf(known) })
}

function assignedLicenses({ state: { licenses, directory } }: Call): Json {
  return licenses.holders().map((each) => {
    const name = directory.find(each.svcId)?.name ?? each.name
    return holder.tell({ svcId: each.svcId, name, licenses: licensesOf(each) })
  })
}

const reading = readScopes('Licenses')
const path = '/admin/licenses'
const all: readonly Route[] = [
  get(path, reading, { answer: s.record({ assignedLicenses: s.listOf(holder) }) }, (call) => ({
    assignedLicenses: assignedLicenses(call),
  })),
  get(`${path}/summary`, reading, { answer: s.record({ licenses: s.listOf(supply) }) }, ({ state }) => ({
    licenses: state.licenses.summary(),
  })),
  ...inBothForms('/admin/license', '', (at) =>
    get(at, reading, { answer: userLicenses }, (call) => userLicensesView(call, svcIdOf(call))),
  ),
  write('POST', `${path}/assign`, writeScopes('Licenses'), { body: assignmentBody }, assignLicenses),
]

/** On installations that have licences at all. */
export const licenseRoutes = all.map((route): Route => {
  const handle: Route['handle'] = (call, body) => {
    if (call.state.licenses.installation === 'cloud') return route.handle(call, body)
    throw new Refusal('UnsupportedInstallationType', 'Licences exist in cloud installations only.')
  }
  return { ...route, handle }
})
