// `svcsync accept --pull-request`: the built command, an emulator that somebody changes by hand, real git, and each
// forge over HTTP.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ForgeName } from '../../src/forge/forge-name.ts'
import { forges } from '../../src/forge/forges.ts'
import { branch, kim, manifest, useProject } from '../forge/project-on-forge.ts'
import { commitAll } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'

const names = Object.keys(forges) as ForgeName[]

describe('the request', () => {
  const lab = useProject('github')

  it('has one commit an object, says who keeps what, stays if nothing changes, and ends with the merge', async () => {
    const nothing = await lab.request()
    expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('The drift is gone') })
    lab.addKim()
    lab.changeUrl('https://other.example.com')
    const made = await lab.request()
    expect(made, made.stderr).toMatchObject({ code: 0 })
    expect(made.stdout).toContain(
      'opened.\n1 account keeps undeclared access, ' +
        '2 differences written into the manifests; 2 commits on svcsync/accept/test.\n',
    )
    expect(lab.inRemote('log', '--reverse', '--format=%cn %s', `main..${branch}`)).toBe(
      'svcsync Accept changes made by hand: constant/main/Url\n' +
        'svcsync Accept changes made by hand: group/finance@example.com',
    )
    const pull = lab.pull()
    expect(pull).toMatchObject({ title: 'Accept the drift of test', head: branch, base: 'main' })
    expect(pull.body).toMatch(
      /^<!-- svcsync:accept:test -->\n<!-- .* -->\n\n### ⚠️ Accept the drift of `test`: 1 account keeps undeclared access, /,
    )
    expect(pull.body).toContain(
      `- \`${kim}\`: **ReadOnly** on \`application/main/Purchasing\`, through \`finance@example.com\``,
    )
    expect(pull.body).toContain(`- \`group/finance@example.com\` members \`+${kim}\``)
    const tip = lab.tip()
    expect((await lab.request()).stdout).toContain('as it was.')
    expect(lab.tip()).toBe(tip)
    // The branch stays when others merge something else: what was approved holds.
    lab.workspace.write('README.md', 'Hello\n')
    commitAll(lab.workspace.dir, 'readme')
    git(lab.workspace.dir, 'push', '--quiet', 'origin', 'main')
    expect((await lab.request()).stdout).toContain('as it was.')
    expect(lab.tip()).toBe(tip)
    lab.changeUrl('https://third.example.com')
    expect((await lab.request()).stdout).toContain('updated.')
    expect(lab.tip()).not.toBe(tip)
    expect(lab.inRemote('show', `${branch}:manifests/main.yaml`)).toBe(
      manifest
        .replace('erp.example', 'third.example')
        .replace('[anna@example.com]\nc', `[anna@example.com, ${kim}]\nc`)
        .trimEnd(),
    )
    expect(git(lab.workspace.dir, 'status', '--porcelain')).toBe('')
    lab.merge()
    expect(await lab.run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 })
    expect((await lab.request()).stdout).toContain('The drift is gone')
    // The next drift is a new request.
    lab.changeUrl('https://fourth.example.com')
    expect((await lab.request()).stdout).toContain('opened.')
    expect(lab.forge.pulls.map(({ isOpen }) => isOpen)).toEqual([false, true])
  })

  it('never overwrites a branch with a commit of somebody else, and names it', async () => {
    lab.addKim()
    await lab.request()
    const clone = lab.remote.clone('other', '--branch', branch)
    commitAll(clone, 'a better way')
    git(clone, 'push', '--quiet', 'origin', branch)
    const tip = lab.tip()
    lab.changeUrl('https://other.example.com')
    const { code, stderr } = await lab.request()
    expect(code).toBe(3)
    expect(stderr).toContain(
      `The branch ${branch} has ${tip.slice(0, 7)} by Anna, which svcsync did not make: it is left as it is.`,
    )
    expect(lab.tip()).toBe(tip)
    await lab.run('apply', '--yes')
    expect((await lab.request()).code).toBe(3)
    expect([lab.tip(), lab.pull().isOpen]).toEqual([tip, true])
  })
})

/** What git does is the same on each: a forge keeps the request in its own way. */
describe.each(names)('the request on %s', (name) => {
  const lab = useProject(name)

  it('is updated, and closed with its branch when the drift is healed, and by no run that looks at less', async () => {
    lab.addKim()
    expect((await lab.request()).stdout).toContain('opened.')
    expect((await lab.request()).stdout).toContain('as it was.')
    lab.changeUrl('https://other.example.com')
    expect((await lab.request()).stdout).toContain('updated.')
    expect(lab.pull()).toMatchObject({ title: 'Accept the drift of test', head: branch, base: 'main' })
    expect(lab.pull().body).toContain('2 differences written into the manifests')
    await lab.run('apply', '--yes')
    expect((await lab.request('--only', 'constant/**')).stdout).toContain(
      'left alone: it is about everything that is declared',
    )
    expect(lab.pull().isOpen).toBe(true)
    const closed = await lab.request()
    expect(closed.stdout, closed.stderr).toContain('closed.')
    expect(lab.pull()).toMatchObject({ isOpen: false, comments: ['The drift is gone: there is nothing to accept.'] })
    expect(lab.tip()).toBe('')
  })
})

describe.each(names)('the request beside people, on %s', (name) => {
  const lab = useProject(name)

  it('stays closed where somebody closes it, until there is something else to accept', async () => {
    lab.addKim()
    await lab.request()
    lab.pull().isOpen = false
    expect((await lab.request()).stdout).toContain(
      'left alone: somebody closed it, and what it would accept is the same.',
    )
    lab.changeUrl('https://other.example.com')
    expect((await lab.request()).stdout).toContain('opened.')
    expect(lab.forge.pulls).toHaveLength(2)
  })

  it('is one where two runs make it at the same moment, and where the first answer is lost', async () => {
    lab.addKim()
    const creates = name === 'github' ? /pulls$/ : name === 'gitlab' ? /merge_requests$/ : /pullrequests$/
    lab.forge.order({ method: 'POST', path: creates, carriedOut: true, status: 502, breaks: true })
    await Promise.all([lab.request(), lab.request()])
    expect(lab.forge.pulls.filter(({ isOpen }) => isOpen)).toHaveLength(1)
    lab.forge.pulls.length = 0
    // A request that cannot be made leaves a branch, with which the next run goes on.
    lab.forge.order({ method: 'POST', path: creates, status: 403, message: 'not permitted' })
    const refused = await lab.request()
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /SVC2823 {2}The (pull|merge) request could not be posted: .* answered 403: not permitted/,
    )
    const tip = lab.tip()
    expect((await lab.request()).stdout).toContain('opened.')
    expect([lab.tip(), lab.pull().isOpen]).toEqual([tip, true])
  })
})

describe('the request and Administrators', () => {
  const lab = useProject('github')

  it('keeps no Administrator without their --allow, and the rest all the same', async () => {
    const privileges = [{ svcId: kim, level: 'Administrator' }]
    lab.workspace.emulator.edit({ addPrivileges: { application: 'Purchasing', privileges } } as never)
    lab.changeUrl('https://other.example.com')
    const without = await lab.request()
    expect(without.code).toBe(3)
    expect(without.stdout).toContain(
      `it keeps an Administrator, which takes \`--allow exception-administrator=${kim}\``,
    )
    expect(lab.inRemote('show', `${branch}:manifests/main.yaml`)).not.toContain(kim)
    expect(lab.pull().body).toContain('#### ⚠️ Not accepted')
    const { code } = await lab.request('--allow', `exception-administrator=${kim}`)
    expect(code).toBe(0)
    expect(lab.pull().body).toContain('### ⚠️ Accept the drift of `test`: 1 account stays Administrator, ')
    expect(lab.inRemote('show', `${branch}:manifests/main.yaml`)).toContain(`Administrator: [anna@example.com, ${kim}]`)
  })

  it('leaves out the group through which somebody stays Administrator, and takes the rest', async () => {
    const admins = '  - { svcId: admins@example.com, name: Admins, members: [anna@example.com] }\n'
    const levels = 'Administrator: [anna@example.com'
    const own = manifest.replace('constants:', `${admins}constants:`).replace(levels, `${levels}, admins@example.com`)
    lab.workspace.manifest(own)
    lab.publish('Let a group administer')
    expect((await lab.run('apply', '--yes')).code).toBe(0)
    lab.workspace.emulator.edit({ addMembers: { group: 'admins@example.com', members: [kim] } })
    // The selection of the group alone leaves out the application that it administers.
    const part = ['--only', 'group/admins@example.com']
    const through = 'through it somebody stays Administrator'
    expect(await lab.request(...part)).toMatchObject({ code: 3, stdout: expect.stringContaining(through) })
    for (const term of [[], ['--until', '2100-01-31', '--reason', 'Audit']])
      expect(await lab.run('accept', ...part, ...term)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(`--allow exception-administrator=${kim}`),
      })
    lab.addKim()
    lab.changeUrl('https://other.example.com')
    const without = await lab.request()
    expect(without.code, without.stdout + without.stderr).toBe(3)
    expect(without.stdout).toMatch(
      /^Not taken: group\/admins@example\.com {2}.*: through it somebody stays Administrator, which takes `--allow exception-administrator=kim\.lee@example\.com`\.$/m,
    )
    const merged = lab.inRemote('show', `${branch}:manifests/main.yaml`)
    expect([merged.match(/kim\.lee/g), merged.includes('https://other.example.com')]).toEqual([['kim.lee'], true])
    expect(lab.pull().body).toContain('group/admins@example.com')
    expect((await lab.request('--allow', `exception-administrator=${kim}`)).code).toBe(0)
    expect(lab.inRemote('show', `${branch}:manifests/main.yaml`).match(/kim\.lee/g)).toHaveLength(2)
  })
})

describe('the request of one forge', () => {
  const lab = useProject('github')

  it('takes what was deleted by hand, as the lines of the issue select it', async () => {
    lab.workspace.emulator.edit({ deleteConstant: { name: 'Url' } } as never)
    const only = ['--only', 'constant/main/Url']
    const excepted = await lab.run('accept', ...only, '--until', '2100-01-31', '--reason', 'Audit')
    expect(excepted.code, excepted.stderr).toBe(0)
    expect((await lab.run('drift', ...only)).code).toBe(0)
    rmSync(join(lab.workspace.dir, 'exceptions.yaml'))
    expect(await lab.request(...only)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 commit') })
    expect(lab.inRemote('show', `${branch}:manifests/main.yaml`)).not.toContain('Url')
    const accepted = await lab.run('accept', ...only)
    expect(accepted.code, accepted.stderr).toBe(0)
    expect(lab.read('manifests/main.yaml')).not.toContain('Url')
  })

  it('is not made where the remote takes no branch, and nothing is left behind', async () => {
    lab.addKim()
    const hook = `${lab.remote.path}/hooks/update`
    mkdirSync(dirname(hook), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\necho protected branch >&2; exit 1\n', { mode: 0o755 })
    const { code, stderr } = await lab.request()
    expect(code).toBe(1)
    const said = stderr.replace(/\s+/g, ' ')
    expect(said).toContain(`SVC2236 The remote \`origin\` does not take refs/heads/${branch}: a hook there declined it`)
    expect(said).toContain('A rule of the repository that protects it has to let svcsync through.')
    expect([lab.forge.pulls, lab.tip()]).toEqual([[], ''])
  })

  it('shows with --dry-run what it would be, and changes nothing', async () => {
    lab.addKim()
    const { code, stdout } = await lab.request('--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('+++ b/manifests/main.yaml')
    expect(stdout).toContain('### ⚠️ Accept the drift of `test`')
    expect([lab.forge.requests, lab.tip()]).toEqual([[], ''])
  })

  it('is of the branch that is merged into, of a whole clone, and of files as they are committed', async () => {
    lab.addKim()
    commitAll(lab.workspace.dir, 'not pushed')
    expect((await lab.request()).stderr).toContain(
      'SVC2824  This folder has commits that the branch `main` does not have',
    )
    git(lab.workspace.dir, 'reset', '--quiet', '--hard', 'origin/main')
    lab.workspace.manifest(manifest.replace('# the ERP', '# ours'))
    expect((await lab.request()).stderr).toContain('SVC2302')
    expect((await lab.request('--force')).stderr).toContain(
      'SVC2824  `manifests/main.yaml` differs between the commit and the folder',
    )
    git(lab.workspace.dir, 'checkout', '--quiet', '.')
    git(lab.workspace.dir, 'remote', 'rename', 'origin', 'upstream')
    expect((await lab.request()).stderr).toContain(
      'A pull request needs a branch, but the repository has no remote `origin`',
    )
    expect(lab.forge.pulls).toEqual([])
  })

  it('is refused in a shallow clone', async () => {
    lab.addKim()
    const file = `${lab.workspace.dir}/.git/shallow`
    writeFileSync(file, `${git(lab.workspace.dir, 'rev-parse', 'HEAD')}\n`)
    const { code, stderr } = await lab.request()
    expect(code).toBe(1)
    expect(stderr).toContain('fetch-depth: 0')
  })
})
