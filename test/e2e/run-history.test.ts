// A ref keeps the findings of the last runs: the built command, real git, and an emulator that somebody changes by
// hand.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyTree, writeCommit } from '../../src/ledger/ledger-commit.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { type KeptStates, keepStates } from '../harness/kept-states.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const secret = 'svcsync-secret'
const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: secret, HOME: '/nowhere' }
const history = 'refs/svcsync/history/test'
const [anna, kim, lee] = ['anna@example.com', 'kim@example.com', 'lee@example.com']
const manifest = `groups:
  - { svcId: staff@example.com, name: Staff, members: [${anna}] }
constants:
  - { name: Url, common: https://erp.example.com }
`

let workspace: Workspace
let remote: GitRemote
let webhook: Server
let told: unknown[]
let states: KeptStates
beforeAll(async () => {
  webhook = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      told.push(JSON.parse(text))
      response.end()
    })
  }).listen(0, '127.0.0.1')
  workspace = await openWorkspace({
    settings: 'ledger: { remote: origin }\nnotify: { team: { url: "${env:TEAM_WEBHOOK}" } }',
  })
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  workspace.manifest(manifest)
  commitAll(workspace.dir, 'as it is')
  git(workspace.dir, 'push', '--quiet', 'origin', 'HEAD:main')
  workspace.emulator.load({
    users: [anna, kim, lee].map((svcId) => ({ svcId, name: svcId })),
    databases: [{ id: 1 }],
  } as never)
  states = keepStates(workspace, remote)
  told = []
  expect((await run('apply', '--yes')).code).toBe(0)
  states.keep('applied')
})
afterAll(async () => {
  webhook.close()
  states.close()
  remote.close()
  await workspace.close()
})
beforeEach(() => {
  told = []
  states.backTo('applied')
})

const variables = () => ({
  ...env,
  TEAM_WEBHOOK: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/hook/of-the-team`,
})
const run = (...args: readonly string[]) => runCommand(args, workspace.dir, variables())
const json = async (...args: readonly string[]) => JSON.parse((await run(...args, '--format', 'json')).stdout)
const flat = (text: string) => text.replace(/\s+/g, ' ')
const add = (...members: readonly string[]) =>
  workspace.emulator.edit({ addMembers: { group: 'staff@example.com', members } } as never)
const changeUrl = () =>
  workspace.emulator.edit({
    upsertConstant: { constant: { name: 'Url', common: 'https://other.example.com' } },
  } as never)
const hook = (text: string): void => {
  mkdirSync(join(remote.path, 'hooks'), { recursive: true })
  writeFileSync(join(remote.path, 'hooks/pre-receive'), `#!/bin/sh\n${text}\n`)
  chmodSync(join(remote.path, 'hooks/pre-receive'), 0o755)
}
const message = () => git(remote.path, 'log', '-1', '--format=%B', history)
const runs = () => JSON.parse(/^Svcsync-Runs: (.*)$/m.exec(message())?.[1] ?? '') as Record<string, unknown>[]
/** Somebody writes the ref. */
const forge = (content: string, target = 'test'): void => {
  const trailers = { Target: target, Runs: content }
  const commit = writeCommit(workspace.dir, emptyTree(workspace.dir), [], 0, 'forged', trailers)
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', `${commit}:${history}`)
}
/** So many days pass: what is remembered is older. */
const age = (days: number): string => {
  const day = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const today = new Date().toISOString().slice(0, 10)
  forge(JSON.stringify(runs()).replaceAll(`"${today}"`, `"${day}"`))
  return day
}

it('says what is new first and how long the rest has lasted, until an apply has healed it', async () => {
  expect((await run('drift')).stdout).not.toContain('New since')
  add(kim)
  const first = '1 of 1 difference: group/staff@example.com members + kim@example.com'
  expect(flat((await run('drift')).stdout)).toContain(first)
  const day = age(4)
  changeUrl()
  const found = await run('drift')
  expect(found.code).toBe(2)
  expect(flat(found.stdout)).toMatch(/New since the run of \S+Z, 1 of 2 differences: constant\/main\/Url common Known/)
  const longest = `Known longest, since ${day}, 4 days: group/staff@example.com members + kim@example.com`
  expect(flat(found.stdout)).toContain(longest)
  const { stdout } = await run('status')
  expect(stdout.split('\n').slice(4, 8)).toEqual([
    expect.stringMatching(/^ {2}drift {4}2 differences, as of \S+Z$/),
    `  lasts    since ${day}, 4 days: group/staff@example.com members + kim@example.com`,
    '  lasts    since today: constant/main/Url common',
    expect.stringMatching(/^ {2}trend {4}0 → 1 → 2 in 3 runs of drift since \d{4}-\d\d-\d\d$/),
  ])
  const [status] = (await json('status')).targets
  expect(status.history.drift.named).toContainEqual({
    since: day,
    what: 'group/staff@example.com members + kim@example.com',
  })
  expect(status.history.runs.at(-1)).toMatchObject({ command: 'drift', counts: { differences: 2 }, severity: 'danger' })
  expect((await run('apply', '--only', 'group/*', '--yes')).code).toBe(0)
  expect((await json('status')).targets[0].history.drift).toMatchObject({ differences: 1 })
  expect((await run('status')).stdout).toMatch(/^ {2}drift {4}1 left of 2 differences found at \S+Z$/m)
  // It is done again, before anybody looks: that is another one.
  add(kim)
  const again = await json('drift')
  const [differences] = [again.history.differences as { what: string }[]]
  expect(differences.find(({ what }) => what.includes('kim'))).toMatchObject({
    isNew: true,
    since: status.history.runs.at(-1).at.slice(0, 10),
  })
  expect(differences.find(({ what }) => what.includes('Url'))).toMatchObject({ isNew: false })
  expect(message()).not.toContain('other.example.com')
  expect(message()).not.toContain(secret)
})

it('moves the ledger to a commit with exceptions, and to none while they are not as committed', async () => {
  changeUrl()
  const term = ['--until', '2100-01-31', '--reason', 'Migration']
  expect((await run('accept', ...term)).code).toBe(0)
  const before = git(workspace.dir, 'rev-parse', 'HEAD')
  const ledger = async () => (await json('apply', '--yes')).ledger
  expect(await ledger()).toMatchObject({ commit: before, moved: false, reason: 'exceptions.yaml is in no commit' })
  const after = commitAll(workspace.dir, 'until the migration')
  git(workspace.dir, 'push', '--quiet', 'origin', 'HEAD:main')
  expect((await run('status')).stdout).toContain('1 commit')
  expect(await ledger()).toMatchObject({ commit: after, moved: true })
  rmSync(join(workspace.dir, 'exceptions.yaml'))
  expect(await ledger()).toMatchObject({ moved: false, reason: 'exceptions.yaml is deleted, but still committed' })
  commitAll(workspace.dir, 'no exception any more')
})

it('counts what a run that could not read all has found as the least', async () => {
  add(kim)
  await run('drift')
  const effect = { kind: 'status', status: 403 }
  await workspace.control('POST', '/faults', { match: { path: '/admin/group' }, count: null, effect })
  expect((await run('drift')).code).toBe(1)
  workspace.emulator.clearFaults()
  await run('drift')
  expect((await run('status')).stdout).toContain('1 → at least 0 → 1 in 3 runs of drift')
})

it('draws the trend on the page of a drift, of an apply, and of a report', async () => {
  await run('drift')
  add(kim)
  const found = await run('drift', '--format', 'json')
  writeFileSync(join(workspace.dir, 'drift.json'), found.stdout)
  const page = await run('report', 'drift.json', '--format', 'html')
  expect(page.stdout).toContain('<h2>The last runs of test</h2>')
  expect(page.stdout.match(/<svg class="trend".*?<\/svg>/s)?.[0].match(/<rect/g)).toHaveLength(2)
  expect((await run('apply', '--yes', '--format', 'html')).stdout).toContain('Differences: 0 → 1 in 2 runs')
  expect((await run('drift', '--format', 'html')).stdout).toContain('1 apply meanwhile')
})

it('says of what nobody declared what the run before did not see, and the three ways on', async () => {
  await run('drift', '--unmanaged')
  const users = [anna, kim, lee, 'zoe@example.com'].map((svcId) => ({ svcId, name: svcId }))
  workspace.emulator.load({ ...workspace.emulator.state(), users } as never)
  const { stdout } = await run('drift', '--unmanaged')
  const [, rows = ''] = /^Not managed$(.*)/ms.exec(stdout) ?? []
  expect(rows.split('\n').slice(1, 4)).toEqual([
    expect.stringContaining('Declared: 0 of 4 users, 0 %'),
    expect.stringMatching(/user\/zoe@example.com +new since the last run$/),
    expect.stringMatching(/user\/anna@example.com$/),
  ])
  expect(rows).toContain('svcsync export --missing')
  expect(rows).toContain('- { address: user/zoe@example.com, until: DATE, reason: REASON }')
  expect(flat(rows)).toContain('svcsync deletes none of them: delete it on the platform.')
})

describe('what is wrong with the history is one line, and changes no result:', () => {
  const broken = (sentence: string | RegExp) => async () => {
    const { code, stdout, stderr } = await run('drift')
    expect([code, stdout.includes('+kim@example.com')]).toEqual([2, true])
    const lines = stderr.split('\n').filter((line) => line.includes('SVC2248'))
    expect(lines).toEqual([expect.stringMatching(sentence)])
    // Printed text holds no control characters.
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  }
  beforeEach(() => add(kim))

  it('a push that is refused', async () => {
    hook('exit 1')
    await broken(/^warning SVC2248 {2}The history of `test` does not have this run: .* does not take .*: a hook/)()
    hook('while read old new ref; do case $ref in */history/*) exit 1;; esac; done')
    const { code, stderr } = await run('apply', '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('warning SVC2248')])
    expect(git(remote.path, 'log', '-1', '--format=%s', 'refs/svcsync/lease/test')).toMatch(/given back/)
  })

  const other = { at: '2026-01-01T00:00:00.000Z', command: 'drift', only: [], isComplete: true, severity: 'none' }
  const sound = { ...other, verdict: 'x', counts: { differences: 0 }, elapsedMs: 1, requests: 1, days: {} }
  it('entries that somebody else wrote, which the run replaces', async () => {
    forge(JSON.stringify([1, {}, sound]))
    await broken(`warning SVC2248 {2}${history} has entries that svcsync did not write: 2. `)()
    const named = [{ is: 'aaaaaa', since: '2026-99-99', what: 'x' }]
    forge(JSON.stringify([{ ...sound, days: { '2026-99-99': 'aaaaaa' } }, { ...sound, named }, sound]))
    expect((await run('status')).stdout).toContain('entries that svcsync did not write: 1 (SVC2248)')
    await broken(/entries that svcsync did not write: 1\. /)()
    forge(JSON.stringify([1, {}, sound]))
    await run('drift')
    expect((await run('drift')).stderr).not.toContain('SVC2248')
    expect(runs()).toHaveLength(3)
  })

  it('the history of another target, and what is no commit', async () => {
    forge(JSON.stringify([sound]), 'prod')
    await broken(/was not written by svcsync/)()
    const blob = git(remote.path, 'rev-parse', 'main:svcsync.yaml')
    git(remote.path, 'update-ref', history, blob)
    await broken(/was not written by svcsync/)()
  })

  it('text that would do something to a terminal, or to a page', async () => {
    const evil = '\u001b[2J<script>alert(1)</script>\u202e'
    const named = [{ is: 'aaaaaa', since: '2026-01-01', what: evil }]
    const runs = [{ ...sound, days: { '2026-01-01': 'aaaaaa' }, counts: { differences: 1 }, verdict: evil, named }]
    forge(JSON.stringify([...runs, ...runs]))
    const { stdout } = await run('status')
    expect(stdout).toContain('<script>alert(1)</script>')
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
    const page = (await run('drift', '--format', 'html')).stdout
    expect(page).not.toContain('<script>alert')
    expect(page).not.toMatch(/[\u001b\u202e]/)
  })

  it('a folder that cannot be written, and a ref that is symbolic', async () => {
    git(workspace.dir, 'symbolic-ref', history, 'refs/heads/main')
    await broken(/The history of `test` cannot be read: /)()
    git(workspace.dir, 'symbolic-ref', '--delete', history)
  })

  it('a run that is killed while it pushes, whose result is there already', async () => {
    const before = message()
    hook('touch "$GIT_DIR/pushing"; sleep 60')
    const running = startCommand(['drift', '--no-color'], workspace.dir, variables())
    await running.shows('Drift: 0 created')
    running.child.kill('SIGKILL')
    await running.ended
    hook('')
    expect(message()).toBe(before)
    expect((await run('drift')).code).toBe(2)
    expect(runs()).toHaveLength(JSON.parse(/^Svcsync-Runs: (.*)$/m.exec(before)?.[1] ?? '[]').length + 1)
  })
})

it('tells webhooks when the verdict changes, without an issue', async () => {
  const drift = () => run('drift', '--notify', 'team')
  expect((await drift()).code).toBe(0)
  expect(told).toEqual([])
  add(kim)
  // A run by hand leaves the news to the nightly run.
  expect((await run('drift')).code).toBe(2)
  expect((await drift()).stderr).toContain('Notified: team.')
  await run('drift')
  await drift()
  expect(told).toEqual([expect.objectContaining({ event: 'drift', before: null, issue: null })])
  add(lee)
  await drift()
  await run('apply', '--yes')
  await drift()
  expect(told.map((each) => (each as { verdict: { sentence: string } }).verdict.sentence)).toEqual([
    '1 undeclared entry in lists',
    '2 undeclared entries in lists',
    'no drift',
  ])
  expect((await run('drift', '--notify', 'team', '--no-ledger')).stderr).toContain('error SVC2109')
})
