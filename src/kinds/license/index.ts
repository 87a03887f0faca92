// Licences of users: which each of them has, with the settings of each. Installations in the cloud have them.
import { boundField } from '@svcsync/core/model/account-entry.ts'
import { shared } from '@svcsync/core/model/capabilities/shared.ts'
import { type Supply, stock } from '@svcsync/core/model/capabilities/stock.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  type Collection,
  type DeclaredElement,
  defineKind,
  type Finding,
  type ItemElement,
  isMisread,
  type MisreadAnswer,
} from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import type { Infer, ObjectSchema } from '@svcsync/core/model/schema.ts'
import { manageField } from '../parts/accounts.ts'
import { identityField } from '../parts/fields.ts'
import { reviewWords, within } from '../parts/read-fields.ts'
import {
  declaredReference,
  readReferences,
  referenceField,
  referencesBody,
  writtenReference,
} from '../parts/references.ts'
import { adminScopes } from '../parts/scopes.ts'
import { process } from '../process/index.ts'

const types = ['User', 'PowerUser', 'DesignerDeskUser', 'SingleSolutionUser', 'ExternalUser'] as const

const deskSettings = {
  allowProjectCreation: 'allowDesignerDeskProjectCreation',
  allowProjectPublishing: 'allowDesignerDeskProjectPublishing',
} as const
const deskNames = Object.keys(deskSettings) as (keyof typeof deskSettings)[]

const schema = {
  type: 'object',
  description: 'The licences of a user.',
  required: ['svcId', 'licenses'],
  properties: {
    svcId: { ...identityField('The login of the user.', 'anna.nowak@example.com'), reference: 'account' },
    licenses: {
      type: 'array',
      collection: 'licenses',
      description: 'The licences that the user has.',
      examples: [[{ type: 'SingleSolutionUser', processes: ['Invoice approval'] }]],
      items: {
        type: 'object',
        required: ['type'],
        properties: {
          type: { type: 'string', enum: types, word: true, grows: true, description: 'The type of the licence.' },
          processes: {
            type: 'array',
            description: 'For a SingleSolutionUser: the processes to which the licence is limited. `[]`: none.',
            items: referenceField('process', 'The process: its name, guid or id.', 'Invoice approval'),
          },
          allowProjectCreation: {
            type: 'boolean',
            description: 'For a DesignerDeskUser: permission to start projects.',
          },
          allowProjectPublishing: {
            type: 'boolean',
            description: 'For a DesignerDeskUser: permission to publish projects.',
          },
          until: boundField('The user has the licence until here, including a date.'),
        },
      },
    },
    manage: manageField('licenses'),
  },
} as const satisfies ObjectSchema

type Item = Infer<typeof schema>
type Entry = Item['licenses'][number]

/** Licences of one type become one entry of a body, with all processes. A removal takes no other settings. */
function licensesBody(elements: readonly ItemElement[], does: 'assign' | 'remove'): Json {
  const byType = groupBy(elements, ({ item }) => item)
  return [...byType].map(([type, own]) => {
    const processes = referencesBody(own)
    const [{ settings } = {}] = own
    return {
      type,
      ...(processes.length > 0 && { singleSolutionSettings: { processes } }),
      ...(does === 'assign' &&
        settings && {
          designerDeskSettings: Object.fromEntries(deskNames.map((name) => [deskSettings[name], settings[name]])),
        }),
    }
  })
}

const licenses: Collection<ItemElement> = {
  of: 'items',
  about: process,
  batch: 200,
  words: types,
  capabilities: [shared(true), stock({ path: '/admin/licenses/summary', parse: readSummary })],
  fromManifest: (value) => ({ parts: 'all', elements: (value as unknown as Item['licenses']).flatMap(readEntry) }),
  toManifest(elements) {
    const solutions = elements.filter(({ about }) => about !== undefined)
    const processes = solutions.map((each) => writtenReference(each, 'process'))
    return [
      ...elements
        .filter(({ about }) => about === undefined)
        .map(({ item, settings }) => ({ type: item, ...settings, ...(item === limited && { processes: [] }) })),
      ...(solutions[0] === undefined ? [] : [{ type: solutions[0].item, processes }]),
    ]
  },
  add: (at, elements) => ({
    method: 'POST',
    path: '/admin/licenses/assign',
    body: { assignLicenses: [{ svcId: at.self, licenses: licensesBody(elements, 'assign') }] },
  }),
  remove: (at, elements) => ({
    method: 'POST',
    path: '/admin/licenses/assign',
    body: { removeLicenses: [{ svcId: at.self, licenses: licensesBody(elements, 'remove') }] },
  }),
}

function readEntry(entry: Entry, index: number): DeclaredElement<ItemElement>[] {
  const { until } = entry
  return elementsOf(entry, index).map((each) => (until === undefined ? each : { ...each, until }))
}

function elementsOf({ type: item, processes, ...own }: Entry, index: number): DeclaredElement<ItemElement>[] {
  if (processes !== undefined && processes.length > 0) {
    return processes.map((each, place) => declaredReference(item, each, [index, 'processes', place], 'process'))
  }
  if (item !== 'DesignerDeskUser') return [{ element: { item }, path: [index] }]
  const settings = Object.fromEntries(deskNames.map((name) => [name, own[name] ?? false]))
  return [{ element: { item, settings }, path: [index] }]
}

/** Held by who may use some processes, which may be none as yet. */
const limited = 'SingleSolutionUser'

const ownSettings: Readonly<Record<string, readonly string[]>> = {
  [limited]: ['processes'],
  DesignerDeskUser: deskNames,
}

function check(item: Partial<Item>): Finding[] {
  const { licenses: list = [] } = item
  const found = list.flatMap((entry, index) => {
    const finding = (message: string, hint: string, key: string): Finding[] => [
      { code: 'SVC1305', message, hint, path: ['licenses', index, key] },
    ]
    const { type } = entry
    if (type === limited && entry.processes === undefined) {
      return finding('A licence of type SingleSolutionUser is limited to processes', 'Add `processes`.', 'type')
    }
    const foreign = Object.keys(entry).find(
      (key) => key !== 'type' && key !== 'until' && !ownSettings[type]?.includes(key),
    )
    if (foreign === undefined) return []
    return finding(`A licence of type ${type} takes no \`${foreign}\``, 'Take it out.', foreign)
  })
  return [...found, ...reviewWords(schema, item as JsonObject)]
}

/** A type that the summary does not tell is not limited, as far as anybody knows. */
function readSummary(answer: Json): ReadonlyMap<string, Supply> | MisreadAnswer {
  const list = isJsonObject(answer) ? answer.licenses : undefined
  if (!Array.isArray(list)) return { misread: '`licenses` is no list' }
  const supplies = new Map<string, Supply>()
  for (const entry of list as readonly Json[]) {
    if (!isJsonObject(entry)) return { misread: 'an item is no object' }
    const { license: item } = entry
    const [total, assigned] = [entry.total ?? 0, entry.assigned ?? 0]
    if (typeof item !== 'string') return missingKey(entry, 'license', ['total', 'assigned'])
    if (typeof total !== 'number') return missingKey(entry, 'total', [])
    if (typeof assigned !== 'number') return missingKey(entry, 'assigned', [])
    supplies.set(item, { total, assigned })
  }
  return supplies
}

function readLicense(entry: Json): ItemElement[] | MisreadAnswer {
  if (!isJsonObject(entry)) return { misread: 'an item is no object' }
  const { type: item, singleSolutionSettings, designerDeskSettings } = entry
  if (typeof item !== 'string' || item === '') return missingKey(entry, 'type', [])
  if (item === 'DesignerDeskUser') {
    const desk = designerDeskSettings ?? {}
    if (!isJsonObject(desk)) return missingKey(entry, 'designerDeskSettings', [])
    const settings = Object.fromEntries(deskNames.map((name) => [name, desk[deskSettings[name]] ?? false]))
    const other = deskNames.find((name) => typeof settings[name] !== 'boolean')
    return other === undefined ? [{ item, settings }] : missingKey(desk, deskSettings[other], [])
  }
  if (item !== limited) return [{ item }]
  const solutions = singleSolutionSettings ?? {}
  if (!isJsonObject(solutions)) return missingKey(entry, 'singleSolutionSettings', [])
  const processes = solutions.processes ?? []
  if (!Array.isArray(processes)) return { misread: '`processes` is no list' }
  return processes.length === 0 ? [{ item }] : readReferences(processes as readonly Json[], item, 'a process')
}

const ofLicenses = { licenses: { keys: { type: { word: true }, license: { word: true } } } } as const

export const license = defineKind({
  name: 'license',
  title: 'Licences',
  description: 'Licences of users, on installations that have licence management.',
  scope: 'installation',
  order: 25,
  sections: [{ key: 'licenses', schema }],
  comparesBy: 'svcId',
  lifecycle: 'found',
  collections: { licenses },
  wire: { assignLicenses: { keys: ofLicenses }, removeLicenses: { keys: ofLicenses }, ...ofLicenses },
  alsoTold: ['userIsDeleted', 'singleSolutionSettings', 'designerDeskSettings'],
  scopes: adminScopes('Licenses'),
  requests: {
    read: (at) => ({ method: 'GET', path: '/admin/license', query: { svcId: at.self } }),
    list: () => ({ path: '/admin/licenses', key: 'assignedLicenses', paged: false }),
  },
  parse(answer) {
    if (!isJsonObject(answer)) return { misread: 'it is no object' }
    const { svcId } = answer
    const list = answer.licenses ?? []
    if (typeof svcId !== 'string' || svcId === '') return missingKey(answer, 'svcId', ['licenses', 'userIsDeleted'])
    const names = { name: svcId, self: svcId }
    if (!Array.isArray(list)) return { ...names, misread: '`licenses` is no list' }
    const elements: ItemElement[] = []
    for (const entry of list as readonly Json[]) {
      const read = readLicense(entry)
      if (isMisread(read)) return { ...names, ...within('licenses', read) }
      elements.push(...read)
    }
    return { spec: {}, collections: { licenses: elements }, ready: true, ...names }
  },
  check,
})
