// Reads the authors and times of a review's decisions from git, beside the evidence.
import { join } from 'node:path'
import { groupBy, remembered } from '@svcsync/core/model/group-by.ts'
import type { Evidence } from '@svcsync/core/plan/access-review.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { follows } from '@svcsync/git/commit-tree.ts'
import { askGit, readObjects } from '@svcsync/git/read-objects.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { sha256 } from '../open/sha256.ts'

type CommittedFile = Evidence['files'][number]

/** The commit of the file's present content; null: not committed. */
export function committedAs(dir: string, path: string, text: string): CommittedFile['committed'] {
  if (unixText(blobAt(dir, 'HEAD', path)) !== unixText(text)) return null
  return commitsIn(dir, ['-1', 'HEAD', '--', path])[0] ?? null
}

/** `proof`: why git does not tell who wrote a file; null: it says what the evidence says. */
interface FileProof {
  readonly file: string
  readonly proof: string | null
  readonly authors: readonly { readonly author: string; readonly decisions: number }[]
}

/** `wrong`: the evidence says something else than git. */
export function compareWithGit(folder: string, { files }: Pick<Evidence, 'files'>) {
  const dir = repositoryOf(folder)
  const history = dir === undefined ? undefined : historyOf(dir)
  const wrong: { readonly about: string; readonly why: string }[] = []
  const written = files.map((each): FileProof => {
    const { file, committed } = each
    const unproven = (proof: string): FileProof => ({ file, proof, authors: [] })
    if (committed === null) return unproven('it was not committed when the review ended')
    if (history === undefined) return unproven('there is no git repository here')
    const path = relativePath(history.dir, join(folder, file))
    const { commit } = committed
    const [known] = history.commits(commit)
    if (known === undefined) return unproven(`commit ${commit.slice(0, 7)} is not in this clone`)
    const said = differenceIn(history, path, each, known)
    if (said === undefined) return { file, proof: null, authors: authorsOf(history, path, commit) }
    wrong.push({ about: file, why: said })
    return unproven(said)
  })
  return { wrong, written }
}

type History = ReturnType<typeof historyOf>

/** Files of a review mostly share a commit: git is asked once about each. */
function historyOf(dir: string) {
  const commits = remembered((commit: string) => commitsIn(dir, ['--no-walk', commit, '--']))
  return { dir, commits, place: remembered((commit: string) => follows(dir, 'HEAD', commit)) }
}

function differenceIn(
  { dir, place }: History,
  path: string,
  { committed, digest }: CommittedFile,
  known: NonNullable<CommittedFile['committed']>,
): string | undefined {
  const { commit, author, date } = committed ?? known
  const short = commit.slice(0, 7)
  if (known.author !== author || Date.parse(known.date) !== Date.parse(date))
    return `was committed by ${known.author} on ${known.date} in ${short}, and not by ${author} on ${date}`
  const texts = [blobAt(dir, commit, path)].flatMap((text) => (text === undefined ? [] : [text, unixText(text) ?? '']))
  if (!texts.some((text) => sha256([text]) === digest)) return `is not in ${short} as the evidence says`
  if (place(commit) === 'no') return `is of ${short}, which is not in the history`
  return undefined
}

/** The author of the last change of each decision; authors of other lines did not decide. */
function authorsOf({ dir, commits }: History, path: string, commit: string): FileProof['authors'] {
  const blame = ask(dir, ['blame', '--porcelain', '--no-textconv', commit, '--', path])
  const wrote: string[] = []
  let at = ''
  for (const line of blame?.split('\n') ?? []) {
    at = /^([\da-f]{40,64}) \d+ \d+/.exec(line)?.[1] ?? at
    if (/^\t\s+decision:\s*\S/.test(line)) wrote.push(at)
  }
  return [...groupBy(wrote, (each) => commits(each)[0]?.author ?? 'somebody')]
    .map(([author, own]) => ({ author, decisions: own.length }))
    .sort((a, b) => b.decisions - a.decisions)
}

function commitsIn(dir: string, what: readonly string[]): NonNullable<CommittedFile['committed']>[] {
  const said = ask(dir, ['log', '--no-show-signature', '--format=%H%x00%cI%x00%an <%ae>', ...what]) ?? ''
  return said.split('\n').flatMap((line) => {
    const [commit, date, author] = line.split('\0')
    return commit && date && author ? { commit, date, author } : []
  })
}

function blobAt(dir: string, commit: string, path: string): string | undefined {
  // Each line is a name to git.
  const [object] = path.includes('\n') ? [] : readObjects(dir, [`${commit}:${path}`])
  return object?.type === 'blob' ? object.bytes.toString() : undefined
}

const ask = (dir: string, args: readonly string[]) => askGit(dir, ['--literal-pathspecs', ...args])

const unixText = (text: string | undefined): string | undefined => text?.replaceAll('\r\n', '\n')
