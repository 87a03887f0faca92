// Results as services want them: beside the lines of a pull request, as reports of a job, and within its limits.
import { cwd, env } from 'node:process'
import type { Problem } from '@svcsync/errors/index.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { rebasePath, rebaseProblems } from '@svcsync/render/problems/problem-places.ts'
import { firstProblems, mostForMachines } from '@svcsync/render/problems/problem-sentences.ts'
import {
  renderAzureIssues,
  renderFirstGithub,
  renderProblemsAzure,
  renderProblemsGithub,
  renderProblemsGitlab,
} from '@svcsync/render/problems/render-problems-for-services.ts'
import { renderProblemsJunit } from '@svcsync/render/problems/render-problems-junit.ts'
import { renderProblemsSarif } from '@svcsync/render/problems/render-problems-sarif.ts'
import { annotationsOf } from '@svcsync/render/report/annotations.ts'
import { endOfApply, groupResults, type RunResult, renderCombinedMarkdown } from '@svcsync/render/report/combined.ts'
import { verdictAsJson } from '@svcsync/render/report/render-json.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import type { Validation } from '@svcsync/runs/open/validate-run.ts'
import { linkFrom } from '../planning/place-links.ts'
import { version } from '../version.ts'

export function problemsOf({ problems, sources }: Validation) {
  const folder = folderInRepository()
  const found = rebaseProblems(firstProblems(problems, mostForMachines), folder)
  const files = [...sources.keys()].map((file) => rebasePath(file, folder))
  // The project file is the first that was read.
  const projectFile = files[0] ?? rebasePath('svcsync.yaml', folder)
  return {
    github: () => renderProblemsGithub(found),
    gitlab: () => renderProblemsGitlab(found, { projectFile }),
    azure: () => renderProblemsAzure(found),
    sarif: () => renderProblemsSarif(found, { version, projectFile }),
    junit: () => renderProblemsJunit(found, { projectFile, files }),
  }
}

export function annotationsIn(all: readonly RunResult[], problems: readonly Problem[]) {
  const folder = folderInRepository()
  const found = rebaseProblems([...problems, ...annotationsOf(all)], folder)
  return {
    github: () => renderFirstGithub(found, 'the summary'),
    gitlab: () => renderProblemsGitlab(found, { projectFile: rebasePath('svcsync.yaml', folder) }),
    azure: () => renderAzureIssues(found),
  }
}

/** The working folder as seen from the repository that holds it, which is what services count paths from. */
export function folderInRepository(): string {
  const top = repositoryOf(cwd())
  return top === undefined ? '' : relativePath(top, cwd())
}

/** A summary of a job is limited in bytes, and a comment in characters. */
export function withinBytes(
  all: readonly RunResult[],
  page: string | undefined,
  leftOut: readonly string[],
  maxKb: number,
): string {
  for (let maxLength = maxKb * 1000; ; ) {
    const text = renderCombinedMarkdown(all, { page, leftOut, maxLength, link: linkFrom(env, cwd()) })
    const share = (maxKb * 1000) / Buffer.byteLength(text)
    // The whole text has no part to drop.
    if (share >= 1 || maxLength < text.length) return text
    maxLength = Math.floor(text.length * share) - 1
  }
}

/** GitLab's summary on a merge request, of all targets together. An apply is no plan. */
export function gitlabPlan(all: readonly RunResult[]): string {
  const counts = all.flatMap((each) => (each.command === 'apply' ? [] : [each.plan.counts]))
  const sum = (action: 'create' | 'update' | 'delete') => counts.reduce((total, each) => total + each[action], 0)
  return safeJson({ create: sum('create'), update: sum('update'), delete: sum('delete') })
}

export const combinedJson = (all: readonly RunResult[], notReported: readonly string[]): string =>
  safeJson({ formatVersion: '1.1', groups: groupResults(all).map(groupAsJson), notReported })

function groupAsJson({ first, targets }: ReturnType<typeof groupResults>[number]) {
  const { command } = first
  const outcome = command === 'apply' ? first.report.outcome : null
  const counts = command === 'apply' ? first.report.counts : first.plan.counts
  return {
    command,
    targets: targets.map(({ name, baseUrl }) => ({ name, baseUrl })),
    verdict:
      first.command === 'apply' ? endOfApply(first.report) : verdictAsJson(first.plan, first.command === 'drift'),
    outcome,
    counts,
    // Digests are those of one target.
    changes: command === 'apply' ? null : first.plan.changes.map(({ digest: _, ...change }) => change),
  }
}
