// Opens a project for an edit, in every target: an edit of a file that they share counts in each.
import { isJsonObject } from '@svcsync/core/model/json.ts'
import { disk, type FileTree } from '@svcsync/files/file-tree.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { type ParsedProject, parseProject } from '@svcsync/project/parse-project.ts'
import { joinProblems } from '../open/join-problems.ts'
import {
  checkProject,
  hasErrors,
  type OpenedProject,
  type OpenOptions,
  projectFile,
  type ReadProject,
  readParsed,
} from '../open/open-project.ts'

export interface ProjectForEdit {
  readonly file: string
  readonly parsed: ParsedProject
  readonly targets: readonly [OpenedProject, ...OpenedProject[]]
  readonly options: OpenOptions
}

/** Throws an OperatorError without a project, and UnusableFiles with problems to mend first. */
export function openForEdit(options: OpenOptions): ProjectForEdit {
  return openWith(options, projectFile(options.project, options.cwd), new Map(), [])
}

/** The same project with other texts, by absolute path. Throws the same. */
export function reopenProject(before: ProjectForEdit, texts: ReadonlyMap<string, TextSource>): ProjectForEdit {
  return openWith(before.options, before.file, texts, before.targets)
}

/** The target that the command is about, as a plan of it wants it. `texts`: of an edit. */
export function readEdited(
  { parsed, targets, options }: ProjectForEdit,
  texts: ReadonlyMap<string, TextSource> = new Map(),
): ReadProject {
  return readParsed(parsed, { ...options, needSecrets: false }, { previous: targets, texts: new Map(texts) })
}

function openWith(
  given: OpenOptions,
  file: string,
  texts: ReadonlyMap<string, TextSource>,
  previous: readonly OpenedProject[],
): ProjectForEdit {
  const options = { ...given, needCredentials: false, needSecrets: false }
  const { kinds, cwd } = options
  const parsed = parseProject(file, { kinds, displayBase: cwd, tree: treeOf(texts) })
  const names = isJsonObject(parsed.root?.targets) ? Object.keys(parsed.root.targets) : []
  const all = new Map<string, TextSource>(texts)
  const read = (target: string | undefined, ofAll?: 'other'): OpenedProject =>
    checkProject(readParsed(parsed, { ...options, target }, { ofAll, previous, texts: all }))
  const chosen = read(options.target)
  const others = names.filter((name) => name !== chosen.project.targetName)
  const targets = [chosen, ...others.map((name) => read(name, 'other'))] as const
  if (targets.some(({ problems }) => hasErrors(problems))) {
    const parts = targets.map(({ project, problems }) => ({ target: project.targetName, problems }))
    throw new UnusableFiles(joinProblems(parts), new Map(targets.flatMap(({ sources }) => [...sources])))
  }
  return { file, parsed, targets, options: given }
}

function treeOf(texts: ReadonlyMap<string, TextSource>): FileTree {
  return {
    ...disk,
    read(path, mostMegabytes) {
      const source = texts.get(path)
      return source === undefined ? disk.read(path, mostMegabytes) : Buffer.from(source.text)
    },
  }
}
