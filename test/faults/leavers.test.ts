// Leavers: svcsync releases managed holdings before the account goes, whatever the platform keeps of deleted accounts
// and whatever becomes of a write; it reports the others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { defaultBehaviour } from '../../src/emulator/index.ts'
import { type Lanes, openLanes } from '../harness/lanes.ts'
import { untruths } from '../harness/report-truth.ts'
import { requestClock } from '../harness/request-clock.ts'
import { sharedOut } from '../harness/thorough.ts'
import type { Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const modes = ['kept', 'notFound', 'empty'] as const
const versions = ['6.0', '5.0'] as const

const tenant = {
  users: ['leaver', 'jan', 'eva'].map((name) => ({ svcId: `${name}@example.com`, name, email: `${name}@example.com` })),
  groups: [{ svcId: 'staff@example.com', name: 'Staff', members: ['leaver@example.com', 'jan@example.com'] }],
  licenses: {
    assigned: [
      { svcId: 'leaver@example.com', licenses: ['PowerUser', 'User'] },
      { svcId: 'jan@example.com', licenses: ['User'] },
    ],
  },
  substitutions: [
    {
      ...{ startDate: '2100-01-01', endDate: '2100-01-31', type: 'TaskDelegation' },
      ...{ originalPerson: { svcId: 'leaver@example.com' }, substitutePerson: { svcId: 'jan@example.com' } },
    },
  ],
  databases: [{ id: 1 }],
}
const leaves = 'users: [{ svcId: leaver@example.com, absent: true }]\n'
const gives = `licenses: [{ svcId: leaver@example.com, licenses: [] }]
groups: [{ svcId: staff@example.com, members: [jan@example.com] }]
substitutions:
  - { person: leaver@example.com, substitute: jan@example.com, type: TaskDelegation, from: 2100-01-01, absent: true }
`

const lanes = {} as Record<(typeof versions)[number], Lanes>
beforeAll(async () => {
  for (const version of versions)
    lanes[version] = await openLanes(2, () => ({
      settings: 'settings: { retry: { maxDelay: 10ms } }',
      clock: requestClock(),
      target: `    apiVersion: "${version}"`,
    }))
})
afterAll(() => Promise.all(Object.values(lanes).map((each) => each.close())))

async function begin(workspace: Workspace, licensesOfDeleted: (typeof modes)[number], manifest: string): Promise<void> {
  const { emulator } = workspace
  emulator.clearFaults()
  emulator.load({ ...tenant, behaviour: { ...defaultBehaviour, licensesOfDeleted } } as never)
  await workspace.control('DELETE', '/requests')
  workspace.manifest(manifest)
}

const licensesOf = ({ emulator }: Workspace) =>
  ((emulator.state().licenses as { assigned?: { svcId: string }[] }).assigned ?? []).map(({ svcId }) => svcId)

const writes = [
  ['the release of licences', 'POST', '/admin/licenses/assign'],
  ['the end of a substitution', 'DELETE', '/admin/substitutions/*'],
  ['the removal from a group', 'POST', '/admin/group/members/remove'],
  ['the deletion of the account', 'DELETE', '/admin/user'],
] as const
const passing: readonly (readonly [string, Fault['effect']])[] = [
  ['a reset after the effect', { kind: 'reset', carriedOut: true }],
  ['a reset before the effect', { kind: 'reset', carriedOut: false }],
  ['a 500 after the effect', { kind: 'status', status: 500, carriedOut: true }],
  ['a 502 before the effect', { kind: 'status', status: 502, carriedOut: false }],
  ['a page of a gateway', { kind: 'text' }],
]

describe.each(modes)('licences of deleted accounts: %s', (mode) => {
  it.concurrent.each(versions)('ends clean in %s, the account last', (version) =>
    lanes[version].take(async (workspace) => {
      await begin(workspace, mode, leaves + gives)
      const { planned, report } = await workspace.run()
      expect(planned.document.warnings).toEqual([])
      expect(report).toMatchObject({ outcome: 'converged', counts: { done: 4 }, verified: { equal: 4 } })
      expect(writesOf(workspace.emulator).at(-1)).toMatchObject({ method: 'DELETE', path: '/admin/user' })
      expect(licensesOf(workspace)).toEqual(['jan@example.com'])
      expect(await workspace.changes()).toEqual([])
      expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
    }),
  )

  it.concurrent.each(versions)('tells what an account keeps that is not managed, in %s', (version) =>
    lanes[version].take(async (workspace) => {
      await begin(workspace, mode, leaves)
      const { planned, report } = await workspace.run()
      expect(planned.document.warnings).toMatchObject([
        {
          code: 'SVC1354',
          address: 'user/leaver@example.com',
          message: expect.stringContaining('`leaver@example.com` keeps 2 licences (PowerUser, User)'),
          hint: expect.stringContaining('`licenses: [{ svcId: leaver@example.com, licenses: [] }]`'),
        },
      ])
      expect(report.outcome).toBe('converged')
      expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
    }),
  )

  describe.each(writes)('%s', (_name, method, path) => {
    const cases = sharedOut(passing, modes.indexOf(mode) + writes.findIndex((each) => each[2] === path), 3)
    it.concurrent.each(cases)('%s: is done once', (_what, effect) =>
      lanes['6.0'].take(async (workspace) => {
        await begin(workspace, mode, leaves + gives)
        workspace.emulator.addFault({ match: { method, path }, effect })
        const { planned, report } = await workspace.run()
        expect(report).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
        expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
        expect(writesOf(workspace.emulator).filter(({ carriedOut }) => carriedOut)).toHaveLength(4)
        expect(licensesOf(workspace)).toEqual(['jan@example.com'])
        expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
      }),
    )

    it('refused: the account stays, and the next run ends clean', () =>
      lanes['6.0'].take(async (workspace) => {
        await begin(workspace, mode, leaves + gives)
        workspace.emulator.addFault({ match: { method, path }, effect: { kind: 'status', status: 403 } })
        const { report } = await workspace.run()
        expect(report).toMatchObject({ outcome: 'partial', counts: { failed: 1 } })
        const users = workspace.emulator.state().users as { svcId: string }[]
        expect(users.map(({ svcId }) => svcId)).toContain('leaver@example.com')
        expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
        expect(licensesOf(workspace)).toEqual(['jan@example.com'])
      }))
  })
})

it('goes on where licences may not be read, and says so', () =>
  lanes['6.0'].take(async (workspace) => {
    await begin(workspace, 'kept', leaves)
    const digest = (await workspace.plan()).document.digest
    workspace.emulator.addFault({
      match: { method: 'GET', path: '/admin/licenses' },
      count: null,
      effect: { kind: 'status', status: 403 },
    })
    const { planned, report } = await workspace.run()
    expect(planned.document.warnings).toMatchObject([{ code: 'SVC1355' }])
    // Whichever application plans, and whatever it may read: nothing that is written rests on it.
    expect(planned.document.digest).toBe(digest)
    expect(report).toMatchObject({ outcome: 'converged' })
  }))

it('says nothing of licences where there are none, and names no more than ten of many', () =>
  lanes['6.0'].take(async (workspace) => {
    await begin(workspace, 'kept', leaves)
    workspace.emulator.load({ ...tenant, licenses: { installation: 'onPremises' } } as never)
    expect((await workspace.plan()).document.warnings).toEqual([])
    const users = Array.from({ length: 12 }, (_, index) => ({ svcId: `u${index}@example.com`, name: 'U' }))
    const assigned = users.map(({ svcId }) => ({ svcId, licenses: ['User'] }))
    workspace.emulator.load({ users, licenses: { assigned }, databases: [{ id: 1 }] } as never)
    workspace.manifest(`users:\n${users.map(({ svcId }) => `  - { svcId: ${svcId}, absent: true }\n`).join('')}`)
    const { warnings } = (await workspace.plan()).document
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^12 deleted accounts keep 12 licences: `u0@example\.com` \(User\), .* and 2 more\./),
    ])
  }))

it('lets nobody who leaves be given anything', () =>
  lanes['6.0'].take(async (workspace) => {
    const found = (licenses: string) => {
      workspace.manifest(`${leaves}licenses: [{ svcId: leaver@example.com, licenses: [${licenses}] }]\n`)
      return workspace.open().problems.map(({ code, message, hint }) => [code, message, hint])
    }
    const given = [
      [
        'SVC1314',
        '`leaver@example.com` is declared absent, but given something here',
        'Write an empty list here, or remove it, or remove `absent: true` there.',
      ],
    ]
    expect(found('{ type: User }')).toEqual(given)
    expect(found('')).toEqual([])
  }))
