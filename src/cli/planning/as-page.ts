// Plans and reports as HTML pages. Loaded for pages alone.
import { createHash } from 'node:crypto'
import { cwd, env } from 'node:process'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { renderCombinedHtml, renderPlanHtml, renderReportHtml } from '@svcsync/render/html/plan-page.ts'
import type { Reported } from '@svcsync/render/report/combined.ts'
import { linkFrom } from './place-links.ts'

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
