// Opens what was declared before, at a commit or in a folder: the third side beside declared and live.

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { asWrittenDirectory, inDatabasesOfNow } from '@svcsync/core/assemble/as-written-directory.ts'
import { divideByScope, writtenAddresses } from '@svcsync/core/assemble/scope.ts'
import type { CommitHistory } from '@svcsync/core/guards/guard.ts'
import { type Declaration, placeIn } from '@svcsync/core/model/declaration.ts'
import { isJsonObject } from '@svcsync/core/model/json.ts'
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import type { Text } from '@svcsync/core/model/sensitive.ts'
import type { BaseIdentity, BegunCommit } from '@svcsync/core/plan/plan-document.ts'
import { byCount, formatCount, formatPlace, OperatorError, type Problem } from '@svcsync/errors/index.ts'
import { disk, type FileTree } from '@svcsync/files/file-tree.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { CommitTree, commitOf, commitThatAdded, follows, missingCommit, shortCommit } from '@svcsync/git/commit-tree.ts'
import { isPerhapsSparse, repositoryOf } from '@svcsync/git/repository.ts'
import { missingFromCheckout } from '@svcsync/ledger/exact-commit.ts'
import { coversFile } from '@svcsync/manifests/find-manifest-files.ts'
import { hasReference } from '@svcsync/manifests/template.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { projectFileNames } from '@svcsync/project/find-project.ts'
import { type ParsedProject, parseProject } from '@svcsync/project/parse-project.ts'
import type { Project } from '@svcsync/project/project.ts'
import { type OpenOptions, type ReadProject, readParsed, scopeOf } from './open-project.ts'
import { filesOf } from './watched-paths.ts'

export interface Base extends BaseIdentity {
  /** With the references and places of that commit. An unchanged declaration is the very same object as today's. */
  readonly read: ReadProject
  readonly tree?: FileTree | undefined
  /** The goals of unfinished applies. */
  readonly begun?: readonly (BegunCommit & Pick<Base, 'read'>)[]
  /** Entries count that were in force then; absent: those that an apply of it may have given by now. */
  readonly asOfMs?: number | undefined
}

interface WantedBase extends Pick<BaseIdentity, 'at' | 'begun'> {
  /** A commit as git knows it, or a folder; of a ledger: undefined where nothing was applied to its end. */
  readonly ref: string | undefined
  /** It was named by the ledger, and is no folder. */
  readonly from?: 'ledger' | undefined
  readonly asOfMs?: number | undefined
}

interface Origin extends BaseIdentity {
  readonly tree: FileTree
  readonly file: string
  readonly displayBase: string
  readonly problems: readonly Problem[]
}

/** Reads nothing of the environment, nor outside. Throws an OperatorError for an unusable base. */
export function openBase(
  { ref, from, at, begun = [], asOfMs }: WantedBase,
  now: ReadProject,
  options: OpenOptions,
): Base {
  refuseSparse(now)
  const known = [now]
  const inLedger = (commit: string | null): ReadProject => {
    if (commit === null) return { ...now, declarations: [], problems: [] }
    const read = readOrigin(inCommit(commit, 'ledger', now, options.cwd), known, options)
    known.push(read)
    return read
  }
  const besides = () =>
    begun.length === 0 ? {} : { begun: begun.map((side) => ({ ...side, read: inLedger(side.commit) })) }
  if (ref === undefined) return { ref: 'nothing', commit: null, from: 'ledger', read: inLedger(null), ...besides() }
  const folder = resolve(options.cwd, ref)
  const isFolder = from === undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  const origin =
    isFolder && !isCommitToo(ref, now)
      ? inFolder(ref, folder, now, options.cwd)
      : inCommit(ref, from ?? 'since', now, options.cwd)
  const read = readOrigin(origin, known, options)
  known.push(read)
  return {
    ...{ ref, commit: origin.commit, from: origin.from, read, tree: origin.tree },
    ...(at !== undefined && { at }),
    ...(asOfMs !== undefined && { asOfMs }),
    ...besides(),
  }
}

/** Files that are not checked out would be revoked, pruned, or lose their overrides. */
export function refuseSparse(now: ReadProject): void {
  const dir = repositoryFor(now)
  const left = dir === undefined || !isPerhapsSparse(dir) ? [] : missingFromCheckout(dir, filesOf(now))
  if (left.length === 0) return
  const others = left.length > 1 ? `, and ${left.length - 1} more` : ''
  throw new OperatorError(
    'SVC2241',
    `The checkout is sparse, and leaves out files of the project: ${left[0]}${others}`,
    {
      hint:
        'Their objects would count as not declared. ' +
        'Run `git sparse-checkout disable`, or `git sparse-checkout add` with their folder.',
    },
  )
}

/** `planned`: HEAD, or the commit of a saved plan; absent: git says. Undefined: there is nothing to ask. */
export function commitHistory(
  { project }: { readonly project: Pick<ReadProject['project'], 'dir'> },
  applied: string | undefined,
  strays: CommitHistory['strays'] = [],
  planned?: Parameters<typeof follows>[1] | null,
): CommitHistory | undefined {
  if (applied === undefined && strays.length === 0) return undefined
  const dir = repositoryOf(realpathSync(project.dir))
  if (dir === undefined) return undefined
  const known = planned === undefined ? (commitOf(dir, 'HEAD') ?? null) : planned
  const isAfter = known === null || applied === undefined ? 'unknown' : follows(dir, known, applied)
  const id = known === null || typeof known === 'string' ? known : known.id
  return { applied, planned: id, follows: isAfter, strays }
}

function readOrigin(origin: Origin, known: readonly ReadProject[], options: OpenOptions): ReadProject {
  const [now] = known as [ReadProject]
  const { tree, file, displayBase } = origin
  const target = now.project.targetName
  const { variables, nowMs } = options
  const { kinds } = now.project
  // Most of what is declared today was there then, in the same file: one look for all.
  tree.prepare?.([file, ...now.manifests.files.map(({ path }) => path), ...now.policyFiles])
  const parsed = parseProject(file, { kinds, displayBase, tree }, now.parsed)
  const targets = parsed.root?.targets
  if (isJsonObject(targets) && !Object.hasOwn(targets, target)) return withoutTarget(origin, now)
  refuseBase(origin, namedByReference(parsed, target))
  // Nobody asks the installation of then, whatever its address was.
  const addresses = { baseUrl: 'https://base.invalid' }
  try {
    const read = readParsed(
      parsed,
      { cwd: displayBase, env: {}, needCredentials: false, nowMs, target, variables, addresses },
      { previous: known, base: tree },
    )
    refuseBase(origin, read.problems)
    return inDatabases(read, origin, now)
  } catch (error) {
    if (error instanceof UnusableFiles) refuseBase(origin, error.problems)
    throw error
  }
}

function inDatabases(read: ReadProject, origin: Origin, now: ReadProject): ReadProject {
  const { databases: then } = read.project.target
  const { declarations, lost } = inDatabasesOfNow(read.declarations, then, now.project.target.databases)
  const problems = [...lost].map(
    ([name, count]): Problem => ({
      code: 'SVC2242',
      severity: 'warning',
      message:
        `${sayBase(origin)} declares ${formatCount(count, 'object')} in the ` +
        `database \`${name}\`${then[name] === undefined ? '' : ` (${then[name]})`}, ` +
        'which the target no longer has: svcsync revokes nothing there',
      hint: 'Check on the platform who still has access there, or keep the database in the target until the apply.',
    }),
  )
  const covered = checkCoverage(read, declarations, now, sayBase(origin))
  return {
    ...read,
    declarations: covered.declarations,
    problems: [...origin.problems, ...problems, ...covered.problems],
  }
}

/** More findings than these help nobody. */
const mostFindings = 10

/** For what its declarations show only together as well. */
export function refuseBase(base: Pick<Base, 'ref' | 'commit'>, problems: readonly Problem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  const prefix = base.commit === null ? '' : `${shortCommit(base.commit)} `
  const findings = errors.map(
    ({ code, message, place }) => `${code}  ${place === undefined ? '' : `${prefix}${formatPlace(place)}: `}${message}`,
  )
  throw new OperatorError('SVC2205', `${sayBase(base)} does not validate with this svcsync`, {
    findings: cutLines(findings, mostFindings),
    hint: 'Name a later commit, or check that one out into a folder, correct it there, and name the folder.',
  })
}

function sayBase({ ref, commit }: Pick<Base, 'ref' | 'commit'>): string {
  return commit === null ? `The base \`${ref}\`` : `The base ${shortCommit(commit)}`
}

/** The manifests of that time depend on references that are no longer known. */
function namedByReference({ root, source }: ParsedProject, target: string): Problem[] {
  const targets = isJsonObject(root?.targets) ? root.targets[target] : undefined
  const own = isJsonObject(targets) ? [targets.manifests, targets.only, targets.overrides] : []
  const lists = [root?.manifests, ...own]
  const patterns = lists.flatMap((list) => (Array.isArray(list) ? list : []))
  const named = patterns.filter((pattern) => typeof pattern === 'string' && hasReference(pattern))
  return named.map((pattern) => ({
    code: 'SVC1204',
    severity: 'error',
    message: `\`${String(pattern)}\` names manifests by a reference, which svcsync does not follow in a base`,
    place: source?.placeAt(0),
  }))
}

/** All that is declared is new. */
function withoutTarget(origin: Origin, now: ReadProject): ReadProject {
  const message = `${sayBase(origin)} has no target \`${now.project.targetName}\`: everything counts as new`
  const problem: Problem = { code: 'SVC2206', severity: 'warning', message }
  return { ...now, declarations: [], problems: [...origin.problems, problem] }
}

function isCommitToo(ref: string, now: ReadProject): boolean {
  const dir = isAbsolute(ref) || /^\.{1,2}(?:[/\\]|$)|[/\\]$/.test(ref) ? undefined : repositoryFor(now)
  if (dir === undefined || commitOf(dir, ref) === undefined) return false
  throw new OperatorError('SVC2208', `\`${ref}\` is a folder, and git knows a commit by that name`, {
    hint: `Write \`./${ref}\` for the folder, or \`refs/heads/${ref}\` for a branch.`,
  })
}

function inFolder(ref: string, folder: string, { project }: ReadProject, cwd: string): Origin {
  const names = [basename(project.file), ...projectFileNames]
  const file = names.map((name) => join(folder, name)).find((path) => disk.stat(path)?.isFile())
  if (file === undefined)
    throw new OperatorError('SVC2204', `There is no project file in the folder \`${ref}\``, {
      hint: 'Name the folder with the former project file.',
    })
  return { ref, commit: null, from: 'folder', tree: disk, file, displayBase: cwd, problems: [] }
}

function repositoryFor({ project }: ReadProject): string | undefined {
  return repositoryOf(realpathSync(project.dir))
}

function inCommit(ref: string, from: 'ledger' | 'since', now: ReadProject, cwd: string): Origin {
  const dir = repositoryFor(now)
  if (dir === undefined)
    throw new OperatorError('SVC2200', `\`${ref}\` is no folder, and the project is not in a git repository`, {
      hint: 'Name a folder with the former project.',
    })
  const isId = from === 'ledger' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
  const commit = isId ? ref : commitOf(dir, ref)
  if (commit === undefined) throw missingCommit(dir, ref)
  const tree = new CommitTree(dir, commit)
  const origin = { ref, commit, from, tree, displayBase: realpathSync(cwd) }
  const here = join(realpathSync(now.project.dir), basename(now.project.file))
  if (tree.stat(here)?.isFile()) return { ...origin, file: here, problems: [] }
  // One that is still there is another project.
  const moved = tree
    .filesCalled([...new Set([basename(here), ...projectFileNames])])
    .filter((path) => disk.stat(path) === undefined)
  const names = moved.map((path) => relative(dir, path))
  const [file] = moved
  if (file === undefined || moved.length > 1) {
    const which = moved.length > 1 ? `, and several that are no more: ${names.slice(0, 5).join(', ')}` : ''
    throw new OperatorError(
      'SVC2204',
      `The commit ${shortCommit(commit)} has no project file \`${relative(dir, here)}\`${which}`,
      { hint: file === undefined ? wayToLater(dir, relative(dir, here), from) : wayToFolder(commit, file, dir) },
    )
  }
  const message = `The project file has moved: in the base, it is \`${names[0]}\``
  return { ...origin, file, problems: [{ code: 'SVC2209', severity: 'warning', message }] }
}

/** The project came later than the commit, as a second one in a repository does. */
function wayToLater(dir: string, file: string, from: BaseIdentity['from']): string {
  const alone =
    `${from === 'ledger' ? 'With `--no-ledger`' : 'Without `--since`'} ` +
    'a plan compares manifests with the platform only.'
  const added = commitThatAdded(dir, file)
  if (added === undefined) return `No checked-out commit has the file. ${alone}`
  return `It came with ${shortCommit(added)}, the first that has it: \`--since ${shortCommit(added)}\`. ${alone}`
}

function wayToFolder(commit: string, file: string, dir: string): string {
  const [short, folder] = [shortCommit(commit), relativePath(dir, dirname(file))]
  const inside = folder === '' ? '' : `/${folder}`
  return (
    `Run \`git worktree add --detach ../then ${short}\`, ` +
    `and name the folder of the project in it, such as \`--since ../then${inside}\`.`
  )
}

function checkCoverage(
  base: ReadProject,
  declarations: readonly Declaration[],
  now: ReadProject,
  said: string,
): { readonly declarations: readonly Declaration[]; readonly problems: readonly Problem[] } {
  const { kinds, target } = now.project
  const directory = asWrittenDirectory(target.databases, kinds)
  const addressOf = writtenAddresses(directory)
  const isLeft = filesLeft(base, now.project)
  const byFile = declarations.filter((each) => !isLeft(each))
  const { own } = divideByScope(byFile, scopeOf(now.project), directory, kinds)
  if (own.length === declarations.length) return { declarations, problems: [] }
  const covered = new Set(own)
  const still = new Set([...now.declarations, ...own].map(addressOf))
  const left = new Map<string, Declaration>()
  for (const each of declarations) {
    const address = covered.has(each) ? undefined : addressOf(each)
    if (address !== undefined && !still.has(address) && !left.has(address)) left.set(address, each)
  }
  return { declarations: own, problems: left.size === 0 ? [] : [warnOf(left, now.project, said)] }
}

/** The target no longer reads this file, whether it exists or not. Its former overrides count. */
function filesLeft({ project: then, manifests }: ReadProject, now: Project): (declaration: Declaration) => boolean {
  const patternsOf = ({ manifests, overridesOfOthers }: Project) =>
    JSON.stringify([manifests, overridesOfOthers].map(texts))
  if (patternsOf(then) === patternsOf(now)) return () => false
  const isOf = ({ dir, overrides }: Project, path: string): boolean =>
    coversFile(
      dir,
      overrides.map(({ pattern }) => pattern),
      path,
    )
  const isRead = (path: string): boolean => {
    const here = resolve(now.dir, relative(then.dir, path))
    if (isOf(then, path) || isOf(now, here)) return true
    return coversFile(now.dir, now.manifests, here) && !coversFile(now.dir, now.overridesOfOthers, here)
  }
  const left = new Set(manifests.files.filter(({ path }) => !isRead(path)).map(({ source }) => source.file))
  return ({ source }) => left.has(source.file)
}

const texts = (list: readonly Text[]): readonly string[] => list.map(String)

function warnOf(left: ReadonlyMap<string, Declaration>, { targetName }: Project, said: string): Problem {
  const [objects, them] = byCount(left.size, ['an object', 'it'], [formatCount(left.size, 'object'), 'them'])
  return {
    code: 'SVC2247',
    severity: 'warning',
    message:
      `${said} declares ${objects} outside of what \`manifests\` and \`only\` of \`${targetName}\` select now: ` +
      `svcsync leaves ${them} alone`,
    hint: 'Check on the platform who still has access there, or widen `manifests` or `only`.',
    related: [...left].map(([address, declaration]) => ({ message: address, place: placeIn(declaration, []) })),
  }
}
