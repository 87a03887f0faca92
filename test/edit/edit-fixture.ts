// A project in a folder, edited as the commands do it, without a platform.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SourceEdit } from '../../src/editor/uses.ts'
import { kinds } from '../../src/kinds/index.ts'
import { type EditedProject, editProject } from '../../src/runs/edit/edit-project.ts'
import { openForEdit, type ProjectForEdit } from '../../src/runs/edit/open-for-edit.ts'

export const projectText = `version: 1
manifests: [manifests]
target: test
targets:
  test: { baseUrl: https://test.example.com, databases: { main: 1 }, overrides: [overrides] }
  prod: { baseUrl: https://svc.example.com, databases: { main: 1 } }
`

/** `files`: by their paths; `a.yaml` is `manifests/a.yaml`. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-edit-'))
  const all = { 'svcsync.yaml': projectText, 'overrides/none.yaml': '', ...files }
  for (const [name, text] of Object.entries(all)) {
    const path = join(dir, name.includes('/') || name === 'svcsync.yaml' ? name : `manifests/${name}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return dir
}

export function openFolder(dir: string): ProjectForEdit {
  const options = { cwd: dir, env: {}, kinds, needCredentials: false, nowMs: Date.parse('2026-11-26T12:00:00Z') }
  return openForEdit({ ...options, project: join(dir, 'svcsync.yaml') })
}

/** The new texts by their names, of files that change. */
export function editedTexts(
  project: ProjectForEdit,
  edits: readonly SourceEdit[],
  isAsked: Parameters<typeof editProject>[2] = () => true,
): Record<string, string> {
  return textsOf(editProject(project, edits, isAsked))
}

export function textsOf({ files }: EditedProject): Record<string, string> {
  return Object.fromEntries(
    files.map(({ file, after }) => [file.replace(/^manifests\//, ''), Buffer.from(after).toString()]),
  )
}
