// Puts the files of an edit in their places: all of them, or none.
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { firstFew } from '@svcsync/core/model/near-misses.ts'
import { OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { editNote, type FileText, finishWriting, UnwrittenFile, writeTogether } from '@svcsync/files/write-together.ts'
import { uncommittedAmong } from '@svcsync/git/commit-files.ts'
import { type EditedProject, exceptionFiles } from './edit-project.ts'
import type { ProjectForEdit } from './open-for-edit.ts'

function filesOf(project: ProjectForEdit): string[] {
  const { file, targets } = project
  return [
    ...new Set([
      file,
      ...exceptionFiles(project),
      ...targets.flatMap(({ manifests }) => manifests.files.map(({ path }) => path)),
    ]),
  ]
}

/** Throws an OperatorError where an edit would stand among changes that no commit has. */
export function refuseUncommitted(project: ProjectForEdit): void {
  const { dir } = project.targets[0].project
  const changed = uncommittedAmong(dir, filesOf(project)) ?? []
  if (changed.length === 0) return
  const names = changed.map((path) => relative(project.options.cwd, path))
  throw new OperatorError('SVC2302', `There are uncommitted changes: ${firstFew(names, 5)}`, {
    hint: 'Commit them first, so that the edit can be reviewed and reverted by itself; or edit anyway with --force.',
  })
}

/** `more`: what goes with the edit. Throws an OperatorError: then no file has changed. */
export function writeEdits({ before, files }: EditedProject, more: readonly FileText[] = []): void {
  const folder = realpathSync(before.targets[0].project.dir)
  writeFiles(folder, before.options.cwd, [...files, ...more])
}

/** Likewise. `folder`: of the project, without links. */
export function writeFiles(folder: string, cwd: string, files: readonly FileText[]): void {
  explainUnwritten(folder, cwd, () => writeTogether(folder, files))
}

/** True: a killed command had begun to write, and its files are in their places now. */
export function finishEdits(folder: string, cwd: string): boolean {
  return explainUnwritten(folder, cwd, () => finishWriting(realpathSync(folder)))
}

function explainUnwritten<T>(folder: string, cwd: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof UnwrittenFile)) throw error
    const name = relative(cwd, error.path)
    if (error.code === 'FOREIGN')
      throw new OperatorError('SVC2304', `\`${name}\` was not written by svcsync as it is`, {
        hint: `Look at the manifests, and remove \`${relative(cwd, folder) || '.'}/${editNote}\`.`,
      })
    if (error.code === 'HALF')
      throw new OperatorError('SVC2304', 'The edit was broken off: some files are new, and others old', {
        hint: 'Check the disk, and run the command once more: it completes the edit.',
      })
    throw error.code === 'CHANGED'
      ? new OperatorError('SVC2303', `\`${name}\` was changed while the edit was made: nothing is written`, {
          hint: 'Run the command again.',
        })
      : new OperatorError('SVC2303', `\`${name}\` cannot be written: ${whyUnwritable(error.code)}`, {
          hint: 'No file was changed. Mend that, and run the command again.',
        })
  }
}
