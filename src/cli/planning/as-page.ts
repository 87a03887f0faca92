// Plans and reports as HTML pages, with links to the lines at the commit where a pipeline says which it is. Loaded for pages alone.
import { createHash } from 'node:crypto'
import { relative, resolve, sep } from 'node:path'
import { cwd, env } from 'node:process'
import { parseUrl } from '../../core/model/url.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import type { ApplyReport } from '../../core/plan/report.ts'
import type { Place } from '../../errors/index.ts'
import { repositoryOf } from '../../git/repository.ts'
import type { Env } from '../../platform/agents.ts'
import { renderCombinedHtml, renderPlanHtml } from '../../render/html/plan-page.ts'
import { renderReportHtml } from '../../render/html/report-page.ts'
import type { Reported } from '../../render/report/combined.ts'

export function planPage(
  document: PlanDocument,
  options: Omit<Parameters<typeof renderPlanHtml>[1], 'hash' | 'link'>,
): string {
  return renderPlanHtml(document, { ...options, hash, link: linkFrom(env, cwd()) })
}

export function reportPage(report: ApplyReport): string {
  return renderReportHtml(report, { hash })
}

export function combinedPage(all: readonly Reported[], leftOut: readonly string[]): string {
  return renderCombinedHtml(all, { hash, link: linkFrom(env, cwd()) }, leftOut)
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

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
