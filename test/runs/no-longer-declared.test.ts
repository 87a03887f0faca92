// Plans against a base: what they take back goes through saved plans as through others, and rests on what is live.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { driftOf } from '../../src/render/changes/by-cause.ts'
import { renderPlanHtml } from '../../src/render/html/plan-page.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderDriftJson } from '../../src/render/report/render-json.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { hasBase, onceApplied, openScenario, readScenario, scenarioNames } from '../harness/scenario.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const isPlan = documentValidator(closedPlanSchema)

const tenant = {
  users: [{ svcId: 'anna@example.com' }, { svcId: 'jan@example.com' }, { svcId: 'ewa@example.com' }],
  groups: [
    { svcId: 'staff@example.com', name: 'Staff', members: ['anna@example.com', 'jan@example.com', 'ewa@example.com'] },
  ],
}

describe.each(scenarioNames().filter(hasBase))('a saved plan of %s', (name) => {
  it('applies what it shows, without the base', async () => {
    const scenario = readScenario(name)
    const workspace = await openScenario(name, scenario)
    try {
      const base = scenario.base ?? 'folder'
      const { document } = await workspace.plan({ base })
      const text = await savedText(workspace, { base })
      const saved = parsed(text)
      expect(saved.digest).toBe(document.digest)
      const drift: unknown = JSON.parse(renderDriftJson(driftOf(document), {}))
      for (const form of [JSON.parse(JSON.stringify(document)), drift, JSON.parse(text)])
        expect([isPlan(form), isPlan.errors]).toEqual([true, null])
      expect(saved.noLongerDeclared).toEqual(JSON.parse(JSON.stringify(document.noLongerDeclared)))
      expect(saved.changes).toEqual(JSON.parse(JSON.stringify(document.changes)))
      workspace.write('base/manifests/main.yaml', '')
      workspace.write('base/svcsync.yaml', '')
      const report = await applySaved(workspace, text)
      expect(report.outcome).toBe(document.steps.length === 0 ? 'nothing-to-do' : 'converged')
      workspace.baseManifest('')
      expect(await onceApplied(workspace)).toEqual({ changes: [], noLongerDeclared: [] })
    } finally {
      await workspace.close()
    }
  })
})

describe('what is declared no more', () => {
  it('is not taken by a saved plan once somebody else has changed the list', async () => {
    const workspace = await openWorkspace({ tenant })
    try {
      workspace.baseManifest('memberships:\n  - { group: staff@example.com, members: [anna@example.com] }\n')
      const text = await savedText(workspace, { base: 'folder' })
      workspace.emulator.edit({ removeMembers: { group: 'staff@example.com', members: ['anna@example.com'] } })
      await expect(applySaved(workspace, text)).rejects.toMatchObject({ code: 'SVC2107' })
    } finally {
      await workspace.close()
    }
  })
})

it.each(['remove', 'keep'])(
  'is listed under the address that selects it, with slashes in names: %s',
  async (entries) => {
    const privileges = [{ svcId: 'anna@example.com', level: 'Start' }]
    const databases = [{ id: 1, applications: [{ name: 'A/B', processes: [{ name: 'P/Q', privileges }] }] }]
    const settings = `removed: { entries: ${entries} }`
    const workspace = await openWorkspace({ tenant: { ...tenant, databases } as never, settings })
    try {
      workspace.baseManifest(
        'processes: [{ application: A/B, process: P/Q, privileges: { Start: [anna@example.com] } }]\n',
      )
      workspace.manifest('users: []\n')
      // A kept entry is not read: it is listed as it was written.
      const { noLongerDeclared } = (await workspace.plan({ base: 'folder' })).document
      expect(noLongerDeclared?.map(({ address }) => address)).toEqual(['process/main/A\\/B/P\\/Q'])
    } finally {
      await workspace.close()
    }
  },
)

describe('a base whose target had other databases', () => {
  const manifestIn = (database: string, ...who: string[]): string =>
    `${database}processes: [{ process: P, privileges: { Start: [${who}] }, manage: { privileges: additive } }]\n`
  const taken = ['anna@example.com']

  it('takes back where that was given, whatever the database is called now, and nowhere else', async () => {
    const privileges = ['anna@example.com', 'jan@example.com'].map((svcId) => ({ svcId, level: 'Start' }))
    const databases = [1, 2].map((id) => ({
      id,
      applications: [{ name: 'A', processes: [{ name: 'P', privileges }] }],
    }))
    const workspace = await openWorkspace({ tenant: { ...tenant, databases } as never })
    try {
      workspace.manifest(manifestIn('database: main\n', 'jan@example.com'))
      for (const [then, said, goes] of [
        ['{ main: 1 }', 'database: main\n', taken],
        ['{ old: 1 }', 'database: old\n', taken],
        ['{ old: 1 }', '', taken],
        ['{ main: 2, old: 1 }', 'database: 1\n', taken],
        ['{ main: 2, old: 1 }', 'database: old\n', taken],
        ['{ main: 2, old: 1 }', 'database: main\n', []],
      ] as const) {
        workspace.baseManifest(manifestIn(said, 'anna@example.com', 'jan@example.com'))
        const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
        workspace.write('base/svcsync.yaml', project.replace('{ main: 1 }', then))
        const { changes, warnings } = (await workspace.plan({ base: 'ledger' })).document
        const removed = changes.flatMap(({ differences }) => differences.flatMap((each) => each.removed ?? []))
        expect([then, said, removed.map(({ svcId }) => svcId)]).toEqual([then, said, goes])
        expect(warnings.map(({ code }) => code)).toEqual(goes.length > 0 ? [] : ['SVC2242'])
      }
    } finally {
      await workspace.close()
    }
  })
})

describe('drift with a base', () => {
  const flat = (text: string) => text.replace(/\s+/g, ' ')
  const applications = [
    { name: 'A', processes: [{ name: 'P', privileges: [{ svcId: 'staff@example.com', level: 'Start' }] }] },
  ]
  /** The group as it is declared, and who may start the process. */
  const declared = (name: string, ...members: string[]) => `database: main
groups: [{ svcId: staff@example.com, name: ${name}, members: [${members.map((each) => `${each}@example.com`).join(', ')}] }]
processes: [{ application: A, process: P, privileges: { Start: [staff@example.com] } }]
`
  const driftIn = async (workspace: Workspace) => {
    const { document, driftAccess } = await workspace.plan({ base: 'ledger' })
    const drift = driftOf(document, driftAccess?.())
    const text = renderPlanText(drift, { colour: false, width: 100, drift: {} })
    const others = [
      renderPlanMarkdown(drift, { drift: {} }),
      renderPlanHtml(drift, { drift: {}, hash: () => '' }).replace(/<\/?code>/g, '`'),
    ]
    return { document, drift, text, others }
  }

  it('speaks of what moved on the platform, and says what an apply does besides', async () => {
    const workspace = await openWorkspace({ tenant: { ...tenant, databases: [{ id: 1, applications }] } as never })
    try {
      workspace.baseManifest(declared('Staff', 'anna', 'jan'))
      workspace.manifest(declared('Everybody', 'anna'))
      const { document, drift, text, others } = await driftIn(workspace)
      expect(document.access).toMatchObject({ lost: [{ subject: 'ewa@example.com' }, { subject: 'jan@example.com' }] })
      expect(drift.access).toMatchObject({ lost: [{ subject: 'ewa@example.com' }] })
      expect(drift.counts).toMatchObject({ create: 0, update: 1, delete: 0, added: 0, removed: 1, lost: 1, steps: 1 })
      expect(document.counts).toMatchObject({ removed: 2, lost: 2, steps: 2 })
      expect(text).toMatch(/\+ ewa@example\.com .*\n? +through staff@example\.com/)
      expect(text).not.toContain('+ jan@example.com')
      expect(flat(text)).toContain(
        'Entries added on the platform Healing removes them. ~ group/staff@example.com members +ewa@example.com',
      )
      expect(flat(text)).toContain(
        'Drift: 0 created, 1 changed, 0 missing; members +1; access +1; healing takes 1 request',
      )
      expect(flat(text)).toContain('as declared; it also applies the pending changes, 1 object: svcsync apply')
      expect(flat(text)).toContain(
        'No longer declared since 0123456, and what becomes of it with an apply taken away ' +
          'group/staff@example.com members jan@example.com base/manifests/main.yaml:2:79 ',
      )
      for (const each of others) {
        expect(each).toContain(', and what becomes of it with an apply')
        expect(each).toMatch(/jan@example\.com[^\n]{1,60}base\/manifests\/main\.yaml:2:79/)
        expect(each).toContain('it also applies the pending changes, 1 object')
      }
    } finally {
      await workspace.close()
    }
  })

  it('says of an entry that another repository took away what was seen, and not that a hand did it', async () => {
    const workspace = await openWorkspace({ tenant })
    const entry = (...members: string[]) =>
      `memberships:\n  - { group: staff@example.com, members: [${members.join(', ')}] }\n`
    try {
      // Both have given it, and the other takes back what it gave.
      workspace.baseManifest(entry('anna@example.com'))
      await workspace.apply({ base: 'folder' })
      workspace.manifest(entry('anna@example.com'))
      workspace.baseManifest(entry('anna@example.com'))
      const { document, text, others } = await driftIn(workspace)
      expect(document.changes).toMatchObject([
        { differences: [{ cause: 'live', added: [{ svcId: 'anna@example.com' }] }] },
      ])
      expect(flat(text)).toContain('Changed on the platform ~ group/staff@example.com members -anna@example.com')
      const plan = renderPlanText(document, { colour: false, width: 100 })
      expect(plan).toContain('Reverts changes made on the platform since 0123456')
      for (const each of [text, plan, ...others, renderPlanMarkdown(document)]) expect(each).not.toContain('by hand')
    } finally {
      await workspace.close()
    }
  })
})

describe('an entry whose time is over', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const until = (moment: string) =>
    `memberships:\n  - { group: staff@example.com, members: [{ svcId: anna@example.com, until: "${moment}" }] }\n`
  it.each([
    ['was over when it was applied: who has it got it from somebody else', '2025-12-31T22:59:00Z', 0],
    ['ended while it may have been applied', '2025-12-31T23:01:00Z', 1],
    ['ended since', '2026-01-15T00:00:00Z', 1],
  ])('%s', async (_, moment, removed) => {
    const workspace = await openWorkspace({ tenant })
    try {
      workspace.baseManifest(until(moment))
      const run = {
        base: { applied: 'base', at },
        createdAt: '2026-02-01T00:00:00.000Z',
        nowMs: Date.parse('2026-02-01T00:00:00Z'),
      }
      const { document } = await workspace.plan(run)
      expect(document.noLongerDeclared).toHaveLength(removed)
      if (removed === 0) return
      // A saved plan rests on the same moment.
      const report = await applySaved(workspace, await savedText(workspace, run), { nowMs: run.nowMs })
      expect(report.outcome).toBe('converged')
    } finally {
      await workspace.close()
    }
  })
})

it('an entry that is to begin only later is taken until then, and stays with whoever else has it', async () => {
  const workspace = await openWorkspace({ tenant })
  const list = (entry: string) =>
    'memberships:\n  - { group: staff@example.com, members: ' +
    `[${entry}, { svcId: ewa@example.com, from: 2026-03-01 }] }\n`
  try {
    workspace.baseManifest(list('jan@example.com, anna@example.com'))
    workspace.manifest(list('jan@example.com, { svcId: anna@example.com, from: 2026-03-01 }'))
    const { document } = await workspace.plan({ base: 'ledger' })
    expect(document.changes).toMatchObject([{ differences: [{ removed: [{ svcId: 'anna@example.com' }] }] }])
    expect(document.noLongerDeclared).toMatchObject([{ becomes: 'removed', element: { svcId: 'anna@example.com' } }])
  } finally {
    await workspace.close()
  }
})

it.each(['anna@example.com', 'Anna@Example.com'])(
  'an entry whose level the platform does not tell is taken back, whatever case it is written in: %s',
  async (svcId) => {
    const privileges = [{ svcId: 'anna@example.com', level: 'Start' }]
    const databases = [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P', privileges }] }] }]
    const workspace = await openWorkspace({
      tenant: { ...tenant, databases } as never,
      behaviour: { privilegeLevel: 'omitted' },
    })
    try {
      workspace.baseManifest(`processes: [{ process: P, privileges: { Start: [${svcId}] } }]\n`)
      const { document } = await workspace.plan({ base: 'ledger' })
      expect(document.noLongerDeclared).toMatchObject([
        { path: 'privileges', becomes: 'removed', element: { svcId, level: 'Start' } },
      ])
      expect(document.noLongerDeclared?.[0]).not.toHaveProperty('reason')
    } finally {
      await workspace.close()
    }
  },
)

it('a substitution stays limited to what it was limited to', async () => {
  const guid = 'a0000000-0000-4000-8000-000000000000'
  const workspace = await openWorkspace({
    tenant: {
      ...tenant,
      databases: [{ id: 1, applications: [{ name: 'A', guid }] }],
      substitutions: [
        {
          startDate: '2100-01-01T00:00:00Z',
          endDate: '2100-01-10T23:59:59Z',
          type: 'TaskDelegation',
          originalPerson: { svcId: 'anna@example.com' },
          substitutePerson: { svcId: 'jan@example.com' },
          activeApplications: { allApplications: false, applications: [{ guid, dbId: 1, name: 'A' }], processes: [] },
        },
      ],
    } as never,
  })
  const said = 'person: anna@example.com, substitute: jan@example.com, type: TaskDelegation, from: 2100-01-01'
  const list = (more: string) => `database: main\nsubstitutions: [{ ${said}, to: 2100-01-10${more} }]\n`
  try {
    workspace.baseManifest(list(', applications: [A]'))
    for (const now of ['', list('')]) {
      workspace.manifest(now)
      const { document } = await workspace.plan({ base: 'ledger' })
      expect(document.changes).toEqual([])
      expect(document.noLongerDeclared).toContainEqual(
        expect.objectContaining({ path: 'applications', becomes: 'kept' }),
      )
    }
  } finally {
    await workspace.close()
  }
})

it('licences of a user whom prune deletes are taken before', async () => {
  const licenses = { assigned: [{ svcId: 'ewa@example.com', licenses: ['PowerUser'] }] }
  const workspace = await openWorkspace({
    tenant: { ...tenant, licenses } as never,
    settings: 'prune: { users: [ewa*] }\nguards: { deletions: { percent: 100 } }\n',
  })
  try {
    const others = 'users: [{ svcId: anna@example.com }, { svcId: jan@example.com }'
    workspace.baseManifest(
      `${others}, { svcId: ewa@example.com }]\n` +
        'licenses: [{ svcId: ewa@example.com, licenses: [{ type: PowerUser }] }]\n',
    )
    workspace.manifest(`${others}]\n`)
    const { document } = await workspace.plan({ base: 'ledger' })
    expect(document.steps).toMatchObject([
      { id: '1', verb: 'remove', address: 'license/ewa@example.com' },
      { verb: 'delete', address: 'user/ewa@example.com', dependsOn: expect.arrayContaining(['1']) },
    ])
  } finally {
    await workspace.close()
  }
})

describe('what a base costs', () => {
  it('is a list for each dropped kind, and one request for each object that something is taken from', async () => {
    const applications = [{ name: 'A', processes: [{ name: 'P' }, { name: 'Q' }] }]
    const workspace = await openWorkspace({ tenant: { ...tenant, databases: [{ id: 1, applications }] } as never })
    const asked = async (base?: 'ledger'): Promise<string[]> => {
      await workspace.control('DELETE', '/requests')
      await workspace.plan({ base })
      return workspace.emulator.requests().map(({ method, path }) => `${method} ${path}`)
    }
    try {
      const now = 'groups:\n  - { svcId: staff@example.com, name: Staff }\n'
      workspace.manifest(now)
      const alone = await asked()
      workspace.baseManifest(now)
      expect(await asked('ledger')).toEqual(alone)
      // Presence is enough, and svcsync has no scope for these kinds yet.
      workspace.baseManifest(`${now}users: [{ svcId: anna@example.com }]\nconstants: [{ name: C, common: x }]\n`)
      const lists = ['/admin/user', '/db/1/admin/constants'].map((path) => `GET /api/data/v6.0${path}`)
      const token = 'POST /api/oauth2/token'
      expect((await asked('ledger')).sort()).toEqual([...alone, ...lists, token, token].sort())
      workspace.baseManifest(`${now}processes:\n  - { process: P, privileges: { Start: [anna@example.com] } }\n`)
      const more = (await asked('ledger')).filter((request) => !alone.includes(request))
      expect(more.filter((request) => request.endsWith('/privileges'))).toHaveLength(1)
    } finally {
      await workspace.close()
    }
  })
})
