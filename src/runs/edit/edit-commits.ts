// An edit as commits: one for each object, so that a reviewer can take one back.

import { realpathSync } from 'node:fs'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import type { Acceptance } from '@svcsync/editor/accept-list.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { commitFiles, uncommittedIn } from '@svcsync/git/commit-files.ts'
import { type EditedProject, editedFiles, UnfitEdits } from './edit-project.ts'

type EditedFile = EditedProject['files'][number]

/** Nobody reviews more of them one by one: then one for each kind. */
const mostCommits = 100

function partsOf(taken: readonly Acceptance[]) {
  const byObject = groupBy(taken, ({ address }) => String(address))
  const parts = byObject.size > mostCommits ? groupBy(taken, ({ address }) => kindOf(address)) : byObject
  return [...parts].map(([name, own]) => ({ name, taken: own }))
}

const kindOf = (address: string): string => address.slice(0, address.indexOf('/'))

/** `parent`: commit of the files. Throws an OperatorError if one differs. Gives the last commit and the paths. */
export function commitEdits(
  dir: string,
  parent: string,
  { before, files }: EditedProject,
  taken: readonly Acceptance[],
) {
  const root = realpathSync(dir)
  const pathOf = ({ path }: EditedFile): string => relativePath(root, path)
  const other = uncommittedIn(root, parent, new Map(files.map((file) => [pathOf(file), file.before])))
  if (other.length > 0)
    throw new OperatorError('SVC2824', `\`${other[0]}\` differs between the commit and the folder`, {
      hint: 'Commit it first. If only line breaks differ, check out with `core.autocrlf=false`.',
    })
  const whole = new Map(files.map((file) => [pathOf(file), file.after]))
  const commits: { message: string; files: ReadonlyMap<string, Uint8Array> }[] = []
  const known = new Map<string, Uint8Array>()
  for (const { name, files: own, taken: its } of steps(before, taken, files)) {
    const changed = own
      .map((file) => [pathOf(file), file.after] as const)
      .filter(([path, after]) => !isSame(known.get(path), after))
    for (const [path, after] of changed) known.set(path, after)
    // An entry that two objects share is in the commit of the first.
    if (changed.length > 0) commits.push({ message: messageOf(name, its), files: new Map(changed) })
  }
  return { tip: commitFiles(root, parent, commits), commits: commits.length, files: whole }
}

/** Each with the files as they are after it, and all before it. Edits that fit only together are one. */
function steps(project: EditedProject['before'], taken: readonly Acceptance[], files: readonly EditedFile[]) {
  try {
    const edits: Acceptance['edits'][number][] = []
    return partsOf(taken).map((part) => {
      const own = part.taken.flatMap((each) => each.edits)
      edits.push(...own)
      const touched = new Set(own.map(({ source }) => source.file))
      return {
        ...part,
        files: editedFiles(
          project,
          edits.filter(({ source }) => touched.has(source.file)),
        ),
      }
    })
  } catch (error) {
    if (!(error instanceof UnfitEdits)) throw error
    return [{ name: 'the drift', taken, files }]
  }
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array): boolean => a !== undefined && Buffer.compare(a, b) === 0

const mostLines = 50

function messageOf(name: string, taken: readonly Acceptance[]): string {
  const lines = taken.map(({ address, what }) => `${address}  ${what}`)
  const subject = `Accept changes made by hand: ${name}`
  return [subject, '', ...cutLines(lines, mostLines)].map(oneLine).join('\n')
}

/** Foreign names must not end a line or become trailers. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
