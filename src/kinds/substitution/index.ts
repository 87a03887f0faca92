// Substitutions: person and substitute, with their dates and scope.
import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { hasEnded } from '@svcsync/core/model/capabilities/has-ended.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import { append } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  type Collection,
  defineKind,
  type Element,
  type ItemElement,
  isMisread,
  type Kind,
  type LivePart,
  type MisreadAnswer,
  type MisreadPart,
  type SpecOf,
} from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import type { Infer, ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { inCode } from '@svcsync/errors/index.ts'
import { application } from '../application/index.ts'
import { within } from '../parts/read-fields.ts'
import {
  declaredReference,
  readReferences,
  referenceField,
  referencesBody,
  writtenReference,
} from '../parts/references.ts'
import { adminScopes } from '../parts/scopes.ts'
import { process } from '../process/index.ts'

const types = ['TaskDelegation', 'WorkingOnBehalf'] as const

const person = (description: string, example: string) =>
  ({
    type: 'string',
    minLength: 1,
    reference: 'account',
    immutable: true,
    description,
    examples: [example],
  }) as const

const named = <const Key extends string>(key: Key) => referenceField(key, 'Its name, guid or id.', 'Purchasing')

const schema = {
  type: 'object',
  description: 'A temporary substitute for a person.',
  required: ['person', 'substitute', 'type', 'from'],
  properties: {
    person: person('The svcId of the absent person.', 'anna.nowak@example.com'),
    substitute: person('The svcId of the substitute.', 'jan.kos@example.com'),
    type: {
      type: 'string',
      enum: types,
      immutable: true,
      word: true,
      description:
        '`TaskDelegation`: the substitute gets the tasks. ' +
        "`WorkingOnBehalf`: the substitute acts in the person's name.",
    },
    from: {
      type: 'string',
      moment: 'from',
      immutable: true,
      description: 'The beginning: a date, or a moment. Without an offset it is in the time zone of the project.',
      examples: ['2026-07-01', '2026-07-01T12:00'],
    },
    to: {
      type: 'string',
      moment: 'until',
      description: 'The end: a moment, or a date, which is the last day.',
      examples: ['2026-07-15'],
    },
    applications: {
      type: 'array',
      collection: 'applications',
      description: 'The applications to which it is limited. `[]` without processes: no limit.',
      examples: [['Purchasing']],
      items: named('application'),
    },
    processes: {
      type: 'array',
      collection: 'processes',
      description: 'The processes to which it is limited.',
      examples: [['Invoice approval']],
      items: named('process'),
    },
    businessEntity: {
      ...named('entity'),
      short: { type: 'string', minLength: 1, nullable: true },
      nullable: true,
      collection: 'businessEntity',
      description: 'The business entity to which it is limited: code, name, guid or id. `null`: none.',
      examples: ['PL01'],
    },
    absent: {
      type: 'boolean',
      directive: true,
      description: '`true`: svcsync ends the substitution by deleting it, if it exists.',
    },
  },
} as const satisfies ObjectSchema

type Spec = SpecOf<typeof schema>
type Collections = Readonly<Record<string, readonly Element[]>>

/** `2026-07-01`, where it begins with the day. */
function dayOf(from: string): string {
  return from.slice(10, 19) === 'T00:00:00' ? from.slice(0, 10) : from
}

const keyFields = ['person', 'substitute', 'type', 'from'] as const

/** `anna@example.com→jan@example.com/TaskDelegation/2026-07-01`: arrows in svcIds are marked. */
function nameOf(item: Pick<Infer<typeof schema>, (typeof keyFields)[number]>): string {
  const [who, substitute] = [item.person, item.substitute].map((svcId) => svcId.replaceAll('→', '\\→'))
  return `${who}→${substitute}/${item.type}/${dayOf(item.from)}`
}

const usual = { of: 'items', whole: true, batch: 1 } as const

function listOf(item: string, about: typeof process): Collection<ItemElement> {
  return {
    ...{ ...usual, about },
    fromManifest: (value) => ({
      parts: 'all',
      elements: (value as readonly Json[]).map((each, index) => declaredReference(item, each, [index])),
    }),
    toManifest: (elements) => elements.map((each) => writtenReference(each)),
  }
}

const businessEntity: Collection<ItemElement> = {
  ...{ ...usual, about: 'company' },
  fromManifest: (value) => ({ parts: 'all', elements: value === null ? [] : [declaredReference('entity', value, [])] }),
  toManifest: ([entity]) => (entity === undefined ? null : writtenReference(entity)),
}

/** All of it, each time: what becomes of fields that an update leaves out is not documented. */
function bodyOf({ person: who, substitute, type, from, to }: Spec, collections: Collections): JsonObject {
  const [applications, processes, [entity]] = ['applications', 'processes', 'businessEntity'].map((name) =>
    referencesBody(collections[name]),
  ) as [Json[], Json[], Json[]]
  return {
    startDate: from,
    endDate: to,
    type,
    originalPerson: { svcId: who },
    substitutePerson: { svcId: substitute },
    businessEntity: entity ?? null,
    activeApplications: {
      allApplications: applications.length + processes.length === 0,
      applications,
      processes,
    },
  }
}

const keys = [
  ...['id', 'startDate', 'endDate', 'type', 'businessEntity', 'activeApplications'],
  ...['originalPerson', 'substitutePerson'],
]

/** Undefined: it is about an entry of a text alone, or of nothing. */
function svcIdUnder(answer: JsonObject, key: string): string | MisreadAnswer {
  const who = answer[key]
  if (!isJsonObject(who)) return missingKey(answer, key, keys)
  if (who.svcId === undefined) return within(key, missingKey(who, 'svcId', ['name', 'typedInValue']))
  // Somebody who was typed in is no account.
  return typeof who.svcId === 'string' ? who.svcId : ''
}

function readPlaces(value: Json | undefined, item: string): ItemElement[] | MisreadAnswer {
  if (value == null) return []
  return Array.isArray(value) ? readReferences(value, item, 'an item') : { misread: 'it is no list' }
}

function parse(answer: Json): LivePart<Spec> | MisreadAnswer | MisreadPart {
  if (!isJsonObject(answer)) return { misread: 'it is no object' }
  const { id, type, startDate, endDate = null, activeApplications: active } = answer
  if (typeof id !== 'number' && typeof id !== 'string') return missingKey(answer, 'id', keys)
  const self = String(id)
  const known: MisreadPart = { name: `id ${self}`, self, misread: '' }
  const [who, substitute] = ['originalPerson', 'substitutePerson'].map((key) => svcIdUnder(answer, key))
  for (const each of [who, substitute]) if (typeof each === 'object') return { ...known, ...each }
  if (typeof type !== 'string') return { ...known, ...missingKey(answer, 'type', keys) }
  if (typeof startDate !== 'string') return { ...known, ...missingKey(answer, 'startDate', keys) }
  const spec = { person: who, substitute, type, from: startDate, to: endDate } as Spec
  const misread = (what: MisreadAnswer): MisreadPart => ({ ...known, spec, ...what })
  if (endDate !== null && typeof endDate !== 'string') return misread(missingKey(answer, 'endDate', keys))
  if (!isJsonObject(active)) return misread(missingKey(answer, 'activeApplications', keys))
  const collections = readCollections(active, answer.businessEntity ?? null)
  return isMisread(collections) ? misread(collections) : { name: '', self, spec, collections, ready: true }
}

function readCollections(active: JsonObject, entity: Json): Record<string, ItemElement[]> | MisreadAnswer {
  const { allApplications, applications, processes } = active
  const all = allApplications === true
  const collections: Record<string, ItemElement[]> = {}
  for (const [name, value, item] of [
    ['applications', all ? [] : applications, 'application'],
    ['processes', all ? [] : processes, 'process'],
    ['businessEntity', entity === null ? [] : [entity], 'entity'],
  ] as const) {
    const read = readPlaces(value, item)
    if (isMisread(read)) return within(name, read)
    collections[name] = read
  }
  return collections
}

export const substitution = defineKind({
  name: 'substitution',
  title: 'Substitutions',
  description: 'A substitute for a person, for a time, in some or all places.',
  scope: 'installation',
  order: 27,
  sections: [{ key: 'substitutions', schema }],
  key: { fields: keyFields, of: nameOf },
  comparesBy: 'svcId',
  lifecycle: 'full',
  collections: {
    applications: listOf('application', application),
    processes: listOf('process', process),
    businessEntity,
  },
  capabilities: [
    standIn({
      ...{ person: 'person', substitute: 'substitute', from: 'from', to: 'to' },
      ...{ places: ['applications', 'processes'], company: 'businessEntity' },
    }),
    hasEnded(({ to }, nowMs) => to !== undefined && Date.parse(String(to)) < nowMs),
  ],
  alsoTold: keys,
  scopes: adminScopes('Substitutions'),
  requests: {
    create: (_at, spec, collections) => ({
      method: 'POST',
      path: '/admin/substitutions',
      body: bodyOf(spec, collections),
    }),
    update: (at, spec, collections) => ({
      method: 'PATCH',
      path: `/admin/substitutions/${segment(at.self)}`,
      body: bodyOf(spec, collections),
    }),
    remove: (at) => ({ method: 'DELETE', path: `/admin/substitutions/${segment(at.self)}` }),
    read: (at) => ({ method: 'GET', path: `/admin/substitutions/${segment(at.self)}` }),
    list: () => ({ path: '/admin/substitutions', key: 'substitutions', paged: true, mayBeMissing: true }),
  },
  parse,
  requiredToCreate: ['to'],
  updateSpec: (changed, desired, live) => ({ ...live, ...desired, ...changed }),
  reviewAll: reviewSubstitutions,
})

type Rule = NonNullable<Kind['reviewAll']>
type Times = Readonly<Partial<Record<'person' | 'substitute' | 'type' | 'from' | 'to', string | undefined>>>
type DeclaredSubstitution = Parameters<Rule>[0][number] & { readonly spec: Times }

/** Finds substitutions of the same people and type that overlap in time and place: which one counts is not clear. */
export function reviewSubstitutions(all: readonly DeclaredSubstitution[], normalise: NormaliseSvcId): ReturnType<Rule> {
  const findings: ReturnType<Rule>[number][] = []
  const ofPair = new Map<string, number[]>()
  for (const [of, { spec }] of all.entries()) {
    const { person, substitute, type, from, to } = spec
    // An unreadable part is already a problem.
    if (person === undefined || substitute === undefined || type === undefined || from === undefined) continue
    if (normalise(person) === normalise(substitute)) {
      findings.push({
        code: 'SVC1305',
        message: `${inCode(person)} cannot be its own substitute: \`person\` and \`substitute\` are one account`,
        hint: 'Write another account as `substitute`.',
        path: ['substitute'],
        ...{ of, other: { of, path: ['person'], message: 'who is away' } },
      })
    }
    if (to !== undefined && !(Date.parse(from) < Date.parse(to))) {
      findings.push({
        code: 'SVC1310',
        message: '`to` is not after `from`: the substitution never applies',
        hint: 'Swap the two, or correct one.',
        path: ['to'],
        ...{ of, other: { of, path: ['from'], message: 'when it begins' } },
      })
    }
    append(ofPair, [normalise(person), normalise(substitute), type].join(' '), of)
  }
  for (const own of ofPair.values()) {
    const sorted = own.sort((a, b) => startOf(all[a] as DeclaredSubstitution) - startOf(all[b] as DeclaredSubstitution))
    for (const [index, of] of sorted.entries()) {
      for (const earlier of sorted.slice(0, index)) {
        const [later, before] = [all[of] as DeclaredSubstitution, all[earlier] as DeclaredSubstitution]
        if (endOf(before) < startOf(later) || !holdForTheSame(before.item, later.item)) continue
        findings.push({
          code: 'SVC1305',
          message: `It overlaps another substitution of the same people and type`,
          hint: 'Start one after the other ends, or limit them to different applications.',
          path: ['from'],
          ...{ of, other: { of: earlier, path: ['to'], message: 'the other one ends here' } },
        })
      }
    }
  }
  return findings
}

const startOf = ({ spec: { from = '' } }: DeclaredSubstitution): number => Date.parse(from)

/** Without an end, none is declared: whether they meet is not known. */
const endOf = ({ spec: { to } }: DeclaredSubstitution): number =>
  to === undefined ? Number.NEGATIVE_INFINITY : Date.parse(to)

/** As they are written. An application and a process may still meet: what belongs to what, only the platform knows. */
function holdForTheSame(a: JsonObject, b: JsonObject): boolean {
  const entities = [a, b].flatMap(({ businessEntity }) => (businessEntity == null ? [] : [businessEntity]))
  if (entities.length === 2 && entities[0] !== entities[1]) return false
  const [first, second] = [limitsOf(a), limitsOf(b)]
  return first.length === 0 || second.length === 0 || first.some((limit) => second.includes(limit))
}

function limitsOf(item: JsonObject): string[] {
  return ['applications', 'processes'].flatMap((field) => {
    const list = item[field]
    return (Array.isArray(list) ? (list as readonly Json[]) : []).map((each) => {
      const name = isJsonObject(each) ? `${String(each.database)} ${String(Object.values(each)[0])}` : String(each)
      return `${field} ${name}`
    })
  })
}
