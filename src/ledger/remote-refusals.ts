// Refuses a remote by the settings, the place and the ref files of its repository, before anything is sent.

import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { placeOfRemote, worktreeElsewhere } from '@svcsync/git/repository.ts'
import { runGit } from '@svcsync/git/run-git.ts'
import { refusedSettings } from '@svcsync/git/setting-classes.ts'

const mostKeys = 10

interface RefFolders {
  readonly dir: string
  readonly common: string
}

/** Settings that git would follow without its user's consent. `dir`: the folder with `.git`. */
export function refuseSettings(dir: string, settings: Parameters<typeof refusedSettings>[0], remote: string): void {
  const isMoved = settings.some(({ isUsers, key }) => !isUsers && key === 'core.worktree') && worktreeElsewhere(dir)
  const unfit = [
    ...refusedSettings(settings, remote, process.env),
    ...(isMoved ? [{ key: 'core.worktree', instead: [] }] : []),
  ]
  const [first] = unfit
  if (first === undefined) return
  const keys = unfit.map(({ key }) => key)
  const own =
    `svcsync takes ${first.key} from you alone: with the same value, by ${first.instead.join(', or by ')}. ` +
    'Or take it out of the repository'
  throw new OperatorError(
    'SVC2233',
    "The repository's own settings change how git speaks to remotes: " + cutLines(keys, mostKeys).join(', '),
    {
      hint:
        `Nothing was sent. ${first.instead.length > 0 ? own : `Take ${first.key} out of the repository`}: ` +
        '`git config --list --show-origin --name-only` shows the file.',
    },
  )
}

export function refusePlace(
  { dir, common }: RefFolders,
  settings: Parameters<typeof refusedSettings>[0],
  remote: string,
): void {
  const place = placeOfRemote(dir, common, remote, settings)
  if (place === 'inside')
    throw new OperatorError('SVC2240', `The remote \`${remote}\` is inside the repository that it belongs to`, {
      hint: 'Its hooks would run; svcsync runs no code of a repository. Create it elsewhere: `git init --bare FOLDER`.',
    })
  if (place === 'unclear')
    throw new OperatorError('SVC2244', `Git would not use the address of the remote \`${remote}\` as written`, {
      hint:
        'Git leaves out the host of `file://HOST/path`. ' +
        `Write \`file:///path\`, or the address of a server: \`git remote set-url ${remote} …\`.`,
    })
}

/** Refuses a ref if git would write another ref or file instead. */
export function refuseDetour({ dir, common }: RefFolders, ref: string): void {
  const detour = detourOf(dir, common, ref)
  if (detour === undefined) return
  const path = join(common, detour.path ?? ref)
  throw {
    link: () => unwritableRef(ref, `${path} is a link`, `Check where it leads, and remove it: \`rm ${path}\`.`),
    'no-file': () => blockedRef(ref, path),
    symbolic: () => unwritableRef(ref, 'it is a symbolic ref here', `\`git symbolic-ref --delete ${ref}\` removes it.`),
  }[detour.kind]()
}

/** Refuses a checked-out ref of the ledger. */
export function refuseHead({ dir, common }: RefFolders): void {
  const ref = checkedOut(dir, common) ?? runGit(dir, ['symbolic-ref', '--quiet', 'HEAD']).stdout.toString().trim()
  // With each write to it, git writes to the log of HEAD, too.
  if (ref.startsWith('refs/svcsync/'))
    throw unwritableRef(ref, 'it is checked out', 'Check out a branch: `git checkout main`.')
}

/** Refuses if another ref keeps this one from being written. */
export function refuseRefInTheWay({ dir }: RefFolders, ref: string): void {
  const other = refInTheWay(dir, ref)
  if (other !== undefined) throw blockedRef(ref, other)
}

const blockedRef = (ref: string, what: string): OperatorError =>
  unwritableRef(ref, `${what} is in the way`, 'Check what it is, and move it away.')

const unwritableRef = (ref: string, why: string, todo: string): OperatorError =>
  new OperatorError('SVC2243', `svcsync does not write ${ref} here: ${why}`, {
    hint: `Nothing was written. ${todo} The next run fetches the ref anew.`,
  })

/** The file to which git would write instead of a ref. `path`: from the folder of the refs; absent: the ref itself. */
type RefRedirect =
  | { readonly kind: 'link' | 'no-file'; readonly path: string }
  | { readonly kind: 'symbolic'; readonly path?: undefined }

/** Files that git writes beside refs when it fetches. */
const fetchFiles = ['shallow', 'packed-refs', 'reftable']

/** `common`: the folder with `refs`, of all work trees. Undefined: git writes to the ref, and nowhere else. */
function detourOf(dir: string, common: string, ref: string): RefRedirect | undefined {
  const link = fetchFiles.find((path) => statusOf(join(common, path))?.isSymbolicLink())
  if (link !== undefined) return { kind: 'link', path: link }
  const detour = detourOfFile(common, ref) ?? detourOfFile(common, `logs/${ref}`)
  if (detour !== undefined) return detour
  return isSymbolic(dir, common, ref) ? { kind: 'symbolic' } : undefined
}

function detourOfFile(common: string, file: string): RefRedirect | undefined {
  const names = file.split('/')
  for (let depth = 1; depth <= names.length; depth++) {
    const path = names.slice(0, depth).join('/')
    const status = statusOf(join(common, path))
    if (status === undefined) return undefined
    if (status.isSymbolicLink()) return { kind: 'link', path }
    const isLast = depth === names.length
    // A log is only appended to, also as a hard link; an empty folder in a file's place may be left over.
    if (isLast && file.startsWith('logs/') && status.isFile() && status.nlink > 1) return { kind: 'link', path }
    if (!status.isDirectory() && !(isLast && status.isFile())) return { kind: 'no-file', path }
  }
  return undefined
}

/** Links are not followed: refs that are symbolic are files in which that is written. */
function isSymbolic(dir: string, common: string, ref: string): boolean {
  if (statusOf(join(common, 'reftable')) !== undefined)
    return runGit(dir, ['symbolic-ref', '--quiet', ref]).status === 0
  const path = join(common, ref)
  return statusOf(path)?.isFile() === true && readFileSync(path, 'latin1').startsWith('ref:')
}

const statusOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })

/** Reads a usual clone without running git. Undefined: only git can tell. */
function checkedOut(dir: string, common: string): string | undefined {
  const file = join(dir, '.git/HEAD')
  if (!statusOf(join(dir, '.git'))?.isDirectory() || !statusOf(file)?.isFile()) return undefined
  const [, ref] = /^ref: (refs\/\S+)\n$/.exec(readFileSync(file, 'latin1')) ?? []
  return ref === undefined || isSymbolic(dir, common, ref) ? undefined : ref
}

/** Another ref that keeps this one from being there, as a folder is no file. */
function refInTheWay(dir: string, ref: string): string | undefined {
  const [folder] = /^refs\/[^/]+/.exec(ref) ?? []
  const { stdout } = runGit(dir, ['for-each-ref', '--format=%(refname)', folder ?? 'refs'])
  const names = stdout.toString().split('\n')
  return names.find((name) => name !== '' && (ref.startsWith(`${name}/`) || name.startsWith(`${ref}/`)))
}
