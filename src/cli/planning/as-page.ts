// Plans and reports as HTML pages. Loaded for pages alone.
import { createHash } from 'node:crypto'
import { cwd, env } from 'node:process'
import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import type { AccessReport, AccessRow } from '@svcsync/core/plan/access-report.ts'
import { type Evidence, entryOfRow, type Review, reviewKey } from '@svcsync/core/plan/access-review.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import type { Block } from '@svcsync/render/blocks/block.ts'
import { renderAccessHtml } from '@svcsync/render/html/access-page.ts'
import { renderPage } from '@svcsync/render/html/page.ts'
import { renderCombinedHtml, renderPlanHtml, renderReportHtml } from '@svcsync/render/html/plan-page.ts'
import type { RunResult } from '@svcsync/render/report/combined.ts'
import { linkFrom } from './place-links.ts'

export function planPage(
  document: PlanDocument,
  options: Omit<Parameters<typeof renderPlanHtml>[1], 'hash' | 'link'>,
): string {
  return renderPlanHtml(document, { ...options, hash, link: linkFrom(env, cwd()) })
}

export const reportPage = (report: ApplyReport): string => renderReportHtml(report, { hash })

export const combinedPage = (all: readonly RunResult[], leftOut: readonly string[]): string =>
  renderCombinedHtml(all, { hash, link: linkFrom(env, cwd()) }, leftOut)

export const answerPage = (title: string, blocks: readonly Block[]): string =>
  renderPage(title, [{ blocks }], { hash, link: linkFrom(env, cwd()) })

/** `last`: the review that ended last. `only`: options by which it shows a part. */
export function accessPage(
  answer: AccessReport,
  last: { readonly review: Review; readonly evidence: Evidence } | undefined,
  { normalise, only }: { readonly normalise: NormaliseSvcId; readonly only: readonly string[] },
): string {
  const link = linkFrom(env, cwd())
  if (last === undefined) return renderAccessHtml(answer, { hash, link, only, review: undefined })
  const known = new Set(last.review.entries.map((entry) => reviewKey(entry, normalise)))
  const { startedAt } = last.review
  const { finishedAt } = last.evidence
  const knows = (row: AccessRow): boolean => known.has(reviewKey(entryOfRow(row), normalise))
  return renderAccessHtml(answer, { hash, link, only, review: { startedAt, finishedAt, knows } })
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64')
