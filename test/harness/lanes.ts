// Several workspaces, each for one test at a time: what one test waits for, another uses. For tests that run side by
// side.
import { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts'

export interface Lanes {
  /** Runs `use` on a workspace that nobody else has, as soon as there is one. */
  take<T>(use: (workspace: Workspace) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** `prepare` puts a workspace into order before each use; without it, it is as whoever had it before left it. */
export async function openLanes(
  count: number,
  options: WorkspaceOptions | (() => WorkspaceOptions),
  prepare: (workspace: Workspace) => Promise<unknown> = async () => undefined,
): Promise<Lanes> {
  const all = await Promise.all(
    Array.from({ length: count }, () => openWorkspace(typeof options === 'function' ? options() : options)),
  )
  const free = [...all]
  const waiting: ((workspace: Workspace) => void)[] = []
  return {
    async take(use) {
      const workspace = free.pop() ?? (await new Promise<Workspace>((resolve) => waiting.push(resolve)))
      try {
        await prepare(workspace)
        return await use(workspace)
      } finally {
        const next = waiting.shift()
        if (next === undefined) free.push(workspace)
        else next(workspace)
      }
    },
    async close() {
      for (const workspace of all) await workspace.close()
    },
  }
}
