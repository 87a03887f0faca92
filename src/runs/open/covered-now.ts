// Names the objects of a base that a narrower `only` or `manifests` leaves out: they stay, and still count as declared.
import { relative, resolve } from 'node:path'
import { asWrittenDirectory } from '@svcsync/core/assemble/as-written-directory.ts'
import { divideByScope, writtenAddresses } from '@svcsync/core/assemble/scope.ts'
import { type Declaration, placeIn } from '@svcsync/core/model/declaration.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Text } from '@svcsync/core/model/sensitive.ts'
import { byCount, formatCount, type Problem } from '@svcsync/errors/index.ts'
import { coversFile } from '@svcsync/manifests/find-manifest-files.ts'
import type { Project } from '@svcsync/project/project.ts'
import { type ReadProject, scopeOf } from './open-project.ts'

export function coveredNow(
  base: ReadProject,
  declarations: readonly Declaration[],
  now: ReadProject,
  said: string,
  kinds: readonly Kind[],
): { readonly declarations: readonly Declaration[]; readonly problems: readonly Problem[] } {
  const directory = asWrittenDirectory(now.project.target.databases, new Map(kinds.map((kind) => [kind.name, kind])))
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
    message: `${said} declares ${objects} outside of what \`manifests\` and \`only\` of \`${targetName}\` select now: svcsync leaves ${them} alone`,
    hint: 'Check on the platform who still has access there, or widen `manifests` or `only`.',
    related: [...left].map(([address, declaration]) => ({ message: address, place: placeIn(declaration, []) })),
  }
}
