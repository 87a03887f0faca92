// A project with a ledger in a remote, for tests that start the command.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { type KeptStates, keepStates } from '../harness/kept-states.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

export const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
export const applied = 'refs/svcsync/applied/test'
export const lease = 'refs/svcsync/lease/test'
export const groups = (...names: readonly string[]) =>
  `groups:\n${names.map((name) => `  - { svcId: ${name}@example.com, name: ${name} }`).join('\n')}\n`
export const flat = (text: string) => text.replace(/\s+/g, ' ')

/**
 * Two repositories and a platform for the tests of a file, put back before each: a commit is in the remote, and not
 * applied.
 */
export function useLedger() {
  let workspace: Workspace
  let remote: GitRemote
  let states: KeptStates
  const keep = (state: string): void => states.keep(state)
  const backTo = (state: string): void => states.backTo(state)
  /** Two commits, of which the later is in the remote, and applied in one of the two states. */
  let first: string
  beforeAll(async () => {
    workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
    remote = openGitRemote()
    states = keepStates(workspace, remote)
    workspace.emulator.load({ users: [], groups: [] })
    remote.adopt(workspace.dir)
    commitAll(workspace.dir, 'Nothing yet')
    workspace.manifest(groups('a'))
    first = publish('Let anna in')
    keep('published')
    expect((await run('apply', '--yes')).code).toBe(0)
    keep('applied')
  })
  afterAll(async () => {
    await workspace.close()
    remote.close()
    states.close()
  })
  beforeEach(() => backTo('published'))
  const runIn = (dir: string, ...args: readonly string[]) => runCommand(args, dir, env)
  const run = (...args: readonly string[]) => runIn(workspace.dir, ...args)
  const inRemote = (...args: readonly string[]) => git(remote.path, ...args)
  const appliedCommit = () => inRemote('rev-parse', '--verify', '--quiet', `${applied}^2`)
  /** As it stands without line breaks. */
  const publish = (message: string) => {
    const commit = commitAll(workspace.dir, message)
    git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:main')
    return commit
  }
  const hook = (name: string, text: string): void => {
    mkdirSync(join(remote.path, 'hooks'), { recursive: true })
    writeFileSync(join(remote.path, 'hooks', name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(remote.path, 'hooks', name), 0o755)
  }
  return {
    get workspace() {
      return workspace
    },
    get remote() {
      return remote
    },
    get first() {
      return first
    },
    ...{ keep, backTo, runIn, run, inRemote, appliedCommit, publish, hook },
  }
}
