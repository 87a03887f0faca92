// Takes what an export gives for the manifests of a workspace, and plans: nothing may be left to do.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Exported } from '../../src/export/export-files.ts'
import type { ExportRun, Workspace } from './workspace.ts'

export interface Adopted extends Exported {
  /** By file. */
  readonly texts: Readonly<Record<string, string>>
  /** The plan's changes, and the unreadable objects. */
  readonly changes: readonly string[]
  readonly unreadable: readonly string[]
  readonly warnings: readonly string[]
}

export async function adopt(workspace: Workspace, options?: ExportRun): Promise<Adopted> {
  const exported = await workspace.export(options)
  useExported(workspace, exported)
  const { document } = await workspace.plan()
  return {
    ...exported,
    texts: Object.fromEntries(exported.files.map(({ file, text }) => [file, text])),
    changes: document.changes.map(({ action, address }) => `${action} ${address}`),
    unreadable: document.unreadable.map(({ address }) => address),
    warnings: document.warnings.map(({ code }) => code),
  }
}

/** Replaces all manifests. */
export function useExported(workspace: Workspace, { files }: Pick<Exported, 'files'>): void {
  rmSync(join(workspace.dir, 'manifests'), { recursive: true })
  workspace.manifest('')
  for (const { file, text } of files) workspace.write(`manifests/${file}`, text)
}
