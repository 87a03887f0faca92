// Routes of /admin/substitutions.
import type { Json } from '@svcsync/core/model/json.ts'
import { pageOf, paging } from '../http/paging.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { act, type Call, done, get, type Route, write } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { PlatformState, Substitution } from '../state/platform-state.ts'
import { type PlaceReference, type substitutionShape, substitutionType } from '../tenant/tenant-shape.ts'
import { placeOf } from './lookup.ts'

const dates = ['startDate', 'endDate'] as const
const persons = ['originalPerson', 'substitutePerson'] as const
const number = s.optional(s.nullable(s.integer))
const place = s.record({ id: number, guid: s.optionalText, dbId: number, name: s.optionalText })
const places = s.optional(s.nullable(s.listOf(place)))
const originalPerson = s.record({ svcId: s.optionalText, typedInValue: s.optional(s.nullable(s.flag)) })
const body = s.record({
  ...s.each(dates, s.optional(s.filledText)),
  type: s.optional(substitutionType),
  businessEntity: s.optional(s.nullable(place)),
  activeApplications: s.optional(
    s.nullable(s.record({ allApplications: s.optional(s.flag), applications: places, processes: places })),
  ),
  originalPerson: s.optional(originalPerson),
  substitutePerson: s.optional(s.record({ svcId: s.filledText })),
})

const person = s.record({ svcId: s.textOrNull, name: s.textOrNull })
const active = s.record({ allApplications: s.flag, ...s.each(['applications', 'processes'], s.listOf(place)) })
const answer = s.named(
  'Substitution',
  s.record({
    ...{ id: s.integer, ...s.each(dates, s.text), type: substitutionType },
    ...{ businessEntity: s.nullable(place), activeApplications: active, ...s.each(persons, person) },
  }),
)

function view({ state }: Call, substitution: Substitution): Json {
  const named = persons.map((side) => {
    const { svcId } = substitution[side]
    return [side, { svcId, name: state.directory.find(svcId)?.name }]
  })
  const shown = dates.map((date) => [date, shownDate(state, substitution[date])])
  const activeApplications = {
    allApplications: substitution.activeApplications === undefined,
    ...substitution.activeApplications,
  }
  return answer.tell({ ...substitution, activeApplications, ...Object.fromEntries([...named, ...shown]) })
}

function shownDate({ behaviour: { substitutionDates } }: PlatformState, date: string): string {
  if (substitutionDates === 'asUtc') return new Date(date).toISOString()
  return substitutionDates === 'asWritten' ? date : date.replace(/(?<=T.*)(?:Z|[+-]\d\d:\d\d)$/, '')
}

/** All fields of the substitution that the write makes: those it leaves out come from `before`. */
function validate(call: Call, given: s.TypeOf<typeof body>, before?: Substitution): s.TypeOf<typeof substitutionShape> {
  const { startDate = before?.startDate, endDate = before?.endDate, type = before?.type } = given
  if (startDate === undefined || endDate === undefined || type === undefined)
    throw new Refusal('MissingRequiredBodyParameter', '"startDate", "endDate" and "type" are needed.')
  if (timeOf(endDate) < timeOf(startDate)) throw invalid('It ends before it starts.')
  const isPast = timeOf(endDate) < call.state.now()
  if (isPast && call.state.behaviour.pastSubstitutions === 'refused') throw invalid('It is over.')
  const people = peopleOf(call, given, before)
  const { businessEntity: company } = given
  const named = company === undefined ? before?.businessEntity : company && resolve(call, 'businessEntities', company)
  const businessEntity = named ?? null
  return { startDate, endDate, type, ...people, businessEntity, activeApplications: activeScope(call, given, before) }
}

function peopleOf({ state: { directory } }: Call, given: s.TypeOf<typeof body>, before: Substitution | undefined) {
  const [original, substitute] = persons.map((side) => given[side]?.svcId ?? before?.[side].svcId)
  if (original === undefined || substitute === undefined)
    throw new Refusal('MissingRequiredBodyParameter', '"originalPerson" and "substitutePerson" are needed.')
  const absent = [original, substitute].find((svcId) => directory.usable(svcId) === undefined)
  if (absent !== undefined) throw invalid(`Nobody has the svcId "${absent}".`)
  if (directory.find(original) === directory.find(substitute)) throw invalid('Nobody stands in for themselves.')
  return { originalPerson: { svcId: original }, substitutePerson: { svcId: substitute } }
}

function activeScope(call: Call, { activeApplications: given }: s.TypeOf<typeof body>, before?: Substitution) {
  const none = { allApplications: true, applications: [], processes: [] }
  if (given === undefined || given === null) return before?.activeApplications ?? none
  const placesOf = (catalog: 'applications' | 'processes') =>
    (given[catalog] ?? []).map((each) => resolve(call, catalog, each))
  const lists = { applications: placesOf('applications'), processes: placesOf('processes') }
  return { allApplications: given.allApplications ?? Object.values(lists).flat().length === 0, ...lists }
}

type Reference = s.TypeOf<typeof place>
function resolve({ state }: Call, catalog: Parameters<typeof placeOf>[1], reference: Reference): PlaceReference {
  const found = placeOf(state, catalog, reference)
  if (found === undefined) throw invalid('It refers to something that is not there.')
  return found
}

function timeOf(date: string): number {
  const time = /^\d{4}-\d\d-\d\d(?:T|$)/.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(time)) throw new Refusal('InvalidBodyParameterValue', `"${date}" is no date.`)
  return time
}

function invalid(description: string): Refusal {
  return new Refusal('ValidationError', description)
}

function findSubstitution({ state, params }: Call): Substitution {
  const substitution = /^\d+$/.test(params.id ?? '') ? state.substitutions.get(Number(params.id)) : undefined
  if (substitution === undefined) throw notFound(`substitution "${params.id}"`)
  return substitution
}

/** All, or those for one person: compared as svcIds are compared here. */
function listAll({ state, query: { originalPerson: of } }: Call): Substitution[] {
  const all = [...state.substitutions.values()]
  if (of === undefined) return all
  const known = state.directory.find(of)
  const isTheirs = (svcId: string) => svcId === of || (known !== undefined && state.directory.find(svcId) === known)
  return all.filter((each) => isTheirs(each.originalPerson.svcId))
}

const path = '/admin/substitutions'
const [reading, writing] = [readScopes('Substitutions'), writeScopes('Substitutions')]
const query = { ...paging, originalPerson: 'optional' } as const

export const substitutionRoutes: readonly Route[] = [
  get(path, reading, { query, answer: s.record({ substitutions: s.listOf(answer) }) }, (call) => ({
    substitutions: pageOf(listAll(call), call, 1).map((each) => view(call, each)),
  })),
  write('POST', path, writing, { body, answer: s.integer }, (call, given) => {
    const fields = validate(call, given)
    const id = call.state.ids.next('substitutions')
    call.state.substitutions.set(id, { ...fields, id })
    return id
  }),
  get(`${path}/:id`, reading, { answer }, (call) => view(call, findSubstitution(call))),
  write('PATCH', `${path}/:id`, writing, { body }, (call, given) => {
    const { id } = findSubstitution(call)
    call.state.substitutions.set(id, { ...validate(call, given, findSubstitution(call)), id })
    return done
  }),
  act('DELETE', `${path}/:id`, writing, {}, (call) => {
    call.state.substitutions.delete(findSubstitution(call).id)
    return done
  }),
]
