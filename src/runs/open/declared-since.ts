// Since when manifests declare something without a gap: walks the history back.
import { dirname, join, resolve } from 'node:path'
import type { DeclaredLine } from '@svcsync/core/access/declared-places.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import { accountsInSet, linksOf, setLinkKey, wholeLinkKey } from '@svcsync/core/model/declared-links.ts'
import type { DesiredElement } from '@svcsync/core/model/desired.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { plainText } from '@svcsync/core/model/sensitive.ts'
import type { AccessRow } from '@svcsync/core/plan/access-report.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { approvalsOf, changesOf, versionsOf } from '@svcsync/git/file-versions.ts'
import { filesAt } from '@svcsync/git/read-objects.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { fixedPart } from '@svcsync/manifests/find-by-glob.ts'
import { loadManifests } from '@svcsync/manifests/load-manifests.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import type { ReadProject } from './open-project.ts'

type CommitChange = NonNullable<ReturnType<typeof changesOf>>[number]
type FileVersion = NonNullable<CommitChange['files'][number]['after']>

type Since = AccessRow['since']

function keysOf(
  { declaration, field, path, set, element }: DesiredElement,
  known: KnownLinks,
): readonly string[] | undefined {
  const links = getOrInsert(
    known,
    declaration,
    () => new Map(linksOf(declaration).map((link) => [`${link.field} ${JSON.stringify(link.path)}`, link.key])),
  )
  const key = links.get(`${field} ${JSON.stringify(path)}`)
  if (key === undefined) return undefined
  return set === undefined ? [key] : [key, setLinkKey(set, element.svcId ?? '')]
}

type KnownLinks = Map<DesiredElement['declaration'], ReadonlyMap<string, string>>

/** The commit by which the last line of one way came: null where one is in no commit that was fetched. */
export function declaredSince(
  { project, displayBase }: Pick<ReadProject, 'project' | 'displayBase'>,
  at?: string,
): (lines: readonly DeclaredLine[]) => Since {
  const dir = repositoryOf(project.dir)
  const commits = dir === undefined ? undefined : changesOf(dir, at)
  if (dir === undefined || commits === undefined) return () => null
  const { variables } = project.target
  const reader = versionReader(dir, (path, text) => {
    const file = join(dir, path)
    const texts = new Map([[file, new TextSource(path, text)]])
    const { dir: projectDir, kinds, settings } = project
    const { timeZone } = settings
    return loadManifests({ files: [file], kinds, variables, env: {}, projectDir, displayBase, texts, timeZone })
  })
  const found = firstCommits(filesAt(dir, at ?? 'HEAD') ?? [], commits, reader, folderTest(project, dir))
  const known: KnownLinks = new Map()
  const places = new Map(commits.map((commit, index) => [commit, index]))
  const order = (commit: CommitChange): number => places.get(commit) ?? 0
  const approvals = approvalsOf(
    dir,
    [...new Set(found.values())].map(({ commit }) => commit),
  )
  return (lines) => {
    const own = lines.map(({ element, declarations }) => {
      const keys = element ? keysOf(element, known) : declarations?.map(wholeLinkKey)
      const commits = keys?.map((key) => found.get(key)).filter((commit) => commit !== undefined)
      return commits?.length === keys?.length ? commits : undefined
    })
    if (own.length === 0 || own.includes(undefined)) return null
    const { commit, date, author } = own.flatMap((each) => each ?? []).reduce((a, b) => (order(b) < order(a) ? b : a))
    const claimedApprovals = approvals.get(commit) ?? []
    return { commit, date, author, ...laterFrom(lines, Date.parse(date)), claimedApprovals }
  }
}

/** The start of a way that begins later by itself. */
function laterFrom(lines: readonly DeclaredLine[], declaredMs: number): Pick<NonNullable<Since>, 'begins'> {
  const later = lines.flatMap(({ from }) => (from !== undefined && from.ms > declaredMs ? from : []))
  if (later.length === 0) return {}
  return { begins: later.reduce((a, b) => (b.ms > a.ms ? b : a)).shown }
}

/** True for the files below the project's folders, whatever their names. */
function folderTest(
  { dir: projectDir, file, manifests, overrides }: ReadProject['project'],
  dir: string,
): (path: string) => boolean {
  const patterns = [...manifests, ...overrides.map(({ pattern }) => pattern)].map((pattern) => plainText(pattern))
  const folders = patterns.map((pattern) => {
    const fixed = fixedPart(resolve(projectDir, pattern))
    return relativePath(dir, /\.ya?ml$/i.test(fixed) ? dirname(fixed) : fixed)
  })
  const own = relativePath(dir, file)
  return (path) =>
    /\.ya?ml$/i.test(path) &&
    path !== own &&
    folders.some((folder) => folder === '' || path === folder || path.startsWith(`${folder}/`))
}

/** Many versions are read at once, and each is parsed once for as long as its neighbours in the history need it. */
function versionReader(dir: string, load: (path: string, text: string) => ReturnType<typeof loadManifests>) {
  const texts = new Map<string, string | undefined>()
  const parsed = new Map<string, ReadonlySet<string>>()
  const none: ReadonlySet<string> = new Set()
  let kept = 0
  const linksIn = (oid: string, path: string): ReadonlySet<string> => {
    const known = parsed.get(oid)
    if (known !== undefined) return known
    const text = texts.get(oid)
    const links = text === undefined ? none : linksOfFile(load(path, text))
    kept += links.size
    for (const [oldest, its] of parsed) {
      if (kept <= mostKept) break
      kept -= its.size
      parsed.delete(oldest)
    }
    parsed.set(oid, links)
    return links
  }
  const prefetch = (oids: readonly string[]): void => {
    texts.clear()
    const wanted = oids.filter((oid) => !parsed.has(oid))
    versionsOf(dir, wanted).forEach((text, index) => void texts.set(wanted[index] as string, text))
  }
  return { linksIn, prefetch }
}

/** The number of entries in all kept versions: each version serves the commit that made it and the next one. */
const mostKept = 100_000
const commitsAtOnce = 100

function linksOfFile({ declarations, sets }: ReturnType<typeof loadManifests>): ReadonlySet<string> {
  const found = new Set<string>()
  for (const declaration of declarations) {
    for (const { key } of linksOf(declaration)) found.add(key)
    if (standIn.of(declaration.kind) !== undefined) found.add(wholeLinkKey(declaration))
  }
  for (const { name, items } of sets.values())
    for (const svcId of accountsInSet(items)) found.add(setLinkKey(name, svcId))
  return found
}

/** The commit since which each present entry has been there without a gap. */
function firstCommits(
  files: readonly FileVersion[],
  commits: readonly CommitChange[],
  { linksIn, prefetch }: ReturnType<typeof versionReader>,
  isInFolders: (path: string) => boolean,
): ReadonlyMap<string, CommitChange> {
  const found = new Map<string, CommitChange>()
  /** The number of files with an entry, at the current commit. */
  const counts = new Map<string, number>()
  const count = ({ oid, path }: FileVersion, by: 1 | -1): ReadonlySet<string> => {
    const links = linksIn(oid, path)
    for (const key of links) counts.set(key, (counts.get(key) ?? 0) + by)
    return links
  }
  const now = files.filter(({ path }) => isInFolders(path))
  prefetch(now.map(({ oid }) => oid))
  for (const file of now) count(file, 1)
  const open = new Set(counts.keys())
  const followed = new Set<string>()
  const isTracked = (file: FileVersion | undefined): boolean =>
    file !== undefined && (isInFolders(file.path) || followed.has(file.path))
  const takenBack = (changed: CommitChange['files']): string[] => {
    const touched = changed.flatMap(({ after }) => (after === undefined ? [] : [...count(after, -1)]))
    for (const { before } of changed) if (before !== undefined) count(before, 1)
    return touched
  }
  const trackedIn = (commit: CommitChange) => {
    const own = commit.files.filter(({ before, after }) => isTracked(after) || isTracked(before))
    // A renamed file is followed under its former name.
    for (const { before } of own) if (before !== undefined) followed.add(before.path)
    return { commit, files: own }
  }
  for (let from = 0; from < commits.length && open.size > 0; from += commitsAtOnce) {
    const some = commits.slice(from, from + commitsAtOnce).map(trackedIn)
    const versions = some.flatMap(({ files }) => files.flatMap(({ before, after }) => [before, after]))
    prefetch([...new Set(versions.flatMap((each) => each?.oid ?? []))])
    for (const { commit, files } of some) {
      for (const key of takenBack(files)) {
        if ((counts.get(key) ?? 0) > 0 || !open.delete(key) || commit.isBoundary) continue
        found.set(key, commit)
      }
    }
  }
  return found
}
