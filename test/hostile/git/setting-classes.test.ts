// Which settings of a repository git may follow: the table, on real files of settings.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { readSettings } from '../../../src/git/repository.ts'
import { refusedSettings } from '../../../src/git/setting-classes.ts'
import { openRepository, type Repository } from '../../harness/repository.ts'

let repo: Repository
beforeAll(() => {
  repo = openRepository()
})
afterAll(() => repo.remove())
const unfit = (env: Readonly<Record<string, string>> = {}) =>
  refusedSettings(readSettings(repo.dir) ?? [{ isUsers: false, key: 'unreadable.settings', value: '' }], 'o', env)
const keys = () => unfit().map(({ key }) => key)
beforeEach(() =>
  writeFileSync(join(repo.dir, '.git/config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n'),
)

it.each([
  // Settings that decide the source, the destination and the path of credentials.
  ...['credential.helper', 'credential.https://x.helper', 'core.askPass', 'credential.protectProtocol'],
  ...[
    'remote.o.pushurl',
    'url.https://x/.pushInsteadOf',
    'http.proxy',
    'http.https://x.proxy',
    'http.proxyAuthMethod',
    'remote.o.proxy',
    'remote.other.proxy',
  ],
  ...['http.sslVerify', 'http.https://x.sslVerify', 'http.sslCAInfo', 'http.sslCAPath', 'http.sslCert', 'http.sslKey'],
  ...['http.curloptResolve', 'http.followRedirects', 'http.emptyAuth', 'http.delegation', 'http.pinnedPubkey'],
  ...['http.cookieFile', 'http.saveCookies', 'http.https://x.saveCookies', 'http.sslTry', 'http.newInAYear'],
  // Programs.
  ...['core.sshCommand', 'core.gitProxy', 'core.alternateRefsCommand', 'remote.o.uploadpack', 'remote.o.receivepack'],
  ...['remote.o.vcs', 'gpg.program', 'gpg.ssh.program', 'gpg.ssh.defaultKeyCommand', 'hook.mine.command'],
  ...['alias.remote-ssh', 'alias.remote-https', 'alias.credential-store', 'alias.http-push', 'ssh.variant'],
  ...['core.virtualFilesystem', 'core.useGvfsHelper'],
  // More than svcsync asks for.
  ...['remote.o.mirror', 'push.pushOption', 'fetch.bundleURI', 'bundle.x.uri', 'promisor.acceptFromServer'],
  ...['core.preferSymlinkRefs', 'core.newInAYear', 'fetch.newInAYear', 'unknown.key', 'remotes.default'],
])('refuses %s, however it is written', (key) => {
  repo.git('config', key, 'x')
  const lower = key.replace(/^[^.]*|[^.]*$/g, (part) => part.toLowerCase())
  expect(keys()).toEqual([lower])
  const written = readFileSync(join(repo.dir, '.git/config'), 'utf8')
  const isNamed = /^\[\w+ "/m.test(written)
  if (!isNamed) writeFileSync(join(repo.dir, '.git/config'), written.toUpperCase())
  expect(keys()).toEqual([lower])
})

it.each([
  ...['remote.o.url', 'remote.another.pushurl', 'url.https://x/.insteadOf'],
  ...['http.https://x/.extraheader', 'http.extraHeader', 'credential.https://x.username', 'extensions.noop'],
  ...['remote.o.tagOpt', 'remote.o.prune', 'remote.o.promisor', 'remote.o.partialclonefilter', 'remote.o.gh-resolved'],
  ...[
    'branch.main.remote',
    'branch.a.b.vscode-merge-base',
    'user.email',
    'user.signingKey',
    'gpg.format',
    'gpg.ssh.allowedSignersFile',
  ],
  ...['core.autocrlf', 'core.hooksPath', 'core.fsmonitor', 'core.pager', 'core.sparseCheckout', 'filter.lfs.process'],
  ...['lfs.https://x/info/lfs.access', 'submodule.x.url', 'submodule.recurse', 'diff.external', 'alias.st'],
  ...['protocol.ext.allow', 'safe.directory', 'gc.auto', 'maintenance.auto', 'push.default', 'fetch.prune'],
  ...['transfer.fsckObjects', 'http.postBuffer', 'http.version', 'init.defaultBranch', 'commit.gpgSign'],
])('leaves %s', (key) => {
  repo.git('config', key, 'x')
  expect(keys()).toEqual([])
})

it('holds for included files and for a work tree, and for nothing of the user', () => {
  writeFileSync(join(repo.dir, '.git/more'), '[HTTP "https://x"]\n\tPROXY = p\n')
  repo.git('config', `includeIf.gitdir:${repo.dir}/.git.path`, 'more')
  repo.git('config', 'extensions.worktreeConfig', 'true')
  repo.git('config', '--worktree', 'core.sshCommand', 'x')
  expect(keys()).toEqual(['core.sshcommand', 'http.https://x.proxy'])
  // Nobody knows then, and that is not none.
  writeFileSync(join(repo.dir, '.git/more'), '[broken')
  expect(readSettings(repo.dir)).toBeUndefined()
})

it('leaves what the environment says as well, and what settings of the user say', () => {
  repo.git('config', 'http.https://x.sslCAInfo', '/builds/company.tmp/CI_SERVER_TLS_CA_FILE')
  expect(unfit({ CI_SERVER_TLS_CA_FILE: '/elsewhere' })).toEqual([
    {
      key: 'http.https://x.sslcainfo',
      instead: ['GIT_SSL_CAINFO', '`git config --global http.https://x.sslcainfo …`'],
    },
  ])
  expect(unfit({ CI_SERVER_TLS_CA_FILE: '/builds/company.tmp/CI_SERVER_TLS_CA_FILE' })).toEqual([])
  const own = (...values: readonly string[]) => values.map((value) => ({ isUsers: false, key: 'http.proxy', value }))
  const users = (...values: readonly string[]) => own(...values).map((each) => ({ ...each, isUsers: true }))
  const refused = (settings: Parameters<typeof refusedSettings>[0]) => refusedSettings(settings, 'o', {}).length
  expect(refused([...users('q', 'p'), ...own('p')])).toBe(0)
  expect(refusedSettings(own('p', 'q'), 'o', { https_proxy: 'q' })).toHaveLength(1)
  // The last one counts.
  expect(refused([...users('p', ''), ...own('p')])).toBe(1)
  expect(refused([...users('p'), ...own('q', 'p')])).toBe(1)
})

it('refuses a way by which refs of the ledger become others, and another folder of refs', () => {
  const taken = (value: string) => {
    repo.git('config', '--replace-all', 'remote.o.fetch', value)
    return keys()
  }
  for (const value of ['+refs/svcsync/lease/test:refs/heads/main', '+refs/*:refs/heads/*', 'refs/svc*:refs/tags/*'])
    expect([value, taken(value)]).toEqual([value, ['remote.o.fetch']])
  for (const value of ['+refs/heads/*:refs/remotes/o/*', '+refs/svcsync/*:refs/svcsync/*', 'refs/svcsync/lease/test'])
    expect([value, taken(value)]).toEqual([value, []])
  const elsewhere = { isUsers: false, key: 'extensions.refstorage', value: 'files:///home' }
  expect(refusedSettings([elsewhere], 'o', {})).toHaveLength(1)
  expect(refusedSettings([{ ...elsewhere, value: 'reftable' }], 'o', {})).toEqual([])
})

it('shows no password that a key holds', () => {
  repo.git('config', 'http.https://anna:s3cr3t@x/.proxy', 'p')
  expect(JSON.stringify(unfit())).not.toContain('s3cr3t')
})
