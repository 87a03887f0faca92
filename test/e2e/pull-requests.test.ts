// A whole life of a project in pull requests: planned, commented, changed, merged with another one, applied as
// approved; then somebody edits the platform, and the comment of the next pull request says so. The built command, real
// git, the embedded platform, and a GitHub over HTTP.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type PretendedForge, token } from '../forge/pretended-forge.ts'
import { pretendGitHub } from '../forge/pretended-github.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const account = (name: string) => ({ svcId: `${name}@example.com`, name })
const group = (name: string, member: string) => ({ ...account(name), members: [`${member}@example.com`] })
const tenant = {
  users: ['anna', 'bob', 'eve', 'piotr'].map(account),
  groups: [group('clerks', 'anna'), group('admins', 'eve')],
  databases: [
    {
      id: 1,
      constants: [
        { name: 'Term', common: '30' },
        { name: 'Url', common: 'https://erp.example.com' },
      ],
      applications: [
        {
          name: 'Purchasing',
          privileges: [
            { svcId: 'admins@example.com', level: 'Administrator' },
            { svcId: 'clerks@example.com', level: 'ReadOnly' },
          ],
        },
      ],
    },
  ],
}
const files = {
  'clerks.yaml': 'groups:\n  - { svcId: clerks@example.com, name: clerks, members: [anna@example.com] }\n',
  'admins.yaml': 'groups:\n  - { svcId: admins@example.com, name: admins, members: [eve@example.com] }\n',
  'constants.yaml':
    'database: main\nconstants:\n  - { name: Term, common: "30" }\n' +
    '  - { name: Url, common: "https://erp.example.com" }\n',
  'applications.yaml':
    'database: main\napplications:\n  - { application: Purchasing, privileges: ' +
    '{ Administrator: [admins@example.com], ReadOnly: [clerks@example.com] } }\n',
}

it('plays from the pull request to drift', { timeout: 60_000 }, async () => {
  const workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  const remote = openGitRemote()
  const forges: PretendedForge[] = []
  try {
    const env = { ...workspace.env, HOME: '/nowhere' }
    const main = workspace.dir
    workspace.emulator.load(tenant as never)
    for (const [file, text] of Object.entries(files)) workspace.write(`manifests/${file}`, text)
    workspace.write('.gitignore', '/approved\n')
    remote.adopt(main)
    commitAll(main, 'What is there')
    git(main, 'push', '--quiet', 'origin', 'main')
    const run = (dir: string, ...args: string[]) => runCommand(args, dir, env)
    expect((await run(main, 'apply', '--yes', '--quiet')).code).toBe(0)
    mkdirSync(join(main, 'approved'))

    /** A branch in a clone of its own, whose job plans each commit and comments. */
    const openPullRequest = async (name: string, isShown = false) => {
      const dir = remote.clone(name, '--branch', 'main')
      git(dir, 'checkout', '--quiet', '-b', name)
      const github = await pretendGitHub()
      forges.push(github)
      const push = async (message: string, file: keyof typeof files, from: string, to: string) => {
        const path = join(dir, 'manifests', file)
        const text = readFileSync(path, 'utf8')
        expect(text).toContain(from)
        writeFileSync(path, text.replace(from, to))
        github.head = commitAll(dir, message)
        git(dir, 'push', '--quiet', '--force', 'origin', name)
        const [plan, event] = [join(main, 'approved', `${name}.json`), join(main, 'approved', 'event')]
        expect((await run(dir, 'plan', '--out', plan, '--quiet')).code).toBe(0)
        if (!isShown) return ''
        writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head: { sha: github.head } } }))
        const job = { GITHUB_TOKEN: token, GITHUB_REPOSITORY: 'org/config', GITHUB_API_URL: github.url }
        const posted = await runCommand(['report', plan, '--to', 'github'], dir, {
          ...env,
          ...job,
          GITHUB_EVENT_PATH: event,
        })
        expect(github.comments).toHaveLength(1)
        return posted.stderr
      }
      return { push, github, dir }
    }
    const merge = (name: string): void => {
      git(main, 'fetch', '--quiet', 'origin')
      git(main, 'merge', '--quiet', '--no-edit', '--no-gpg-sign', '--no-ff', `origin/${name}`)
      git(main, 'push', '--quiet', 'origin', 'main')
    }
    /** Without what is another one each time. */
    const plainly = (text: string): string =>
      text
        .replaceAll(workspace.emulator.url, 'http://platform.example.com')
        .replace(/(?<=svcsync:commit:)[0-9a-f]{40}/g, 'COMMIT')
        .replace(/(?<=applied `?|since `?|base `?)[0-9a-f]{7,40}/g, 'COMMIT')
        .replace(/\b[0-9a-f]{16}\b/g, 'DIGEST')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
    const golden = (github: PretendedForge, file: string) =>
      expect(plainly(github.comments[0]?.body ?? '')).toMatchFileSnapshot(
        `../render/golden/pull-request-${file}.md.txt`,
      )

    const a = await openPullRequest('a', true)
    expect(await a.push('Bob works with the clerks', 'clerks.yaml', 'anna@', 'bob@example.com, anna@')).toContain(
      ': made.',
    )
    const { id } = a.github.comments[0] ?? {}
    expect(await a.push('The ERP moves', 'constants.yaml', 'erp.example', 'erp2.example')).toContain(': updated.')
    expect(a.github.comments[0]?.id).toBe(id)
    await golden(a.github, 'changed')

    const b = await openPullRequest('b')
    await b.push(
      'Piotr helps, and clerks administer',
      'admins.yaml',
      'eve@',
      'piotr@example.com, clerks@example.com, eve@',
    )
    merge('b')
    merge('a')
    await workspace.control('DELETE', '/requests')
    const approved = (...names: readonly string[]) => ['--approved', ...names.map((name) => `approved/${name}.json`)]
    const together = await run(main, 'apply', ...approved('a', 'b'), '--format', 'markdown')
    expect(together.code).toBe(4)
    expect(together.stdout).toBe(`### svcsync apply: not approved

1 part of this plan was not approved (2 plans)

**in no approved plan**

- application/main/Purchasing: \`bob@example.com\` gains Administrator through \`clerks@example.com\` › \`admins@example.com\`

Nothing was written. Have this plan approved as well: \`svcsync plan --out\`.
`)
    const asJson = await run(main, 'apply', ...approved('b'), '--format', 'json')
    const { problems } = JSON.parse(asJson.stdout) as { problems: { code: string; message: string }[] }
    expect(problems.map(({ code, message }) => `${code} ${message.replace(' (in no approved plan)', '')}`)).toEqual([
      'SVC2197 application/main/Purchasing: ' +
        'bob@example.com gains Administrator through clerks@example.com › admins@example.com',
      'SVC2197 application/main/Purchasing: bob@example.com gains ReadOnly through clerks@example.com',
      'SVC2197 constant/main/Url: common: https://erp.example.com → https://erp2.example.com',
      'SVC2197 group/clerks@example.com: members: +bob@example.com',
    ])
    expect(writesOf(workspace.emulator)).toEqual([])
    // The clerks do not administer after all.
    const c = await openPullRequest('c')
    await c.push('Clerks are clerks', 'admins.yaml', ' clerks@example.com,', '')
    merge('c')
    const applied = await run(main, 'apply', ...approved('a', 'b', 'c'), '--journal', 'approved/journal')
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('Approved: 3 changes, by 3 plans.') })
    expect(applied.stderr).toContain('1 approved object no longer needs it.')
    expect(applied.stdout).toContain('Ledger: refs/svcsync/applied/test is at ')
    expect(writesOf(workspace.emulator)).toHaveLength(3)

    // Somebody helps himself.
    await workspace.control('POST', '/edits', [
      { addMembers: { group: 'admins@example.com', members: ['bob@example.com'] } },
      { upsertConstant: { db: 1, constant: { name: 'Url', common: 'http://evil.example.com' } } },
    ])
    const d = await openPullRequest('d', true)
    await d.push('Pay sooner', 'constants.yaml', '"30"', '"14"')
    await golden(d.github, 'after-edits')
    merge('d')
    const old = await run(main, 'apply', ...approved('a', 'b', 'c'))
    expect(old.code).toBe(4)
    expect(old.stderr).toContain('in no approved plan\n  ~ constant/main/Term\n')
    expect(old.stderr).toContain('approved, but the platform changed since\n  ~ constant/main/Url\n')
    expect((await run(main, 'apply', '--approved')).stderr).toContain('were not approved (0 plans)')
    expect((await run(main, 'apply', ...approved('d'))).code).toBe(0)
    expect((await run(main, 'apply', '--approved')).code).toBe(0)
    expect((await workspace.plan()).document.steps).toEqual([])
  } finally {
    for (const forge of forges) await forge.close()
    await workspace.close()
    remote.close()
  }
})
