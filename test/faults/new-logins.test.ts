// A new login and a leaver under faults: what somebody holds is never held by nobody, the old account goes last, and a
// second run ends clean, whatever became of a write of the first.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { leaveEdits } from '../../src/editor/leave-edits.ts'
import { renameEdits } from '../../src/editor/rename-edits.ts'
import type { SourceEdit, TargetState } from '../../src/editor/uses.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { defaultBehaviour } from '../../src/emulator/index.ts'
import { applyUntilKilled, resume } from '../harness/journals.ts'
import { annaManifest, annaTenant, editManifests, heldBy } from '../harness/people.ts'
import { sharedOut } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const [anna, ewa, jan] = ['anna@example.com', 'ewa@example.com', 'jan@example.com'] as const
const commands = {
  rename: (targets: readonly TargetState[]): readonly SourceEdit[] => renameEdits(targets, anna, ewa).edits,
  leave: (targets: readonly TargetState[]): readonly SourceEdit[] => leaveEdits(targets, anna, jan).edits,
}
type Command = keyof typeof commands

/** After each request that may change something, of what Anna held and somebody has to hold: what nobody does. */
let look: ((method: string) => void) | undefined
const gaps = new Set<string>()
/** The tenants with which no change was planned before the command, and the manifest that each command leaves. */
const unchanged = new Set<string>()
const edited = new Map<Command, string>()
let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    settings: 'settings: { retry: { attempts: 3, maxDelay: 5ms }, sync: { timeout: 2s } }',
    onExchange: ({ method }) => look?.(method),
  })
})
afterAll(() => workspace.close())
beforeEach(() => {
  look = undefined
  gaps.clear()
})

/** The final holdings of the successor, or of the new login. */
const kept: Readonly<Record<Command, { readonly by: string; readonly lines: readonly string[] }>> = {
  rename: {
    by: ewa,
    lines: [
      'Administrator of A',
      'Modify of P',
      'Start of P',
      'licence PowerUser',
      'manager of jan@example.com',
      'member of open@example.com',
      'member of team@example.com',
      'owner of team@example.com',
      'stands in for jan@example.com',
    ],
  },
  leave: { by: jan, lines: ['Administrator of A', 'owner of team@example.com'] },
}

async function begin(command: Command, { free = 4, behaviour = {} } = {}): Promise<void> {
  workspace.emulator.clearFaults()
  const tenant = JSON.parse(JSON.stringify(annaTenant))
  tenant.licenses.available.PowerUser = 1 + free
  workspace.emulator.load({ ...tenant, behaviour: { ...defaultBehaviour, ...behaviour } })
  workspace.manifest(annaManifest)
  const begun = JSON.stringify({ free, behaviour })
  if (!unchanged.has(begun)) expect(await workspace.changes()).toEqual([])
  unchanged.add(begun)
  const known = edited.get(command)
  if (known === undefined) editManifests(workspace, commands[command])
  else workspace.manifest(known)
  edited.set(command, known ?? readFileSync(join(workspace.dir, 'manifests/main.yaml'), 'utf8'))
  await workspace.control('DELETE', '/requests')
  const { by, lines } = kept[command]
  // A read changes nothing, but where time does.
  const doesTimeChange = 'afterCreate' in behaviour
  look = (method) => {
    if (method === 'GET' && !doesTimeChange) return
    const held = new Set([...heldBy(workspace.emulator, anna), ...heldBy(workspace.emulator, by)])
    for (const line of lines) if (!held.has(line)) gaps.add(line)
  }
}

async function endsClean(command: Command, mayLapse: readonly string[] = []): Promise<void> {
  workspace.emulator.clearFaults()
  const { report } = await workspace.run({ guarded: true })
  expect(['converged', 'nothing-to-do']).toContain(report.outcome)
  expect(await workspace.changes()).toEqual([])
  const { by, lines } = kept[command]
  expect(heldBy(workspace.emulator, by)).toEqual(expect.arrayContaining([...lines]))
  if (command === 'rename') expect(heldBy(workspace.emulator, by)).toEqual(lines)
  expect(JSON.stringify(workspace.emulator.state())).not.toContain(anna)
  expect([...gaps].filter((line) => !mayLapse.includes(line))).toEqual([])
  const created = writesOf(workspace.emulator).filter(
    ({ method, path, carriedOut }) => carriedOut && method === 'POST' && /\/admin\/(?:users|substitutions)$/.test(path),
  )
  expect(created).toHaveLength(command === 'rename' ? 2 : 0)
}

const run = () => workspace.run({ guarded: true, concurrency: 1 })

async function writesWithoutFaults(
  command: Command,
): Promise<readonly { method: string; path: string; nth: number }[]> {
  await begin(command)
  expect(await run()).toMatchObject({ report: { outcome: 'converged' } })
  const seen = new Map<string, number>()
  return writesOf(workspace.emulator).map(({ method, path }) => {
    const nth = (seen.get(`${method} ${path}`) ?? 0) + 1
    seen.set(`${method} ${path}`, nth)
    return { method, path, nth }
  })
}

const locked = { type: 'ResourceIsLocked', description: 'Somebody is at it.' }
const passing: readonly Fault['effect'][] = [
  { kind: 'reset', carriedOut: true },
  { kind: 'reset', carriedOut: false },
  { kind: 'status', status: 500, carriedOut: true },
  { kind: 'status', status: 500, carriedOut: false },
  { kind: 'status', status: 429, headers: { 'Retry-After': '0' } },
  { kind: 'status', status: 409, body: locked },
  { kind: 'expireTokens' },
]
const lasting: readonly Fault['effect'][] = [400, 403, 409, 500].map((status) => ({
  kind: 'status',
  status,
  carriedOut: false,
}))

describe.each(['rename', 'leave'] as const)('%s', (command) => {
  it('gives before it takes, in whatever list, and deletes the old account last', async () => {
    await begin(command)
    await run()
    expect(writesOf(workspace.emulator).at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/admin/user',
      query: { svcId: anna },
    })
    await endsClean(command)
  })

  it('ends as asked where a write fails for a moment, or does not say how it ended', async () => {
    const writes = await writesWithoutFaults(command)
    expect(writes.length).toBeGreaterThan(8)
    for (const [index, { method, path, nth }] of writes.entries()) {
      for (const effect of sharedOut(passing, index, passing.length)) {
        await begin(command)
        workspace.emulator.addFault({ match: { method, path }, nth, effect })
        const { report } = await run()
        expect(report.outcome, `${method} ${path} ${JSON.stringify(effect)}`).toBe('converged')
        await endsClean(command)
      }
    }
  }, 120_000)

  it('takes nothing from the old account if the new one is refused something, and goes on later', async () => {
    const writes = await writesWithoutFaults(command)
    for (const [index, { method, path, nth }] of writes.entries()) {
      for (const effect of sharedOut(lasting, index, 4)) {
        await begin(command)
        workspace.emulator.addFault({ match: { method, path }, nth, count: null, effect })
        const { report } = await run()
        expect(report.outcome, `${method} ${path} ${JSON.stringify(effect)}`).toBe('partial')
        const users = workspace.emulator.state().users as { svcId: string }[]
        expect(users.map(({ svcId }) => svcId)).toContain(anna)
        await endsClean(command)
      }
    }
  }, 120_000)

  it('is gone on with after a kill at any write: by the next apply, and by its journal', async () => {
    const { length } = await writesWithoutFaults(command)
    const places = Array.from({ length }, (_, index) => index + 1)
    for (const atWrite of sharedOut(places, command.length, 4)) {
      const kill = { atWrite, sent: atWrite % 2 === 0 }
      await begin(command)
      await applyUntilKilled(workspace, `next-${command}-${atWrite}.jsonl`, kill, { concurrency: 1 })
      await endsClean(command)
      await begin(command)
      const file = `journal-${command}-${atWrite}.jsonl`
      await applyUntilKilled(workspace, file, { atWrite, sent: !kill.sent }, { concurrency: 4 })
      expect(await resume(workspace, file, { concurrency: 4 })).toMatchObject({ report: { outcome: 'converged' } })
      await endsClean(command)
    }
  }, 120_000)

  it('waits for what synchronises slowly, and for what is locked meanwhile', async () => {
    await begin(command, {
      behaviour: { afterCreate: 'visibleAfterSync', writeWhileWaiting: 'locked', afterDelete: 'goneAfterSync' },
    })
    await workspace.control('PATCH', '/settings', { syncDelayMs: 40 })
    expect(await run()).toMatchObject({ report: { outcome: 'converged' } })
    await workspace.control('PATCH', '/settings', { syncDelayMs: 0 })
    await endsClean(command)
  })
})

describe('a licence of which none is free', () => {
  const lapse = 'licence PowerUser'

  it('goes from the old login to the new one, and the plan says that nobody has it in between', async () => {
    await begin('rename', { free: 0 })
    const { document } = await workspace.plan()
    expect(document.warnings).toContainEqual(
      expect.objectContaining({
        code: 'SVC1342',
        message: 'No PowerUser is free: svcsync takes it away first, then gives it to `ewa@example.com`',
      }),
    )
    expect(await run()).toMatchObject({ report: { outcome: 'converged' } })
    expect([...gaps]).toEqual([lapse])
    await endsClean('rename', [lapse])
  })

  it('that the platform gives back late is given by the next run, and nothing else goes meanwhile', async () => {
    await begin('rename', { free: 0 })
    const none = { type: 'LicenseError', description: 'None left.' }
    // The second is the gift: the first takes it from Anna.
    const match = { method: 'POST', path: '/admin/licenses/assign' }
    workspace.emulator.addFault({ match, nth: 2, count: null, effect: { kind: 'status', status: 409, body: none } })
    expect(await run()).toMatchObject({ report: { outcome: 'partial' } })
    expect(heldBy(workspace.emulator, anna)).toEqual(
      expect.arrayContaining(['Administrator of A', 'Modify of P', 'owner of team@example.com']),
    )
    await endsClean('rename', [lapse])
  })

  it('is given first where one is free', async () => {
    await begin('rename', { free: 1 })
    const { document } = await workspace.plan()
    expect(document.warnings.map(({ code }) => code)).not.toContain('SVC1342')
    await run()
    await endsClean('rename')
  })
})
