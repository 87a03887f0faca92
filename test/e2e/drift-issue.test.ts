// `svcsync drift --to`: the built command, an emulator that somebody changes by hand, git, and a forge over HTTP.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../src/emulator/index.ts'
import { type PretendedForge, pretendForge, token } from '../forge/pretended-forge.ts'
import { forgesOfTests } from '../forge/pretended-forges.ts'
import { runCommand } from '../harness/command.ts'
import { openRepository } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const kim = 'kim.lee@example.com'
const manifest = `groups:
  - svcId: finance@example.com
    name: Finance
    members: [anna@example.com]
constants:
  - { name: Url, common: https://erp.example.com }
`

let workspace: Workspace
let forge: PretendedForge
beforeEach(async () => {
  const users = ['anna@example.com', kim].map((svcId) => ({ svcId, name: svcId, email: svcId }))
  workspace = await openWorkspace({ tenant: { users, databases: [{ id: 1 }] } as never })
  workspace.manifest(manifest)
  workspace.write('CODEOWNERS', '* @org/platform\n/manifests/main.yaml @anna @org/finance\n')
  openRepository(workspace.dir).commit()
  forge = await pretendForge(forgesOfTests.github.dialect)
  expect((await run('apply', '--yes')).code).toBe(0)
})
afterEach(async () => {
  await forge.close()
  await workspace.close()
})

const job = (own?: string) => forgesOfTests.github.env(forge.url, own)
const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env, ...job() })
const drift = (...args: string[]) => run('drift', '--to', 'github', '--quiet', ...args)

it('opens an issue with the verdict first, whose owners are asked, and each object with its ways on', async () => {
  workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
  workspace.emulator.edit({
    upsertConstant: { constant: { name: 'Url', common: 'https://other.example.com' } },
  } as never)
  const found = await run('drift', '--to', 'github')
  expect(found.code).toBe(2)
  expect(found.stderr).toMatch(/Issue org\/config#\d+: opened\.\n$/)
  const [{ body = '', ...issue } = {}] = forge.issues
  expect(issue).toMatchObject({ title: 'Drift of test', labels: ['svcsync-drift'], assignees: ['anna'], isOpen: true })
  const shown = body.split('\n').filter((line) => !line.startsWith('<!--'))
  expect(shown.slice(0, 4)).toEqual([
    '',
    '### ⚠️ Drift of `test`: 1 undeclared entry in lists',
    '',
    '2 differences, new today.',
  ])
  expect(
    body,
  ).toContain(`- \`group/finance@example.com\` since today: members + \`${kim}\` (\`manifests/main.yaml:2:5\`)

\`\`\`sh
svcsync apply --only group/finance@example.com
svcsync accept --only group/finance@example.com
svcsync accept --only group/finance@example.com --until DATE --reason REASON
\`\`\`
`)
  expect(body).toContain('common `https://erp.example.com` → `https://other.example.com`')
  expect(body).toContain('Owners of the lines: @org/finance\n')
})

it('tells how old differences are, leaves the issue to runs over as much, and closes it when done', async () => {
  workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
  expect((await drift()).code).toBe(2)
  const [issue] = forge.issues
  if (issue === undefined) throw new Error('no issue')
  issue.body = issue.body.replace(/"\d{4}-\d\d-\d\d":/, '"2026-01-31":')
  workspace.emulator.edit({
    upsertConstant: { constant: { name: 'Url', common: 'https://other.example.com' } },
  } as never)
  await drift()
  expect(issue.body).toMatch(/2 differences, 1 of them new today; the oldest since 2026-01-31, \d+ days\./)
  expect(issue.body).toContain('- `constant/main/Url` since today')
  expect((await run('apply', '--yes')).code).toBe(0)
  const part = await run('drift', '--to', 'github', '--only', 'group/*')
  expect(part).toMatchObject({ code: 0 })
  expect(part.stderr).toContain('left alone: it is about everything that is declared, and this run read `group/*`.')
  expect(issue.isOpen).toBe(true)
  const whole = await run('drift', '--to', 'github')
  expect(whole).toMatchObject({ code: 0, stderr: `Issue org/config#${issue.id}: closed.\n` })
  expect(issue).toMatchObject({ isOpen: false, comments: [expect.stringContaining('No drift is left')] })
  expect((await run('drift', '--to', 'github')).stderr).toBe('No issue: there is no drift.\n')
})

it('leaves the issue open while something cannot be read', async () => {
  workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
  await drift()
  await run('apply', '--yes')
  const effect = { kind: 'status', status: 403 }
  await workspace.control('POST', '/faults', { match: { path: '/admin/group' }, count: null, effect })
  const unread = await run('drift', '--to', 'github')
  expect(unread.code).toBe(1)
  expect(unread.stderr).toContain('left alone: not everything could be read.')
  expect(forge.issues[0]).toMatchObject({ isOpen: true })
})

it.each([
  [
    'no permission to write issues',
    { method: 'POST', status: 403, times: 9 },
    'GitHub answered 403',
    'permissions: issues: write',
  ],
  ['issues that are switched off', { method: 'GET', status: 410, times: 9 }, 'GitHub answered 410', 'Switch issues on'],
])('finds drift all the same with %s', async (_, order, message, hint) => {
  workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
  forge.order({ ...order, path: /issues$/ })
  const { code, stdout, stderr } = await run('drift', '--to', 'github')
  expect(code).toBe(2)
  expect(stdout).toContain(kim)
  expect(stderr).toMatch(/^warning SVC2822 {2}The issue could not be posted: /m)
  expect(stderr).toContain(message)
  expect(stderr).toContain(hint)
  expect(stderr).not.toContain(token)
})

it('says what a job has to be given', async () => {
  const { code, stderr } = await runCommand(['drift', '--to', 'gitlab'], workspace.dir, { ...workspace.env })
  expect(code).toBe(0)
  expect(stderr).toContain(
    'warning SVC2186  There is no project for an issue: ' +
      'GITLAB_TOKEN, CI_API_V4_URL, CI_PROJECT_ID are missing. Post from any job of the project',
  )
})

it('keeps an issue for each target of a run over several', async () => {
  const project = readFileSync(`${workspace.dir}/svcsync.yaml`, 'utf8')
  const [, one = ''] = /^ {2}test:\n((?: {4}.*\n)+)/m.exec(project) ?? []
  workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
  const other = await startEmulator()
  onTestFinished(() => other.close())
  other.load(workspace.emulator.state())
  workspace.write(
    'svcsync.yaml',
    project.replace('  test:\n', `  other:\n${one.replace(workspace.emulator.url, other.url)}  test:\n`),
  )
  const found = await run('drift', '-t', 'test', '-t', 'other', '--to', 'github')
  expect(found.code, found.stdout + found.stderr).toBe(2)
  expect(forge.issues.map(({ title }) => title).sort()).toEqual(['Drift of other', 'Drift of test'])
  expect(forge.issues.find(({ title }) => title === 'Drift of other')?.body).toContain(
    'svcsync apply --target other --only group/finance@example.com',
  )
  await run('apply', '-t', 'test', '-t', 'other', '--yes')
  expect((await run('drift', '-t', 'test', '-t', 'other', '--to', 'github')).code).toBe(0)
  expect(forge.issues.map(({ isOpen }) => isOpen)).toEqual([false, false])
})

it('opens an issue for what ends by tomorrow, also without drift, and does not insist on it', async () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const until = (day: string) => manifest.replace('[anna@example.com]', `[{ svcId: anna@example.com, until: ${day} }]`)
  workspace.manifest(until('2100-01-31'))
  expect((await drift()).code).toBe(0)
  expect(forge.issues).toEqual([])
  workspace.manifest(until(tomorrow))
  expect((await drift()).code).toBe(0)
  const [issue] = forge.issues
  expect(issue).toMatchObject({ isOpen: true, assignees: ['anna'] })
  expect(issue?.body).toContain('Drift of `test`')
  expect(issue?.body.replaceAll('\\', '')).toContain(`${tomorrow} ends \`anna@example.com\` in members of`)
  // A person who closes the issue has seen it.
  Object.assign(issue as object, { isOpen: false })
  const again = await run('drift', '--to', 'github')
  expect(again.stderr).toContain('left alone: somebody closed it, and there is no drift.')
  Object.assign(issue as object, { isOpen: true })
  workspace.manifest(until('2100-01-31'))
  await drift()
  expect(issue).toMatchObject({ isOpen: false, comments: [expect.stringContaining('No drift is left')] })
})

it('says by person what --access finds, and what ends by tomorrow', async () => {
  workspace.emulator.edit({
    upsertGroup: { svcId: 'side-door@example.com', name: 'Side door', owners: [kim] },
  } as never)
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  workspace.manifest(manifest.replace('[anna@example.com]', `[{ svcId: anna@example.com, until: ${day} }]`))
  const { code, stderr } = await run('drift', '--access', '--to', 'github')
  expect(code, stderr).toBe(2)
  const body = forge.issues[0]?.body ?? ''
  expect(body).toContain('#### ⚠️ Access that nobody declared, by person')
  expect(body).toContain(`**\`${kim}\`** has undeclared access since today:`)
  expect(body).toContain(
    `svcsync access accept --person ${kim} --level owner --object ` +
      'group/side-door@example.com --until DATE --reason REASON',
  )
  expect(body).toContain('#### Begins or ends by tomorrow: `svcsync apply --due` carries it out')
  expect(body.replaceAll('\\', '')).toContain(
    `${day} ends \`anna@example.com\` in members of \`group/finance@example.com\``,
  )
  // A run that does not look at access says nothing of it.
  expect((await run('drift', '--to', 'github')).stderr).toContain(
    'left alone: it is about everything that is declared and all access',
  )
})

const secret = '/hook/secret-of-the-webhook'

/** A webhook, and a project that names it twice. */
function useWebhook() {
  const lab = { told: [] as unknown[], status: 200, url: '' }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      lab.told.push(JSON.parse(Buffer.concat(chunks).toString()))
      // The webhook answers without JSON.
      response.writeHead(lab.status).end('ok')
    })
  })
  beforeEach(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    Object.assign(lab, { told: [], status: 200 })
    lab.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${secret}`
    const project = readFileSync(`${workspace.dir}/svcsync.yaml`, 'utf8')
    const notify = 'notify:\n  team: { url: "${env:TEAM}", as: teams }\n  pager: { url: "${env:PAGER}" }\n'
    workspace.write('svcsync.yaml', `${project}${notify}`)
  })
  afterEach(() => new Promise<void>((done) => void server.close(() => done())))
  const drifting = ['drift', '--to', 'github', '--notify', 'team', '--notify', 'pager']
  const notified = (variables: Record<string, string> = {}) =>
    runCommand(drifting, workspace.dir, {
      ...{ ...workspace.env, ...job(), TEAM: lab.url, PAGER: lab.url },
      ...variables,
    })
  return Object.assign(lab, { notified })
}

describe('--notify', () => {
  const webhook = useWebhook()
  const { notified } = webhook

  it('tells that the verdict has changed, and nothing while it stays', async () => {
    expect((await notified()).code).toBe(0)
    workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
    const found = await notified()
    expect(found).toMatchObject({ code: 2, stderr: expect.stringContaining('Notified: team.\nNotified: pager.\n') })
    const sentence = '1 undeclared entry in lists'
    const issue = `org/config#${forge.issues[0]?.id}`
    expect(webhook.told[1]).toMatchObject({
      event: 'drift',
      before: null,
      verdict: { sentence },
      issue,
      target: { name: 'test' },
    })
    const { attachments } = webhook.told[0] as {
      attachments: readonly { content: { body: readonly { text: string }[] } }[]
    }
    expect(attachments[0]?.content.body.map(({ text }) => text)).toEqual([
      `Drift of test: ${sentence}`,
      `${sentence}: group/finance@example.com`,
      '1 object changed: group/finance@example.com',
      `Decide in ${issue.replace('#', '\\#')}.`,
    ])
    await notified()
    expect(webhook.told).toHaveLength(2)
    await run('apply', '--yes')
    expect((await notified()).code).toBe(0)
    expect(webhook.told[3]).toMatchObject({ before: sentence, verdict: { severity: 'none', sentence: 'no drift' } })
  })

  const elsewhere = 'http://hooks.example.com/secret-of-the-webhook'
  it.each([
    ['a webhook that fails', 500, {}, /^warning SVC2827 {2}`team` was not notified: 127\.0\.0\.1:\d+ answered 500/m],
    [
      'a host that is not allowed',
      200,
      { SVCSYNC_ALLOW_HOSTS: '127.0.0.1', TEAM: elsewhere },
      /`SVCSYNC_ALLOW_HOSTS` does not name its host/,
    ],
    ['a variable that is not allowed', 200, { SVCSYNC_ALLOW_ENV: 'PAGER,SVCSYNC_*' }, /Nobody was notified: .*`TEAM`/],
    ['plain HTTP', 200, { TEAM: elsewhere }, /its address is not https/],
    ['what is no address', 200, { TEAM: 'secret-of-the-webhook' }, /`team` was not notified: its address is none/],
    ['an empty address', 200, { TEAM: '' }, /`team` was not notified: its address is none/],
  ])('takes %s for one line, and for no other result', async (_, status, variables, line) => {
    workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
    webhook.status = status
    const { code, stdout, stderr } = await notified(variables as Record<string, string>)
    expect(code).toBe(2)
    expect(stderr).toMatch(line)
    expect(stderr.match(/^warning SVC2827/gm)).toHaveLength(status === 500 ? 2 : 1)
    expect(stdout + stderr).not.toContain('secret-of-the-webhook')
    expect(forge.issues).toHaveLength(1)
  })

  it('needs an issue or a ledger, which remembers the verdict before', async () => {
    const { code, stderr } = await run('drift', '--notify', 'team')
    expect(code).toBe(1)
    expect(stderr).toContain('SVC2109  `--notify` needs a memory of the verdict before')
  })
})
