// Due changes: effects of dates, and no other change.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { refusals } from '../../src/core/guards/judge-guards.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderReportText } from '../../src/render/report/report-blocks.ts'
import { applyUntilKilled, resume } from '../harness/journals.ts'
import { openWorkspace, type RunOptions, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const tenant = {
  users: ['anna', 'ewa', 'jan', 'nina', 'ola'].map((name) => ({ svcId: `${name}@example.com`, name })),
  groups: [
    {
      svcId: 'clerks@example.com',
      name: 'Clerks',
      members: ['anna@example.com', 'jan@example.com', 'ola@example.com'],
    },
    { svcId: 'team@example.com', name: 'Team', members: ['ewa@example.com', 'nina@example.com'] },
  ],
  databases: [
    {
      id: 1,
      applications: [
        { name: 'A', processes: [{ name: 'P', privileges: [{ svcId: 'jan@example.com', level: 'Modify' }] }] },
      ],
    },
  ],
} as unknown as Tenant

/**
 * In June: Ewa's time has begun, Jan's and Nina's have ended, Anna's has neither. The rest was written and never
 * applied.
 */
const manifest = `users:
  - { svcId: anna@example.com, name: Anna, jobTitle: Controller }
  - { svcId: new@example.com, name: New }
groups:
  - svcId: clerks@example.com
    name: All clerks
    members:
      - { svcId: anna@example.com, from: 2026-01-01 }
      - { svcId: ewa@example.com, from: 2026-05-01 }
      - { svcId: jan@example.com, until: 2026-05-31 }
      - { svcId: nina@example.com, from: 2026-07-01 }
      - { svcId: new@example.com, until: 2026-12-31 }
memberships:
  - { group: team@example.com, members: [{ svcId: nina@example.com, until: 2026-04-30 }, jan@example.com] }
processes:
  - process: P
    privileges:
      Modify: [{ svcId: jan@example.com, until: 2026-05-31 }, anna@example.com]
`
const june = Date.parse('2026-06-15T12:00:00Z')

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'guards: { removals: { max: 1 } }' })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load(tenant)
  await workspace.control('DELETE', '/requests')
  workspace.manifest(manifest)
  rmSync(join(workspace.dir, 'due.jsonl'), { force: true })
})

const due = (more: Pick<RunOptions, 'due' | 'only'> = {}) => ({ nowMs: june, due: {}, ...more })
const rows = async (run: RunOptions) =>
  (await workspace.plan(run)).document.changes.flatMap(({ address, differences }) =>
    differences.map(({ path, added = [], removed = [] }) =>
      [address, path, ...added.map(({ svcId }) => `+${svcId}`), ...removed.map(({ svcId }) => `-${svcId}`)].join(' '),
    ),
  )

describe('what is due', () => {
  it('is what has begun and is not there, and what has ended and is; the rest is named and left', async () => {
    expect(await rows(due())).toEqual([
      'group/clerks@example.com members +ewa@example.com -jan@example.com',
      'group/team@example.com members -nina@example.com',
      'process/main/A/P privileges -jan@example.com',
    ])
    const { document } = await workspace.plan(due())
    expect(document.due).toEqual({
      since: null,
      pending: [
        'group/clerks@example.com',
        'group/team@example.com',
        'process/main/A/P',
        'user/anna@example.com',
        'user/new@example.com',
      ],
    })
    const text = renderPlanText(document, { colour: false, width: 200 })
    expect(text).toMatch(/^Due changes for test/)
    expect(text).toContain('5 objects would change besides, and are left: group/clerks@example.com, ')
    expect(text).toMatch(/svcsync apply without --due applies\s+all\./)
    expect(renderPlanMarkdown(document)).toContain('would change besides, and are left: `group/clerks@example.com`')
  })

  it('is applied alone, and then nothing is due', async () => {
    const { report } = await workspace.run(due())
    expect(report).toMatchObject({ outcome: 'converged', due: true })
    expect(renderReportText(report, { colour: false, width: 100, verbose: false })).toContain(
      'as declared in the due changes',
    )
    expect(writesOf(workspace.emulator).map(({ path }) => path)).not.toContainEqual(
      expect.stringContaining('/admin/user?'),
    )
    const { document } = await workspace.plan(due())
    expect(document.changes).toEqual([])
    expect(renderPlanText(document, { colour: false, width: 100 })).toContain(': no changes. Nothing is due.')
    const { groups = [] } = workspace.emulator.state() as { groups?: { svcId: string; members: string[] }[] }
    expect(groups.map(({ svcId, members }) => [svcId, members.toSorted()])).toEqual([
      // Members added by hand are no expired entries.
      ['clerks@example.com', ['anna@example.com', 'ewa@example.com', 'ola@example.com']],
      ['team@example.com', ['ewa@example.com']],
    ])
  })

  it('is what happened since the last apply, where somebody knows when that was', async () => {
    const sinceMs = Date.parse('2026-05-15T00:00:00Z')
    expect(await rows(due({ due: { sinceMs } }))).toEqual([
      'group/clerks@example.com members -jan@example.com',
      'process/main/A/P privileges -jan@example.com',
    ])
    expect(await rows(due({ due: { sinceMs: june } }))).toEqual([])
  })

  it('is held by guards, and limited to what is selected', async () => {
    expect(await rows(due({ only: ['process/**'] }))).toEqual(['process/main/A/P privileges -jan@example.com'])
    const { plan } = await workspace.plan(due())
    expect(refusals(plan.guards).map(({ guard }) => guard)).toEqual(['removals'])
  })

  it('is gone on with after a kill, under the same plan', async () => {
    const { plan } = await applyUntilKilled(workspace, 'due.jsonl', { atWrite: 2, sent: true }, due())
    expect(plan.steps.length).toBe(4)
    const { report } = await resume(workspace, 'due.jsonl', due())
    expect(report).toMatchObject({ outcome: 'converged', due: true, counts: { done: 4 } })
    expect(await rows(due())).toEqual([])
  })
})

it('finds nothing due where one line goes on where another ends, or an account is listed besides', async () => {
  workspace.manifest(`memberships:
  - group: team@example.com
    members:
      - { svcId: nina@example.com, until: 2026-04-30 }
      - { svcId: nina@example.com, from: 2026-05-01 }
      - { svcId: ola@example.com, until: 2026-04-30 }
      - { svcId: ola@example.com, from: 2026-05-01 }
  - { group: team@example.com, members: [jan@example.com] }
  - { group: team@example.com, members: [{ svcId: jan@example.com, from: 2026-05-01 }] }
`)
  // Ola and Jan were declared all the time, and never applied.
  expect(await rows(due())).toEqual([])
  expect((await workspace.plan(due())).document.due?.pending).toEqual(['group/team@example.com'])
})

it('leaves what the manifests have changed since, where it is known what they said before', async () => {
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  workspace.write('base/svcsync.yaml', project)
  // Ewa and Nina have no line yet, and Jan is listed to an earlier end in the process.
  workspace.write(
    'base/manifests/main.yaml',
    manifest
      .replace('      - { svcId: ewa@example.com, from: 2026-05-01 }\n', '')
      .replace('{ svcId: nina@example.com, until: 2026-04-30 }, ', '')
      .replace(
        'Modify: [{ svcId: jan@example.com, until: 2026-05-31 }',
        'Modify: [{ svcId: jan@example.com, until: 2026-03-31 }',
      ),
  )
  expect(await rows({ ...due(), base: 'folder' })).toEqual([
    'group/clerks@example.com members -jan@example.com',
    'process/main/A/P privileges -jan@example.com',
  ])
  expect((await workspace.plan({ ...due(), base: 'folder' })).document.due?.pending).toContain('group/team@example.com')
  // A removed declaration is not due by date.
  workspace.manifest(manifest.replace(/memberships:\n.*\n/, '').replace(/processes:[\s\S]*/, ''))
  expect(await rows({ ...due(), base: 'ledger' })).toEqual(['group/clerks@example.com members -jan@example.com'])
})
