// Says which project file was taken, where that cannot be seen from the folder: it decides where the credentials go.
import { dirname } from 'node:path'
import { cwd } from 'node:process'
import { shownPath } from '../manifests/load-manifests.ts'
import type { Console } from './console.ts'
import type { SharedOptions } from './shared-options.ts'

export function noteProject(
  file: string,
  { project, verbose }: Pick<SharedOptions, 'project' | 'verbose'>,
  console: Pick<Console, 'note'>,
): void {
  const isElsewhere = project === undefined && dirname(file) !== cwd()
  if (isElsewhere || verbose === true) console.note(`Project file: ${shownPath(file, cwd())}`)
}
