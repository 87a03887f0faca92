// A project, its remote and its platform as they were at some point: a copy is cheaper than making them anew.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tenant } from '../../src/emulator/index.ts'
import type { GitRemote } from './git-remote.ts'
import type { Workspace } from './workspace.ts'

export interface KeptStates {
  keep(state: string): void
  backTo(state: string): void
  close(): void
}

export function keepStates(workspace: Workspace, remote: GitRemote): KeptStates {
  const kept = mkdtempSync(join(tmpdir(), 'svcsync-kept-'))
  const platforms = new Map<string, Tenant>()
  return {
    keep(state) {
      cpSync(workspace.dir, join(kept, state, 'project'), { recursive: true })
      cpSync(remote.path, join(kept, state, 'remote'), { recursive: true })
      platforms.set(state, workspace.emulator.state())
    },
    backTo(state) {
      for (const folder of [workspace.dir, dirname(remote.path)])
        for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
      cpSync(join(kept, state, 'project'), workspace.dir, { recursive: true })
      cpSync(join(kept, state, 'remote'), remote.path, { recursive: true })
      workspace.emulator.clearFaults()
      workspace.emulator.load(platforms.get(state) as Tenant)
    },
    close: () => rmSync(kept, { recursive: true }),
  }
}
