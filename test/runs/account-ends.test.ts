// Accounts and licences with an end: what is announced, what ends with them, and what is due.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { refusals } from '../../src/core/guards/judge-guards.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderReportText } from '../../src/render/report/report-blocks.ts'
import { accountEndsManifest as manifest, accountEndsTenant as tenant } from '../harness/account-ends.ts'
import { documentValidator, planSchema, reportSchema } from '../harness/plan-schema.ts'
import { openWorkspace, type RunOptions, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const may = Date.parse('2026-05-25T12:00:00Z')
const june = Date.parse('2026-06-15T12:00:00Z')

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load(tenant)
  workspace.manifest(manifest)
  await workspace.apply({ nowMs: may })
  await workspace.control('DELETE', '/requests')
})

const textOf = async (run: RunOptions) =>
  renderPlanText((await workspace.plan(run)).document, { colour: false, width: 200 })
const due = { nowMs: june, due: {} }
const ended = [
  'update group/clerks@example.com',
  'update group/team@example.com',
  'update license/jan@example.com',
  'update license/tom@example.com',
  'update process/main/A/P',
  'delete substitution/jan@example.com→tom@example.com/TaskDelegation/2026-05-01',
  'delete user/Tom@example.com',
]
const codes = async (run: RunOptions) => {
  const { problems } = workspace.open(run)
  return problems.map(({ code, message }) => `${code} ${message}`)
}

describe('an account that ends', () => {
  it('is announced with all that ends with it, through sets, too', async () => {
    const text = await textOf({ nowMs: may })
    for (const line of [
      'ends  tom@example.com in members of group/clerks@example.com through set all',
      'ends  tom@example.com in Modify of process/main/A/P',
      'ends  jan@example.com in licenses (PowerUser) of license/jan@example.com',
      'ends  account user/Tom@example.com is deleted',
    ])
      expect(text).toContain(line)
    const { document } = await workspace.plan({ nowMs: may })
    expect(document.upcoming).toContainEqual(
      expect.objectContaining({ address: 'user/Tom@example.com', collection: 'account', event: 'ends' }),
    )
    expect(document.upcoming).toContainEqual(
      expect.objectContaining({ collection: 'licenses', svcId: 'jan@example.com', item: 'PowerUser' }),
    )
    expect(documentValidator(planSchema)(document)).toBe(true)
  })

  it('takes with it what it has, and nothing of anybody else, in a whole plan and in what is due', async () => {
    expect(await workspace.changes({ nowMs: june })).toEqual(ended)
    expect(await workspace.changes(due)).toEqual(ended)
    expect((await workspace.plan(due)).document.due?.pending).toEqual([])
    expect(await workspace.changes({ nowMs: june, only: ['group/team@example.com'] })).toEqual([ended[1]])
    const text = await textOf(due)
    expect(text).toContain('user/Tom@example.com  ended 2026-05-31')
    expect(text).toContain('licenses  ended 2026-05-31')
    expect(text).toContain('SVC1309  The account `Tom@example.com` ended with 2026-05-31')
    const { document } = await workspace.plan(due)
    expect(renderPlanMarkdown(document)).toContain(
      '`user/Tom@example.com` (`manifests/main.yaml:6:5`)<br>ended 2026-05-31',
    )
    expect(documentValidator(planSchema)(document)).toBe(true)
  })

  it.each([undefined, 'ledger'] as const)('is deleted after all else, once, with the base %s', async (base) => {
    workspace.baseManifest(manifest)
    const { report } = await workspace.run({ ...due, base, guarded: true })
    expect(report).toMatchObject({ outcome: 'converged', due: true })
    expect(writesOf(workspace.emulator).at(-1)).toMatchObject({ method: 'DELETE', path: '/admin/user' })
    expect(await workspace.changes({ ...due, base })).toEqual([])
    expect(await workspace.changes({ nowMs: june })).toEqual([])
    const { licenses } = workspace.emulator.state() as unknown as { licenses: { assigned: { svcId: string }[] } }
    expect(licenses.assigned).toEqual([
      expect.objectContaining({ svcId: 'jan@example.com', licenses: [{ type: 'User' }] }),
    ])
  })

  it('is due where it stood at the base, and ended since', async () => {
    workspace.baseManifest(manifest.replace(/.*Tom@.*\n/, ''))
    const changes = await workspace.changes({ ...due, base: 'ledger' })
    expect(changes).not.toContain('delete user/Tom@example.com')
    workspace.baseManifest(manifest)
    expect(await workspace.changes({ ...due, base: 'ledger' })).toEqual(ended)
    const after = Date.parse('2026-06-02T00:00:00Z')
    expect(await workspace.changes({ ...due, due: { sinceMs: after } })).toEqual([])
  })

  it('stays where its end is taken out, and a plan with a base says so once', async () => {
    workspace.baseManifest(manifest)
    workspace.manifest(manifest.replace(', until: 2026-05-31 }\n  - { svcId: x', ''))
    const text = manifest.replace('name: tom, until: 2026-05-31', 'name: tom')
    workspace.manifest(text)
    const { document } = await workspace.plan({ nowMs: may, base: 'ledger' })
    expect(document.warnings.filter(({ code }) => code === 'SVC2195').map(({ message }) => message)).toEqual([
      'The account `Tom@example.com` stays now, although its time ended with 2026-05-31',
    ])
  })

  it('must not be the manager of somebody who stays', async () => {
    workspace.manifest(manifest.replace('name: jan }', 'name: jan, managerSvcId: tom@example.com }'))
    for (const nowMs of [may, june])
      expect(await codes({ nowMs })).toContain(
        'SVC1341 `tom@example.com` ends with 2026-05-31, but is `managerSvcId` here without an end',
      )
    workspace.manifest(manifest.replace('name: jan }', 'name: jan, managerSvcId: tom@example.com, until: 2026-04-30 }'))
    expect((await codes({ nowMs: may })).join()).not.toContain('SVC1341')
  })

  it('wants a day, once', async () => {
    workspace.manifest(manifest.replace('name: tom, until: 2026-05-31', 'name: tom, until: soon'))
    expect((await codes({ nowMs: may })).join()).toContain('SVC1310 `until` is neither a date')
    workspace.manifest(`${manifest}---\nusers: [{ svcId: tom@example.com, until: 2026-06-30 }]\n`)
    expect((await codes({ nowMs: may })).join()).toContain('`until` of the account `Tom@example.com` is declared twice')
  })
})

describe('a licence that ends', () => {
  const licences = (list: string) =>
    manifest.replace('[{ type: User }, { type: PowerUser, until: 2026-05-31 }]', `[${list}]`)
  const ofJan = () => {
    const { licenses } = workspace.emulator.state() as unknown as {
      licenses: { assigned: { svcId: string; licenses: { type: string }[] }[] }
    }
    return licenses.assigned.find(({ svcId }) => svcId === 'jan@example.com')
  }

  it('takes what it is limited to, and what somebody has set otherwise', async () => {
    workspace.manifest(
      licences(
        '{ type: SingleSolutionUser, processes: [P], until: 2026-05-31 }, { type: ' +
          'DesignerDeskUser, until: 2026-05-31 }, { type: User }',
      ),
    )
    expect(await workspace.apply({ nowMs: may })).toMatchObject({ outcome: 'converged' })
    const settings = { allowDesignerDeskProjectCreation: true, allowDesignerDeskProjectPublishing: false }
    const given = ofJan()?.licenses.map((each) =>
      each.type === 'DesignerDeskUser' ? { ...each, designerDeskSettings: settings } : each,
    )
    expect(given).toHaveLength(3)
    workspace.emulator.edit({ setLicenses: { assigned: [{ svcId: 'jan@example.com', licenses: given }] } } as never)
    expect(await workspace.apply(due)).toMatchObject({ outcome: 'converged' })
    expect(ofJan()).toMatchObject({ licenses: [{ type: 'User' }] })
  })

  it('may be followed by another one of its type, and not stand beside one', async () => {
    workspace.manifest(
      licences('{ type: User }, { type: PowerUser, until: 2026-05-31 }, { type: PowerUser, until: 2026-12-31 }'),
    )
    expect((await codes({ nowMs: may })).join()).toContain('SVC1307')
    workspace.manifest(
      licences(
        '{ type: SingleSolutionUser, processes: [], until: 2026-12-31 }, { type: SingleSolutionUser, processes: [P] }',
      ),
    )
    expect((await codes({ nowMs: may })).join()).toContain('SVC1307')
  })
})

describe('an account that a guard refuses', () => {
  const administered = (list: string) => manifest.replace('{ Modify:', `{ Administrator: [${list}], Modify:`)

  it('is left as it is, holds up no other, and is told in plan and report', async () => {
    const both = administered('eva@example.com').replace('name: eva', 'name: eva, until: 2026-05-31')
    workspace.manifest(both)
    await workspace.apply({ nowMs: may })
    const { planned, report } = await workspace.run({ ...due, guarded: true })
    const { document } = planned
    expect(document.due?.refused).toMatchObject([
      {
        svcId: 'eva@example.com',
        verdicts: [{ guard: 'last-administrator', allow: 'last-administrator=process/main/A/P' }],
      },
    ])
    expect(document.changes.map(({ address }) => address)).toContain('user/Tom@example.com')
    expect(document.changes.map(({ address }) => address)).not.toContain('user/eva@example.com')
    expect(document.due?.pending).toEqual([])
    expect(documentValidator(planSchema)(document)).toBe(true)
    const text = renderPlanText(document, { colour: false, width: 120 })
    expect(text).toContain('1 account left as it is, refused by last-administrator')
    expect(text).toContain('to allow it: --allow last-administrator=process/main/A/P')
    expect(report).toMatchObject({ outcome: 'partial', refused: [{ svcId: 'eva@example.com' }] })
    expect(documentValidator(reportSchema)(JSON.parse(JSON.stringify(report)))).toBe(true)
    expect(renderReportText(report, { colour: false, width: 120, verbose: false })).toContain(
      'NOT as declared in the due changes: 1 account left as it is, refused by guards',
    )
    const users = workspace.emulator.state().users as { svcId: string }[]
    expect(users.map(({ svcId }) => svcId)).toEqual(['anna@example.com', 'eva@example.com', 'jan@example.com'])
    // Nothing else is left, and it is refused as ever.
    const again = await workspace.plan({ ...due, guarded: true })
    expect(refusals(again.plan.guards)).toHaveLength(1)
    workspace.manifest(both.replace('[eva@example.com]', '[eva@example.com, anna@example.com]'))
    await workspace.apply({ nowMs: june, only: ['process/**'] })
    expect(await workspace.run({ ...due, guarded: true })).toMatchObject({ report: { outcome: 'converged' } })
    expect(await workspace.changes({ nowMs: june })).toEqual([])
  })

  it('is the second of two who would leave nobody together', async () => {
    const both = administered('eva@example.com, tom@example.com').replace('name: eva', 'name: eva, until: 2026-05-31')
    workspace.manifest(both)
    await workspace.apply({ nowMs: may })
    const { document } = await workspace.plan({ ...due, guarded: true })
    expect(document.due?.refused).toMatchObject([{ svcId: 'tom@example.com' }])
    expect(document.changes.map(({ address }) => address)).toContain('user/eva@example.com')
  })

  it('refuses all where there are too many at once', async () => {
    workspace.write(
      'svcsync.yaml',
      `${readFileSync(`${workspace.dir}/svcsync.yaml`, 'utf8')}guards: { deletions: { max: 0, percent: 100 } }\n`,
    )
    const { document } = await workspace.plan({ ...due, guarded: true })
    expect(document.due?.refused).toBeUndefined()
    expect(document.guards).toContainEqual(expect.objectContaining({ guard: 'deletions', verdict: 'refused' }))
  })
})
