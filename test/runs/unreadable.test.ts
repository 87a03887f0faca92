// Unreadable objects are skipped with their dependants: by plans in files, by resumed journals, and by undo.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { OperatorError } from '../../src/errors/index.ts'
import { applyUntilKilled, resume, undo } from '../harness/journals.ts'
import { applySaved, forgedText, parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writeLines, writesOf } from '../harness/write-log.ts'

const tenant = {
  users: ['anna', 'ewa', 'jan'].map((svcId) => ({ svcId, name: svcId })),
  groups: ['clerks', 'staff', 'team'].map((svcId) => ({ svcId, name: svcId, members: ['jan'] })),
  databases: [{ id: 1, applications: [{ name: 'A', privileges: [{ svcId: 'jan', level: 'Administrator' }] }] }],
} as unknown as Tenant

/** Clerks change, and come into staff with anna; staff may read. */
const manifest = `database: main
groups:
  - { svcId: clerks, name: All clerks, members: [jan, ewa] }
  - { svcId: staff, name: staff, members: [jan, anna, clerks] }
  - { svcId: team, name: Team }
applications: [{ application: A, privileges: { ReadOnly: [staff, clerks] } }]
`

let workspace: Workspace
const hide = (svcId: string): void => {
  const effect = { kind: 'status', status: 403 }
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/admin/group', query: svcId },
    effect,
    count: null,
  } as never)
}
const written = (): string[] => writeLines(writesOf(workspace.emulator))

beforeAll(async () => {
  workspace = await openWorkspace({ tenant, settings: 'settings: { sync: { timeout: 100ms } }' })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.clearFaults()
  workspace.emulator.load(tenant)
  workspace.manifest(manifest)
  await workspace.control('DELETE', '/requests')
})

const clerksUnread = { outcome: 'skipped', reason: 'group/clerks could not be read', attempts: 0 }

describe('a plan in a file', () => {
  it('leaves alone what the file says could not be read, whether or not it can be read now', async () => {
    hide('clerks')
    const text = await savedText(workspace)
    expect(parsed(text).unreadable).toMatchObject([{ address: 'group/clerks', account: 'clerks' }])
    const restsOn = parsed(text).steps.flatMap((step) => (step.restsOn ? `${step.verb} ${step.address}` : []))
    expect(restsOn).toEqual(['add application/main/A', 'add group/staff'])
    workspace.emulator.clearFaults()
    const report = await applySaved(workspace, text)
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 3, skipped: 2, failed: 0 } })
    expect(report.unreadable).toEqual(parsed(text).unreadable)
    expect(report.steps.filter(({ outcome }) => outcome === 'skipped')).toMatchObject([clerksUnread, clerksUnread])
    expect(written().filter((line) => line.includes('clerks'))).toEqual([])
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    expect(await workspace.changes()).toEqual([])
  })

  it('skips what cannot be read any more, and what depends on it', async () => {
    const text = await savedText(workspace)
    const { steps } = parsed(text)
    hide('clerks')
    const report = await applySaved(workspace, text)
    // The batch into staff goes as one, as it was planned.
    const rests = steps.filter(
      ({ address, elements = [] }) => address === 'group/clerks' || elements.some(({ svcId }) => svcId === 'clerks'),
    )
    const skipped = report.steps.filter(({ outcome }) => outcome === 'skipped')
    expect(skipped.map(({ id }) => id).sort()).toEqual(rests.map(({ id }) => id).sort())
    expect(report).toMatchObject({ outcome: 'partial', unreadable: [{ address: 'group/clerks', isNew: true }] })
    expect(report.steps.map(({ id }) => id).sort()).toEqual(steps.map(({ id }) => id).sort())
    expect(written()).toEqual([
      'PATCH /admin/group?svcId=team {"name":"Team"}',
      expect.stringMatching(/privileges\/add \{"svcId":"staff","level":"ReadOnly"\}$/),
    ])
    workspace.emulator.clearFaults()
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  })

  it('skips steps that need an account which cannot be read any more', async () => {
    // It needs nothing itself: it is one of the accounts that steps refer to.
    workspace.manifest(manifest.replace('name: All clerks, members: [jan, ewa]', 'name: clerks'))
    const text = await savedText(workspace)
    expect(parsed(text).saved.accounts).toContain('group/clerks')
    hide('clerks')
    const report = await applySaved(workspace, text)
    expect(report.steps.filter(({ outcome }) => outcome === 'skipped')).toMatchObject([clerksUnread, clerksUnread])
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 2, skipped: 2 } })
  })

  it('deletes nobody who is still in a list that cannot be read any more', async () => {
    const groups = tenant.groups?.map((group) => ({ ...group, members: ['jan', 'ewa'] }))
    workspace.emulator.load({ ...tenant, groups } as unknown as Tenant)
    workspace.manifest(
      `users: [{ svcId: ewa, absent: true }]\ngroups: [{ svcId: clerks, members: [jan] }, { svcId: team, name: T }]\n`,
    )
    const text = await savedText(workspace)
    hide('clerks')
    const report = await applySaved(workspace, text)
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1, skipped: 2 } })
    expect(written()).toEqual([expect.stringMatching(/^PATCH .*svcId=team/)])
  })

  it('is refused where guards would have to know what cannot be read any more', async () => {
    workspace.manifest(
      `groups: [{ svcId: team, name: team }, { svcId: clerks, absent: true }, { svcId: staff, name: S }]`,
    )
    const text = await savedText(workspace)
    hide('staff')
    await expect(applySaved(workspace, text, { guarded: true })).rejects.toMatchObject({ code: 'SVC2070' })
    expect(written()).toEqual([])
  })

  it('that was edited to skip less is refused', async () => {
    hide('clerks')
    const text = await savedText(workspace)
    workspace.emulator.clearFaults()
    const edited = forgedText(text, ({ steps }) => ({ steps: steps.map(({ restsOn: _, ...step }) => step) }))
    await expect(applySaved(workspace, edited)).rejects.toMatchObject({ code: 'SVC2107' })
    expect(written()).toEqual([])
  })
})

describe('with `unreadable: refuse`', () => {
  let strict: Workspace
  beforeAll(async () => {
    strict = await openWorkspace({ tenant, settings: 'settings: { unreadable: refuse }' })
    strict.manifest(manifest)
  })
  afterAll(() => strict.close())
  beforeEach(() => strict.emulator.clearFaults())
  const hideThere = (): void => {
    const effect = { kind: 'status', status: 403 }
    const match = { method: 'GET', path: '/admin/group', query: 'clerks' }
    strict.emulator.addFault({ match, effect, count: null } as never)
  }

  it('nothing is applied, whoever applies it', async () => {
    const whole = await savedText(strict)
    hideThere()
    const part = await savedText(strict)
    await expect(strict.apply()).rejects.toMatchObject({ code: 'SVC2003' })
    await expect(applySaved(strict, part)).rejects.toMatchObject({ code: 'SVC2003' })
    await expect(applySaved(strict, whole)).rejects.toMatchObject({
      code: 'SVC2107',
      discrepancies: [{ subject: 'group/clerks', remark: expect.stringContaining('could not be read') }],
    })
    expect(writesOf(strict.emulator)).toEqual([])
  })

  it('an apply that was broken off is not gone on with', async () => {
    await applyUntilKilled(strict, 'strict.jsonl', { atWrite: 1, sent: true })
    const before = writesOf(strict.emulator).length
    hideThere()
    await expect(resume(strict, 'strict.jsonl')).rejects.toBeInstanceOf(OperatorError)
    expect(writesOf(strict.emulator)).toHaveLength(before)
  })
})

describe('an apply that was broken off', () => {
  const stepsIn = (report: { readonly steps: readonly { readonly id: string; readonly outcome: string }[] }) =>
    new Map(report.steps.map(({ id, outcome }) => [id, outcome]))

  it('goes on with what can be read', async () => {
    for (const atWrite of [2, 4]) {
      for (const sent of [true, false]) {
        workspace.emulator.clearFaults()
        workspace.emulator.load(tenant)
        const file = `journal-${atWrite}-${sent}.jsonl`
        const { document } = await applyUntilKilled(workspace, file, { atWrite, sent })
        hide('clerks')
        const before = writesOf(workspace.emulator).length
        const { report } = await resume(workspace, file)
        expect(report, file).toMatchObject({ outcome: 'partial', unreadable: [{ address: 'group/clerks' }] })
        expect([...stepsIn(report).keys()].sort()).toEqual(document.steps.map(({ id }) => id).sort())
        const lines = readFileSync(join(workspace.dir, file), 'utf8').trim().split('\n')
        const answered = lines
          .map((line) => JSON.parse(line) as { event: string; step: string; outcome?: string })
          .filter(({ event, outcome }) => event === 'answered' && outcome === 'done')
        for (const { step } of answered) expect([file, step, stepsIn(report).get(step)]).toEqual([file, step, 'done'])
        const more = writesOf(workspace.emulator).slice(before)
        expect(JSON.stringify(more)).not.toContain('clerks')
        workspace.emulator.clearFaults()
        const { report: rest } = await resume(workspace, file)
        expect(rest, file).toMatchObject({ outcome: 'converged' })
        expect(await workspace.changes()).toEqual([])
      }
    }
  })

  it('leaves alone what its plan could not read', async () => {
    hide('clerks')
    await applyUntilKilled(workspace, 'part.jsonl', { atWrite: 2, sent: true })
    workspace.emulator.clearFaults()
    const { report } = await resume(workspace, 'part.jsonl')
    expect(report).toMatchObject({ outcome: 'partial', unreadable: [{ address: 'group/clerks' }] })
    expect(JSON.stringify(writesOf(workspace.emulator))).not.toContain('clerks')
  })

  it('is refused where the manifests say something else of what cannot be read now', async () => {
    await applyUntilKilled(workspace, 'changed.jsonl', { atWrite: 1, sent: true })
    workspace.manifest(manifest.replace('All clerks', 'Some clerks'))
    hide('clerks')
    await expect(resume(workspace, 'changed.jsonl')).rejects.toMatchObject({ code: 'SVC2125' })
  })
})

it('is judged by what is sent: whoever stays Administrator only by what is skipped does not stay', async () => {
  const held = [
    { svcId: 'jan', level: 'Administrator' },
    { svcId: 'staff', level: 'Administrator' },
  ]
  const applications = [{ name: 'A', privileges: held }]
  const groups = ['clerks', 'staff'].map((svcId) => ({
    svcId,
    name: svcId,
    members: svcId === 'clerks' ? ['anna'] : [],
  }))
  workspace.emulator.load({ ...tenant, groups, databases: [{ id: 1, applications }] } as unknown as Tenant)
  workspace.manifest(`database: main
groups: [{ svcId: clerks, name: clerks }, { svcId: staff, members: [clerks] }]
applications: [{ application: A, privileges: { Administrator: [staff] } }]
`)
  const refusals = async () => {
    const { guards, access } = (await workspace.plan()).document
    const refused = guards.flatMap(({ guard, verdict }) => (verdict === 'refused' ? guard : []))
    return { refused, lost: access?.lost.map(({ subject }) => subject) }
  }
  expect(await refusals()).toEqual({ refused: [], lost: ['jan'] })
  hide('clerks')
  expect(await refusals()).toEqual({ refused: ['last-administrator'], lost: ['jan'] })
  await expect(workspace.run({ guarded: true })).rejects.toMatchObject({ code: 'SVC2070' })
})

it('skips it among what is due, too', async () => {
  const from = '2025-12-31'
  workspace.manifest(`groups:
  - { svcId: clerks, name: Clerks }
  - { svcId: staff, members: [jan, { svcId: anna, from: ${from} }, { svcId: clerks, from: ${from} }] }
`)
  hide('clerks')
  const { planned, report } = await workspace.run({ due: {} })
  expect(planned.document).toMatchObject({ unreadable: [{ address: 'group/clerks' }], counts: { steps: 2 } })
  expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1, skipped: 1 } })
  expect(written()).toEqual([expect.stringContaining('anna')])
})

it('takes back what can be read, and says what it left', async () => {
  await applyUntilKilled(workspace, 'whole.jsonl', { atWrite: 100, sent: true })
  hide('clerks')
  const { undone, report } = await undo(workspace, 'whole.jsonl', 'undo.jsonl')
  expect(undone.plan.unreadable).toMatchObject([{ address: 'group/clerks' }])
  expect(report).toMatchObject({ outcome: 'partial', unreadable: [{ address: 'group/clerks' }] })
  workspace.emulator.clearFaults()
  const { report: rest } = await undo(workspace, 'whole.jsonl', 'rest.jsonl')
  expect(rest).toMatchObject({ outcome: 'converged' })
  const before = await openWorkspace({ tenant })
  const { groups, databases } = before.emulator.state()
  await before.close()
  expect(workspace.emulator.state()).toMatchObject({ groups, databases: databases as never })
})
