// Each way in which installations vary, as `doctor` sees it: its state where an answer shows it, and never a wrong one.
import { afterEach, describe, expect, it } from 'vitest'
import type { BehaviourChanges, Tenant } from '../../src/emulator/index.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { checkOf, examine, stateOf } from './examine.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const tenant = {
  businessEntities: undefined,
  users: [
    { svcId: 'jan@example.com', name: 'Jan', email: '', phoneNumber: '1' },
    { svcId: 'ewa@example.com', name: 'Ewa' },
    { svcId: 'ola@example.com', name: 'Ola' },
  ],
  groups: [
    { svcId: 'staff@example.com', name: 'Staff', members: ['jan@example.com'] },
    { svcId: 'nobody@example.com', name: 'Nobody' },
  ],
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      constants: [{ name: 'A', common: 'a', test: 'b' }],
      applications: [
        {
          name: 'App',
          processes: [
            {
              name: 'P',
              privileges: [
                { svcId: 'jan@example.com', level: 'Start' },
                { svcId: 'jan@example.com', level: 'Modify' },
                { svcId: 'staff@example.com', level: 'Start', company: 'PL01' },
              ],
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

const manifest = `database: main
users:
  - { svcId: jan@example.com, name: Jan }
groups:
  - { svcId: staff@example.com, name: Staff }
constants:
  - { name: A, common: a }
processes:
  - process: P
    application: App
    privileges: { Start: [jan@example.com] }
`

async function open(behaviour: BehaviourChanges, target = '', settings = ''): Promise<void> {
  const { businessEntities: _, ...rest } = tenant as Tenant & { businessEntities?: unknown }
  workspace = await openWorkspace({ tenant: rest as Tenant, behaviour, target, settings })
  workspace.manifest(manifest)
}

const states: readonly (readonly [BehaviourChanges, string, string | undefined])[] = [
  [{ privilegeLevels: 'several' }, 'privilegeLevels', 'several'],
  [{ privilegeCompany: 'returned' }, 'privilegeCompany', 'returned'],
  [{ privilegeCompany: 'omitted' }, 'privilegeCompany', undefined],
  [{ privilegeName: 'username' }, 'privilegeName', 'username'],
  [{ privilegeName: 'name' }, 'privilegeName', 'name'],
  [{ svcIdCase: 'insensitive' }, 'svcIdCase', 'insensitive'],
  [{ svcIdCase: 'sensitive' }, 'svcIdCase', 'sensitive'],
  [{ pageCap: 2 }, 'pageCap', '2'],
  [{ pageCap: 2, firstPage: 1 }, 'pageCap', '2'],
  [{ pageCap: 1, firstPage: 1 }, 'pageCap', '1'],
  [{ pageCap: null }, 'pageCap', undefined],
  [{ firstPage: 0 }, 'firstPage', '0'],
  [{ firstPage: 0, pageCap: 1 }, 'firstPage', '0'],
  [{ firstPage: 1 }, 'firstPage', '1'],
  [{ firstPage: 1, pageCap: 2 }, 'firstPage', '1'],
  [{ emptyMembers: 'emptyList' }, 'emptyMembers', 'emptyList'],
  [{ emptyMembers: 'null' }, 'emptyMembers', 'null'],
  [{ emptyText: 'asNull' }, 'emptyText', undefined],
  [{ emptyText: 'asEmptyText' }, 'emptyText', undefined],
  [{ emptyText: 'asWritten' }, 'emptyText', 'asWritten'],
  [{ inheritedEnvironments: 'omitted' }, 'inheritedEnvironments', 'omitted'],
  [{ inheritedEnvironments: 'shown' }, 'inheritedEnvironments', 'shown'],
  [{ tokenExpiry: 'reported' }, 'tokenExpiry', 'reported'],
  [{ tokenExpiry: 'notReported' }, 'tokenExpiry', 'notReported'],
  [{}, 'tokenRejectedAfterMs', undefined],
  [{ absentFields: 'told' }, 'absentFields', 'told'],
  [{ absentFields: 'told', emptyText: 'asEmptyText' }, 'absentFields', undefined],
  [{ absentFields: 'nullsOmitted', inheritedEnvironments: 'shown' }, 'absentFields', 'nullsOmitted'],
  [{ absentFields: 'nullsOmitted' }, 'absentFields', undefined],
  [{ absentFields: 'nullsOmitted', emptyMembers: 'null' }, 'absentFields', undefined],
  [{ absentFields: 'defaultsOmitted' }, 'absentFields', undefined],
  [{ newFields: 'none' }, 'newFields', 'none'],
  [{ pageAfterLast: 'empty' }, 'pageAfterLast', 'empty'],
  [{ pageAfterLast: 'empty', firstPage: 1 }, 'pageAfterLast', 'empty'],
  [{ pageAfterLast: 'notFound' }, 'pageAfterLast', 'notFound'],
  [{ pageAfterLast: 'notFound', firstPage: 1 }, 'pageAfterLast', 'notFound'],
  [{ pageAfterLast: 'notFound', pageCap: 1 }, 'pageAfterLast', undefined],
  [{ licensesOfDeleted: 'empty' }, 'licensesOfDeleted', undefined],
]
/** A variant that only a write shows is not guessed. */
const unseen: readonly (readonly [BehaviourChanges, string])[] = [
  [{ privilegeRemoval: 'allLevels' }, 'privilegeRemoval'],
  [{ afterDelete: 'goneAfterSync' }, 'afterDelete'],
  [{ writeWhileWaiting: 'locked' }, 'writeWhileWaiting'],
  [{ lostWrites: 'notCarriedOut' }, 'lostWrites'],
  [{ newWords: 'accepted' }, 'newWords'],
]

describe('a difference between installations', () => {
  it.each(states)('%j: %s is seen as %s', async (behaviour, name, state) => {
    await open(behaviour)
    const report = await examine(workspace)
    expect(stateOf(report, name)).toBe(state)
    expect(report.checks.filter(({ result }) => result === 'problem')).toEqual([])
  })

  it.each(unseen)('%j: %s is not guessed', async (behaviour, name) => {
    await open(behaviour)
    const report = await examine(workspace)
    expect(report.variants.find((each) => each.switch === name)).toMatchObject({
      found: 'Only a write would show it.',
    })
    expect(stateOf(report, name)).toBeUndefined()
  })

  it('fields that no document has are seen', async () => {
    await open({ newFields: 'told' }, '    wireNames: { managerSvcId: managerSvcId }')
    expect(stateOf(await examine(workspace), 'newFields')).toBe('told')
  })

  it('a token that is refused before its end is seen', async () => {
    await open({})
    workspace.emulator.addFault({ match: { path: '/admin/users' }, effect: { kind: 'expireTokens' } })
    expect(stateOf(await examine(workspace), 'tokenRejectedAfterMs')).toBe('refused')
  })

  it.each([
    ['sensitive', '', 'warning'],
    ['sensitive', '    svcIdCase: exact', 'ok'],
    ['insensitive', '    svcIdCase: exact', 'warning'],
    ['insensitive', '', 'ok'],
  ] as const)('svcIds %s, and the target %j: %s', async (svcIdCase, target, result) => {
    await open({ svcIdCase }, target)
    expect(checkOf(await examine(workspace), 'svcid-case').result).toBe(result)
  })
})
