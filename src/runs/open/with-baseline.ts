// What was accepted beside what is declared, as a part of the project.
import type { Kind } from '../../core/model/kind.ts'
import { compareProblems } from '../../errors/index.ts'
import { type AccessBaseline, readAccessBaseline } from '../../project/access-baseline.ts'
import type { ReadProject } from './open-project.ts'

/** What is wrong with the baseline is said with what is wrong with the manifests. */
export function withBaseline<Project extends ReadProject>(
  read: Project,
  kinds: readonly Kind[],
): { readonly opened: Project; readonly baseline: AccessBaseline } {
  const { project, parsed, assembly, displayBase } = read
  const { targets } = parsed.root ?? {}
  const baseline = readAccessBaseline({
    ...{ project, kinds, displayBase, normalise: assembly.normalise },
    targets: Object.keys(typeof targets === 'object' && targets !== null ? targets : {}),
  })
  const { problems, source } = baseline
  if (source === undefined && problems.length === 0) return { opened: read, baseline }
  const opened = {
    ...read,
    problems: [...read.problems, ...problems].sort(compareProblems),
    sources: source === undefined ? read.sources : new Map([...read.sources, [source.file, source]]),
  }
  return { opened, baseline }
}
