// An auditor's questions about the past: start, approval, apply, and former access.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const manifest = (members: string): string => `database: main
groups:
  - { svcId: admins@example.com, members: [${members}] }
applications:
  - { application: Purchasing, privileges: { Administrator: [admins@example.com] } }
`

let workspace: Workspace
let remote: string
const commits: string[] = []
let first: string
let beforeTheLedger: string
beforeAll(async () => {
  workspace = await openWorkspace({
    settings: 'ledger: { remote: origin }',
    tenant: {
      users: ['anna', 'jan', 'maria'].map((name) => ({ svcId: `${name}@example.com`, name })),
      accounts: [{ svcId: 'auditors@corp', name: 'Auditors', type: 'AdGroup' }],
      groups: [{ svcId: 'admins@example.com', name: 'Admins' }],
      databases: [{ id: 1, applications: [{ name: 'Purchasing', processes: [{ name: 'Orders' }] }] }],
    },
  })
  remote = mkdtempSync(join(tmpdir(), 'svcsync-remote-'))
  execFileSync('git', ['init', '--quiet', '--bare', remote])
  git('2026-03-01', 'init', '--quiet')
  git('2026-03-01', 'remote', 'add', 'origin', remote)
  commit('2026-03-01', manifest(''), 'Nobody yet')
  first = commits.pop() ?? ''
  commit('2026-03-01', manifest('anna@example.com'), 'Anna administers\n\nApproved-by: Jan Kos\nReviewed-by: Eva | <b>')
  beforeTheLedger = (await access('list', '--format', 'json')).stdout
  await applyNow(['--approved-by', 'jan.kos', '--approved-by', 'Eva | <b>'])
  // Merged, and never applied by itself.
  commit('2026-04-01', manifest('anna@example.com, jan@example.com'), 'Jan, too')
  commit('2026-05-01', manifest('jan@example.com, maria@example.com'), 'Maria in the place of Anna')
  await applyNow()
  // Not applied yet.
  commit('2026-06-01', manifest('jan@example.com'), 'Maria leaves')
})
afterAll(async () => {
  await workspace.close()
  rmSync(remote, { recursive: true, force: true })
})

function git(day: string, ...args: string[]): string {
  const date = `${day}T12:00:00Z`
  const identity = ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', '-c', 'commit.gpgSign=false']
  return execFileSync('git', [...identity, ...args], {
    cwd: workspace.dir,
    encoding: 'utf8',
    env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  })
}
function commit(day: string, text: string, message: string): void {
  workspace.manifest(text)
  git(day, 'add', '-A')
  git(day, 'commit', '--quiet', '-m', message)
  commits.push(git(day, 'rev-parse', 'HEAD').trim())
}
const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
/** Applies a plan that somebody approved by its digest. */
async function applyNow(approvals: readonly string[] = []): Promise<void> {
  const { digest } = JSON.parse((await run('plan', '--format', 'json')).stdout)
  const { code, stderr } = await run('apply', '--expect', digest, ...approvals)
  if (code !== 0) throw new TypeError(stderr)
}
const access = (...args: string[]) => run('access', ...args)
const rowsOf = (stdout: string) =>
  (JSON.parse(stdout) as { rows: Record<string, never>[] }).rows as unknown as readonly {
    readonly subject: string
    readonly since: { readonly commit: string; readonly claimedApprovals: readonly string[] } | null
    readonly applied?: { readonly commit: string; readonly approvedBy: readonly string[] } | null
    readonly afterApply: boolean
  }[]

it('says since when, by which apply, and whose approval the commit names', async () => {
  const { stdout } = await access('of', 'application/**', '--level', 'Administrator', '--format', 'json')
  const [jan, maria] = rowsOf(stdout)
  expect(jan).toMatchObject({ subject: 'jan@example.com', since: { commit: commits[1], claimedApprovals: [] } })
  // A merged commit without an apply of its own came with the next apply.
  expect(jan?.applied).toMatchObject({ commit: commits[2], approvedBy: [] })
  // Nobody declares it any more, and an apply takes it away: the ledger knows.
  expect(maria).toMatchObject({ subject: 'maria@example.com', since: null, declared: false, afterApply: false })
  expect(maria).not.toHaveProperty('applied')
  const text = (await access('of', 'application/**', '--level', 'Administrator')).stdout
  expect(text.replace(/\s+/g, ' ')).toContain(`since 2026-04-01, ${commits[1]?.slice(0, 7)} by Kim, applied 20`)
  expect(text).toMatch(/maria@example.com {2}through admins@example.com {2}not declared/)
})

it('claims nothing about what may have been applied before the ledger began, nor who approved it', async () => {
  const [anna] = rowsOf(beforeTheLedger)
  expect(anna).toMatchObject({ subject: 'anna@example.com', since: { commit: commits[0] } })
  expect(anna).not.toHaveProperty('applied')
  const { stdout } = await access('list', '--at', first)
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/As declared at \w+, by \w+, applied [\d-]+ or before\. /)
})

describe('--at', () => {
  it('tells who could do what as declared then, by the ways of then, whatever has become of them', async () => {
    const { stdout, code } = await access('of', 'application/**', '--level', 'Administrator', '--at', '2026-03-15')
    expect(code).toBe(0)
    const short = commits[0]?.slice(0, 7)
    // The ledger begins with it.
    const said = stdout.replace(/\s+/g, ' ')
    const applied = 'applied \\S+ or before, approved by jan.kos and Eva \\| <b>'
    expect(said).toMatch(new RegExp(`As declared at 2026-03-15, by ${short}, ${applied}\\.`))
    expect(stdout).toContain('Administrator of application/main/Purchasing (test)\n  anna@example.com  through admins')
    // The commit's claims, and the apply's own approvals.
    const brought = `since 2026-03-01, ${short} by Kim, claims approval by Jan Kos and Eva \\| <b>`
    expect(said).toMatch(new RegExp(`${brought}, ${applied} `))
    expect(stdout).toContain('not so now; since 2026-03-01')
    expect(stdout).not.toContain('jan@example.com')
  })

  it('says that a commit came with a later apply, or with none yet', async () => {
    const merged = JSON.parse((await access('list', '--at', commits[1] ?? '', '--format', 'json')).stdout)
    expect(merged.base).toMatchObject({ commit: commits[1], applied: { commit: commits[2] } })
    expect(rowsOf(JSON.stringify(merged)).map(({ subject }) => subject)).toEqual([
      'anna@example.com',
      'jan@example.com',
    ])
    const pending = await access('list', '--at', '2026-06-01')
    expect(pending.stdout).toContain(`As declared at 2026-06-01, by ${commits[3]?.slice(0, 7)}, not applied yet.`)
    const explained = await access('explain', 'maria@example.com', '--at', '2026-03-15')
    expect(explained.stdout).toContain('`maria@example.com` could do nothing, as far as was declared then.')
    expect(explained.stdout).not.toMatch(/\bnow\b/i)
    const none = await access('list', '--at', '2026-03-15', '--no-ledger')
    expect(none.stdout).toContain(`As declared at 2026-03-15, by ${commits[0]?.slice(0, 7)}.\n`)
  })

  it('is an error before the first commit, of a name that git does not know, and of a day that is none', async () => {
    const [early, unknown, none] = await Promise.all([
      access('list', '--at', '2026-02-28'),
      access('list', '--at', 'no-such-branch'),
      access('list', '--at', '2026-02-31'),
    ])
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('SVC2285')])
    for (const day of ['2026-13-01', '2026-02-30', '2026-1-1', '0000-01-01', '2026-03-01T10:00', '12026-01-01']) {
      const none = await access('list', '--at', day)
      expect([none.code, none.stderr]).toEqual([1, expect.stringContaining(`\`--at ${day}\` is no day`)])
    }
    const late = await access('list', '--at', '9999-12-31')
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('is yet to come')])
    git('2026-03-01', 'tag', '2026-1-1', first)
    expect(await access('list', '--at', '2026-1-1')).toMatchObject({ code: 0 })
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no commit `no-such-branch`')])
    expect([none.code, none.stdout]).toEqual([1, ''])
  })

  it('says in every format what the rows are about', async () => {
    const csv = await access('list', '--at', '2026-03-15', '--format', 'csv')
    expect(csv.stderr).toContain('As declared at 2026-03-15')
    const lines = csv.stdout.split('\r\n')
    expect(lines[0]?.split(',').slice(-3)).toEqual(['approved by', 'applied', 'approval claimed'])
    expect(lines[1]).toContain('anna@example.com,Administrator,application/main/Purchasing')
    expect(lines[1]).toMatch(/,"jan.kos, Eva \| <b>",\S+ or before \w{7} [^,]+,"Jan Kos, Eva \| <b>"$/)
    const { stdout } = await access('list', '--at', '2026-03-15', '--format', 'markdown')
    expect(stdout).toContain('Declared then, and not so now')
    // The text of a commit is printed as text.
    expect(stdout).not.toContain('<b>')
  })
})

describe('--person and --object', () => {
  it('narrow list and of', async () => {
    const subjects = async (...args: string[]) =>
      rowsOf((await access(...args, '--format', 'json')).stdout).map(({ subject }) => subject)
    expect(await subjects('list', '--person', 'JAN@example.com')).toEqual(['jan@example.com'])
    expect(await subjects('list', '--object', 'group/**')).toEqual([])
    expect(await subjects('list', '--object', 'application/**', '--person', 'maria@example.com')).toEqual([
      'maria@example.com',
    ])
    expect(await subjects('of', 'application/**', '--person', 'jan@example.com')).toEqual(['jan@example.com'])
  })

  it('are errors where they say again what is named, and where nobody and nothing has the name', async () => {
    const wrong = await Promise.all([
      access('explain', 'jan@example.com', '--person', 'maria@example.com'),
      access('of', 'application/**', '--object', 'group/**'),
      access('list', '--person', 'jan@exmple.com'),
      access('list', '--object', 'procss/**'),
    ])
    expect(wrong.map(({ code, stderr }) => [code, /SVC\d{4}/.exec(stderr)?.[0]])).toEqual([
      [1, 'SVC2283'],
      [1, 'SVC2283'],
      [1, 'SVC2280'],
      [1, 'SVC2281'],
    ])
    expect(wrong[2]?.stderr).toContain('Did you mean `jan@example.com`')
  })
})
