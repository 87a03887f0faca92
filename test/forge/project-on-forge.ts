// A project in git with a remote, applied to an emulator, on a forge that is pretended: what somebody does by hand, and
// what a job runs.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { ForgeName } from '../../src/forge/forge-name.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { type KeptStates, keepStates } from '../harness/kept-states.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { type PretendedForge, pretendForge } from './pretended-forge.ts'
import { forgesOfTests } from './pretended-forges.ts'

export const branch = 'svcsync/accept/test'
export const kim = 'kim.lee@example.com'
export const manifest = `groups:
  - svcId: finance@example.com
    name: Finance
    members: [anna@example.com]
constants:
  - { name: Url, common: https://erp.example.com } # the ERP
applications:
  - application: Purchasing
    privileges: { Administrator: [anna@example.com], ReadOnly: [finance@example.com] }
`

/** A project in git with a remote, applied, on a forge. */
export function useProject(name: ForgeName) {
  const lab = {
    workspace: undefined as unknown as Workspace,
    forge: undefined as unknown as PretendedForge,
    remote: undefined as unknown as GitRemote,
    run: (...args: string[]) =>
      runCommand(args, lab.workspace.dir, { ...lab.workspace.env, ...forgesOfTests[name].env(lab.forge.url) }),
    request: (...args: string[]) => lab.run('accept', '--pull-request', '--to', name, '--quiet', ...args),
    addKim: () => lab.workspace.emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } }),
    changeUrl: (common: string) =>
      lab.workspace.emulator.edit({ upsertConstant: { constant: { name: 'Url', common } } } as never),
    inRemote: (...args: string[]) => git(lab.remote.path, ...args),
    tip: () => git(lab.remote.path, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`),
    pull: () => {
      expect(lab.forge.pulls).toHaveLength(1)
      return lab.forge.pulls[0] as (typeof lab.forge.pulls)[number]
    },
    read: (file: string): string => readFileSync(join(lab.workspace.dir, file), 'utf8'),
    /** Somebody commits what is there, and merges it. */
    publish: (message: string) => {
      commitAll(lab.workspace.dir, message)
      git(lab.workspace.dir, 'push', '--quiet', 'origin', 'main')
    },
    /** Somebody merges the branch. */
    merge: () => {
      const clone = lab.remote.clone(`merging-${Math.random()}`, '--branch', 'main')
      git(clone, 'merge', '--quiet', '--no-ff', '-m', 'Merge', `origin/${branch}`)
      git(clone, 'push', '--quiet', 'origin', 'main')
      Object.assign(lab.pull(), { isOpen: false, isMerged: true })
      rmSync(clone, { recursive: true })
      git(lab.workspace.dir, 'pull', '--quiet', '--ff-only', 'origin', 'main')
    },
  }
  let states: KeptStates
  beforeAll(async () => {
    const users = ['anna@example.com', kim].map((svcId) => ({ svcId, name: svcId, email: svcId }))
    const databases = [{ id: 1, applications: [{ name: 'Purchasing' }] }]
    lab.workspace = await openWorkspace({ tenant: { users, databases } as never })
    lab.workspace.manifest(manifest)
    lab.remote = openGitRemote()
    lab.remote.adopt(lab.workspace.dir)
    commitAll(lab.workspace.dir, 'as it was')
    git(lab.workspace.dir, 'push', '--quiet', 'origin', 'main')
    expect((await lab.workspace.apply()).outcome).toBe('converged')
    states = keepStates(lab.workspace, lab.remote)
    states.keep('applied')
  })
  beforeEach(async () => {
    states.backTo('applied')
    lab.forge = await pretendForge(forgesOfTests[name].dialect)
  })
  afterEach(() => lab.forge.close())
  afterAll(async () => {
    states.close()
    lab.remote.close()
    await lab.workspace.close()
  })
  return lab
}
