// Assigning and removing licences: all of one request, or nothing of it, or what stands before the one that is refused.
import { conflict, Refusal } from '../http/refusal.ts'
import { type Call, done, type Result } from '../http/route.ts'
import * as s from '../shape/shape.ts'
import type { Subject } from '../state/subjects.ts'
import { designerDeskShape, type HeldLicense, licenseTypes, type PlaceReference } from '../tenant/tenant-shape.ts'

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

export function assignLicenses(call: Call, body: AssignmentBody): Result {
  if (call.state.behaviour.licenseBatches === 'wholeOrNot') return assignWhole(call, body)
  for (const each of body.removeLicenses ?? []) assignWhole(call, { removeLicenses: [each] })
  for (const each of body.assignLicenses ?? []) assignWhole(call, { assignLicenses: [each] })
  return done
}

/** Removals come first, so that a licence can pass from one person to another in one request. */
function assignWhole(call: Call, body: AssignmentBody): Result {
  const { licenses: store } = call.state
  const assigning = (body.assignLicenses ?? []).map(({ svcId, licenses }) => ({
    person: personOf(call, svcId),
    licenses: licenses.map((license) => resolved(call, license)),
  }))
  const removing = (body.removeLicenses ?? []).flatMap(({ svcId, licenses }) =>
    licenses.map((license) => ({ svcId, ...license, at: resolved(call, license).singleSolutionSettings?.processes })),
  )
  for (const { svcId } of body.removeLicenses ?? [])
    if ((store.holder(svcId)?.licenses.size ?? 0) === 0) personOf(call, svcId)
  checkSupply(call, body)
  for (const { svcId, type: given, singleSolutionSettings, at = [] } of removing) {
    const holder = store.holder(svcId)
    const held = holder?.licenses.get(given)
    if (holder === undefined || held === undefined) continue
    const isPartial = at.length > 0 && singleSolutionSettings?.allProcesses !== true
    const left = isPartial ? without(held.singleSolutionSettings?.processes ?? [], at) : []
    if (left.length === 0) store.take(holder, given)
    else store.give(holder.svcId, holder.name, { ...held, singleSolutionSettings: { processes: left } })
  }
  for (const { person, licenses } of assigning) {
    for (const license of licenses) {
      const before = store.holder(person.svcId)?.licenses.get(license.type)
      store.give(person.svcId, person.name, combined(before, license))
    }
  }
  return done
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

/** Counts each type once per person: what is given to those who have it already takes nothing. */
function checkSupply(call: Call, body: AssignmentBody): void {
  const { licenses } = call.state
  const changes = new Map<string, number>()
  const change = (of: string, by: number) => changes.set(of, (changes.get(of) ?? 0) + by)
  const isHeld = (svcId: string, of: string) => licenses.holder(svcId)?.licenses.has(of) === true
  const seen = new Set<string>()
  for (const { svcId, licenses: given } of body.assignLicenses ?? []) {
    for (const { type: of } of given) {
      const key = `${of} ${svcId.toLowerCase()}`
      if (!seen.has(key) && !isHeld(svcId, of)) change(of, 1)
      seen.add(key)
    }
  }
  for (const { svcId, licenses: taken } of body.removeLicenses ?? []) {
    for (const { type: of, singleSolutionSettings: settings } of taken) {
      const isWhole = settings?.processes == null || settings.allProcesses === true
      if (isWhole && isHeld(svcId, of)) change(of, -1)
    }
  }
  for (const [of, by] of changes) {
    const total = licenses.available[of]
    if (by > 0 && total !== undefined && licenses.assigned(of) + by > total)
      throw licenseError(call, `There are not enough licences of type ${of}.`)
  }
}

/** Processes by what they are, with names: unknown ones are a conflict. */
function resolved({ state }: Call, license: s.TypeOf<typeof assigned>): HeldLicense {
  const { type: given, singleSolutionSettings, designerDeskSettings } = license
  const isForeign = (wanted: string, settings: unknown) => settings != null && given !== wanted
  if (isForeign('SingleSolutionUser', singleSolutionSettings) || isForeign('DesignerDeskUser', designerDeskSettings))
    throw new Refusal('InvalidInput', `These settings do not belong to a licence of type ${given}.`)
  const places = (singleSolutionSettings?.processes ?? []).map((reference) => {
    const database = state.databases.get(reference.dbId ?? 1)
    const process = database?.processes.find(reference.guid ?? String(reference.id ?? ''))
    if (database === undefined || process === undefined) throw conflict('There is no such process.')
    return { id: process.id, guid: process.guid, dbId: database.id, name: process.name }
  })
  return {
    type: given,
    ...(given === 'SingleSolutionUser' && { singleSolutionSettings: { processes: places } }),
    ...(designerDeskSettings != null && { designerDeskSettings }),
  }
}

function without(held: readonly PlaceReference[], gone: readonly PlaceReference[]): PlaceReference[] {
  return held.filter((place) => !gone.some(({ guid, dbId }) => guid === place.guid && dbId === place.dbId))
}

/** Processes add up; other settings take the place of those before. */
function combined(before: HeldLicense | undefined, license: HeldLicense): HeldLicense {
  if (license.type !== 'SingleSolutionUser') return { ...before, ...license }
  const added = license.singleSolutionSettings?.processes ?? []
  const kept = without(before?.singleSolutionSettings?.processes ?? [], added)
  return { ...license, singleSolutionSettings: { processes: [...kept, ...added] } }
}
