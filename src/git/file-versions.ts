// Every version of some files along the checked-out history, newest first: its commit, and its text.
import { isShallow } from './commit-tree.ts'
import { askGit, readObjects } from './read-objects.ts'

interface CommitChange {
  readonly commit: string
  /** ISO 8601, UTC: when it was committed. */
  readonly date: string
  readonly author: string
  /** It was fetched without what came before: whether it changed anything is not known. */
  readonly isBoundary: boolean
  readonly files: readonly FileChange[]
}

/** Undefined: it was not there before, or is not after. */
interface FileChange {
  readonly before: FileVersion | undefined
  readonly after: FileVersion | undefined
}

interface FileVersion {
  /** From the folder with `.git`. */
  readonly path: string
  readonly oid: string
}

const headMark = '\u0001'

/** Along first parents: a branch came with its merge. Undefined: git does not know, as before any commit. */
export function changesOf(dir: string, from = 'HEAD'): readonly CommitChange[] | undefined {
  const format = `${headMark}%H%x00%cI%x00%an%x00%P%x00`
  const wanted = [
    '--first-parent',
    '-m',
    '--raw',
    '-z',
    '-M',
    '--no-abbrev',
    '--no-show-signature',
    '--no-ext-diff',
    '--no-textconv',
  ]
  const answer = askGit(dir, ['log', ...wanted, `--format=${format}`, from, '--'])
  if (answer === undefined) return undefined
  const shallow = isShallow(dir)
  return answer
    .split(headMark)
    .slice(1)
    .map((text) => commitOf(text, shallow))
}

function commitOf(text: string, shallow: boolean): CommitChange {
  const [commit = '', date = '', author = '', parents = '', ...rest] = text.split('\0')
  const files: FileChange[] = []
  for (let at = 0; at < rest.length; at++) {
    // `:100644 100644 <before> <after> R098`, then the path, and of what was renamed the old path first.
    const [, before, after, status] = /:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/.exec(rest[at] ?? '') ?? []
    if (before === undefined || after === undefined) continue
    const path = rest[++at] ?? ''
    const isMoved = status === 'R' || status === 'C'
    const now = isMoved ? (rest[++at] ?? '') : path
    const versionOf = (of: string, oid: string) => (/^0+$/.test(oid) ? undefined : { path: of, oid })
    // A copy takes nothing from where it was made of.
    files.push({ before: status === 'C' ? undefined : versionOf(path, before), after: versionOf(now, after) })
  }
  const at = new Date(date)
  const utc = Number.isNaN(at.getTime()) ? date : at.toISOString().replace('.000Z', 'Z')
  return { commit, date: utc, author, isBoundary: shallow && parents === '', files }
}

/** By `Approved-by` and `Reviewed-by` at the end of a message: a claim of whoever wrote it. */
export function approvalsOf(dir: string, commits: readonly string[]): ReadonlyMap<string, readonly string[]> {
  if (commits.length === 0) return new Map()
  const format = '%H%n%(trailers:key=Approved-by,key=Reviewed-by,valueonly,unfold)'
  const log = ['log', '--no-walk=unsorted', '--stdin', '-z', '--no-show-signature', `--format=${format}`]
  const answer = askGit(dir, log, `${commits.join('\n')}\n`)
  if (answer === undefined) return new Map()
  return new Map(
    answer.split('\0').map((text) => {
      const [commit = '', ...names] = text.split('\n').map((line) => line.trim())
      // An older git does not know the format, and prints it instead.
      return [commit, [...new Set(names.filter((name) => name !== '' && !name.startsWith('%(')))]]
    }),
  )
}

/** The texts, in their order; undefined: git does not have it, or nobody keeps such a text by hand. */
export function versionsOf(dir: string, oids: readonly string[]): readonly (string | undefined)[] {
  return readObjects(dir, oids).map((each) => (each?.type === 'blob' ? each.bytes.toString() : undefined))
}
