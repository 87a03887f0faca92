// Plans that were approved one by one, and what of a later plan does not stand in them.
import { Buffer } from 'node:buffer'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import {
  checkApproved,
  notInApprovedPlan,
  platformChangedSince,
  supersededApproval,
} from '../../src/core/saved/approvals.ts'
import type { RefusedError } from '../../src/errors/index.ts'
import { discrepancySentences } from '../../src/render/report/render-error-text.ts'
import { renderDriftJson, renderPlanJson } from '../../src/render/report/render-json.ts'
import { parseApprovedPlan } from '../../src/runs/saved/plan-file.ts'
import { savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type RunOptions, type Workspace } from '../harness/workspace.ts'

const secrets = { PASSWORD: 'password-that-nobody-may-see', OTHER: 'other-that-nobody-may-see' }
const people = ['anna', 'bob', 'eve'].map((name) => ({ svcId: `${name}@example.com`, name }))
const group = (name: string, members: readonly string[]) => ({ svcId: `${name}@example.com`, name, members })
const tenant = {
  users: people,
  groups: [group('clerks', ['anna@example.com']), group('admins', ['eve@example.com']), group('readers', [])],
  databases: [
    {
      id: 1,
      constants: [
        { name: 'Url', common: 'old' },
        { name: 'Term', common: '30' },
      ],
      connections: [
        {
          name: 'ERP',
          type: 'SQL',
          sql: { common: { server: 's', database: 'd', integratedAuthentication: false, user: 'erp' } },
        },
      ],
      applications: [
        {
          name: 'A',
          privileges: [
            { svcId: 'admins@example.com', level: 'Administrator' },
            { svcId: 'clerks@example.com', level: 'ReadOnly' },
            { svcId: 'readers@example.com', level: 'ReadOnly' },
          ],
        },
      ],
    },
  ],
}

/** The declarations, except for the given parts. */
function manifest(parts: Readonly<Record<string, string>> = {}): string {
  const {
    clerks = 'anna@example.com',
    admins = 'eve@example.com',
    readers = '',
    url = 'old',
    term = '30',
    more = '',
  } = parts
  const { password = 'PASSWORD', server = 's', readOnly = 'clerks@example.com, readers@example.com' } = parts
  return `database: main
groups:
  - { svcId: clerks@example.com, name: clerks, members: [${clerks}] }
  - { svcId: admins@example.com, name: admins, members: [${admins}] }
  - { svcId: readers@example.com, name: readers, members: [${readers}] }
constants:
  - { name: Url, common: ${url} }
  - { name: Term, common: '${term}' }
connections:
  - { name: ERP, type: SQL, sql: { common: { server: ${server}, database: d, integratedAuthentication: false, user: erp, password: '\${env:${password}}' } } }
applications:
  - { application: A, privileges: { Administrator: [admins@example.com], ReadOnly: [${readOnly}] } }
${more}`
}

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())
beforeEach(() => workspace.emulator.load(tenant as never))

/** The plan of such manifests, as its JSON is read again. */
async function plan(parts: Readonly<Record<string, string>> = {}, run: RunOptions = {}): Promise<PlanDocument> {
  workspace.manifest(manifest(parts))
  const { document } = await workspace.plan(run)
  return read(renderPlanJson(document))
}

const read = (text: string): PlanDocument => parseApprovedPlan(Buffer.from(text), 'a.json')

function unseen(now: PlanDocument, ...approved: readonly PlanDocument[]): string[] {
  return checkApproved(now, approved, 'ignore-case').unseen.flatMap(discrepancySentences)
}

it('let their union go, two entries of one list included', async () => {
  const a = await plan({ clerks: 'anna@example.com, bob@example.com', term: '14' })
  const b = await plan({ clerks: 'anna@example.com, EVE@example.com', url: 'new' })
  const both = { clerks: 'Anna@example.com, BOB@example.com, eve@example.com', term: '14', url: 'new' }
  expect(unseen(await plan(both), a, b)).toEqual([])
  expect(unseen(await plan(both), b)).toEqual([
    `constant/main/Term: common: "30" → "14" (${notInApprovedPlan})`,
    `group/clerks@example.com: members: +BOB@example.com (${notInApprovedPlan})`,
    `application/main/A: BOB@example.com gains ReadOnly through clerks@example.com (${notInApprovedPlan})`,
  ])
  expect(checkApproved(await plan({ term: '14' }), [a, b], 'ignore-case')).toEqual({ unseen: [], notNeeded: 2 })
})

it('take the file of a saved plan as its JSON', async () => {
  const now = await plan({ url: 'new' })
  expect(unseen(now, read(await savedText(workspace)))).toEqual([])
  expect(now.changes.map(({ digest }) => digest)).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)])
})

it('do not cover what the two do together and neither does alone', async () => {
  const a = await plan({ clerks: 'anna@example.com, bob@example.com' })
  const b = await plan({ admins: 'eve@example.com, clerks@example.com' })
  const both = { clerks: 'anna@example.com, bob@example.com', admins: 'eve@example.com, clerks@example.com' }
  expect(unseen(await plan(both), a, b)).toEqual([
    'application/main/A: bob@example.com gains Administrator through clerks@example.com › ' +
      `admins@example.com (${notInApprovedPlan})`,
  ])
  // Members of unselected groups are not read, so nobody can tell that no one gains more.
  expect(unseen(await plan(both, { only: ['group/**'] }), a, b)).toEqual([
    `application/main/A: who has what there is not known (${notInApprovedPlan})`,
  ])
})

it('name who is given something directly once', async () => {
  const readOnly = 'clerks@example.com, readers@example.com, bob@example.com'
  expect(unseen(await plan({ readOnly }), await plan({ url: 'new' }))).toEqual([
    `application/main/A: ReadOnly: +bob@example.com (${notInApprovedPlan})`,
  ])
})

it('do not cover that somebody loses what two chains gave', async () => {
  workspace.emulator.load({
    ...tenant,
    groups: [group('clerks', ['anna@example.com']), group('admins', []), group('readers', ['anna@example.com'])],
  } as never)
  const stays = { admins: '', readers: 'anna@example.com' }
  const a = await plan({ ...stays, clerks: '' })
  const b = await plan({ ...stays, readers: '' })
  expect(unseen(await plan({ ...stays, clerks: '', readers: '' }), a, b)).toEqual([
    `application/main/A: anna@example.com loses ReadOnly through clerks@example.com (${notInApprovedPlan})`,
  ])
})

it('that showed somebody may lose something do not cover that somebody may gain it', async () => {
  const now = await plan({ clerks: 'anna@example.com, bob@example.com' })
  const { access } = now
  const entry = {
    subject: 'bob@example.com',
    level: 'Start',
    address: 'process/main/P',
    company: null,
    kind: 'privilege',
  } as const
  const may = (what: 'gain' | 'lose') => ({ ...entry, via: ['x@example.com'], unseen: 'x@example.com', may: what })
  const having = (unknown: ReturnType<typeof may>[], lost: object[] = []) =>
    ({ ...now, access: { ...access, unknown, lost } }) as unknown as PlanDocument
  const told = `process/main/P: bob@example.com may gain Start through x@example.com (${notInApprovedPlan})`
  expect(unseen(having([may('gain')]), having([may('lose')]))).toEqual([told])
  expect(unseen(having([may('lose')]), having([], [may('lose')]))).toEqual([])
  expect(unseen(having([], [may('lose')]), having([may('lose')]))).toHaveLength(1)
})

it('that took an entry with another one, and gave it anew, do not cover that it goes', async () => {
  const bob = 'bob@example.com'
  const held = ['Administrator', 'ReadOnly'].map((level) => ({ svcId: bob, level }))
  const [database] = tenant.databases
  const [application] = database?.applications ?? []
  const processes = [{ name: 'P', elements: [{ id: 7, privileges: held }] }]
  const databases = [{ ...database, applications: [{ ...application, processes }] }]
  workspace.emulator.load({ ...tenant, databases } as never)
  const onElement = (levels: string) => ({ more: `elements: [{ element: 7, privileges: { ${levels} } }]` })
  const approved = await plan(onElement(`Administrator: [${bob}], ReadOnly: []`))
  const { access: _, ...both } = await plan(onElement('Administrator: [], ReadOnly: []'))
  expect(unseen(approved, approved)).toEqual([])
  const told = `element/main/7: Administrator: -${bob} (${notInApprovedPlan})`
  expect(unseen(both, approved)).toEqual([told])
})

describe('and taken back', () => {
  const dated = (made: PlanDocument, hour: number) => ({ ...made, createdAt: `2026-11-23T0${hour}:00:00.000Z` })
  const withBob = { clerks: 'anna@example.com, bob@example.com', url: 'new' }
  const applied = () =>
    workspace.emulator.load(
      JSON.parse(
        JSON.stringify(tenant)
          .replace('"old"', '"new"')
          .replace('"members":["anna@example.com"]', '"members":["anna@example.com","bob@example.com"]'),
      ),
    )

  it('do not let it come back, until that is approved as well', async () => {
    const added = dated(await plan(withBob), 1)
    applied()
    const taken = dated(await plan({}), 2)
    expect(unseen(await plan({}), added, taken)).toEqual([])
    workspace.emulator.load(tenant as never)
    const again = await plan(withBob)
    const told = [
      `application/main/A: bob@example.com gains ReadOnly through clerks@example.com (${supersededApproval})`,
      `constant/main/Url: common: old → new (${supersededApproval})`,
      `group/clerks@example.com: members: +bob@example.com (${supersededApproval})`,
    ]
    expect(unseen(again, taken, added)).toEqual(told)
    // Two approvals of the same moment have no order.
    expect(unseen(again, added, dated(taken, 1))).toEqual(told)
    expect(unseen(again, added, taken, dated(again, 3))).toEqual([])
  })

  it('do not let somebody gain again through two others what was taken away', async () => {
    const added = dated(await plan(withBob), 1)
    applied()
    const taken = dated(await plan({}), 2)
    workspace.emulator.load(tenant as never)
    const { access: _, ...alone } = await plan({ readers: 'bob@example.com' })
    expect(unseen(await plan({ readers: 'bob@example.com' }), added, taken, dated(alone, 3))).toEqual([
      `application/main/A: bob@example.com gains ReadOnly through readers@example.com (${supersededApproval})`,
    ])
  })

  it('do not let what was made anew since be changed as before', async () => {
    const updated = dated(await plan({ url: 'new' }), 1)
    const [database] = tenant.databases
    const constants = database?.constants.filter(({ name }) => name !== 'Url')
    workspace.emulator.load({ ...tenant, databases: [{ ...database, constants }] } as never)
    const created = dated(await plan({ url: 'new' }), 2)
    expect(created.changes.map(({ action }) => action)).toEqual(['create'])
    workspace.emulator.load(tenant as never)
    const told = [`constant/main/Url: common: old → new (${supersededApproval})`]
    expect(unseen(await plan({ url: 'new' }), updated, created)).toEqual(told)
    expect(unseen(await plan({ url: 'new' }), { ...updated, createdAt: created.createdAt }, dated(created, 1))).toEqual(
      [],
    )
  })

  it('do not let an entry come with settings that a later one replaced', async () => {
    const withSettings = (made: PlanDocument, settings: object) =>
      JSON.parse(
        JSON.stringify(made).replace('{"svcId":"bob@example.com"', `$&,"settings":${JSON.stringify(settings)}`),
      )
    const made = await plan({ clerks: 'anna@example.com, bob@example.com' })
    const [some, others] = [dated(withSettings(made, { can: 1 }), 1), dated(withSettings(made, { can: 2 }), 2)]
    expect(some.changes[0]?.differences[0]?.added?.[0]).toHaveProperty('settings')
    expect(unseen(others, some, others)).toEqual([])
    expect(unseen(some, some, others)).toEqual([expect.stringContaining(`members: +bob@example.com`)])
    expect(unseen(some, some, others)[0]).toContain(supersededApproval)
  })

  it('do not let what was to be deleted since be changed as before', async () => {
    const bob = (fields: string) => plan({ more: `users: [{ svcId: bob@example.com, ${fields} }]` })
    const [changed, deleted] = [dated(await bob('jobTitle: Chief'), 1), dated(await bob('absent: true'), 2)]
    expect(unseen(await bob('jobTitle: Chief'), changed, deleted)).toEqual([
      expect.stringMatching(`^user/bob@example.com: jobTitle: .*Chief \\(${supersededApproval}\\)$`),
    ])
  })

  it('do not let what is deleted again be deleted as before', async () => {
    const more = 'users: [{ svcId: bob@example.com, absent: true }]'
    const deleted = dated(await plan({ more }), 1)
    workspace.emulator.load({ ...tenant, users: people.filter(({ name }) => name !== 'bob') } as never)
    const made = dated(await plan({ more: 'users: [{ svcId: bob@example.com, name: bob }]' }), 2)
    workspace.emulator.load(tenant as never)
    expect(unseen(await plan({ more }), deleted, made)).toEqual([
      `user/bob@example.com: is deleted (${supersededApproval})`,
    ])
  })
})

it('do not cover a step that the plan does not show, nor more accesses than it lists', async () => {
  const now = await plan({ clerks: 'anna@example.com, bob@example.com' })
  const [step] = now.steps
  const hidden = { ...now, steps: [...now.steps, { ...step, address: 'constant/main/Url', verb: 'update' as const }] }
  expect(unseen(hidden as PlanDocument, now)).toEqual([`constant/main/Url: update a part of it (${notInApprovedPlan})`])
  const access = now.access as NonNullable<PlanDocument['access']>
  const some = { ...(access.gained[0] as (typeof access.gained)[number]), level: null }
  expect(unseen({ ...now, access: { ...access, gained: [...access.gained, some] } }, now)).toEqual([
    `application/main/A: bob@example.com gains a level through clerks@example.com (${notInApprovedPlan})`,
  ])
  const longer = { ...now, access: { ...access, more: { ...access.more, gained: 2, lost: 1 } } }
  expect(unseen(longer, longer)).toEqual([])
  expect(unseen({ ...longer, digest: 'sha256:other' }, longer)).toEqual([
    `access: 2 more: gained (${notInApprovedPlan})`,
    `access: 1 more: lost (${notInApprovedPlan})`,
  ])
})

it('say what rests on something else by now apart from what nobody has seen', async () => {
  const a = await plan({ url: 'new' })
  workspace.emulator.load(JSON.parse(JSON.stringify(tenant).replace('"old"', '"by hand"')))
  expect(unseen(await plan({ url: 'new', term: '14' }), a)).toEqual([
    `constant/main/Term: common: "30" → "14" (${notInApprovedPlan})`,
    `constant/main/Url: common: by hand → new (${platformChangedSince})`,
  ])
})

it('do not cover that somebody else comes to be deleted with it', async () => {
  const more = 'users: [{ svcId: bob@example.com, absent: true }]'
  const a = await plan({ more })
  expect(unseen(await plan({ more }), a)).toEqual([])
  workspace.emulator.load({ ...tenant, users: people.map((each) => ({ ...each, jobTitle: 'Chief' })) } as never)
  expect(unseen(await plan({ more }), a)).toEqual([`user/bob@example.com: is deleted (${platformChangedSince})`])
})

it('tell another secret by its reference, and a rotation', async () => {
  const a = await plan({}, { rotate: ['connection/main/ERP'] })
  expect(JSON.stringify(a)).not.toContain('nobody-may-see')
  expect(unseen(await plan({}, { rotate: ['connection/main/ERP'] }), a)).toEqual([])
  // It is sent along with what changes, and nobody has seen that it is another one.
  expect(unseen(await plan({ server: 'new', password: 'OTHER' }), await plan({ server: 'new' }))).toEqual([
    `connection/main/ERP: is sent with what \${env:OTHER} stands for (${notInApprovedPlan})`,
    `connection/main/ERP: sql.common.server: s → new (${notInApprovedPlan})`,
  ])
  expect(unseen(await plan({}, { rotate: ['connection/main/ERP'] }), await plan({ url: 'new' }))).toEqual([
    `connection/main/ERP: is sent with what \${env:PASSWORD} stands for (${notInApprovedPlan})`,
    `connection/main/ERP: sql.common.rotation: its credentials are sent anew (${notInApprovedPlan})`,
  ])
})

it('do not let the same be done again to what somebody did by hand since', async () => {
  workspace.baseManifest(manifest({ clerks: 'anna@example.com, bob@example.com' }))
  workspace.emulator.load({
    ...tenant,
    groups: [group('clerks', ['anna@example.com', 'bob@example.com']), ...tenant.groups.slice(1)],
  } as never)
  const run = { base: 'ledger', only: ['group/clerks@example.com'] } as const
  const approved = await plan({}, run)
  expect(unseen(await plan({}, run), approved)).toEqual([])
  // It was applied, and the base went on; then Bob came back by hand.
  workspace.baseManifest(manifest())
  expect(unseen(await plan({}, run), approved)).toEqual([
    `group/clerks@example.com: members: -bob@example.com (${platformChangedSince})`,
  ])
})

it('have to have shown what a guard is made to let pass', async () => {
  const now = await plan({ url: 'new' })
  const verdict = {
    guard: 'deletions',
    sentence: 'It deletes 12.',
    numbers: {},
    addresses: [],
    allow: 'deletions=12',
  }
  const guards = (word: 'allowed' | 'refused', allow = 'deletions=12') =>
    ({ ...now, guards: [{ ...verdict, allow, verdict: word }] }) as PlanDocument
  expect(unseen(guards('allowed'), guards('refused'))).toEqual([])
  expect(unseen(guards('allowed'), now, guards('refused', 'deletions=7'))).toEqual([
    `guard deletions: It deletes 12. (${notInApprovedPlan})`,
  ])
})

it('believes no file that is another, or was altered', async () => {
  const good = renderPlanJson(await plan({ url: 'new', clerks: '' }))
  const { document } = await workspace.plan()
  const codeOf = (text: string): string => {
    try {
      read(text)
      return 'read'
    } catch (error) {
      return (error as RefusedError).code
    }
  }
  const edited = (edit: (plan: PlanDocument) => object): string => {
    const whole = JSON.parse(good) as PlanDocument
    return codeOf(JSON.stringify({ ...whole, ...edit(whole) }))
  }
  expect(codeOf(good)).toBe('read')
  expect(codeOf('')).toBe('SVC2102')
  expect(codeOf('{}')).toBe('SVC2102')
  expect(codeOf('{"formatVersion":"1.1","problems":[]}')).toBe('SVC2102')
  expect(codeOf(renderDriftJson(document, {}))).toBe('SVC2102')
  expect(edited(() => ({ formatVersion: '2.0' }))).toBe('SVC2104')
  expect(edited(({ changes }) => ({ changes: changes.map(({ digest: _, ...change }) => change) }))).toBe('SVC2104')
  const [saved, bytes] = [await savedText(workspace), 'https://evil.example.com']
  expect(codeOf(saved)).toBe('read')
  expect(codeOf(saved.replaceAll('"new"', `"${bytes}"`))).toBe('SVC2103')
  expect(codeOf(good.replaceAll('"new"', `"${bytes}"`))).toBe('SVC2103')
  // Sent values and their preconditions, likewise.
  const stepOf = (change: object) => edited(({ steps }) => ({ steps: steps.map((step) => ({ ...step, ...change })) }))
  expect(stepOf({ liveDigest: 'sha256:0' })).toBe('SVC2103')
  expect(stepOf({ at: { name: 'another' } })).toBe('SVC2103')
  // Less is approved by less: nothing is wrong with that.
  expect(edited(() => ({ changes: [] }))).toBe('read')
})
