// Unreadable objects: the exit codes, output and files of the built command.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const names = Array.from({ length: 40 }, (_, index) => `u${String(index).padStart(2, '0')}`)
const tenant = {
  users: [...names, 'jan'].map((svcId) => ({ svcId, name: svcId })),
  groups: ['clerks', 'staff'].map((svcId) => ({ svcId, name: svcId, members: ['jan'] })),
} as unknown as Tenant
const manifest = `groups:
  - { svcId: clerks, name: Clerks }
  - { svcId: staff, name: Staff, members: [jan, clerks, u00] }
`

let workspace: Workspace
const svcsync = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
const written = (): number => writesOf(workspace.emulator).length
const hide = (query: string, path = '/admin/group'): void => {
  const effect = { kind: 'status', status: 403 }
  workspace.emulator.addFault({ match: { method: 'GET', path, query }, effect, count: null } as never)
}

beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.clearFaults()
  workspace.emulator.load(tenant)
  workspace.manifest(manifest)
  await workspace.control('DELETE', '/requests')
})

it('`plan` exits with 1, and prints and saves all of the plan', async () => {
  hide('clerks')
  const { code, stdout } = await svcsync('plan', '--out', 'plan.json', '--format', 'json')
  expect(code).toBe(1)
  const printed = JSON.parse(stdout) as PlanDocument
  expect(printed).toMatchObject({ unreadable: [{ address: 'group/clerks', code: 'SVC3041' }] })
  expect(printed.steps.map(({ verb, restsOn = null }) => [verb, restsOn])).toEqual([
    ['update', null],
    ['add', null],
    ['add', 'group/clerks'],
  ])
  const saved = JSON.parse(readFileSync(join(workspace.dir, 'plan.json'), 'utf8')) as PlanDocument
  const { changes, steps, unreadable, digest } = saved
  expect(printed).toMatchObject({ changes, steps, unreadable, digest })
  const { stdout: text } = await svcsync('plan')
  expect(text).toContain('1 request rests on it and is skipped: for group/staff.')
  expect(text).toMatch(/Apply exactly this plan: {2}svcsync apply --expect/)
  expect((await svcsync('drift')).code).toBe(1)
  expect(written()).toBe(0)
})

describe('`apply` skips it, applies the rest, and exits with 3', () => {
  const skipped = { outcome: 'partial', counts: { done: 2, skipped: 1 }, unreadable: [{ address: 'group/clerks' }] }
  const converges = async (): Promise<void> => {
    workspace.emulator.clearFaults()
    expect((await svcsync('apply', '--yes')).code).toBe(0)
    expect((await svcsync('plan', '--detailed-exitcode')).code).toBe(0)
  }

  it('from the manifests', async () => {
    hide('clerks')
    const { code, stdout } = await svcsync('apply', '--yes', '--format', 'json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout) as ApplyReport).toMatchObject(skipped)
    expect(written()).toBe(2)
    const again = await svcsync('apply', '--yes')
    expect(again.code).toBe(3)
    expect(written()).toBe(2)
    expect(again.stdout).toContain('Could not be read, and was left alone')
    expect(again.stdout).toContain('The Svc platform is NOT as declared: 1 step skipped, 1 object could not be read')
    await converges()
  })

  it('also where nothing else is to be done', async () => {
    workspace.manifest('groups: [{ svcId: clerks, name: clerks }, { svcId: staff, name: staff }]')
    hide('clerks')
    const { code, stdout } = await svcsync('apply', '--yes')
    expect(code).toBe(3)
    expect(stdout).toContain('It is not known whether the Svc platform is as declared: 1 object could not be read')
    expect(written()).toBe(0)
  })

  it('by the digest that was reviewed, whatever the platform says of why', async () => {
    hide('clerks')
    const { digest } = JSON.parse((await svcsync('plan', '--format', 'json')).stdout) as PlanDocument
    workspace.emulator.clearFaults()
    const effect = { kind: 'status', status: 403, body: { type: 'InternalError', description: 'In other words.' } }
    workspace.emulator.addFault({ match: { path: '/admin/group', query: 'clerks' }, effect, count: null } as never)
    expect((await svcsync('apply', '--expect', digest)).code).toBe(3)
    expect(written()).toBe(2)
    await converges()
  })

  it('from a file, and with a journal that is gone on with', async () => {
    hide('clerks')
    expect((await svcsync('plan', '--out', 'plan.json')).code).toBe(1)
    workspace.emulator.clearFaults()
    const applied = await svcsync('apply', 'plan.json', '--journal', 'journal.jsonl', '--format', 'json')
    expect(applied.code).toBe(3)
    expect(JSON.parse(applied.stdout)).toMatchObject(skipped)
    const resumed = await svcsync('apply', '--resume', 'journal.jsonl', '--format', 'json')
    expect(resumed.code).toBe(3)
    expect(JSON.parse(resumed.stdout)).toMatchObject(skipped)
    expect(written()).toBe(2)
    hide('staff')
    const undone = await svcsync('undo', 'journal.jsonl', '--yes', '--format', 'json')
    expect(undone.code).toBe(3)
    expect(JSON.parse(undone.stdout)).toMatchObject({ outcome: 'partial', unreadable: [{ address: 'group/staff' }] })
    await converges()
  })
})

it('a list that could not be read is one error, however many are declared of it', async () => {
  workspace.manifest(`users:\n${names.map((svcId) => `  - { svcId: ${svcId}, name: ${svcId} }\n`).join('')}`)
  hide('', '/admin/users')
  const { code, stdout } = await svcsync('plan')
  expect(code).toBe(1)
  expect(stdout.match(/SVC3041/g)).toHaveLength(1)
  expect(stdout).toContain('and 30 more, --verbose for all')
  expect((await svcsync('plan', '--format', 'markdown')).stdout.match(/SVC3041/g)).toHaveLength(1)
  const { stdout: verbose } = await svcsync('plan', '--verbose')
  for (const name of names) expect(verbose).toContain(`user/${name}`)
  await svcsync('plan', '--out', 'many.json')
  const { stdout: annotations } = await svcsync('report', 'many.json', '--format', 'github')
  expect(annotations.match(/and 39 more could not be read/g)).toHaveLength(1)
})

it('the ledger remembers such an apply as begun and not completed, and stays where nothing was sent', async () => {
  const own = await openWorkspace({ tenant, settings: 'ledger: { remote: origin }' })
  const remote = openGitRemote()
  try {
    const run = (...args: string[]) => runCommand(args, own.dir, { ...own.env, HOME: '/nowhere' })
    const apply = async () => {
      const { code, stdout } = await run('apply', '--yes', '--format', 'json')
      return { code, ...(JSON.parse(stdout) as ApplyReport) }
    }
    const declare = (clerks: string, members: string): string => {
      own.manifest(`groups: [{ svcId: clerks, name: ${clerks} }, { svcId: staff, members: [${members}] }]\n`)
      const commit = commitAll(own.dir, `${clerks} ${members}`)
      // A pushed commit may be known to others.
      git(own.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:main')
      return commit
    }
    remote.adopt(own.dir)
    const first = declare('clerks', 'jan')
    expect(await apply()).toMatchObject({ code: 0, ledger: { commit: first, moved: true } })
    const effect = { kind: 'status', status: 403 }
    const match = { method: 'GET', path: '/admin/group', query: 'clerks' }
    own.emulator.addFault({ match, effect, count: null } as never)
    // Only what cannot be read differs: nothing is sent, and nothing is forgotten.
    declare('Clerks', 'jan')
    expect(await apply()).toMatchObject({
      code: 3,
      ledger: { commit: first, moved: false, reason: 'some of it could not be read' },
    })
    const second = declare('Clerks', 'jan, u01')
    expect(await apply()).toMatchObject({ code: 3, counts: { done: 1 }, ledger: { commit: first, moved: false } })
    own.emulator.clearFaults()
    // The line that it gave is deleted before an apply is complete: it is taken back.
    const third = declare('Clerks', 'jan')
    const { base, changes } = JSON.parse((await run('plan', '--format', 'json')).stdout) as PlanDocument
    expect(base).toMatchObject({ commit: first, begun: [{ commit: second }] })
    expect(changes.map(({ address }) => address)).toEqual(['group/clerks', 'group/staff'])
    expect(await apply()).toMatchObject({ code: 0, ledger: { commit: third, moved: true } })
    expect(own.emulator.state().groups).toMatchObject([{ name: 'Clerks' }, { members: ['jan'] }])
  } finally {
    await own.close()
    remote.close()
  }
})
