// Other dangers of a foreign repository: replaced objects, filters, hooks, submodules, and settings that svcsync
// ignores. Plans are those of the commits themselves, and no foreign code runs.
import { appendFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CommitTree } from '../../../src/git/commit-tree.ts'
import { changesOf } from '../../../src/git/file-versions.ts'
import { exactCommit } from '../../../src/ledger/exact-commit.ts'
import { runCommand } from '../../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../../harness/git-remote.ts'
import { git } from '../../harness/repository.ts'
import { openWorkspace, type Workspace } from '../../harness/workspace.ts'
import { openTrap, type Trap } from './trap.ts'

const groups = (...names: readonly string[]) =>
  `groups:\n${names.map((name) => `  - { svcId: ${name}@example.com, name: ${name} }`).join('\n')}\n`

let workspace: Workspace
let remote: GitRemote
let trap: Trap
let kept: string
let first: string
let second: string
let before: readonly string[]
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  workspace.emulator.load({ users: [], groups: [] })
  remote = openGitRemote()
  trap = openTrap()
  kept = join(trap.dir, 'kept')
  remote.adopt(workspace.dir)
  workspace.manifest(groups('a'))
  first = commitAll(workspace.dir, 'First')
  expect((await run('apply', '--yes')).code).toBe(0)
  workspace.manifest(groups('b'))
  second = commitAll(workspace.dir, 'Second')
  cpSync(workspace.dir, kept, { recursive: true })
  before = await see()
})
afterAll(async () => {
  await workspace.close()
  remote.close()
  trap.close()
})
beforeEach(() => {
  for (const name of readdirSync(workspace.dir)) rmSync(join(workspace.dir, name), { recursive: true })
  cpSync(kept, workspace.dir, { recursive: true })
  trap.ran()
})

const run = (...args: readonly string[]) =>
  runCommand(args, workspace.dir, {
    ...{ SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' },
  })

/** The plan, and the notes on the ledger. */
async function see(): Promise<readonly string[]> {
  const all = [await run('plan'), await run('drift'), await run('status')]
  // Each drift is one more in the history.
  return all.map(({ code, stdout, stderr }) => `${code}\n${stdout.replace(/^ {2}(?:drift|trend) .*\n/gm, '')}${stderr}`)
}

const write = (path: string, text: string): void => {
  mkdirSync(join(workspace.dir, '.git', path, '..'), { recursive: true })
  writeFileSync(join(workspace.dir, '.git', path), text)
}

/** Settings that are left, as programs; each of them is one for some command of git. */
const asPrograms = [
  ...['core.fsmonitor', 'core.pager', 'core.editor', 'filter.trap.clean', 'filter.trap.smudge', 'filter.trap.process'],
  ...[
    'diff.external',
    'diff.trap.textconv',
    'diff.trap.command',
    'merge.trap.driver',
    'mergetool.x.cmd',
    'core.excludesFile',
  ],
  ...['uploadpack.packObjectsHook', 'gc.recentObjectsHook', 'submodule.lib.update', 'sequence.editor', 'man.x.cmd'],
  ...['lfs.customtransfer.x.path', 'trailer.x.command', 'interactive.diffFilter', 'pager.log', 'pager.fetch'],
] as const

const everything: Readonly<Record<string, () => void>> = {
  'another commit in the place of one (refs/replace)': () => {
    git(workspace.dir, 'replace', second, first)
    git(workspace.dir, 'replace', git(workspace.dir, 'rev-parse', `${first}^{tree}`), `${second}^{tree}`)
  },
  'other parents (grafts)': () => write('info/grafts', `${second}\n`),
  'objects of another folder (alternates)': () =>
    write('objects/info/alternates', `${remote.path}/objects\n${trap.dir}/none\n`),
  'attributes and filters': () => {
    write('info/attributes', '* filter=trap diff=trap merge=trap ident working-tree-encoding=UTF-16\n')
  },
  'settings that are left': () => {
    for (const key of asPrograms)
      git(workspace.dir, 'config', key, key.startsWith('submodule') ? `!${trap.script}` : trap.script)
    for (const name of ['log', 'fetch', 'push', 'st', 'ls-remote'])
      git(workspace.dir, 'config', `alias.${name}`, `!${trap.script}`)
    git(workspace.dir, 'config', 'core.hooksPath', join(workspace.dir, '.git/hooks'))
    git(workspace.dir, 'config', 'submodule.recurse', 'true')
    git(workspace.dir, 'config', 'log.showSignature', 'true')
    git(workspace.dir, 'config', 'push.gpgSign', 'true')
    git(workspace.dir, 'config', 'fetch.recurseSubmodules', 'true')
  },
  hooks: () => {
    const names = [
      'pre-push',
      'reference-transaction',
      'post-checkout',
      'post-index-change',
      'pre-auto-gc',
      'fsmonitor-watchman',
    ]
    for (const name of names) cpSync(trap.script, join(workspace.dir, '.git/hooks', name))
  },
  'a submodule': () => {
    git(workspace.dir, 'update-index', '--add', '--cacheinfo', `160000,${first},lib`)
    appendFileSync(join(workspace.dir, '.git/config'), '[submodule "lib"]\n\tactive = true\n\turl = ext::sh -c x\n')
  },
  'a server to fetch from what is not here': () => {
    git(workspace.dir, 'config', 'core.repositoryFormatVersion', '1')
    git(workspace.dir, 'config', 'extensions.partialClone', 'other')
    git(workspace.dir, 'config', 'remote.other.promisor', 'true')
    git(workspace.dir, 'config', 'remote.other.url', `ext::${trap.script}`)
  },
}

describe('a repository', () => {
  it.each(Object.keys(everything))('with %s is planned as it is, and nothing of it runs', async (what) => {
    everything[what]?.()
    trap.ran()
    const after = await see()
    expect([trap.ran(), after]).toEqual([false, before])
  })

  it('with all of it is read, held against its commit, and applied alike', async () => {
    for (const set of Object.values(everything)) set()
    // Git itself, as it was set, has run some.
    trap.ran()
    const { dir } = workspace
    const file = join(dir, 'manifests/main.yaml')
    expect(String(new CommitTree(dir, second).read(file, 1))).toBe(groups('b'))
    expect(changesOf(dir)?.[0]?.commit).toBe(second)
    const files = { files: [file], roots: [join(dir, 'manifests')], extensions: undefined }
    expect(exactCommit(dir, files)).toEqual({ commit: second })
    const { code, stdout, stderr } = await run('apply', '--yes')
    // On a busy machine it shows how far it is.
    expect(stderr).not.toMatch(/error|warning|hint/i)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`is at ${second.slice(0, 12)} now.`)])
    expect(trap.ran()).toBe(false)
  })
})
