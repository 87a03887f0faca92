// Links to lines in the repository, at the commit of a pipeline that says which it is.
import { relative, resolve, sep } from 'node:path'
import { parseUrl } from '@svcsync/core/model/url.ts'
import type { Place } from '@svcsync/errors/index.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import type { Env } from '@svcsync/platform/agents.ts'

/** Addresses of lines in the repository of a pipeline. Undefined: nothing says which that is. */
export function linkFrom(variables: Env, from: string): ((place: Place) => string | undefined) | undefined {
  const root = repositoryOf(from)
  const blob = blobOf(variables)
  if (root === undefined || blob === undefined) return undefined
  return ({ file, line }) => {
    const path = relative(root, resolve(from, file)).split(sep)
    return path[0] === '..' ? undefined : blob(path.map(encodeURIComponent).join('/'), line)
  }
}

function blobOf(variables: Env): ((path: string, line: number) => string) | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA, CI_PROJECT_URL, CI_COMMIT_SHA } = variables
  const { BUILD_REPOSITORY_URI, BUILD_SOURCEVERSION, BUILD_REPOSITORY_PROVIDER } = variables
  const at = (repository: string, rest: (path: string, line: number) => string) => {
    const base = webAddress(repository)
    return base === undefined ? undefined : (path: string, line: number) => `${base}${rest(path, line)}`
  }
  if (GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_SHA)
    return at(`${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`, (path, line) => `/blob/${GITHUB_SHA}/${path}#L${line}`)
  if (CI_PROJECT_URL && CI_COMMIT_SHA)
    return at(CI_PROJECT_URL, (path, line) => `/-/blob/${CI_COMMIT_SHA}/${path}#L${line}`)
  if (BUILD_REPOSITORY_URI && BUILD_SOURCEVERSION && BUILD_REPOSITORY_PROVIDER === 'TfsGit') {
    const range = (line: number) => `line=${line}&lineEnd=${line + 1}&lineStartColumn=1&lineEndColumn=1`
    return at(BUILD_REPOSITORY_URI, (path, line) => `?path=/${path}&version=GC${BUILD_SOURCEVERSION}&${range(line)}`)
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
