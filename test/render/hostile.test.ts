// No name, value or message, however it was chosen, steers a terminal, breaks out of Markdown or uncovers a secret.
import fc from 'fast-check'
import { marked } from 'marked'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { leftOutText } from '../../src/cli/commands/project/export.ts'
import { formattedAsJson, formattedAsText } from '../../src/cli/commands/project/fmt.ts'
import { filesAsText } from '../../src/cli/commands/project/init-options.ts'
import type { UnreadPart } from '../../src/core/model/live-tree.ts'
import { commentText, inlineText } from '../../src/core/model/yaml-text.ts'
import type { SavedPlan } from '../../src/core/saved/saved-plan.ts'
import { inCode, RefusedError } from '../../src/errors/index.ts'
import { documentText, entry, scalar } from '../../src/export/yaml-node.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderPlanFile } from '../../src/render/plan/render-plan-file.ts'
import { renderProblemsText } from '../../src/render/problems/render-problems-text.ts'
import { renderDoctorText } from '../../src/render/report/render-doctor-text.ts'
import { renderErrorText } from '../../src/render/report/render-error-text.ts'
import { renderDoctorJson, renderPlanJson } from '../../src/render/report/render-json.ts'
import { renderReportMarkdown, renderReportText } from '../../src/render/report/report-blocks.ts'
import { prose as markdownProse } from '../../src/render/text/markdown.ts'
import { neutralise } from '../../src/render/text/neutralise.ts'
import { isThorough } from '../harness/thorough.ts'
import { hostileExamination, hostilePlan, hostileReport, hostileText, secret } from './hostile.ts'

const runs = isThorough ? 400 : 80
const ours = /\u001b\[(?:[\d;]+)m/g
const control = /(?!\n|\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

function expectClean(text: string): void {
  expect(control.exec(text)?.[0].codePointAt(0)?.toString(16)).toBeUndefined()
  expectNoCommand(text)
}

/** Log lines that runners of pipelines take as commands. */
function expectNoCommand(text: string): void {
  expect(/^\s*::.*/m.exec(text)?.[0]).toBeUndefined()
  expect(/##+[a-z]*\[.*/i.exec(text)?.[0]).toBeUndefined()
}

it('never reaches a terminal as a control character', () => {
  fc.assert(
    fc.property(hostilePlan, hostileReport, hostileText, fc.boolean(), (plan, report, text, verbose) => {
      const options = { colour: false, width: 80, verbose }
      expectClean(renderPlanText(plan, options))
      expectClean(renderReportText(report, options))
      expectClean(renderProblemsText(plan.warnings, { colour: false, frame: () => text }))
      expectClean(renderErrorText(new TypeError(text, { cause: new Error(text) }), options))
      expectClean(renderErrorText(new RefusedError('SVC2070', text, { reasons: [text], options: text }), options))
      expectClean(renderPlanText(plan, { ...options, colour: true }).replace(ours, ''))
      const saved = { ...plan, saved: undefined, application: { svcId: text, name: text } }
      const file = { colour: false, width: 80, nowMs: 0, file: text, application: text }
      expectClean(renderPlanFile(saved as unknown as SavedPlan, file))
    }),
    { numRuns: runs },
  )
})

it('is text in what a doctor, an export and a formatter say', () => {
  fc.assert(
    fc.property(hostileExamination, hostileText, fc.boolean(), (report, text, colour) => {
      expectClean(renderDoctorText(report, { colour, width: 80 }).replace(ours, ''))
      expectClean(renderDoctorJson(report))
      expect(JSON.parse(renderDoctorJson(report))).toEqual(JSON.parse(JSON.stringify(report)))
      expectClean(leftOutText([{ address: text, field: text, reason: text, hint: text }] as unknown as UnreadPart[]))
      const file = {
        file: text,
        outcome: 'changed',
        problems: [],
        sources: new Map(),
        diff: ` ${text}\n+${text}\n`,
      } as const
      expectClean(formattedAsText([file], { check: true, colour }).replace(ours, ''))
      expectClean(formattedAsJson([file], [], true))
      expectClean(filesAsText({ written: [text], left: [text] }))
    }),
    { numRuns: runs },
  )
})

it('is text in an exported manifest, and the same text to who reads it', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const yaml = documentText([entry('name', scalar(text))], [commentText(text)])
      expectClean(yaml)
      expect(parse(yaml).name).toBe(text)
      expectClean(inlineText(text))
      expect(parse(inlineText(text))).toBe(text)
    }),
    { numRuns: 500 },
  )
})

it('keeps to itself in Markdown', () => {
  fc.assert(
    fc.property(hostilePlan, hostileReport, (plan, report) => {
      for (const text of [renderPlanMarkdown(plan), renderReportMarkdown(report)]) {
        expectClean(text)
        expectInert(text)
      }
    }),
    { numRuns: runs },
  )
})

it('never makes a comment longer than it may be', () => {
  fc.assert(
    fc.property(hostilePlan, hostileReport, fc.integer({ min: 0, max: 4000 }), (plan, report, maxLength) => {
      expect(renderPlanMarkdown(plan, { maxLength }).length).toBeLessThanOrEqual(maxLength)
      expect(renderReportMarkdown(report, { maxLength }).length).toBeLessThanOrEqual(maxLength)
    }),
    { numRuns: runs },
  )
})

it('never uncovers what is masked', () => {
  fc.assert(
    fc.property(hostilePlan, hostileReport, (plan, report) => {
      const options = { colour: true, width: 100, verbose: true }
      expect(renderPlanText(plan, options) + renderPlanMarkdown(plan)).not.toContain(secret)
      expect(renderReportText(report, options) + renderReportMarkdown(report)).not.toContain(secret)
    }),
    { numRuns: runs },
  )
})

it('stays the same data in JSON', () => {
  fc.assert(
    fc.property(hostilePlan, (plan) => {
      const text = renderPlanJson(plan)
      const { verdict: _, ...rest } = JSON.parse(text)
      expect(rest).toEqual(JSON.parse(JSON.stringify(plan)))
      expectClean(text)
    }),
    { numRuns: 100 },
  )
})

it('is neutralised once and for all', () => {
  fc.assert(fc.property(hostileText, (text) => neutralise(neutralise(text)) === neutralise(text)))
})

it('leaves emoji and letters alone', () => {
  expect(neutralise('żółć 漢字 👩‍👩‍👧 ❤️')).toBe('żółć 漢字 👩‍👩‍👧 ❤️')
  expect(markdownProse('ask @org/team, see #12 and https://a.example (`x`)')).toBe(
    'ask `@org/team`, see `#12` and `https://a.example` (`x`)',
  )
  expect(markdownProse('/close by 50 %, !1, ~bug, %1, (GL-7) and 2 %')).toBe(
    '\\/close by 50 %, `!1`, `~bug`, `%1`, (`GL-7`) and 2 %',
  )
})

it('shows letters that pass for Latin ones by their numbers, and scripts of their own as they are', () => {
  const shown = [
    'ev\u0430@example.com',
    '\u0441\u043e\u0440@example.com',
    'https://\u0435rp.example.com',
    '\uff41@x',
    'zoe\u0308@example.com',
  ].map(neutralise)
  expect(shown).toEqual([
    'ev\\u{430}@example.com',
    '\\u{441}\\u{43e}\\u{440}@example.com',
    'https://\\u{435}rp.example.com',
    '\\u{ff41}@x',
    'zoe\\u{308}@example.com',
  ])
  for (const own of ['Москва', 'роман@example.com', 'Δt in μs', 'α-Test', 'Işıl', 'Αθήνα', 'zoë@example.com'])
    expect(neutralise(own)).toBe(own)
})

it('keeps a name in a sentence one piece of code, whatever backticks it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('`', '``', 'a', ' ', '@', '<b>'), { minLength: 1 }), (parts) => {
      const name = `a${parts.join('')}`
      const html = marked.parseInline(markdownProse(`New user ${inCode(name)} and ${inCode('`')}: some`), {
        async: false,
      })
      const codes = Array.from(html.matchAll(/<code>(.*?)<\/code>/g), ([, held = '']) =>
        held.replace(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point))),
      )
      expect(codes.map((held) => held.replaceAll('&lt;', '<').replaceAll('&gt;', '>'))).toEqual([name, '`'])
      expect(html).toMatch(/^New user <code>.*<\/code> and <code>&#96;<\/code>: some$/)
    }),
  )
})

/** Takes code away as a reader of Markdown would, and looks at what is left. */
function expectInert(markdown: string): void {
  let fence: string | undefined
  const rest: string[] = []
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,2}(`{3,})/.exec(line)?.[1]
    if (fence === undefined && mark !== undefined) fence = mark
    else if (fence !== undefined && line.trim() === fence) fence = undefined
    else if (fence === undefined) rest.push(line)
  }
  expect(fence).toBeUndefined()
  const text = rest
    .join('\n')
    .replace(/^<!-- svcsync:\S+ -->\n/, '')
    .replace(/(?<!\\)`[^`\n]*`/g, '')
    .replace(/<code>[^<]*<\/code>/g, '')
    .replace(/<\/?(?:details|details open|summary|sub|br)>/g, '')
    .replace(/\\[\\*_[\]<>|~&$#]|&#\d+;/g, '')
  expect(text).not.toMatch(/[<@`]|[#!%&$]\d|[~%]["\w]|\[\w+:|\{[-+]|:\/\/|\]\(/)
  // GitLab takes such lines as commands even in a block of code: none of our lines begins so.
  expect(/^\s*\/[a-z].*/im.exec(markdown)?.[0]).toBeUndefined()
}
