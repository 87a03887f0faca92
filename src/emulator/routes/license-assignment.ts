// Assigning and removing licences: all of one request, or nothing of it, or what stands before the one that is refused.
import { conflict, Refusal } from '../http/refusal.ts'
import { type Call, done, type Result } from '../http/route.ts'
import {
  filledText,
  flag,
  integer,
  listOf,
  nullable,
  optional,
  optionalText,
  record,
  type TypeOf,
  word,
} from '../shape/shape.ts'
import type { Subject } from '../state/subjects.ts'
import { designerDeskShape, type HeldLicense, licenseTypes, type PlaceReference } from '../tenant/tenant-shape.ts'

const processReference = record({
  id: optional(integer),
  guid: optional(filledText),
  dbId: optional(integer),
  name: optionalText,
})
const type = word(...licenseTypes)
const processes = optional(nullable(listOf(processReference)))
const assigned = record({
  type,
  singleSolutionSettings: optional(nullable(record({ processes }))),
  designerDeskSettings: optional(nullable(designerDeskShape)),
})
/** Its settings are for assigning alone. */
const removed = record({
  type,
  singleSolutionSettings: optional(nullable(record({ processes, allProcesses: optional(flag) }))),
})
export const assignmentBody = record({
  assignLicenses: optional(nullable(listOf(record({ svcId: filledText, licenses: listOf(assigned) })))),
  removeLicenses: optional(nullable(listOf(record({ svcId: filledText, licenses: listOf(removed) })))),
})
type AssignmentBody = TypeOf<typeof assignmentBody>

export function assignLicenses(call: Call, body: AssignmentBody): Result {
  if (call.state.behaviour.licenseBatches === 'wholeOrNot') return assignWhole(call, body)
  for (const each of body.removeLicenses ?? []) assignWhole(call, { removeLicenses: [each] })
  for (const each of body.assignLicenses ?? []) assignWhole(call, { assignLicenses: [each] })
  return done
}

/** Removals come first, so that a licence can pass from one person to another in one request. */
function assignWhole(call: Call, body: AssignmentBody): Result {
  const assigning = (body.assignLicenses ?? []).map(({ svcId, licenses }) => ({
    person: personOf(call, svcId),
    licenses: licenses.map((license) => resolved(call, license)),
  }))
  const removing = (body.removeLicenses ?? []).map(({ svcId, licenses }) => ({
    holder: call.state.licenses.holder(svcId),
    svcId,
    licenses: licenses.map((license) => ({
      ...license,
      at: resolved(call, license).singleSolutionSettings?.processes,
    })),
  }))
  for (const { holder, svcId } of removing) if ((holder?.licenses.size ?? 0) === 0) personOf(call, svcId)
  checkSupply(call, body)
  const { licenses: store } = call.state
  for (const { holder, licenses } of removing) {
    for (const { type: removedType, singleSolutionSettings, at } of licenses) {
      const held = holder?.licenses.get(removedType)
      if (holder === undefined || held === undefined) continue
      const isPartial = at !== undefined && at.length > 0 && singleSolutionSettings?.allProcesses !== true
      const left = isPartial ? without(held.singleSolutionSettings?.processes ?? [], at) : []
      if (left.length === 0) store.take(holder, removedType)
      else store.give(holder.svcId, holder.name, { ...held, singleSolutionSettings: { processes: left } })
    }
  }
  for (const { person, licenses } of assigning) {
    for (const license of licenses) {
      const before = store.holder(person.svcId)?.licenses.get(license.type)
      store.give(person.svcId, person.name, combined(before, license))
    }
  }
  return done
}

function personOf({ state }: Call, svcId: string): Subject {
  const subject = state.directory.usable(svcId)
  if (subject === undefined) throw conflict(`There is no user "${svcId}".`)
  if (subject.kind === 'user' || (subject.kind === 'account' && ['Other', 'User'].includes(subject.type)))
    return subject
  throw new Refusal(
    state.behaviour.licenseErrorStatus,
    'LicenseError',
    `"${svcId}" is no account that can hold a licence.`,
  )
}

/** Counts each type once per person: what is given to those who have it already takes nothing. */
function checkSupply({ state: { behaviour, licenses } }: Call, body: AssignmentBody): void {
  const changes = new Map<HeldLicense['type'], number>()
  const change = (of: HeldLicense['type'], by: number) => changes.set(of, (changes.get(of) ?? 0) + by)
  const seen = new Set<string>()
  for (const { svcId, licenses: given } of body.assignLicenses ?? []) {
    for (const { type: givenType } of given) {
      const key = `${givenType} ${svcId.toLowerCase()}`
      if (!seen.has(key) && !licenses.holder(svcId)?.licenses.has(givenType)) change(givenType, 1)
      seen.add(key)
    }
  }
  for (const { svcId, licenses: taken } of body.removeLicenses ?? []) {
    for (const { type: takenType, singleSolutionSettings } of taken) {
      const isWhole = singleSolutionSettings?.processes == null || singleSolutionSettings.allProcesses === true
      if (isWhole && licenses.holder(svcId)?.licenses.has(takenType)) change(takenType, -1)
    }
  }
  for (const [changed, by] of changes) {
    const total = licenses.available[changed]
    if (by > 0 && total !== undefined && licenses.assigned(changed) + by > total) {
      throw new Refusal(
        behaviour.licenseErrorStatus,
        'LicenseError',
        `There are not enough licences of type ${changed}.`,
      )
    }
  }
}

/** Processes by what they are, with names: unknown ones are a conflict. */
function resolved({ state }: Call, license: TypeOf<typeof assigned>): HeldLicense {
  const { type: givenType, singleSolutionSettings, designerDeskSettings } = license
  const isOwn = (wanted: HeldLicense['type'], settings: unknown) =>
    settings === undefined || settings === null || givenType === wanted
  if (!isOwn('SingleSolutionUser', singleSolutionSettings) || !isOwn('DesignerDeskUser', designerDeskSettings)) {
    throw new Refusal(400, 'InvalidInput', `These settings do not belong to a licence of type ${givenType}.`)
  }
  const places = (singleSolutionSettings?.processes ?? []).map((reference) => {
    const database = state.databases.get(reference.dbId ?? 1)
    const process = database?.processes.find(reference.guid ?? String(reference.id ?? ''))
    if (database === undefined || process === undefined) throw conflict('There is no such process.')
    return { id: process.id, guid: process.guid, dbId: database.id, name: process.name }
  })
  return {
    type: givenType,
    ...(givenType === 'SingleSolutionUser' ? { singleSolutionSettings: { processes: places } } : {}),
    ...(designerDeskSettings == null ? {} : { designerDeskSettings }),
  }
}

function without(held: readonly PlaceReference[], removedPlaces: readonly PlaceReference[]): PlaceReference[] {
  return held.filter((place) => !removedPlaces.some(({ guid, dbId }) => guid === place.guid && dbId === place.dbId))
}

/** Processes add up; other settings take the place of those before. */
function combined(before: HeldLicense | undefined, license: HeldLicense): HeldLicense {
  if (license.type !== 'SingleSolutionUser') return { ...before, ...license }
  const added = license.singleSolutionSettings?.processes ?? []
  const kept = without(before?.singleSolutionSettings?.processes ?? [], added)
  return { ...license, singleSolutionSettings: { processes: [...kept, ...added] } }
}
