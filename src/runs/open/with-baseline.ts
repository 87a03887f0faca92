// What was accepted beside what is declared, and who has roles that the platform does not tell, as parts of the project.
import type { Kind } from '@svcsync/core/model/kind.ts'
import { compareProblems } from '@svcsync/errors/index.ts'
import type { FileTree } from '@svcsync/files/file-tree.ts'
import { type AccessBaseline, readAccessBaseline } from '@svcsync/project/access-baseline.ts'
import { type ReadGlobalPrivileges, readGlobalPrivileges } from '@svcsync/project/global-privileges.ts'
import type { ReadProject } from './open-project.ts'

export interface ReadBaseline extends AccessBaseline, Pick<ReadGlobalPrivileges, 'global'> {}

/** What is wrong with the baseline is said with what is wrong with the manifests. */
export function withBaseline<Project extends ReadProject>(
  read: Project,
  kinds: readonly Kind[],
): { readonly opened: Project; readonly baseline: ReadBaseline } {
  const { project, assembly, displayBase } = read
  const baseline = baselineOf(read, kinds)
  const byHand = readGlobalPrivileges(project, assembly.time.nowMs, displayBase)
  const sources = [baseline.source, byHand.source].flatMap((source) => source ?? [])
  const opened = {
    ...read,
    problems: [...read.problems, ...baseline.problems, ...byHand.problems].sort(compareProblems),
    sources: new Map([...read.sources, ...sources.map((source) => [source.file, source] as const)]),
  }
  return { opened, baseline: { ...baseline, global: byHand.global } }
}

/** `tree`: of another time. */
export function baselineOf(
  { project, parsed, assembly, displayBase }: ReadProject,
  kinds: readonly Kind[],
  tree?: FileTree,
): AccessBaseline {
  const { targets } = parsed.root ?? {}
  return readAccessBaseline({
    ...{ project, kinds, displayBase, normalise: assembly.normalise, tree },
    targets: Object.keys(typeof targets === 'object' && targets !== null ? targets : {}),
  })
}
