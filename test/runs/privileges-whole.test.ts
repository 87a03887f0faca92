// Privileges that are managed whole: levels that nothing lists are empty, and nothing else is touched than what is
// declared.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const held = (level: string) => ({ svcId: `${level}@example.com`, level })
const levels = ['Administrator', 'Modify', 'Start']
const tenant = {
  users: ['Administrator', 'Modify', 'Start', 'ReadOnly', 'PortalDesigner'].map((name) => ({
    svcId: `${name}@example.com`,
    name,
  })),
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      applications: [
        {
          name: 'A',
          privileges: ['Administrator', 'PortalDesigner', 'ReadOnly'].map(held),
          processes: [
            {
              name: 'P',
              privileges: [...levels.map(held), { ...held('Start'), company: 'PL01' }],
              formTypes: [{ name: 'F' }],
              workflows: [{ name: 'W', formTypes: ['F'], privileges: { F: levels.map(held) } }],
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
})
beforeEach(() => workspace.emulator.load(tenant))
afterAll(() => workspace.close())

const manifest = (manage: string): string => `database: main
applications: [{ application: A, privileges: { Administrator: [Administrator@example.com] }, manage: ${manage} }]
processes:
  - process: P
    privileges: { Administrator: [Administrator@example.com], Modify: [Modify@example.com] }
    manage: ${manage}
    workflows:
      - workflow: W
        formTypes: [{ formType: F, privileges: { Modify: [Modify@example.com] }, manage: ${manage} }]
`
const removed = async (): Promise<string[]> =>
  (await workspace.plan()).document.changes.flatMap(({ address, differences }) =>
    differences.flatMap(({ removed = [], unlisted = [] }) =>
      removed.map(({ level, company }) => {
        return (
          `${address.split('/').at(-1)} ` +
          `${level}${company ? ` ${company.name}` : ''}${unlisted.includes(level ?? '') ? '' : ', listed'}`
        )
      }),
    ),
  )
const emptied = ['A PortalDesigner', 'A ReadOnly', 'P Start', 'P Start PL01', 'F Administrator', 'F Start']

const asText = (document: PlanDocument, verbose = false): string =>
  renderPlanText(document, { width: 100, verbose, colour: false })

describe('entries at levels that no manifest lists', () => {
  it('are counted, and listed where everything is shown; never is the platform as declared without that', async () => {
    workspace.manifest(manifest('{ privileges: exclusive }'))
    const before = workspace.emulator.requests().length
    const { document } = await workspace.plan()
    const paths = workspace.emulator
      .requests()
      .slice(before)
      .map(({ path }) => path)
    expect(paths.filter((path) => String(path).endsWith('/privileges'))).toHaveLength(3)
    expect(document.unlistedLevels).toEqual({
      entries: 6,
      levels: 5,
      listed: [
        { address: 'application/main/A', level: 'PortalDesigner', accounts: [{ svcId: 'PortalDesigner@example.com' }] },
        { address: 'application/main/A', level: 'ReadOnly', accounts: [{ svcId: 'ReadOnly@example.com' }] },
        {
          address: 'process/main/A/P',
          level: 'Start',
          accounts: [{ svcId: 'Start@example.com' }, { svcId: 'Start@example.com', company: 'PL01' }],
        },
        ...['Administrator', 'Start'].map((level) => ({
          address: 'process/main/A/P/workflow/W/form-type/F',
          level,
          accounts: [{ svcId: `${level}@example.com` }],
        })),
      ],
      notRead: [],
    })
    const said = 'Left alone: 6 entries at 5 levels that no manifest lists.'
    expect(asText(document)).toContain(': no changes. 4 objects are as declared.')
    expect(asText(document)).toContain(said)
    expect(asText(document, true)).toContain('Start Start@example.com, Start@example.com (PL01)')
    expect(renderPlanMarkdown(document)).toContain(said)
    expect(renderPlanMarkdown(document)).toContain(
      '`process/main/A/P` Start `Start@example.com`, `Start@example.com (PL01)`',
    )
    const validate = documentValidator(closedPlanSchema)
    expect([validate(document), validate.errors]).toEqual([true, null])
  })

  it('do not change the digest, and are gone where the privileges are managed whole', async () => {
    workspace.manifest(manifest('{ privileges: exclusive }'))
    const { digest } = (await workspace.plan()).document
    const privileges = [{ svcId: 'Modify@example.com', level: 'Start' }]
    workspace.emulator.edit({ addPrivileges: { process: 'P', privileges } })
    const after = (await workspace.plan()).document
    expect(after).toMatchObject({ digest, unlistedLevels: { entries: 7, levels: 5 } })
    workspace.manifest(manifest('{ privileges: whole }'))
    const { document } = await workspace.plan()
    expect(document.unlistedLevels).toEqual({ entries: 0, levels: 0, listed: [], notRead: [] })
    expect(asText(document)).not.toContain('Left alone')
  })

  it('are not read for it, which is said', async () => {
    workspace.manifest(
      'database: main\nprocesses: [{ process: P, workflows: [{ workflow: W, formTypes: [{ formType: F }] }] }]',
    )
    const { document } = await workspace.plan()
    expect(document.unlistedLevels).toMatchObject({
      entries: 0,
      notRead: ['process/main/A/P', 'process/main/A/P/workflow/W/form-type/F'],
    })
    expect(asText(document)).toContain('Not read: the levels of 2 objects, since no manifest lists any.')
  })
})

describe('privileges that are managed whole', () => {
  it('empty the levels that nothing lists, of each kind that has levels, and say so in every format', async () => {
    workspace.manifest(manifest('{ privileges: exclusive }'))
    expect(await removed()).toEqual([])
    workspace.manifest(manifest('{ privileges: whole }'))
    expect((await removed()).sort()).toEqual([...emptied].sort())
    const { planned, report } = await workspace.run()
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 6 } })
    expect(await workspace.changes()).toEqual([])
    expect(asText(planned.document)).toContain('level not listed: managed whole')
    expect(renderPlanMarkdown(planned.document)).toContain('(level not listed: managed whole)')
  })

  it('are what the project file says if nothing beside them says otherwise, and come back from an export', async () => {
    const strict = await openWorkspace({ tenant, settings: 'settings: { privileges: whole }' })
    try {
      strict.manifest(manifest('{ privileges: exclusive }'))
      expect(await strict.changes()).toEqual([])
      strict.manifest(manifest('{}'))
      expect(await strict.changes()).toHaveLength(3)
      for (const extent of ['sparse', 'complete'] as const) {
        const { files } = await strict.export({ extent })
        strict.manifest(files.map(({ text }) => text).join('---\n'))
        expect(strict.open().declarations.some(({ item }) => item.privileges !== undefined)).toBe(true)
        expect(await strict.changes()).toEqual([])
      }
    } finally {
      await strict.close()
    }
  })

  it('are put together from several places that all say so, and not from one that says otherwise', async () => {
    const item = (level: string, manage: string) =>
      `  - { process: P, privileges: { ${level}: [${level}@example.com] }, manage: { privileges: ${manage} } }`
    const both = (first: string, second: string) =>
      ['database: main', 'processes:', item('Administrator', first), item('Modify', second)].join('\n')
    workspace.manifest(both('whole', 'whole'))
    expect((await removed()).sort()).toEqual(['P Start', 'P Start PL01'])
    workspace.manifest(both('whole', 'exclusive'))
    expect(workspace.open().problems).toMatchObject([{ code: 'SVC1336', place: { line: 4 } }])
    workspace.manifest(both('whole', 'whole').replace('Modify', 'Administrator'))
    expect(workspace.open().problems).toMatchObject([{ code: 'SVC1301', place: { line: 4 } }])
    workspace.manifest('database: main\nprocesses: [{ process: P, manage: { privileges: whole } }]')
    expect(workspace.open().problems).toMatchObject([{ code: 'SVC1335', place: { line: 2, column: 37 } }])
    workspace.manifest('database: main\nprocesses: [{ process: P, privileges: {}, manage: { privileges: whole } }]')
    expect(await removed()).toHaveLength(4)
  })

  it('leave alone a level that an override takes out, although nothing lists it', async () => {
    const project = await openWorkspace({ tenant, target: '    overrides: [overrides]' })
    try {
      project.manifest(manifest('{ privileges: whole }'))
      project.write(
        'overrides/test.yaml',
        'processes: [{ process: P, unmanaged: [privileges.Start] }]\ndatabase: main\n',
      )
      expect(project.open().problems).toEqual([])
      const changed = (await project.plan()).document.changes.map(({ address }) => address)
      expect(changed).toEqual(['application/main/A', 'process/main/A/P/workflow/W/form-type/F'])
      project.manifest(manifest('{ privileges: exclusive }'))
      expect(project.open().problems).toMatchObject([{ code: 'SVC1319' }])
    } finally {
      await project.close()
    }
  })
})

describe('privileges that are managed whole', () => {
  it('are held by the guards, are in the digest and are seen by policies', async () => {
    const guarded = await openWorkspace({ tenant, settings: 'guards: { removals: { max: 1, percent: 100 } }' })
    try {
      guarded.manifest(manifest('{ privileges: whole }'))
      guarded.write(
        'policies/whole.yaml',
        'policies: [{ name: whole, for: [process], expression: whole, message: not managed whole }]\n',
      )
      const { document } = await guarded.plan()
      const refused = document.guards.flatMap(({ guard, verdict }) => (verdict === 'passed' ? [] : [guard]))
      expect(refused).toEqual(['removals', 'removals', 'removals'])
      expect(await guarded.apply({ guarded: true }).catch((error: { code: string }) => error.code)).toBe('SVC2070')
      // Nobody lists the level of Administrators, so that nobody would be left.
      guarded.manifest(
        'database: main\nprocesses: [{ process: P, privileges: { Modify: [] }, manage: { privileges: whole } }]',
      )
      const { guards } = (await guarded.plan()).document
      expect(guards.map(({ guard }) => guard)).toContain('last-administrator')
      guarded.manifest(manifest('{ privileges: exclusive }'))
      const open = await guarded.plan().catch((error: { problems: readonly { code: string }[] }) => error.problems)
      expect(open).toMatchObject([{ code: 'SVC1801' }])
    } finally {
      await guarded.close()
    }
  })

  it('are emptied by a saved plan as by another, where the project manages them whole', async () => {
    const strict = await openWorkspace({ tenant, settings: 'settings: { privileges: whole }' })
    try {
      strict.manifest(manifest('{}').replaceAll(/, manage: \{\}| {4}manage: \{\}\n/g, ''))
      const text = await savedText(strict)
      expect(parsed(text).changes).toHaveLength(3)
      expect(documentValidator(closedPlanSchema)(JSON.parse(text))).toBe(true)
      // It was refused: what nothing lists came out as left alone.
      expect(await applySaved(strict, text)).toMatchObject({ outcome: 'converged' })
      expect(await strict.changes()).toEqual([])
    } finally {
      await strict.close()
    }
  })

  it('do not reach what is taken back: an undo speaks of the levels that were touched alone', async () => {
    const strict = await openWorkspace({ tenant, settings: 'settings: { privileges: whole }' })
    try {
      strict.manifest(manifest('{ privileges: exclusive }').replace('[Modify@example.com] }\n', '[] }\n'))
      await applyUntilKilled(strict, 'a.jsonl', { atWrite: 1000, sent: true })
      const { undone, report } = await undo(strict, 'a.jsonl', 'b.jsonl')
      expect(undone.document.counts).toMatchObject({ steps: 1, added: 1, removed: 0 })
      expect(report).toMatchObject({ outcome: 'converged' })
    } finally {
      await strict.close()
    }
  })
})
