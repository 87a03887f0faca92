// Plans against a base: what they take back goes through saved plans as through others, and rests on what is live.
import { describe, expect, it } from 'vitest'
import { driftOf } from '../../src/render/changes/by-cause.ts'
import { renderDriftJson } from '../../src/render/report/render-json.ts'
import { closedPlanSchema, planValidator } from '../harness/plan-schema.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { hasBase, onceApplied, openScenario, readScenario, scenarioNames } from '../harness/scenario.ts'
import { openWorkspace } from '../harness/workspace.ts'

const isPlan = planValidator(closedPlanSchema)

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

describe('what a base costs', () => {
  it('is no request where nothing is taken back, and one for each object that something is taken from', async () => {
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
      // What is kept is only listed.
      workspace.baseManifest(`${now}users: [{ svcId: anna@example.com }]\nconstants: [{ name: C, common: x }]\n`)
      expect(await asked('ledger')).toEqual(alone)
      workspace.baseManifest(`${now}processes:\n  - { process: P, privileges: { Start: [anna@example.com] } }\n`)
      const more = (await asked('ledger')).filter((request) => !alone.includes(request))
      expect(more.filter((request) => request.endsWith('/privileges'))).toHaveLength(1)
    } finally {
      await workspace.close()
    }
  })
})
