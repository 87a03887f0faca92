// Refuses a remote by the settings, the place and the ref files of its repository, before anything is sent.
import { join } from 'node:path'
import process from 'node:process'
import { OperatorError } from '@svcsync/errors/index.ts'
import { checkedOutBelow, detourOf, refInTheWay } from '@svcsync/git/ref-places.ts'
import { placeOfRemote, worktreeElsewhere } from '@svcsync/git/repository.ts'
import { type Setting, unfitSettings } from '@svcsync/git/setting-classes.ts'

const mostKeys = 10

interface RefPlace {
  readonly dir: string
  readonly common: string
}

/** Settings that git would follow without its user's consent. `dir`: the folder with `.git`. */
export function refuseSettings(dir: string, settings: readonly Setting[], remote: string): void {
  const isMoved = settings.some(({ isUsers, key }) => !isUsers && key === 'core.worktree') && worktreeElsewhere(dir)
  const unfit = [
    ...unfitSettings(settings, remote, process.env),
    ...(isMoved ? [{ key: 'core.worktree', instead: [] }] : []),
  ]
  const [first] = unfit
  if (first === undefined) return
  const more = unfit.length - mostKeys
  const keys = unfit.slice(0, mostKeys).map(({ key }) => key)
  const own = `svcsync takes ${first.key} from you alone: with the same value, by ${first.instead.join(', or by ')}. Or take it out of the repository`
  throw new OperatorError(
    'SVC2233',
    `The repository's own settings change how git speaks to remotes: ${keys.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
    {
      hint: `Nothing was sent. ${first.instead.length > 0 ? own : `Take ${first.key} out of the repository`}: \`git config --list --show-origin --name-only\` shows the file.`,
    },
  )
}

export function refusePlace({ dir, common }: RefPlace, settings: readonly Setting[], remote: string): void {
  const place = placeOfRemote(dir, common, remote, settings)
  if (place === 'inside')
    throw new OperatorError('SVC2240', `The remote \`${remote}\` is inside the repository that it belongs to`, {
      hint: 'Its hooks would run, and svcsync runs no code of a repository. Create it elsewhere: `git init --bare FOLDER`.',
    })
  if (place === 'unclear')
    throw new OperatorError('SVC2244', `Git would not use the address of the remote \`${remote}\` as written`, {
      hint: `Git leaves out the host of \`file://HOST/path\`. Write \`file:///path\`, or the address of a server: \`git remote set-url ${remote} …\`.`,
    })
}

/** Refuses a ref if git would write another ref or file instead. */
export function refuseDetour({ dir, common }: RefPlace, ref: string): void {
  const detour = detourOf(dir, common, ref)
  if (detour === undefined) return
  const path = join(common, detour.path ?? ref)
  throw {
    link: () => unwritten(ref, `${path} is a link`, `Check where it leads, and remove it: \`rm ${path}\`.`),
    'no-file': () => inTheWay(ref, path),
    symbolic: () => unwritten(ref, 'it is a symbolic ref here', `\`git symbolic-ref --delete ${ref}\` removes it.`),
  }[detour.kind]()
}

/** Refuses a checked-out ref of the ledger. */
export function refuseHead({ dir, common }: RefPlace): void {
  const ref = checkedOutBelow(dir, common, 'refs/svcsync/')
  if (ref !== undefined) throw unwritten(ref, 'it is checked out', 'Check out a branch: `git checkout main`.')
}

/** Refuses if another ref keeps this one from being written. */
export function refuseRefInTheWay({ dir }: RefPlace, ref: string): void {
  const other = refInTheWay(dir, ref)
  if (other !== undefined) throw inTheWay(ref, other)
}

const inTheWay = (ref: string, what: string): OperatorError =>
  unwritten(ref, `${what} is in the way`, 'Check what it is, and move it away.')

const unwritten = (ref: string, why: string, todo: string): OperatorError =>
  new OperatorError('SVC2243', `svcsync does not write ${ref} here: ${why}`, {
    hint: `Nothing was written. ${todo} The next run fetches the ref anew.`,
  })
