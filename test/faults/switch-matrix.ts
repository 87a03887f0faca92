// The matrix of switches: what is declared of each kind at first, then otherwise, then no more; and each way in which
// installations are known to differ.
import type { BehaviourChanges } from '../../src/emulator/index.ts'

/** The life of one kind. Texts are manifests of the database `main`. */
export interface Life {
  readonly first: string
  readonly update: string
  /** The removals that the platform offers: objects, entries of lists, values of environments. */
  readonly removal: string
  /** The only version that has it; absent: both do. */
  readonly since?: '6.0'
}

export interface Installation {
  readonly behaviour: BehaviourChanges
  /** Kinds that it makes a difference to; all when absent. The others are tried, too, where all is. */
  readonly touches?: readonly string[]
  /** In requests: these platforms count them in place of milliseconds. */
  readonly syncDelayMs?: number
  /** A setting of the target. */
  readonly svcIdCase?: 'exact'
  /** svcIds in manifests are not written as the platform has them. */
  readonly spelled?: (manifest: string) => string
  /** The connection breaks after writes of each sort. */
  readonly losesAnswers?: boolean
  readonly tokensEndEarly?: boolean
}

const users = (...fields: string[]) =>
  `users:\n${fields.map((each, index) => `  - { svcId: new${index}@example.com, ${each} }\n`).join('')}`
const group = (fields: string) => `groups: [{ svcId: new@example.com, ${fields} }]`
const staff = (fields: string) => `groups: [{ svcId: staff@example.com, ${fields} }]`
const licenses = (jan: string, ewa: string) =>
  `licenses: [{ svcId: jan@example.com, licenses: [${jan}] }, { svcId: ` +
  `ewa@example.com, licenses: [{ type: DesignerDeskUser, ${ewa} }] }]`
const entity = 'businessEntity: PL01'
const substitution = (fields: string, from = '2100-07-01') =>
  `{ person: jan@example.com, substitute: ewa@example.com, type: TaskDelegation, from: ${from}, ${fields} }`
const leaver = (user: string, licence: string, until: string, people: string) =>
  [
    `users: [{ svcId: new@example.com, ${user} }]`,
    `licenses: [{ svcId: new@example.com, licenses: [${licence}] }]`,
    'substitutions: [{ person: new@example.com, substitute: ' +
      `ewa@example.com, type: TaskDelegation, from: 2100-07-01, ${until} }]`,
    `groups: [{ svcId: staff@example.com, members: [${people}] }]`,
    `elements: [{ element: 7, privileges: { ReadOnly: [${people}] } }]`,
  ].join('\n')
const connection = (environments: string, url: string) =>
  `connections:
  - { name: ERP, type: SQL, sql: { common: { server: s, database: d, integratedAuthentication: false }, ${environments} } }
  # Its binding is nobody's: what reads as null is not sent back.
  - { name: S, type: SOAP, soap: { common: { url: ${url} } } }`
const process = (rest: string) => `processes: [{ process: P, ${rest} }]`
const formType = (levels: string) =>
  process(`workflows: [{ workflow: W, formTypes: [{ formType: F, privileges: ${levels} }] }]`)

/** A subject has one level at a time, so that installations with one level can hold it, too. */
const levels: Life = {
  first: '{ Administrator: [ewa@example.com], ReadOnly: [jan@example.com, empty@example.com] }',
  update: '{ Administrator: [ewa@example.com, jan@example.com], ReadOnly: [empty@example.com] }',
  removal: '{ Administrator: [ewa@example.com], ReadOnly: [] }',
}
const told = (life: Life, tell: (text: string) => string): Life => ({
  first: tell(life.first),
  update: tell(life.update),
  removal: tell(life.removal),
})
const constants: Life = {
  first: 'constants: [{ name: C, description: "", common: a, dev: d, test: "" }, { name: D, common: "", groupId: 4 }]',
  update:
    'constants: [{ name: C, description: x, common: b, dev: e, prod: ' +
    'p, groupName: Addresses }, { name: D, common: c, groupId: null }]',
  removal: 'constants: [{ name: C, description: null, common: b, dev: null, test: null, prod: null }]',
}

export const lives: Readonly<Record<string, Life>> = {
  users: {
    first: users('name: A, email: ""', 'name: B, managerSvcId: jan@example.com', 'name: C', 'phoneNumber: null'),
    update: users(
      'name: "", email: a@example.com',
      'managerSvcId: new0@example.com',
      'jobTitle: x',
      'phoneNumber: "1"',
    ),
    removal: users('email: null', 'managerSvcId: null', 'absent: true', 'absent: true'),
  },
  groups: {
    first: group(
      'name: A, email: a@example.com, members: [jan@example.com, staff@example.com], owners: [jan@example.com]',
    ),
    update: group(
      'name: B, email: b@example.com, members: ' +
        '[ewa@example.com, directory@corp.example.com], owners: [ewa@example.com]',
    ),
    removal: group('absent: true'),
  },
  memberships: {
    first: 'memberships: [{ group: empty@example.com, members: [jan@example.com, directory@corp.example.com] }]',
    update: 'memberships: [{ group: empty@example.com, members: [ewa@example.com, staff@example.com] }]',
    // Memberships never delete the groups that they alone declare.
    removal: 'groups: [{ svcId: empty@example.com, members: [] }]',
  },
  'members and owners': {
    first: staff('members: [jan@example.com, ewa@example.com], owners: [jan@example.com]'),
    update: staff('members: [jan@example.com, empty@example.com], owners: [ewa@example.com]'),
    removal: staff('members: null, owners: []'),
  },
  licenses: {
    first: licenses('{ type: PowerUser }, { type: SingleSolutionUser, processes: [P] }', 'allowProjectCreation: true'),
    update: licenses('{ type: User }, { type: SingleSolutionUser, processes: [P] }', 'allowProjectPublishing: true'),
    removal: 'licenses: [{ svcId: jan@example.com, licenses: [] }, { svcId: ewa@example.com, licenses: [] }]',
  },
  substitutions: {
    first:
      `substitutions: [${substitution('to: 2100-07-15, applications: [A]')}, ` +
      `${substitution('to: 2100-09-15', '2100-09-01')}]`,
    update: `substitutions: [${substitution(`to: 2100-07-31, applications: [], processes: [P], ${entity}`)}]`,
    removal: `substitutions: [${substitution('absent: true')}, ${substitution('absent: true', '2100-09-01')}]`,
  },
  // A leaver releases managed holdings, and the account goes last.
  leavers: {
    first: leaver(
      'name: L, email: l@example.com, managerSvcId: ewa@example.com',
      '{ type: User }',
      'to: 2100-07-15',
      'new@example.com',
    ),
    update: leaver(
      'name: L, email: m@example.com, managerSvcId: ewa@example.com',
      '{ type: PowerUser }, { type: SingleSolutionUser, processes: [P] }',
      'to: 2100-07-31',
      'new@example.com, jan@example.com',
    ),
    removal: leaver('absent: true', '', 'absent: true', 'jan@example.com'),
  },
  'global constants': constants,
  'process constants': told(constants, process),
  connections: {
    first: connection('test: { server: t }', 'a'),
    update: connection('test: { server: u, database: e }, prod: { server: p }', 'b'),
    removal: connection('test: null, prod: null', 'b'),
  },
  'privileges of applications': told(levels, (each) => `applications: [{ application: A, privileges: ${each} }]`),
  'privileges of processes': told(levels, (each) => process(`privileges: ${each}`)),
  'privileges of processes by company': told(levels, (each) =>
    process(`privileges: ${each.replaceAll('jan@example.com', '{ svcId: jan@example.com, company: PL01 }')}`),
  ),
  'privileges of form types': told(levels, formType),
  'privileges of elements': {
    ...told(levels, (each) => `elements: [{ element: 7, privileges: ${each} }]`),
    since: '6.0',
  },
}

const privileges = Object.keys(lives).filter((kind) => kind.startsWith('privileges'))
const accounts = ['users', 'groups', 'memberships', 'members and owners']
const values = ['global constants', 'process constants', 'connections']
/** Each object that is written has fields that svcsync does not know. */
const withExtra = (manifest: string) =>
  manifest.replace(
    /(?:svcId: new\d?@example\.com|name: (?:C|D|ERP|S)), (?!absent|licenses)/g,
    '$&extra: { costCentre: A-12, tags: [a, 1, null], place: { floor: 2.5, open: true } }, ',
  )
/** The first look comes too early, and the next one shows it. */
const late = { syncDelayMs: 2 }
export const installations: Readonly<Record<string, Installation>> = {
  '1 levels stand side by side, and are removed one by one': { behaviour: {} },
  '1 a removal takes every level': { touches: privileges, behaviour: { privilegeRemoval: 'allLevels' } },
  '1 a new level takes the place of the old': { touches: privileges, behaviour: { privilegeLevels: 'single' } },
  '1 one level, and a removal takes it whatever it is': {
    touches: privileges,
    behaviour: { privilegeLevels: 'single', privilegeRemoval: 'allLevels' },
  },
  '1 companies are not told': { touches: privileges, behaviour: { privilegeCompany: 'omitted' } },
  '1 names come as `name`': { touches: privileges, behaviour: { privilegeName: 'name' } },
  '2 svcIds compare without case': {
    touches: [...accounts, ...privileges, 'licenses', 'substitutions'],
    behaviour: {},
    spelled: (manifest) => manifest.replaceAll('jan@', 'Jan@').replaceAll('staff@', 'STAFF@'),
  },
  '2 svcIds compare with case': {
    touches: [...accounts, ...privileges],
    behaviour: { svcIdCase: 'sensitive' },
    svcIdCase: 'exact',
  },
  '2 svcIds compare with case, and the target does not know': {
    touches: [...accounts, ...privileges],
    behaviour: { svcIdCase: 'sensitive' },
  },
  '3 pages of one': { behaviour: { pageCap: 1 } },
  '3 pages without a limit': { touches: [...accounts, ...values], behaviour: { pageCap: null } },
  '3 pages count from 0': {
    touches: [...accounts, ...values, 'substitutions'],
    behaviour: { firstPage: 0, pageCap: 2 },
  },
  '3 pages count from 1': {
    touches: [...accounts, ...values, 'substitutions'],
    behaviour: { firstPage: 1, pageCap: 2 },
  },
  '4 empty groups have no list': { touches: accounts, behaviour: { emptyMembers: 'null' } },
  '5 deleted objects stay for a while': { touches: accounts, behaviour: { afterDelete: 'goneAfterSync' }, ...late },
  '6 what waits takes writes': { touches: accounts, behaviour: { writeWhileWaiting: 'accepted' }, ...late },
  '6 what waits is locked': { touches: accounts, behaviour: { writeWhileWaiting: 'locked' }, ...late },
  '7 empty texts read back as null': { touches: [...accounts, ...values], behaviour: { emptyText: 'asNull' } },
  '7 null reads back as an empty text': { touches: [...accounts, ...values], behaviour: { emptyText: 'asEmptyText' } },
  '8 environments that inherit are shown': { touches: values, behaviour: { inheritedEnvironments: 'shown' } },
  '9 tokens do not tell their end': { behaviour: { tokenExpiry: 'notReported' } },
  // More than are in flight at a time: whoever has just got a token can use it.
  '9 tokens end early': { behaviour: { tokenRejectedAfterMs: 5 }, syncDelayMs: 2, tokensEndEarly: true },
  '10 lost writes were carried out': { behaviour: { lostWrites: 'carriedOut' }, losesAnswers: true },
  '10 lost writes were not carried out': { behaviour: { lostWrites: 'notCarriedOut' }, losesAnswers: true },
  '11 levels of privileges are not told': {
    touches: ['users', 'process constants'],
    behaviour: { privilegeLevel: 'omitted' },
  },
  '12 an update of a user clears what it leaves out': {
    touches: ['users'],
    behaviour: { absentUserFields: 'cleared', managerMustExist: true },
  },
  '13 API applications are no members': { touches: accounts, behaviour: { apiApplicationMembers: 'refused' } },
  '14 new users have to be as an import wants them': {
    touches: ['groups', 'leavers'],
    behaviour: { newUsers: 'asImported' },
  },
  '15 what is null is left out': { behaviour: { absentFields: 'nullsOmitted' } },
  '15 what is null, false or 0 is left out': { behaviour: { absentFields: 'defaultsOmitted' } },
  '15 what is null is left out, and empty texts are null': {
    touches: [...accounts, ...values],
    behaviour: { absentFields: 'nullsOmitted', emptyText: 'asNull', emptyMembers: 'null' },
  },
  '15 what is false is left out, and environments that inherit are shown': {
    touches: values,
    behaviour: { absentFields: 'defaultsOmitted', inheritedEnvironments: 'shown', connectionUpdates: 'replaced' },
  },
  '16 answers have new fields': { behaviour: { newFields: 'told', newWords: 'accepted' } },
  '16 answers have new fields, and lack what is not set': {
    behaviour: { newFields: 'told', absentFields: 'defaultsOmitted' },
  },
  '16 answers have new fields, lack what is not set, and companies are not told': {
    touches: privileges,
    behaviour: { newFields: 'told', absentFields: 'nullsOmitted', privilegeCompany: 'omitted', privilegeName: 'name' },
  },
  '16 answers have new fields, and fields that no document has are told': {
    touches: [...accounts, ...values],
    behaviour: { newFields: 'told', absentFields: 'nullsOmitted', undocumentedFields: 'told' },
    spelled: withExtra,
  },
  '16 answers have new fields, and an update of a user clears what it leaves out': {
    touches: ['users'],
    behaviour: { newFields: 'told', absentFields: 'nullsOmitted', absentUserFields: 'cleared', emptyText: 'asNull' },
  },
  ...Object.fromEntries(
    ([0, 1] as const).map((firstPage) => [
      `17 the page after the last is missing, and pages count from ${firstPage}`,
      {
        touches: [...accounts, 'substitutions'],
        behaviour: {
          pageAfterLast: 'notFound',
          firstPage,
          pageCap: 2,
          absentFields: 'nullsOmitted',
          newFields: 'told',
        },
      } satisfies Installation,
    ]),
  ),
  '18 licences go with their account': {
    touches: ['users', 'licenses', 'leavers'],
    behaviour: { licensesOfDeleted: 'notFound' },
  },
  '18 licences go with their account, whose list is empty': {
    touches: ['users', 'licenses', 'leavers'],
    behaviour: { licensesOfDeleted: 'empty', absentFields: 'defaultsOmitted', newFields: 'told' },
  },
  'tokens are given for text alone': { touches: ['users'], behaviour: { tokenAccept: 'textPlain' } },
  'lists of metadata tell all': {
    touches: ['process constants', ...privileges],
    behaviour: { metadataListItems: 'whole' },
  },
  'connections take what an environment is sent for all of it': {
    touches: ['connections'],
    behaviour: { connectionUpdates: 'replaced' },
  },
  'fields that no document has are told': {
    touches: [...accounts, ...values],
    behaviour: { undocumentedFields: 'told' },
    spelled: withExtra,
  },
  'fields that no document has are kept, and not told': {
    touches: [...accounts, ...values],
    behaviour: { undocumentedFields: 'untold' },
    spelled: withExtra,
  },
  'created objects show late': {
    touches: [...accounts, ...values],
    behaviour: { afterCreate: 'visibleAfterSync' },
    ...late,
  },
  'new subjects can be used at once': { touches: accounts, behaviour: { newSubjects: 'usableAtOnce' }, ...late },
  'process constants want their own scopes': {
    touches: ['process constants'],
    behaviour: { processConstantScopes: 'admin' },
  },
  'dates of substitutions read back in UTC': {
    touches: ['substitutions'],
    behaviour: { substitutionDates: 'asUtc', pastSubstitutions: 'refused' },
  },
  'dates of substitutions read back without their offset': {
    touches: ['substitutions'],
    behaviour: { substitutionDates: 'withoutOffset' },
  },
  'answers are packed with gzip': { touches: ['groups'], behaviour: { compression: 'gzip' } },
  'answers are packed with br': { touches: ['users'], behaviour: { compression: 'br' } },
  'managers must exist': { touches: ['users'], behaviour: { managerMustExist: true }, ...late },
  'names may occur twice': { touches: [...accounts, ...values], behaviour: { duplicateNames: 'accepted' } },
}

/** Goals that such an installation cannot reach: switches.test.ts has their messages. */
export const impossible: ReadonlySet<string> = new Set([
  '1 companies are not told, privileges of processes by company',
  '16 answers have new fields, lack what is not set, and companies are not told, privileges of processes by company',
  '14 new users have to be as an import wants them, users',
  ...privileges
    .filter((kind) => !kind.endsWith('elements'))
    .map((kind) => `11 levels of privileges are not told, ${kind}`),
])

/** Tells what the group is called. */
const inGroup = { name: 'Told', common: 't', groupId: 4 }

export const matrixTenant = {
  accounts: [{ svcId: 'directory@corp.example.com', name: 'Directory', type: 'Other' }],
  users: ['jan', 'ewa', 'other'].map((name) => ({ svcId: `${name}@example.com`, name })),
  groups: [
    { svcId: 'staff@example.com', name: 'Staff', members: ['other@example.com'] },
    { svcId: 'empty@example.com', name: 'Empty' },
    { svcId: 'third@example.com', name: 'Third' },
  ],
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      constantGroups: [{ id: 4, name: 'Addresses' }],
      constants: [inGroup],
      applications: [
        {
          name: 'A',
          processes: [
            {
              name: 'P',
              constants: [inGroup],
              formTypes: [{ name: 'F' }],
              workflows: [{ name: 'W', formTypes: ['F'] }],
              privileges: [{ svcId: 'other@example.com', level: 'Start' }],
              elements: [{ id: 7 }],
            },
          ],
        },
        { name: 'Borrowing', relatedProcesses: ['P'] },
      ],
    },
  ],
}
