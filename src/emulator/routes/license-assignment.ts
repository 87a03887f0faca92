// Assigning and removing licences: all of one request, or nothing of it, or what stands before the one that is refused.
import { conflict, Refusal } from '../http/refusal.ts'
import { type Call, done, type Route } from '../http/route.ts'
import * as s from '../shape/shape.ts'
import type { Licenses } from '../state/licenses.ts'
import type { Subject } from '../state/subjects.ts'
import { designerDeskShape, type HeldLicense, licenseTypes, type PlaceReference } from '../tenant/tenant-shape.ts'
import { placeOf } from './lookup.ts'

const place = s.record({
  id: s.optional(s.integer),
  guid: s.optional(s.filledText),
  dbId: s.optional(s.integer),
  name: s.optionalText,
})
const maybe = <T>(shape: s.Shape<T>) => s.optional(s.nullable(shape))
const type = s.word(...licenseTypes)
const processes = maybe(s.listOf(place))
const assigned = s.record({
  type,
  singleSolutionSettings: maybe(s.record({ processes })),
  designerDeskSettings: maybe(designerDeskShape),
})
/** Its settings are for assigning alone. */
const removed = s.record({
  type,
  singleSolutionSettings: maybe(s.record({ processes, allProcesses: s.optional(s.flag) })),
})
export const assignmentBody = s.record({
  assignLicenses: maybe(s.listOf(s.record({ svcId: s.filledText, licenses: s.listOf(assigned) }))),
  removeLicenses: maybe(s.listOf(s.record({ svcId: s.filledText, licenses: s.listOf(removed) }))),
})
type AssignmentBody = s.TypeOf<typeof assignmentBody>

export function assignLicenses(call: Call, body: AssignmentBody): ReturnType<Route['handle']> {
  if (call.state.behaviour.licenseBatches === 'wholeOrNot') return assignAll(call, body)
  for (const each of body.removeLicenses ?? []) assignAll(call, { removeLicenses: [each] })
  for (const each of body.assignLicenses ?? []) assignAll(call, { assignLicenses: [each] })
  return done
}

/** Removals come first, so that a licence can pass from one person to another in one request. */
function assignAll(
  call: Call,
  { assignLicenses: given, removeLicenses: gone }: AssignmentBody,
): ReturnType<Route['handle']> {
  const { licenses: store } = call.state
  const assigning = (given ?? []).flatMap(({ svcId, licenses }) => {
    const person = personOf(call, svcId)
    return licenses.map((license) => ({ person, license: resolved(call, license), had: store.assigned(license.type) }))
  })
  const removing = (gone ?? []).flatMap(({ svcId, licenses }) =>
    licenses.map((license) => ({ svcId, settings: license.singleSolutionSettings, license: resolved(call, license) })),
  )
  for (const { svcId } of gone ?? []) if ((store.holder(svcId)?.licenses.size ?? 0) === 0) personOf(call, svcId)
  const takeBack = store.remember([...assigning.map(({ person }) => person), ...removing].map(({ svcId }) => svcId))
  for (const { svcId, license, settings } of removing) remove(store, svcId, license, settings?.allProcesses === true)
  for (const { person, license } of assigning) {
    const held = store.holder(person.svcId)?.licenses.get(license.type)
    store.give(person.svcId, person.name, mergeLicense(held, license))
  }
  const isScarce = ({ license: { type: of }, had }: (typeof assigning)[number]) =>
    store.assigned(of) > Math.max(had, store.available[of] ?? Number.POSITIVE_INFINITY)
  const scarce = assigning.find(isScarce)
  if (scarce === undefined) return done
  takeBack()
  throw licenseError(call, `There are not enough licences of type ${scarce.license.type}.`)
}

/** Removes the named processes from a licence for single processes, or the whole licence if none are left. */
function remove(
  store: Licenses,
  svcId: string,
  { type: of, singleSolutionSettings }: HeldLicense,
  isAll: boolean,
): void {
  const holder = store.holder(svcId)
  const held = holder?.licenses.get(of)
  if (holder === undefined || held === undefined) return
  const at = singleSolutionSettings?.processes ?? []
  const left = at.length > 0 && !isAll ? subtractPlaces(held.singleSolutionSettings?.processes ?? [], at) : []
  if (left.length === 0) store.take(holder, of)
  else store.give(holder.svcId, holder.name, { ...held, singleSolutionSettings: { processes: left } })
}

function licenseError({ state }: Call, description: string): Refusal {
  return new Refusal('LicenseError', description, state.behaviour.licenseErrorStatus)
}

function personOf(call: Call, svcId: string): Subject {
  const subject = call.state.directory.usable(svcId)
  if (subject === undefined) throw conflict(`There is no user "${svcId}".`)
  const isPerson = subject.kind === 'account' && ['Other', 'User'].includes(subject.type)
  if (subject.kind === 'user' || isPerson) return subject
  throw licenseError(call, `"${svcId}" is no account that can hold a licence.`)
}

/** Processes by what they are, with names: unknown ones are a conflict. */
function resolved({ state }: Call, license: s.TypeOf<typeof assigned>): HeldLicense {
  const { type: given, singleSolutionSettings, designerDeskSettings } = license
  const isForeign = (wanted: string, settings: unknown) => settings != null && given !== wanted
  if (isForeign('SingleSolutionUser', singleSolutionSettings) || isForeign('DesignerDeskUser', designerDeskSettings))
    throw new Refusal('InvalidInput', `These settings do not belong to a licence of type ${given}.`)
  const places = (singleSolutionSettings?.processes ?? []).map((reference) => {
    const place = placeOf(state, 'processes', reference)
    if (place === undefined) throw conflict('There is no such process.')
    return place
  })
  return {
    type: given,
    ...(given === 'SingleSolutionUser' && { singleSolutionSettings: { processes: places } }),
    ...(designerDeskSettings != null && { designerDeskSettings }),
  }
}

function subtractPlaces(held: readonly PlaceReference[], subtracted: readonly PlaceReference[]): PlaceReference[] {
  return held.filter((place) => !subtracted.some(({ guid, dbId }) => guid === place.guid && dbId === place.dbId))
}

/** Processes add up; other settings take the place of those before. */
function mergeLicense(before: HeldLicense | undefined, license: HeldLicense): HeldLicense {
  if (license.type !== 'SingleSolutionUser') return { ...before, ...license }
  const added = license.singleSolutionSettings?.processes ?? []
  const kept = subtractPlaces(before?.singleSolutionSettings?.processes ?? [], added)
  return { ...license, singleSolutionSettings: { processes: [...kept, ...added] } }
}
