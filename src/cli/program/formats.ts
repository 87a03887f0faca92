// Every form of a result, once: `--format` offers what this table has. An entry loads what it prints with when asked.
import { cwd, env } from 'node:process'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import type { Block } from '@svcsync/render/blocks/block.ts'
import type { ShownPlan } from '@svcsync/render/changes/by-cause.ts'
import type { CommandOptions } from '@svcsync/render/plan/next-commands.ts'
import type { RunResult } from '@svcsync/render/report/combined.ts'
import type { Validation } from '@svcsync/runs/open/validate-run.ts'
import type { accessText } from '../commands/review/access-formats.ts'
import type { Console } from '../terminal/console.ts'

interface PlanForm extends ReportForm {
  /** Adds the command that applies exactly this plan. */
  readonly offersDigest: CommandOptions | false
  /** Describes the platform's state, without the consequences of an apply. */
  readonly drift?: CommandOptions | undefined
}

interface ReportForm {
  readonly console: Console
  readonly verbose?: boolean | undefined
  readonly unmanaged?: boolean | undefined
  readonly short?: boolean | undefined
  readonly hintsLedger?: boolean | undefined
  readonly summary?: boolean | undefined
}

interface CombinedResult {
  readonly all: readonly RunResult[]
  readonly problems: readonly Problem[]
  readonly leftOut: readonly string[]
  readonly maxKb?: number | undefined
  readonly pageUrl?: string | undefined
  /** Made once, whoever asks. */
  readonly comment: () => string
}

/** The findings of a command: blocks for people, data for programs, rows for a spreadsheet. */
interface Answer {
  readonly title?: string
  readonly blocks: readonly Block[]
  readonly data: object
  readonly csv?: readonly (readonly string[])[]
  /** First line of a comment. */
  readonly marker?: string
}

type Output = string | Promise<string>

/** The forms that it has; absent: it has no such form. */
interface Format {
  readonly plan?: (plan: ShownPlan, form: PlanForm) => Output
  readonly report?: (report: ApplyReport, form: ReportForm) => Output
  readonly problems?: (validation: Validation, console: Console) => Output
  readonly several?: (result: CombinedResult) => Output
  readonly answer?: (answer: Answer, console: Console, verbose?: boolean) => Output
  readonly access?: (...asked: Parameters<typeof accessText>) => Promise<string | Iterable<string>>
}

const links = async () => (await import('../planning/place-links.ts')).linkFrom(env, cwd())
const pages = () => import('../planning/as-page.ts')
const json = () => import('@svcsync/render/report/render-json.ts')
const access = () => import('../commands/review/access-formats.ts')
const services = () => import('./service-formats.ts')

export const formats = {
  text: {
    access: async (answer, form) => (await access()).accessText(answer, form),
    answer: async ({ blocks }, console, verbose) =>
      (await import('@svcsync/render/printers/text.ts')).printText(blocks, { ...console, verbose }),
    plan: async (plan, { console, offersDigest, drift, ...form }) => {
      if (form.summary) {
        const { renderPlanSummary } = await import('@svcsync/render/plan/render-plan-summary.ts')
        return renderPlanSummary(plan, { ...console, drift: drift !== undefined })
      }
      const { renderPlanText } = await import('@svcsync/render/plan/plan-blocks.ts')
      return renderPlanText(plan, { ...console, ...form, offersDigest, drift, unmanaged: form.unmanaged || undefined })
    },
    report: async (report, { console, verbose = false }) => {
      const { renderReportText } = await import('@svcsync/render/report/report-blocks.ts')
      return renderReportText(report, { ...console, verbose })
    },
    problems: async (validation, console) =>
      (await import('../commands/project/validation-text.ts')).validationText(validation, console),
  },
  json: {
    access: async (answer) => (await access()).accessJson(answer),
    answer: async ({ data }) => (await import('@svcsync/render/text/neutralise.ts')).safeJson(data),
    plan: async (plan, { drift }) =>
      drift === undefined ? (await json()).renderPlanJson(plan) : (await json()).renderDriftJson(plan, drift),
    report: async (report) => (await json()).renderReportJson(report),
    problems: async ({ problems, targets }) => (await json()).renderProblemsJson(problems, targets),
    several: async ({ all, leftOut }) => (await services()).combinedJson(all, leftOut),
  },
  markdown: {
    access: async (answer, form) => (await access()).accessMarkdown(answer, form),
    answer: async ({ blocks, marker }) => {
      const { printMarkdown } = await import('@svcsync/render/printers/markdown.ts')
      return printMarkdown(blocks, { link: await links() }, marker === undefined ? [] : [marker])
    },
    plan: async (plan, { offersDigest, drift }) => {
      const { renderPlanMarkdown } = await import('@svcsync/render/plan/plan-blocks.ts')
      return renderPlanMarkdown(plan, { offersDigest, drift, link: await links() })
    },
    report: async (report) =>
      (await import('@svcsync/render/report/report-blocks.ts')).renderReportMarkdown(report, {}),
    several: async ({ all, leftOut, pageUrl: page, maxKb, comment }) =>
      maxKb === undefined ? comment() : (await services()).withinBytes(all, page, leftOut, maxKb),
  },
  html: {
    access: async (answer, form) => (await access()).accessHtml(answer, form),
    answer: async ({ title = 'svcsync', blocks }) => (await pages()).answerPage(title, blocks),
    plan: async (plan, { offersDigest, drift }) => (await pages()).planPage(plan, { offersDigest, drift }),
    report: async (report) => (await pages()).reportPage(report),
    several: async ({ all, leftOut }) => (await pages()).combinedPage(all, leftOut),
  },
  github: {
    problems: async (validation) => (await services()).problemsOf(validation).github(),
    several: async ({ all, problems }) => (await services()).annotationsIn(all, problems).github(),
  },
  gitlab: {
    problems: async (validation) => (await services()).problemsOf(validation).gitlab(),
    several: async ({ all, problems }) => (await services()).annotationsIn(all, problems).gitlab(),
  },
  azure: {
    problems: async (validation) => (await services()).problemsOf(validation).azure(),
    several: async ({ all, problems }) => (await services()).annotationsIn(all, problems).azure(),
  },
  sarif: { problems: async (validation) => (await services()).problemsOf(validation).sarif() },
  junit: { problems: async (validation) => (await services()).problemsOf(validation).junit() },
  csv: {
    access: async (answer) => (await access()).accessCsv(answer),
    answer: async ({ csv = [] }) => (await import('@svcsync/render/report/csv.ts')).csvOf(csv),
  },
  jsonl: { access: async (answer) => (await access()).accessJsonLines(answer) },
  'gitlab-plan': { several: async ({ all }) => (await services()).gitlabPlan(all) },
} as const satisfies Readonly<Record<string, Format>>

type Formats = typeof formats
type FormatOf<Subject extends keyof Format> = {
  [Name in keyof Formats]: Subject extends keyof Formats[Name] ? Name : never
}[keyof Formats]

export function formatsOf<Subject extends keyof Format>(subject: Subject): readonly FormatOf<Subject>[] {
  return (Object.keys(formats) as FormatOf<Subject>[]).filter((name) => subject in formats[name])
}
