// Links to lines in the repository, at the commit of a pipeline that says which it is.
import { resolve } from 'node:path'
import { parseUrl } from '@svcsync/core/model/url.ts'
import type { Place } from '@svcsync/errors/index.ts'
import { liesWithin, relativePath } from '@svcsync/files/paths.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import type { Env } from '@svcsync/platform/agents.ts'

/** Addresses of lines in the repository of a pipeline. Undefined: nothing says which that is. */
export function linkFrom(variables: Env, from: string): ((place: Place) => string | undefined) | undefined {
  const root = repositoryOf(from)
  const blob = blobOf(variables)
  if (root === undefined || blob === undefined) return undefined
  // A removed line was in another commit, or in a folder, which has no web address.
  return ({ file, line, commit }: Place & { readonly commit?: string | null }) => {
    const path = resolve(from, file)
    if (!liesWithin(root, path) || commit === null) return undefined
    return blob(relativePath(root, path).split('/').map(encodeURIComponent).join('/'), line, commit)
  }
}

type BlobAddress = (path: string, line: number, commit?: string) => string

function blobOf(variables: Env): BlobAddress | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA, CI_PROJECT_URL, CI_COMMIT_SHA } = variables
  const { BUILD_REPOSITORY_URI, BUILD_SOURCEVERSION, BUILD_REPOSITORY_PROVIDER } = variables
  const at = (repository: string, rest: BlobAddress): BlobAddress | undefined => {
    const base = webAddress(repository)
    return base === undefined ? undefined : (...place) => `${base}${rest(...place)}`
  }
  if (GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_SHA)
    return at(
      `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`,
      (path, line, commit = GITHUB_SHA) => `/blob/${commit}/${path}#L${line}`,
    )
  if (CI_PROJECT_URL && CI_COMMIT_SHA)
    return at(CI_PROJECT_URL, (path, line, commit = CI_COMMIT_SHA) => `/-/blob/${commit}/${path}#L${line}`)
  if (BUILD_REPOSITORY_URI && BUILD_SOURCEVERSION && BUILD_REPOSITORY_PROVIDER === 'TfsGit') {
    const range = (line: number) => `line=${line}&lineEnd=${line + 1}&lineStartColumn=1&lineEndColumn=1`
    return at(
      BUILD_REPOSITORY_URI,
      (path, line, commit = BUILD_SOURCEVERSION) => `?path=/${path}&version=GC${commit}&${range(line)}`,
    )
  }
  return undefined
}

/** Without what an address may carry beside host and path: Azure puts the name of an account there. */
function webAddress(text: string): string | undefined {
  const url = parseUrl(text)
  return url?.protocol === 'https:' || url?.protocol === 'http:'
    ? `${url.origin}${url.pathname.replace(/\/+$/, '')}`
    : undefined
}
