// Files of exceptions beside the project file, edited together with the manifests.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { editText } from '@svcsync/editor/edit-text.ts'
import { exceptionEdits } from '@svcsync/editor/exception-edits.ts'
import { unifiedDiff } from '@svcsync/format/unified-diff.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import { baselineFile, exceptionsFile } from '@svcsync/project/exceptions.ts'
import type { EditedProject } from './edit-project.ts'
import type { ProjectForEdit } from './open-for-edit.ts'

export function exceptionFiles({ targets }: ProjectForEdit): string[] {
  const files = targets.flatMap(({ project }) => [exceptionsFile(project), baselineFile(project)])
  return [...new Set(files)].filter((path) => existsSync(path))
}

/** `login`: the new one; undefined: what is about the person goes. */
export function withExceptions(
  edited: EditedProject,
  isPerson: (svcId: string) => boolean,
  login: string | undefined,
): EditedProject {
  const { cwd } = edited.before.options
  const more = exceptionFiles(edited.before).flatMap((path): EditedProject['files'] => {
    const bytes = readFileSync(path)
    const text = bytes.toString().replace(/^\ufeff/, '')
    const result = editText(text, exceptionEdits(text, isPerson, login))
    if ('unfit' in result || result.text === text) return []
    const file = relative(cwd, path)
    const mark = bytes.length > Buffer.byteLength(text) ? '\ufeff' : ''
    const diff = unifiedDiff(file, new TextSource(file, text), result.text)
    return [
      { path: realpathSync(path), file, edits: [], diff, before: bytes, after: Buffer.from(`${mark}${result.text}`) },
    ]
  })
  return more.length === 0 ? edited : { ...edited, files: [...edited.files, ...more] }
}
