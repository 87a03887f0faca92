// The form of plans and of lines of journals as they come from files: whoever can write a file can write anything into it,
// and what does not have this form is refused before anything looks into it.
import { isJsonObject, type Json } from '../model/json.ts'

/** A key that ends in `?` may be missing, in `??` null as well; of `a|b` one is there; `*` stands for any key. Of several words one; of one form a list. */
export type Shape =
  | 'text'
  | 'moment'
  | 'number'
  | 'true'
  | 'any'
  | readonly [Shape]
  | readonly [string, string, ...string[]]
  | { readonly [key: string]: Shape }

/** Where a value has another form, as a dotted path; empty: as a whole. Undefined: nowhere. */
export function misfitOf(value: Json | undefined, shape: Shape): string | undefined {
  if (shape === 'any') return value === undefined ? '' : undefined
  if (shape === 'true') return value === true ? undefined : ''
  if (shape === 'number') return typeof value === 'number' ? undefined : ''
  if (shape === 'text') return typeof value === 'string' ? undefined : ''
  if (shape === 'moment') return typeof value === 'string' && Number.isFinite(Date.parse(value)) ? undefined : ''
  if (isList(shape)) {
    if (shape.length > 1) return shape.some((word) => word === value) ? undefined : ''
    if (!Array.isArray(value)) return ''
    return firstOf(value.map((part: Json, index) => [String(index), part, shape[0] as Shape]))
  }
  if (typeof shape === 'string' || !isJsonObject(value)) return ''
  const { '*': every, ...named } = shape
  const parts = Object.entries(named).flatMap(([key, part]): Part[] => {
    const names = key.replace(/\?+$/, '').split('|') as [string, ...string[]]
    const name = names.find((each) => value[each] !== undefined) ?? names[0]
    const found = key.endsWith('??') ? (value[name] ?? undefined) : value[name]
    return key.endsWith('?') && found === undefined ? [] : [[name, found, part]]
  })
  const others = every === undefined ? [] : Object.entries(value).map(([key, part]): Part => [key, part, every])
  return firstOf([...parts, ...others])
}

type Form = { readonly [key: string]: Shape }
type Part = readonly [key: string, value: Json | undefined, shape: Shape]

const isList = (shape: Shape): shape is readonly [Shape] | readonly [string, string, ...string[]] =>
  Array.isArray(shape)

function firstOf(parts: readonly Part[]): string | undefined {
  for (const [key, value, shape] of parts) {
    const misfit = misfitOf(value, shape)
    if (misfit !== undefined) return misfit === '' ? key : `${key}.${misfit}`
  }
  return undefined
}

const place: Form = { file: 'text', line: 'number', column: 'number' }
const company: Form = { guid: 'text', name: 'text', 'id?': 'number' }
const account: Form = { svcId: 'text', 'level?': 'text', 'company??': company }
const about: Form = { guid: 'text', name: 'text', dbId: 'number', 'database?': 'text' }
const element: Form = {
  'svcId|item': 'text',
  'level?': 'text',
  'company??': company,
  'about?': about,
  'settings?': { '*': 'any' },
  'before?': { '*': 'any' },
}
const elements: Shape = [element]
const texts: Shape = ['text']
const severity: Shape = ['error', 'warning']
const related: Shape = [{ message: 'text', place }]
const problem: Form = {
  code: 'text',
  severity,
  message: 'text',
  'hint?': 'text',
  'address?': 'text',
  'related?': related,
}
const upcoming: Form = {
  ...account,
  address: 'text',
  collection: 'text',
  event: ['begins', 'ends'],
  at: 'moment',
  'shown?': 'text',
  place,
  'set?': 'text',
  'listedAt?': place,
}
const cause: Shape = ['declared', 'live', 'both', 'new']
const counts = ['create', 'update', 'delete', 'none', 'added', 'removed', 'steps', 'released??', 'overwritten??']
const difference: Form = {
  path: 'text',
  'cause??': cause,
  'added?': elements,
  'removed?': elements,
  'masked?': 'true',
  'rotates?': 'true',
  'place?': place,
  'throughSets?': [{ ...account, set: 'text', place, listedAt: place }],
  'notInSets?': [{ set: 'text', 'level?': 'text', place }],
  'unlisted?': ['text'],
  'outsideTime?': [{ ...account, event: ['begins', 'ended'], at: 'moment', place }],
}
const change: Form = {
  address: 'text',
  kind: 'text',
  action: ['create', 'update', 'delete'],
  'prunedBy?': 'text',
  'cause?': cause,
  'place?': place,
  'digest?': 'text',
}
const step: Form = {
  id: 'text',
  address: 'text',
  kind: 'text',
  verb: ['create', 'update', 'delete', 'add', 'remove'],
  at: { '*': 'any' },
  'collection?': 'text',
  'elements?': elements,
  'collections?': { '*': elements },
  'spec?': { '*': 'any' },
  'rotates?': texts,
  dependsOn: texts,
  'follows?': texts,
  liveDigest: 'text',
}
const verdict: Form = {
  guard: 'text',
  verdict: ['passed', 'refused', 'allowed'],
  sentence: 'text',
  'allow?': 'text',
}

const unmanaged: Form = {
  'live??': 'number',
  declared: 'number',
  addresses: texts,
  'unlisted?': [{ address: 'text', reason: 'text' }],
  'skippedLists?': 'number',
}

const lacking: Shape = [{ kind: 'text', objects: 'number', reason: 'text' }]

const substitutions: Shape = [{ address: 'text', person: 'text', from: 'text', until: 'text' }]
const accessEntries: Shape = [
  {
    'subject??': 'text',
    'level??': 'text',
    address: 'text',
    'company??': 'text',
    via: texts,
    kind: ['privilege', 'owner', 'substitution'],
    'substitutions?': substitutions,
    'before?': texts,
    'substitutionsBefore?': substitutions,
    'unseen?': 'text',
    'may?': ['gain', 'lose'],
  },
]
const events = ['gained', 'lost', 'changed', 'unknown']
const access: Form = {
  mode: ['declared', 'full', 'none'],
  ...Object.fromEntries(events.map((event) => [event, accessEntries])),
  more: Object.fromEntries(events.map((event) => [event, 'number'])),
  unread: 'number',
  'looked?': texts,
  'requests?': 'number',
}

const exceptions: Shape = [
  { person: 'text', level: 'text', object: 'text', 'company??': 'text', until: 'text', reason: 'text', place },
]
const accessDrift: Form = {
  ...{ requests: 'number', undeclared: 'number', accepted: 'number', expired: exceptions, idle: exceptions },
  ...{ mayBeGroups: texts, unread: [{ address: 'text', reason: 'text' }] },
}

const levelsWithAccounts = [
  { address: 'text', level: 'text', accounts: [{ svcId: 'text', 'company?': 'text' }] },
] as const

export const planShape: Form = {
  formatVersion: 'text',
  tool: { version: 'text' },
  target: { name: 'text', baseUrl: 'text', apiVersion: ['5.0', '6.0'], databases: { '*': 'number' } },
  createdAt: 'moment',
  digest: 'text',
  manifestsDigest: 'text',
  only: texts,
  kinds: { '*': 'text' },
  counts: {
    ...Object.fromEntries(counts.map((name) => [name, 'number'])),
    'gained?': 'number',
    'lost?': 'number',
    'unknown?': 'number',
  },
  changes: [{ ...change, differences: [difference] }],
  steps: [step],
  unreadable: [{ address: 'text', reason: 'text', 'hint?': 'text', 'place?': place }],
  unverifiable: [{ address: 'text', paths: texts }],
  'lacking?': lacking,
  warnings: [{ ...problem, 'place?': place }],
  'prune?': { kept: [{ address: 'text', reason: 'text' }] },
  guards: [{ ...verdict, numbers: { '*': 'number' }, addresses: texts }],
  'access?': access,
  'accessDrift?': accessDrift,
  upcoming: [upcoming],
  'needs?': texts,
  'unmanaged??': { '*': unmanaged },
  'unlistedLevels??': {
    entries: 'number',
    levels: 'number',
    listed: levelsWithAccounts,
    'inherited?': { entries: 'number', objects: 'number', listed: levelsWithAccounts },
    notRead: texts,
  },
  'noLongerDeclared?': [
    {
      address: 'text',
      'path?': 'text',
      'element?': element,
      becomes: ['removed', 'deleted', 'kept', 'inherits'],
      'reason?': 'text',
      place,
    },
  ],
  'due?': { 'since??': 'text', pending: texts },
  'base??': {
    ref: 'text',
    'commit??': 'text',
    from: ['ledger', 'since', 'folder', 'journal'],
    'at?': 'moment',
    'begun?': [{ 'commit??': 'text', at: 'moment', only: texts }],
  },
}

const outcomes = ['done', 'unchanged', 'failed', 'skipped', 'unknown'] as const

export const reportShape: Form = {
  formatVersion: 'text',
  target: planShape.target as Shape,
  outcome: ['converged', 'partial', 'different', 'interrupted', 'nothing-to-do'],
  counts: Object.fromEntries(outcomes.map((outcome) => [outcome, 'number' as const])),
  steps: [
    {
      id: 'text',
      address: 'text',
      kind: 'text',
      verb: step.verb as Shape,
      'collection?': 'text',
      'elements?': elements,
      outcome: outcomes,
      'code?': 'text',
      'reason?': 'text',
      'hint?': 'text',
      'because?': 'text',
      attempts: 'number',
      elapsedMs: 'number',
      'startedMs?': 'number',
    },
  ],
  changed: planShape.changes as Shape,
  verified: {
    equal: 'number',
    unequal: [{ address: 'text', differences: [difference], 'reason?': 'text' }],
    'unverifiable?': [{ address: 'text', paths: texts }],
  },
  'lacking?': lacking,
  'meanwhile?': [{ address: 'text', sentence: 'text' }],
  'ledger?': { ref: 'text', 'commit??': 'text', moved: 'any', 'reason?': 'text', 'hint?': 'text', 'lease?': texts },
  startedAt: 'moment',
  elapsedMs: 'number',
}

const precondition: Form = {
  exists: 'any',
  'self?': 'text',
  'name?': 'text',
  'fields?': { '*': 'any' },
  'collections?': { '*': elements },
}

/** See SavedPreconditions. */
export const preconditionsShape: Form = {
  svcIds: ['ignore-case', 'case-sensitive'],
  accounts: texts,
  behind: texts,
  listed: { '*': 'number' },
  declaredAs: { '*': ['user', 'group'] },
  references: [{ address: 'text', template: 'text', 'folder?': 'text', 'variables?': { '*': 'text' } }],
  later: [upcoming],
  objects: [{ address: 'text', basis: precondition }],
}

/** See SavedReference. */
export const savedReferenceShape: Form = { reference: 'text', place }

const item: Form = { kind: 'text', section: 'text', item: { '*': 'any' }, file: 'text', place }

const written: Form = {
  collections: ['exclusive', 'additive'],
  'privileges?': ['exclusive', 'additive', 'whole'],
  timeZone: 'text',
  overrides: texts,
  sets: [{ name: 'text', items: ['any'], place }],
  declarations: [{ ...item, 'database?': 'text', 'parent?': 'number' }],
}

export const savedPlanShape: Form = {
  ...planShape,
  expiresAt: 'moment',
  checksum: 'text',
  application: { svcId: 'text', name: 'text', 'impersonatedBy?': 'text' },
  saved: {
    ...preconditionsShape,
    ...written,
    variables: { '*': 'text' },
    'commit?': 'text',
    'base?': {
      ...written,
      'begun?': [written],
      removed: { entries: ['remove', 'keep'], values: ['keep', 'inherit'] },
      deleted: texts,
    },
    pruned: [{ kind: 'text', name: 'text', pattern: 'text' }],
  },
}
