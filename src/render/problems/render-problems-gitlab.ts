// Problems as a Code Quality report, which GitLab compares between branches and shows in merge requests.
import { compareProblems, type Problem } from '../../errors/index.ts'
import { safeJson } from '../text/neutralise.ts'
import { fingerprintProblems, problemPlace } from './problem-places.ts'
import { problemSentences } from './problem-sentences.ts'

interface GitlabOptions {
  /** As places show it: what a problem without a place belongs to. */
  readonly projectFile: string
}

export function renderProblemsGitlab(problems: readonly Problem[], { projectFile }: GitlabOptions): string {
  const sorted = [...problems].sort(compareProblems)
  const fingerprints = fingerprintProblems(sorted, projectFile)
  return safeJson(
    sorted.map((problem, index) => {
      const { file, line } = problemPlace(problem, projectFile)
      return {
        description: problemSentences(problem).join(' '),
        check_name: problem.code,
        fingerprint: fingerprints[index],
        severity: problem.severity === 'error' ? 'major' : 'minor',
        location: { path: file, lines: { begin: line } },
      }
    }),
  )
}
