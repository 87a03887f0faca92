// Where to show a problem in a format that wants a file for everything.
import type { Place, Problem } from '../errors/index.ts'

/** A problem without a place is one of the project as a whole: it stands at the beginning of the project file. */
export function problemPlace(problem: Problem, projectFile: string): Place {
  return problem.place ?? { file: projectFile, line: 1, column: 1 }
}
