// Finds the owners of declaring lines, by the CODEOWNERS of the repository.
import { existsSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { cwd } from 'node:process'
import type { Place } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { codeOwners, isTeam } from '@svcsync/forge/codeowners.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'

/** GitHub reads no larger one. */
const mostMegabytes = 3

/** `files`: where the forge looks for it. A file that cannot be read names nobody. */
export function ownersOf(places: readonly Place[], folder: string, files: readonly string[]) {
  const root = repositoryOf(folder)
  const file = root === undefined ? undefined : files.map((each) => join(root, each)).find((each) => existsSync(each))
  const text = file === undefined ? '' : readBoundedText(file, mostMegabytes)
  if (root === undefined || isUnread(text)) return { people: [], teams: [] }
  const owners = codeOwners(text)
  const paths = new Set(places.map((place) => relative(root, resolve(cwd(), place.file)).split(sep).join('/')))
  const all = [...new Set([...paths].flatMap(owners))]
  return { people: all.filter((each) => !isTeam(each)), teams: all.filter(isTeam) }
}
