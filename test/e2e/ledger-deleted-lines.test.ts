// A line that is deleted is taken away, whoever had given what it said.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startCommand } from '../harness/command.ts'
import { writesOf } from '../harness/write-log.ts'
import { env, flat, groups, lease, useLedger } from './ledger-fixture.ts'

const lab = useLedger()
const { keep, backTo, runIn, run, inRemote, publish } = lab

const users = ['u1', 'u2', 'u3'].map(
  (name) => `  - { svcId: ${name}@example.com, name: ${name}, email: ${name}@example.com }\n`,
)
const memberships = (...members: readonly string[]) =>
  `${groups('a')}users:\n${users.join('')}memberships:
- group: a@example.com
  members: [${members.map((name) => `${name}@example.com`).join(', ')}]
`
const membersOf = () =>
  (lab.workspace.emulator.state().groups ?? []).flatMap(({ members = [] }) => members.map((member) => String(member)))
const journal = 'refs/svcsync/journal/test'
beforeAll(async () => {
  backTo('published')
  lab.workspace.manifest(memberships('u1', 'u2', 'u3'))
  publish('First')
  expect((await run('apply', '--yes')).code).toBe(0)
  keep('with members')
})
const begin = () => {
  backTo('with members')
  lab.workspace.manifest(memberships('u1'))
  return publish('Second')
}

it('is taken away, the ledger moves, and the next plan says nothing', async () => {
  const second = begin()
  expect((await run('plan')).stdout).toContain('no longer declared')
  expect((await run('apply', '--yes')).stdout).toContain(`is at ${second.slice(0, 12)} now.`)
  expect(membersOf().join()).toBe('u1@example.com')
  const plan = JSON.parse((await run('plan', '--format', 'json')).stdout)
  expect([plan.changes, plan.noLongerDeclared]).toEqual([[], []])
})

const plan = async () => JSON.parse((await run('plan', '--format', 'json')).stdout)

it('that an apply of a part had given is taken away, also by a saved plan', async () => {
  // One declaration, which comes back byte for byte as it was applied: it is the very same as that of the base.
  const alone = (...members: readonly string[]) => memberships(...members).slice(groups('a').length)
  backTo('with members')
  lab.workspace.manifest(alone('u1'))
  const first = publish('First')
  await run('apply', '--yes')
  lab.workspace.manifest(alone('u1', 'u2'))
  const second = publish('Second')
  const part = await run('apply', '--yes', '--only', 'group/a@example.com')
  expect(flat(part.stdout)).toMatch(
    /`--only` applied only a part of the project.* Apply without it to move the ledger\.(?! A line)/,
  )
  expect((await run('status')).stdout).toMatch(
    new RegExp(`begun {4}${second.slice(0, 7)} Second --only group/a@example.com · .*, not\\s+completed`),
  )
  // Somebody who is in no manifest of a begun apply stays.
  const [group] = lab.workspace.emulator.state().groups as unknown as [{ members: string[] }]
  lab.workspace.emulator.load({
    ...lab.workspace.emulator.state(),
    groups: [{ ...group, members: [...group.members, 'u3@example.com'] }],
  } as never)
  lab.workspace.manifest(alone('u1'))
  const third = publish('Third')
  expect(flat((await run('plan')).stdout)).toMatch(
    /no longer declared: u2@example\.com \S+ \(\w{7} was begun and not completed\)/,
  )
  await run('plan', '--out', '../plan-of-deleted-lines.json')
  const { base, noLongerDeclared } = await plan()
  expect(base).toMatchObject({ commit: first, begun: [{ commit: second, only: ['group/a@example.com'] }] })
  expect(noLongerDeclared).toMatchObject([
    { element: { svcId: 'u2@example.com' }, becomes: 'removed', place: { commit: second } },
  ])
  const saved = await run('apply', '../plan-of-deleted-lines.json')
  expect(saved.stdout).toContain(`is at ${third.slice(0, 12)} now.`)
  rmSync(join(lab.workspace.dir, '../plan-of-deleted-lines.json'))
  expect(membersOf().sort()).toEqual(['u1@example.com', 'u3@example.com'])
  expect((await plan()).base).not.toHaveProperty('begun')
  expect(inRemote('log', '-1', '--format=%s', lease)).toMatch(/^test: given back by \w+$/)
})

it('that failed applies had given is taken away, also where none was ever complete', async () => {
  const users = ['u1', 'u2', 'u3'].map((name) => ({
    svcId: `${name}@example.com`,
    name,
    email: `${name}@example.com`,
  }))
  lab.workspace.emulator.load({ users, groups: [{ svcId: 'a@example.com', name: 'a' }] } as never)
  const create = { path: '/admin/groups', method: 'POST' }
  lab.workspace.emulator.addFault({ match: create, count: null, effect: { kind: 'status', status: 400 } })
  const failing = async (...members: readonly string[]) => {
    lab.workspace.manifest(memberships(...members).replace('groups:', 'groups:\n  - { svcId: z@example.com, name: z }'))
    const commit = publish(members.join())
    const { code, stdout } = await run('apply', '--yes')
    expect([code, flat(stdout)]).toEqual([3, expect.stringContaining('The ledger remembers what it gave')])
    return commit
  }
  const begun = [await failing('u1', 'u2'), await failing('u1', 'u3')]
  expect(membersOf().sort()).toEqual(['u1', 'u3'].map((name) => `${name}@example.com`))
  lab.workspace.emulator.clearFaults()
  expect(JSON.parse((await run('status', '--format', 'json')).stdout).counts).toMatchObject({
    ...{ targets: 1, begun: 1, nothingApplied: 0 },
  })
  expect((await run('status')).stdout).toMatch(/ applied +nothing completely yet\n/)
  // Somebody frees a lease in this way; the clone still knows.
  inRemote('update-ref', '-d', lease)
  lab.workspace.manifest(memberships('u1'))
  publish('Neither')
  const { base, noLongerDeclared } = await plan()
  expect(base).toMatchObject({ ref: 'nothing', commit: null, begun: begun.map((commit) => ({ commit })) })
  expect(noLongerDeclared).toContainEqual(
    expect.objectContaining({ element: { svcId: 'u3@example.com' }, becomes: 'removed' }),
  )
  // It never came to be.
  const address = 'group/z@example.com'
  expect(noLongerDeclared).not.toContainEqual(expect.objectContaining({ address }))
  // Nobody can look.
  const match = { path: '/admin/group', query: 'svcId=z' }
  lab.workspace.emulator.addFault({ match, count: null, effect: { kind: 'status', status: 403 } })
  const reason = `${begun[0]?.slice(0, 7)} was begun and not completed: it may not be there`
  expect((await plan()).noLongerDeclared).toContainEqual(expect.objectContaining({ address, reason }))
  expect((await run('apply', '--yes')).code).toBe(0)
  expect(membersOf().join()).toBe('u1@example.com')
  expect(JSON.parse((await run('status', '--format', 'json')).stdout).targets[0].begun).toEqual([])
})

it('of files that are no commit is not remembered, as said before the first write and after the last', async () => {
  lab.workspace.manifest(memberships('u1'))
  publish('First')
  lab.workspace.manifest(memberships('u1', 'u2'))
  const { stdout, stderr } = await run('apply', '--yes')
  expect(flat(stderr)).toContain(
    'The ledger does not remember what this apply gives until an apply of a commit completes: ' +
      'manifests/main.yaml is not as it was committed.',
  )
  expect(flat(stdout)).toContain('moves the ledger. A line that is deleted before that revokes nothing.')
  expect((await run('status')).stdout).not.toContain('begun')
})

it('is taken away where an undo has given it back, and nothing of an undo counts as done by hand', async () => {
  lab.workspace.manifest(memberships('u1', 'u2'))
  const first = publish('First')
  await run('apply', '--yes')
  lab.workspace.manifest(memberships('u1', 'u3'))
  publish('Second')
  const journal = join(lab.remote.path, '../undone.jsonl')
  await run('apply', '--yes', '--journal', journal)
  await run('undo', journal, '--out', '../undo.json')
  const undone = await run('apply', '../undo.json')
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('the result of an undo is no commit') })
  rmSync(join(lab.workspace.dir, '../undo.json'))
  expect(membersOf().sort()).toEqual(['u1@example.com', 'u2@example.com'])
  const again = await plan()
  expect(again.base.begun).toMatchObject([{ commit: first, only: [] }])
  expect(again.changes[0].differences).toMatchObject([
    {
      added: [{ svcId: 'u3@example.com', cause: 'declared' }],
      removed: [{ svcId: 'u2@example.com', cause: 'declared' }],
    },
  ])
  expect(flat((await run('plan')).stdout)).toContain(`undo since, back to ${first.slice(0, 7)} `)
  const { stdout: status } = await run('status')
  expect(status).toMatch(new RegExp(`undo +back to ${first.slice(0, 7)} First: `))
  expect(status).toMatch(/pending +no commit, but an undo came since the last apply/)
  expect(status).not.toContain('not completed')
  expect((await run('drift')).code).toBe(0)
  lab.workspace.manifest(memberships('u1'))
  publish('Neither')
  const reason = `an undo led back to ${first.slice(0, 7)}`
  expect((await plan()).noLongerDeclared).toMatchObject([{ element: { svcId: 'u2@example.com' }, reason }])
  expect((await run('apply', '--yes')).code).toBe(0)
  expect(membersOf()).toEqual(['u1@example.com'])
})

it('an undo says that a later apply came, and says nothing of its own', async () => {
  backTo('with members')
  lab.workspace.manifest(memberships('u1', 'u2'))
  publish('Without u3')
  const journal = join(lab.remote.path, '../later.jsonl')
  await run('apply', '--yes', '--journal', journal)
  const own = await run('undo', journal, '--yes')
  expect([own.code, own.stderr]).toEqual([0, expect.not.stringContaining('after this journal ended')])
  lab.workspace.manifest(`${memberships('u1', 'u2')}# once more\n`)
  const later = publish('Once more')
  await run('apply', '--yes')
  const { code, stderr } = await run('undo', journal, '--yes')
  expect(flat(stderr)).toContain(`The ledger has ${later.slice(0, 7)} as applied at `)
  expect(flat(stderr)).toContain('after this journal ended: undo also reverts what that apply gave or removed again.')
  expect([code, membersOf()]).toEqual([0, expect.arrayContaining(['u3@example.com'])])
})

it('is not forgotten by an apply with another base', async () => {
  begin()
  const { code, stdout } = await run('apply', '--yes', '--since', 'HEAD')
  expect(flat(stdout)).toContain(
    'the plan has another base. The applied changes stay. Plan and apply again without `--since`',
  )
  expect(code).toBe(0)
  expect((await run('plan')).stdout).toContain('no longer declared')
})

it('is taken away by an apply that was killed and resumed on another machine, by its journal in a ref', async () => {
  const second = begin()
  lab.workspace.emulator.addFault({
    match: { path: '/api/data/*', method: 'POST' },
    nth: 1,
    count: 1,
    effect: { kind: 'hang', carriedOut: false },
  })
  await lab.workspace.control('DELETE', '/requests')
  const args = ['apply', '--yes', '--journal', 'git:']
  // A job is on a machine of its own.
  const killed = startCommand(args, lab.workspace.dir, { ...env, TMPDIR: lab.remote.path, CI: 'true' })
  await killed.until(() => writesOf(lab.workspace.emulator).some(({ status }) => status === null))
  killed.child.kill('SIGKILL')
  await killed.ended
  lab.workspace.emulator.clearFaults()
  expect(membersOf()).toHaveLength(3)
  // It was pushed before the first write.
  expect(inRemote('show', `${journal}:journal.jsonl`).split('\n')).toHaveLength(1)
  const clone = lab.remote.clone('second', '--branch', 'main')
  const [, lease = ''] = /--allow (lease=[0-9a-f]{8})/.exec((await runIn(clone, 'apply', '--yes')).stderr) ?? []
  const begun = await runIn(clone, ...args, '--allow', lease)
  expect(begun.stderr).toMatch(/SVC2239 .*was broken off/)
  const resumed = await runIn(clone, 'apply', '--resume', 'git:', '--allow', lease)
  expect(resumed.stderr).toContain('Resuming the apply of')
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining(`is at ${second.slice(0, 12)} now.`) })
  expect(membersOf().join()).toBe('u1@example.com')
  expect(inRemote('show', `${journal}:journal.jsonl`)).toContain('"event":"resumed"')
})
