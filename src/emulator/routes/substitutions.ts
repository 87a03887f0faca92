// /admin/substitutions: who stands in for whom.
import type { JsonObject } from '../../core/model/json.ts'
import { pageOf, paging } from '../http/paging.ts'
import { notFound } from '../http/refusal.ts'
import { type Call, done, type Route, withBody } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import { flag, integer, listOf, named, nullable, record, text, textOrNull } from '../shape/shape.ts'
import type { PlatformState, Substitution } from '../state/platform-state.ts'
import { checkedSubstitution, place, substitutionBody, substitutionType } from './substitution-writes.ts'

const read = readScopes('Substitutions')
const write = writeScopes('Substitutions')

const stand = record({ svcId: textOrNull, name: textOrNull })
const answer = named(
  'Substitution',
  record({
    id: integer,
    startDate: text,
    endDate: text,
    type: substitutionType,
    businessEntity: nullable(place),
    activeApplications: record({ allApplications: flag, applications: listOf(place), processes: listOf(place) }),
    originalPerson: stand,
    substitutePerson: stand,
  }),
)

function personView({ directory }: PlatformState, svcId: string | undefined): JsonObject {
  return { svcId: svcId ?? null, name: svcId === undefined ? null : (directory.find(svcId)?.name ?? null) }
}

function substitutionView({ state }: Call, substitution: Substitution): JsonObject {
  const { id, startDate, endDate, type, originalPerson, substitutePerson, businessEntity, activeApplications } =
    substitution
  const { allApplications, applications, processes } = activeApplications ?? {}
  return {
    id,
    startDate: shownDate(state, startDate),
    endDate: shownDate(state, endDate),
    type,
    businessEntity: businessEntity == null ? null : { ...businessEntity },
    activeApplications: {
      allApplications: allApplications ?? activeApplications === undefined,
      applications: (applications ?? []).map((each) => ({ ...each })),
      processes: (processes ?? []).map((each) => ({ ...each })),
    },
    originalPerson: personView(state, originalPerson.svcId),
    substitutePerson: personView(state, substitutePerson.svcId),
  }
}

function shownDate({ behaviour: { substitutionDates } }: PlatformState, date: string): string {
  if (substitutionDates === 'asUtc') return new Date(date).toISOString()
  return substitutionDates === 'asWritten' ? date : date.replace(/(?<=T.*)(?:Z|[+-]\d\d:\d\d)$/, '')
}

function found({ state, params }: Call): Substitution {
  const substitution = /^\d+$/.test(params.id ?? '') ? state.substitutions.get(Number(params.id)) : undefined
  if (substitution === undefined) throw notFound(`substitution "${params.id}"`)
  return substitution
}

/** All, or those for one person: compared as svcIds are compared here. */
function listed({ state, query: { originalPerson } }: Call): Substitution[] {
  const all = [...state.substitutions.values()]
  if (originalPerson === undefined) return all
  const person = state.directory.find(originalPerson)
  return all.filter(({ originalPerson: { svcId } }) => {
    return svcId === originalPerson || (person !== undefined && state.directory.find(svcId) === person)
  })
}

export const substitutionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/substitutions',
    scopes: read,
    query: { ...paging, originalPerson: 'optional' },
    answer: record({ substitutions: listOf(answer) }),
    handle: (call) => ({
      substitutions: pageOf(listed(call), call, 1).map((each) => substitutionView(call, each)),
    }),
  },
  withBody({
    method: 'POST',
    path: '/admin/substitutions',
    scopes: write,
    body: substitutionBody,
    answer: integer,
    handle: (call, body) => {
      const fields = checkedSubstitution(call, body, undefined)
      const id = call.state.ids.next('substitutions')
      call.state.substitutions.set(id, { ...fields, id })
      return id
    },
  }),
  {
    method: 'GET',
    path: '/admin/substitutions/:id',
    scopes: read,
    answer,
    handle: (call) => substitutionView(call, found(call)),
  },
  withBody({
    method: 'PATCH',
    path: '/admin/substitutions/:id',
    scopes: write,
    body: substitutionBody,
    handle: (call, body) => {
      const { id } = found(call)
      call.state.substitutions.set(id, { ...checkedSubstitution(call, body, found(call)), id })
      return done
    },
  }),
  {
    method: 'DELETE',
    path: '/admin/substitutions/:id',
    scopes: write,
    handle: (call) => {
      call.state.substitutions.delete(found(call).id)
      return done
    },
  },
]
