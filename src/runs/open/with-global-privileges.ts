// Who has roles that the platform does not tell, beside what is declared, as a part of the project.
import { compareProblems } from '@svcsync/errors/index.ts'
import { type ReadGlobalPrivileges, readGlobalPrivileges } from '@svcsync/project/global-privileges.ts'
import type { ReadProject } from './open-project.ts'

/** What is wrong with the file is said with what is wrong with the manifests. */
export function withGlobalPrivileges<Project extends ReadProject>(
  read: Project,
): { readonly opened: Project } & Pick<ReadGlobalPrivileges, 'global'> {
  const { project, assembly, displayBase } = read
  const { source, problems, global } = readGlobalPrivileges(project, assembly.time.nowMs, displayBase)
  const sources = source === undefined ? read.sources : new Map([...read.sources, [source.file, source] as const])
  return { opened: { ...read, problems: [...read.problems, ...problems].sort(compareProblems), sources }, global }
}
