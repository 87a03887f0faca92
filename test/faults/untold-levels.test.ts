// An installation that tells no levels in lists of privileges: what is sent, what is taken back, and what is said of
// the rest.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { BehaviourChanges } from '../../src/emulator/index.ts'
import { applyUntilKilled, resume, undo } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const users = ['anna', 'ewa', 'jan', 'nina'].map((name) => ({ svcId: `${name}@example.com`, name }))
const held = (...privileges: readonly string[]) =>
  privileges.map((each) => {
    const [name, level] = each.split(' ')
    return { svcId: `${name}@example.com`, level }
  })

const open = async (privileges: readonly string[], version = '6.0', behaviour: BehaviourChanges = {}) => {
  const processes = [{ name: 'P', privileges: held(...privileges) }]
  workspace = await openWorkspace({
    tenant: { users, databases: [{ id: 1, applications: [{ name: 'A', processes }] }] } as never,
    behaviour: { privilegeLevel: 'omitted', ...behaviour },
    target: `    apiVersion: "${version}"`,
    settings: 'settings: { retry: { attempts: 3, maxDelay: 5ms } }',
  })
}
const levels = () =>
  (workspace.emulator.state().databases?.[0]?.applications?.[0]?.processes?.[0]?.privileges ?? [])
    .map(({ svcId, level }) => `${svcId.replace('@example.com', '')} ${level}`)
    .sort()
const says = (text: string) => {
  const full = text.replace(/\b(anna|ewa|jan|nina)\b/g, '$1@example.com')
  return `database: main\nprocesses: [{ process: P, ${full} }]\n`
}
const since = { base: 'ledger' } as const
const steps = ({ plan }: { plan: { steps: readonly { verb: string; elements?: readonly object[] | undefined }[] } }) =>
  plan.steps.map(({ verb, elements = [] }) => {
    const [{ svcId, level }] = elements as [{ svcId: string; level: string }]
    return `${verb} ${svcId.replace('@example.com', '')} ${level}`
  })
/** Applies what comes after what was applied. */
const applyAfter = async (before: string, now: string) => {
  workspace.baseManifest(says(before))
  workspace.manifest(says(now))
  return workspace.run(since)
}

describe.each(['6.0', '5.0'])('in API %s', (version) => {
  it('sends what the manifests changed since the base, by its level, and converges', async () => {
    await open(['jan ReadOnly', 'ewa Administrator'], version)
    const before = 'privileges: { Administrator: [ewa], ReadOnly: [jan] }'
    const now = 'privileges: { Administrator: [ewa, jan], ReadOnly: [] }'
    const { planned, report } = await applyAfter(before, now)
    expect(steps(planned)).toEqual(['remove jan ReadOnly', 'add jan Administrator'])
    expect(report.outcome).toBe('converged')
    expect(levels()).toEqual(['ewa Administrator', 'jan Administrator'])
    // The ledger has moved: what was applied is what is declared.
    workspace.baseManifest(says(now))
    expect(await workspace.changes(since)).toEqual([])
  })

  it('adds who is missing with or without a base, and says that it cannot compare the rest', async () => {
    await open(['jan ReadOnly'], version)
    workspace.manifest(says('privileges: { Administrator: [ewa], Modify: [jan] }'))
    const { planned, report } = await workspace.run()
    expect(steps(planned)).toEqual(['add ewa Administrator'])
    expect(planned.document.unverifiable).toMatchObject([{ paths: ['privileges'] }])
    expect(report.outcome).toBe('converged')
    expect(levels()).toEqual(['ewa Administrator', 'jan ReadOnly'])
    expect(await workspace.changes()).toEqual([])
  })

  it('tells that an account is listed fewer times than it was given levels, and the next plan sends them', async () => {
    await open(['jan ReadOnly'], version, { privilegeLevels: 'single' })
    workspace.manifest(says('privileges: { Administrator: [ewa, jan], Modify: [jan] }'))
    const { report } = await workspace.run()
    const reason = 'the platform lists an account fewer times than it was given levels: it may keep one of them'
    expect(report).toMatchObject({ outcome: 'different', verified: { unequal: [{ reason }] } })
    const [change] = (await workspace.plan()).document.changes
    expect(report.verified.unequal[0]?.differences).toEqual(change?.differences)
    expect(change?.differences).toMatchObject([{ added: [{ level: 'Administrator' }, { level: 'Modify' }] }])
  })

  it('takes an undeclared account away level by level where all are managed, and leaves it elsewhere', async () => {
    await open(['jan Administrator', 'ewa Modify', 'ewa Start'], version)
    workspace.manifest(says('privileges: { Administrator: [jan] }'))
    const left = await workspace.run()
    expect(left.planned.plan.steps).toEqual([])
    workspace.manifest(says('manage: { privileges: whole }, privileges: { Administrator: [jan] }'))
    const { planned, report } = await workspace.run()
    expect(steps(planned).every((step) => step.startsWith('remove ewa '))).toBe(true)
    expect(steps(planned)).toHaveLength(7)
    expect(report.outcome).toBe('converged')
    expect(levels()).toEqual(['jan Administrator'])
    expect(await workspace.changes()).toEqual([])
  })

  it('counts the Administrators that are declared, and refuses to take the last', async () => {
    await open(['jan Administrator', 'ewa Modify'], version)
    workspace.baseManifest(says('privileges: { Administrator: [jan] }'))
    workspace.manifest(says('privileges: { Administrator: [], Modify: [jan] }'))
    const { plan } = await workspace.plan(since)
    expect(plan.guards.flatMap(({ guard, verdict }) => (verdict === 'refused' ? guard : []))).toEqual([
      'last-administrator',
    ])
    workspace.manifest(says('manage: { privileges: whole }, privileges: { Modify: [jan] }'))
    expect(
      (await workspace.plan()).plan.guards.flatMap(({ guard, verdict }) => (verdict === 'refused' ? guard : [])),
    ).toContain('last-administrator')
  })

  it('is taken back by what was sent, and by another undo of that', async () => {
    await open(['jan ReadOnly', 'ewa Administrator'], version)
    workspace.baseManifest(says('privileges: { Administrator: [ewa], ReadOnly: [jan] }'))
    workspace.manifest(says('privileges: { Administrator: [ewa, jan, nina], ReadOnly: [] }'))
    const before = levels()
    await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true }, since)
    const after = levels()
    expect(after).toEqual(['ewa Administrator', 'jan Administrator', 'nina Administrator'])
    // The base tells the remaining Administrator.
    const first = await undo(workspace, 'a.jsonl', 'b.jsonl', { guarded: true })
    expect(levels()).toEqual(before)
    expect([first.report.outcome, first.undone.document.warnings]).toEqual(['converged', []])
    const second = await undo(workspace, 'b.jsonl', 'c.jsonl')
    expect(second.report.outcome).toBe('converged')
    expect(levels()).toEqual(after)
  })
})

describe.each(['6.0', '5.0'])('in API %s', (version) => {
  it('is not called taken back where nobody knows what an account had', async () => {
    await open(['jan ReadOnly', 'ewa Administrator'], version)
    workspace.baseManifest(says('privileges: { Administrator: [ewa] }'))
    workspace.manifest(says('privileges: { Administrator: [ewa, jan, nina] }'))
    await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true }, since)
    const { undone, report } = await undo(workspace, 'a.jsonl', 'b.jsonl')
    expect(levels()).toEqual(['ewa Administrator', 'jan Administrator', 'jan ReadOnly'])
    expect(undone.document.warnings).toMatchObject([
      {
        code: 'SVC2260',
        message:
          '`jan@example.com` was in its privileges before, with levels that the platform does not tell: ' +
          'svcsync does not know whether it had Administrator: it stays',
      },
    ])
    expect(report).toMatchObject({ outcome: 'different', left: [{ code: 'SVC2260' }] })
  })

  it('tells that somebody came by hand into a list that is managed whole', async () => {
    await open([], version)
    const whole = 'manage: { privileges: whole }, privileges: { Administrator: [ewa] }'
    expect((await applyAfter(whole, whole)).report.outcome).toBe('converged')
    const tenant = workspace.emulator.state() as { databases: { applications: { processes: object[] }[] }[] }
    Object.assign(tenant.databases[0]?.applications[0]?.processes[0] as object, {
      privileges: held('ewa Administrator', 'nina Modify'),
    })
    workspace.emulator.load({ ...tenant, behaviour: { privilegeLevel: 'omitted' } } as never)
    const [change] = (await workspace.plan(since)).document.changes
    expect(change?.differences).toMatchObject([{ cause: 'live', removed: [{ svcId: 'nina@example.com' }] }])
  })

  it('takes a line of another business entity for no level of the declared one', async () => {
    const businessEntities = ['PL01', 'DE01'].map((code) => ({ code, name: code }))
    const processes = [{ name: 'P', privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly', company: 'PL01' }] }]
    workspace = await openWorkspace({
      tenant: { users, databases: [{ id: 1, businessEntities, applications: [{ name: 'A', processes }] }] } as never,
      behaviour: { privilegeLevel: 'omitted' },
      target: `    apiVersion: "${version}"`,
    })
    workspace.manifest(says('privileges: { Start: [{ svcId: jan, company: DE01 }] }'))
    expect((await workspace.apply()).outcome).toBe('converged')
    expect(levels()).toEqual(['jan ReadOnly', 'jan Start'])
  })

  it('goes on with an apply that was killed, and repeats nothing that was answered', async () => {
    await open(['jan ReadOnly', 'ewa Administrator'], version)
    workspace.baseManifest(says('privileges: { Administrator: [ewa], ReadOnly: [jan] }'))
    workspace.manifest(says('privileges: { Administrator: [ewa, nina], ReadOnly: [], Modify: [jan] }'))
    for (const atWrite of [1, 2, 3]) {
      rmSync(join(workspace.dir, 'a.jsonl'), { force: true })
      workspace.emulator.load({
        users,
        behaviour: { privilegeLevel: 'omitted' },
        databases: [
          {
            id: 1,
            applications: [
              { name: 'A', processes: [{ name: 'P', privileges: held('jan ReadOnly', 'ewa Administrator') }] },
            ],
          },
        ],
      } as never)
      await applyUntilKilled(workspace, 'a.jsonl', { atWrite, sent: true }, since)
      const { report } = await resume(workspace, 'a.jsonl', since)
      expect(report.outcome).toBe('converged')
      expect(levels()).toEqual(['ewa Administrator', 'jan Modify', 'nina Administrator'])
    }
  })

  it('sends again what a lost answer leaves open, and calls nothing done that was refused', async () => {
    const before = 'privileges: { Administrator: [ewa], ReadOnly: [jan] }'
    const now = 'privileges: { Administrator: [ewa, jan], ReadOnly: [] }'
    for (const carriedOut of [true, false]) {
      await open(['jan ReadOnly', 'ewa Administrator'], version)
      const effect = { kind: 'reset', carriedOut } as const
      workspace.emulator.addFault({ match: { method: 'POST', path: '*/privileges/*' }, count: 2, effect })
      const { report } = await applyAfter(before, now)
      expect(report).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
      expect(levels()).toEqual(['ewa Administrator', 'jan Administrator'])
      await workspace.close()
    }
    await open(['jan ReadOnly', 'ewa Administrator'], version)
    const refusal = { kind: 'status', status: 400 } as const
    workspace.emulator.addFault({ match: { method: 'POST', path: '*/privileges/add' }, count: 9, effect: refusal })
    const { report } = await applyAfter(before, now)
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1, unchanged: 0, failed: 1 } })
  })
})
