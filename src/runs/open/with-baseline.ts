// What was accepted beside what is declared, as a part of the project.
import type { Kind } from '../../core/model/kind.ts'
import { compareProblems } from '../../errors/index.ts'
import { type AccessBaseline, readAccessBaseline } from '../../project/access-baseline.ts'
import type { ReadProject } from './open-project.ts'

export function baselineOf(opened: ReadProject, kinds: readonly Kind[]): AccessBaseline {
  const { project, parsed, assembly, displayBase } = opened
  const { targets } = parsed.root ?? {}
  return readAccessBaseline({
    ...{ project, kinds, displayBase, normalise: assembly.normalise },
    targets: Object.keys(typeof targets === 'object' && targets !== null ? targets : {}),
  })
}

/** What is wrong with the baseline is said with what is wrong with the manifests. */
export function withBaseline<Project extends ReadProject>(
  opened: Project,
  { problems, source }: AccessBaseline,
): Project {
  if (source === undefined && problems.length === 0) return opened
  return {
    ...opened,
    problems: [...opened.problems, ...problems].sort(compareProblems),
    sources: source === undefined ? opened.sources : new Map([...opened.sources, [source.file, source]]),
  }
}
