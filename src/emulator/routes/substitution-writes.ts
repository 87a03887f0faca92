// What a substitution needs to be valid. The platform answers 409 with ValidationError when it is not.
import { Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import {
  filledText,
  flag,
  integer,
  listOf,
  nullable,
  oneOf,
  optional,
  optionalText,
  record,
  type TypeOf,
} from '../shape/shape.ts'
import type { Substitution } from '../state/platform-state.ts'
import type { PlaceReference, substitutionShape } from '../tenant/tenant-shape.ts'

const optionalNumber = optional(nullable(integer))
export const place = record({ id: optionalNumber, guid: optionalText, dbId: optionalNumber, name: optionalText })
export const substitutionType = oneOf('TaskDelegation', 'WorkingOnBehalf')
const places = optional(nullable(listOf(place)))
export const substitutionBody = record({
  startDate: optional(filledText),
  endDate: optional(filledText),
  type: optional(substitutionType),
  businessEntity: optional(nullable(place)),
  activeApplications: optional(
    nullable(record({ allApplications: optional(flag), applications: places, processes: places })),
  ),
  originalPerson: optional(record({ svcId: optionalText, typedInValue: optional(nullable(flag)) })),
  substitutePerson: optional(record({ svcId: filledText })),
})
type SubstitutionBody = TypeOf<typeof substitutionBody>

/** All fields of the substitution that the write makes: those it leaves out come from `before`. */
export function checkedSubstitution(
  call: Call,
  body: SubstitutionBody,
  before: Substitution | undefined,
): TypeOf<typeof substitutionShape> {
  const startDate = body.startDate ?? before?.startDate
  const endDate = body.endDate ?? before?.endDate
  const type = body.type ?? before?.type
  if (startDate === undefined || endDate === undefined || type === undefined) {
    throw new Refusal(400, 'MissingRequiredBodyParameter', '"startDate", "endDate" and "type" are needed.')
  }
  if (timeOf(endDate) < timeOf(startDate)) throw invalid('It ends before it starts.')
  const isPast = timeOf(endDate) < call.state.now()
  if (isPast && call.state.behaviour.pastSubstitutions === 'refused') throw invalid('It is over.')
  const original = body.originalPerson?.svcId ?? before?.originalPerson.svcId
  const substitute = body.substitutePerson?.svcId ?? before?.substitutePerson.svcId
  if (original === undefined || substitute === undefined) {
    throw new Refusal(400, 'MissingRequiredBodyParameter', '"originalPerson" and "substitutePerson" are needed.')
  }
  const absent = [original, substitute].find((svcId) => call.state.directory.usable(svcId) === undefined)
  if (absent !== undefined) throw invalid(`Nobody has the svcId "${absent}".`)
  if (call.state.directory.find(original) === call.state.directory.find(substitute)) {
    throw invalid('Nobody stands in for themselves.')
  }
  const businessEntity =
    body.businessEntity === undefined ? before?.businessEntity : resolved(call, 'businessEntities', body.businessEntity)
  const active = body.activeApplications
  const listed = (catalog: 'applications' | 'processes') =>
    (active?.[catalog] ?? []).flatMap((each) => resolved(call, catalog, each) ?? [])
  const applications = active == null ? undefined : listed('applications')
  const processes = active == null ? undefined : listed('processes')
  const isAll = active?.allApplications ?? (applications?.length === 0 && processes?.length === 0)
  return {
    startDate,
    endDate,
    type,
    businessEntity: businessEntity ?? null,
    activeApplications:
      active == null
        ? (before?.activeApplications ?? { allApplications: true, applications: [], processes: [] })
        : { allApplications: isAll, applications: applications ?? [], processes: processes ?? [] },
    originalPerson: { svcId: original },
    substitutePerson: { svcId: substitute },
  }
}

function resolved(
  { state }: Call,
  catalog: 'businessEntities' | 'applications' | 'processes',
  reference: TypeOf<typeof place> | null,
): PlaceReference | undefined {
  if (reference === null) return undefined
  const database = state.databases.get(reference.dbId ?? 1)
  const item = database?.[catalog].find(reference.guid ?? String(reference.id ?? ''))
  if (database === undefined || item === undefined) throw invalid('It refers to something that is not there.')
  return { id: item.id, guid: item.guid, dbId: database.id, name: item.name }
}

function timeOf(date: string): number {
  const time = /^\d{4}-\d\d-\d\d(?:T|$)/.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(time)) throw new Refusal(400, 'InvalidBodyParameterValue', `"${date}" is no date.`)
  return time
}

function invalid(description: string): Refusal {
  return new Refusal(409, 'ValidationError', description)
}
