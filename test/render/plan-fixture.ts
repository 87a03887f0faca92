// Plans to render: one that holds every form of difference, and makers of others.
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import type { Verdict } from '../../src/core/guards/guard.ts'
import type { ChangeDocument, PlanDocument, StepDocument } from '../../src/core/plan/plan-document.ts'

export const emptyPlan: PlanDocument = {
  formatVersion: '1.1',
  tool: { name: 'svcsync', version: '0.1.0' },
  target: { name: 'test', baseUrl: 'https://test.example.com', apiVersion: '6.0', databases: { main: 1 } },
  createdAt: '2026-11-03T09:12:00.000Z',
  digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
  manifestsDigest: `sha256:${'a'.repeat(64)}`,
  only: [],
  kinds: {},
  counts: { create: 0, update: 0, delete: 0, none: 12, added: 0, removed: 0, steps: 0 },
  changes: [],
  steps: [],
  unreadable: [],
  unverifiable: [],
  warnings: [],
  guards: [],
  upcoming: [],
}

export function place(file: string, line: number, column = 5) {
  return { file: `manifests/${file}`, line, column }
}

const liveDigest = `sha256:${'b'.repeat(64)}`

export function step(id: number, address: string, verb: StepDocument['verb'], more: Partial<StepDocument> = {}) {
  return {
    id: String(id),
    address,
    kind: address.split('/')[0] as string,
    verb,
    at: {},
    dependsOn: [],
    liveDigest,
    ...more,
  }
}

/** A plan of these changes, with counts that agree. */
export function planOf(
  changes: readonly ChangeDocument[],
  steps: readonly StepDocument[],
  more: Partial<PlanDocument> = {},
): PlanDocument {
  const count = (action: string) => changes.filter((change) => change.action === action).length
  const counts: PlanDocument['counts'] = {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    none: 12,
    added: changes.flatMap(({ differences }) => differences.flatMap(({ added }) => added ?? [])).length,
    removed: changes.flatMap(({ differences }) => differences.flatMap(({ removed }) => removed ?? [])).length,
    steps: steps.length,
  }
  return { ...emptyPlan, kinds, counts, changes, steps, ...more }
}

const kinds = {
  user: 'Users',
  group: 'Groups',
  constant: 'Global constants',
  connection: 'Data connections',
  process: 'Process privileges',
}

const script = ['SELECT id, name', 'FROM invoices', 'WHERE state = 1', 'ORDER BY name', ''].join('\n')
export const company = { guid: '6a1f', name: 'PL01' }
export const members = ['adam', 'beata', 'celina', 'daniel', 'ewa', 'filip', 'gosia', 'henryk'].map((name) => ({
  svcId: `${name}.nowak@example.com`,
}))

const passed = (guard: Verdict['guard']): Verdict => ({
  guard,
  verdict: 'passed',
  sentence: 'It holds.',
  numbers: {},
  addresses: [],
})
export const holding = [passed('protected'), passed('emptied-group'), passed('unread')]

/** Every form of difference. */
export const fullPlan: PlanDocument = planOf(
  [
    {
      address: 'connection/main/ERP',
      kind: 'connection',
      action: 'update',
      differences: [
        { path: 'sql.common.password', masked: true, after: '${env:ERP_PASSWORD}', place: place('erp.yaml', 8) },
        { path: 'sql.test', after: { server: 'sql-test', password: { reference: '${env:ERP_TEST_PASSWORD}' } } },
        { path: 'sql.prod', before: { server: 'sql-old', database: 'ERP' }, after: null },
        { path: 'sql.common.integratedAuthentication', before: true, after: false },
      ],
      place: place('erp.yaml', 3),
    },
    {
      address: 'constant/main/ErpUrl',
      kind: 'constant',
      action: 'update',
      differences: [
        { path: 'description', before: 'Address of the ERP', after: '' },
        { path: 'groupId', before: 4, after: null },
        { path: 'common', before: 'https://erp.example.com', after: `https://erp.example.com/${'path/'.repeat(60)}` },
        { path: 'test', before: null, after: 'https://erp-test.example.com' },
        { path: 'prod', before: 'https://old.example.com', after: null },
      ],
      place: place('constants.yaml', 12),
    },
    {
      address: 'constant/main/InvoiceQuery',
      kind: 'constant',
      action: 'update',
      differences: [
        {
          path: 'common',
          before: script,
          after: script.replace('state = 1', 'state IN (1, 2)').replace('ORDER BY name\n', '\tORDER BY id'),
        },
      ],
      place: place('constants.yaml', 20),
    },
    {
      address: 'group/finance@example.com',
      kind: 'group',
      action: 'update',
      differences: [
        { path: 'name', before: 'Finance', after: 'Finance and controlling' },
        {
          path: 'members',
          added: members,
          removed: [{ svcId: 'piotr.zielinski@example.com' }],
        },
        { path: 'owners', added: [], removed: [{ svcId: 'jan.kos@example.com' }] },
      ],
      place: place('groups.yaml', 4),
    },
    {
      address: 'group/new@example.com',
      kind: 'group',
      action: 'create',
      differences: [],
      place: place('groups.yaml', 30),
    },
    { address: 'group/old@example.com', kind: 'group', action: 'delete', differences: [] },
    {
      address: 'process/main/Purchasing/Invoice approval',
      kind: 'process',
      action: 'update',
      differences: [
        {
          path: 'privileges',
          added: [
            { svcId: 'finance@example.com', level: 'Modify', company: null },
            { svcId: 'finance@example.com', level: 'Start', company: null },
          ],
          removed: [{ svcId: 'ap-clerks@example.com', level: 'Modify', company }],
        },
      ],
      place: place('processes.yaml', 9),
    },
    {
      address: 'user/anna.nowak@example.com',
      kind: 'user',
      action: 'create',
      differences: [],
      place: place('users.yaml', 3),
    },
  ],
  [
    step(1, 'user/anna.nowak@example.com', 'create', {
      spec: {
        svcId: 'anna.nowak@example.com',
        name: 'Anna Nowak',
        email: 'anna.nowak@example.com',
        phoneNumber: '+48 600 000 000',
        managerSvcId: 'jan.kos@example.com',
        jobTitle: 'Controller',
      },
    }),
    step(2, 'group/new@example.com', 'create', {
      spec: { svcId: 'new@example.com', name: 'New', email: 'new@example.com' },
      collections: { members },
    }),
    step(3, 'group/finance@example.com', 'update'),
    step(4, 'group/finance@example.com', 'add', { collection: 'members', elements: members }),
    step(5, 'group/old@example.com', 'delete'),
  ],
  {
    unreadable: [
      {
        address: 'group/locked@example.com',
        reason: 'The Svc platform answered 403: the client may not read this group',
        hint: 'Give the client the scope that reads groups, then plan again.',
      },
    ],
    unverifiable: [{ address: 'connection/main/ERP', paths: ['sql.common.password', 'sql.test.password'] }],
    upcoming: [
      {
        address: 'group/finance@example.com',
        collection: 'members',
        svcId: 'ewa.nowak@example.com',
        event: 'ends',
        at: '2027-02-01T00:00:00Z',
        shown: '2027-01-31',
        place: place('groups.yaml', 9, 9),
      },
    ],
    guards: [...holding],
    warnings: [
      {
        code: 'SVC1306',
        severity: 'warning',
        address: 'group/finance@example.com',
        message: '`ewa.nowak@example.com` is not declared, and the platform has no such user or group',
        place: place('groups.yaml', 11, 9),
        hint: 'If it is a directory account, all is well; otherwise the platform will refuse it.',
      },
    ],
  },
)

/** `count` creates of users that are told apart by a number. */
export function hugePlan(count: number): PlanDocument {
  const numbers = Array.from({ length: count }, (_, index) => String(index + 1).padStart(4, '0'))
  return planOf(
    numbers.map((number) => ({
      address: `user/user-${number}@example.com`,
      kind: 'user',
      action: 'create',
      differences: [],
      place: place('users.yaml', Number(number) * 4),
    })),
    numbers.map((number, index) =>
      step(index + 1, `user/user-${number}@example.com`, 'create', {
        spec: { svcId: `user-${number}@example.com`, name: `User ${number}`, email: `user-${number}@example.com` },
      }),
    ),
  )
}

/** A plan that guards refuse: one that counts, two that name, and one that cannot be allowed. */
export const refusedPlan: PlanDocument = planOf(
  [{ address: 'group/old@example.com', kind: 'group', action: 'delete', differences: [] }],
  [step(1, 'group/old@example.com', 'delete')],
  {
    guards: [
      {
        guard: 'deletions',
        verdict: 'refused',
        sentence:
          '14 of 40 groups would be deleted (35 %). The limits of one run are 10 of a kind, and 20 % from 5 on.',
        numbers: { count: 14, total: 40, max: 10, percent: 20 },
        addresses: ['group/old@example.com'],
        allow: 'deletions=14',
      },
      {
        guard: 'last-administrator',
        verdict: 'refused',
        sentence:
          "`process/main/It's/Invoice approval` would have no Administrator left; 1 entry gives that level now.",
        numbers: { before: 1, after: 0 },
        addresses: ["process/main/It's/Invoice approval"],
        allow: "last-administrator=process/main/It's/Invoice approval",
      },
      {
        guard: 'last-owner',
        verdict: 'allowed',
        sentence: '`group/a@example.com` would lose the only one of its owners, but no manifest declares `owners: []`.',
        numbers: { before: 1, after: 0 },
        addresses: ['group/a@example.com'],
        allow: 'last-owner=group/a@example.com',
      },
      {
        guard: 'unread',
        verdict: 'refused',
        sentence:
          '`group/old@example.com` would be deleted, and `group/b` could not be read: who refers to it is not known.',
        numbers: { deletions: 1, unreadable: 1 },
        addresses: ['group/b'],
      },
      ...holding,
    ],
  },
)

/** A plan that prunes: what goes, and what matches and is kept. */
export const pruningPlan: PlanDocument = planOf(
  [
    {
      address: 'group/proj-old@example.com',
      kind: 'group',
      action: 'delete',
      differences: [{ path: 'members', added: [], removed: [{ svcId: 'anna.nowak@example.com' }] }],
      prunedBy: 'proj-*',
    },
    { address: 'group/proj-older@example.com', kind: 'group', action: 'delete', differences: [], prunedBy: 'proj-*' },
  ],
  [step(1, 'group/proj-old@example.com', 'delete'), step(2, 'group/proj-older@example.com', 'delete')],
  {
    prune: {
      kept: Array.from({ length: 12 }, (_, index) => ({
        address: `group/proj-${index}@example.com`,
        reason: index % 2 === 0 ? 'a manifest uses it at manifests/groups.yaml:3:5' : '`protect` says `group/proj-*`',
      })),
    },
    guards: [...holding],
  },
)

const process = 'process/main/Purchasing/Invoice approval'
const entry = (subject: string | null, level: string, address = process, via: readonly string[] = []): AccessEntry => ({
  ...{ subject, level, address, company: null, via, kind: level === 'owner' ? 'owner' : 'privilege' },
})
const crowd = Array.from({ length: 43 }, (_, index) => `clerk-${String(index + 1).padStart(2, '0')}@example.com`)
const sales = ['sales@example.com', 'starters@example.com']

/** A plan with every kind of gain and loss. */
export const accessPlan: PlanDocument = {
  ...refusedPlan,
  counts: { ...refusedPlan.counts, gained: 1301, lost: 3, unknown: 4 },
  access: {
    mode: 'declared',
    gained: [
      entry('adam.nowak@example.com', 'Administrator', process, ['admins@example.com']),
      ...crowd.flatMap((who) => [
        entry(who, 'Start', process, sales),
        entry(who, 'ReadOnly', 'application/main/Purchasing', sales),
      ]),
      { ...entry('gosia.nowak@example.com', 'Start'), company: 'PL01' },
    ],
    lost: [
      entry('celina.nowak@example.com', 'Modify', process, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']),
      entry('celina.nowak@example.com', 'Start'),
      entry('daniel.nowak@example.com', 'owner', 'group/finance@example.com'),
    ],
    changed: [{ ...entry('ewa.nowak@example.com', 'Start', process, ['starters@example.com']), before: sales }],
    unknown: [
      { ...entry('beata.nowak@example.com', 'Modify'), unseen: 'CORP\\finance', may: 'gain' },
      { ...entry('filip.nowak@example.com', 'Modify'), unseen: 'CORP\\finance' },
      { ...entry('henryk.nowak@example.com', 'Start'), unseen: 'henryk.nowak@example.com', may: 'lose' },
      { ...entry(null, '', 'process/main/Purchasing/Orders'), level: null },
    ],
    more: { gained: 1213, lost: 0, changed: 0, unknown: 0 },
    unread: 2,
  },
}
