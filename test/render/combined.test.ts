// Results of several targets as one comment: said once where they say the same, whole where there is room, and in order
// of gravity.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import { renderCombinedHtml } from '../../src/render/html/plan-page.ts'
import { checkOf, type RunResult, renderCombinedMarkdown } from '../../src/render/report/combined.ts'
import { neutralise } from '../../src/render/text/neutralise.ts'
import { isThorough } from '../harness/thorough.ts'
import { hostilePlan, secret } from './hostile.ts'
import { emptyPlan, fullPlan, hugePlan, refusedPlan } from './plan-fixture.ts'
import { troubledReport } from './report-fixture.ts'

const planFor = (name: string, plan: PlanDocument = fullPlan, command: 'plan' | 'drift' = 'plan'): RunResult => ({
  command,
  plan: { ...plan, target: { ...plan.target, name, baseUrl: `https://${name}.example.com` }, digest: `sha256:${name}` },
})

const headings = (text: string) => text.split('\n').filter((line) => line.startsWith('#'))

it('says once what is the same for several', () => {
  const text = renderCombinedMarkdown([planFor('test'), planFor('prod'), planFor('old', emptyPlan)])
  expect(text.split('\n')[0]).toBe('<!-- svcsync:report -->')
  expect(headings(text)[0]).toBe('### svcsync: 2 of 3 targets with something to say')
  expect(text).toContain(
    '| `test`, `prod` | plan | ⚠️ 1 group is deleted, ' +
      '3 entries are removed from 2 objects, 1 object could not be read |',
  )
  expect(text).toContain('| `old` | plan | no changes |')
  expect(text.match(/group\/old@example\.com/g)?.length).toBe(
    renderCombinedMarkdown([planFor('test')]).match(/group\/old@example\.com/g)?.length,
  )
  expect(text).toContain('; the same for each')
})

it('begins with the verdict where there is one', () => {
  const text = renderCombinedMarkdown([planFor('test'), planFor('prod')])
  const [heading, ...others] = headings(text)
  expect(heading).toBe(
    '### ⚠️ `test`, `prod`: 1 group is deleted, 3 entries are removed from 2 objects, ' +
      '1 object could not be read; the same for each',
  )
  expect(others.filter((line) => line.includes('`test`'))).toEqual([])
  expect(text).not.toContain('| Target')
})

it('is a check that fails for refused, unread, drifted or not as declared, and not for differences of a plan', () => {
  const differs = { ...fullPlan, unreadable: [] }
  const verdict = (...all: readonly RunResult[]) => checkOf(all)
  const conclusion = (...all: readonly RunResult[]) => verdict(...all).conclusion
  expect(verdict(planFor('test', differs))).toMatchObject({
    name: 'svcsync plan: test',
    conclusion: 'success',
    title: '⚠️ 1 group is deleted, 3 entries are removed from 2 objects',
  })
  expect(verdict(planFor('a', differs), planFor('b', emptyPlan)).title).toBe('1 of 2 targets with something to say')
  expect(conclusion(planFor('test'))).toBe('failure')
  expect(conclusion(planFor('a', differs), planFor('b', refusedPlan))).toBe('failure')
  expect(conclusion(planFor('test', differs, 'drift'))).toBe('failure')
  expect(conclusion(planFor('test', emptyPlan, 'drift'))).toBe('success')
  expect(conclusion({ command: 'apply', report: troubledReport })).toBe('failure')
})

it('counts targets where they are many', () => {
  const text = renderCombinedMarkdown(Array.from({ length: 97 }, (_, index) => planFor(`t${index}`)))
  expect(text).toContain('97 targets: `t0`, `t1`, `t2`, `t3`, `t4`, `t5`, `t6`, `t7` and 89 more')
  expect(text.length).toBeLessThan(20_000)
})

it('leaves out rows of the table before it is too long, those of quiet targets first', () => {
  const verdicts = (index: number) => ({ ...fullPlan, counts: { ...fullPlan.counts, create: index + 1 } })
  const all = Array.from({ length: 300 }, (_, index) => planFor(`target-${index}`, verdicts(index)))
  const text = renderCombinedMarkdown([...all, planFor('calm', emptyPlan)], { maxLength: 20_000 })
  expect(text.length).toBeLessThanOrEqual(20_000)
  expect(text).toContain('### svcsync: 300 of 301 targets with something to say')
  expect(text).toMatch(/^\| … and \d+ more results \| \| \|$/m)
  expect(text).not.toContain('calm')
})

it('begins with what is refused', () => {
  const text = renderCombinedMarkdown([planFor('a'), planFor('b', refusedPlan)])
  const order = headings(text).filter((line) => /^#### .*`[ab]`: /.test(line))
  expect(order[0]).toContain('`b`')
})

it('is one line where there is nothing to do', () => {
  const text = renderCombinedMarkdown([planFor('test', emptyPlan), planFor('prod', emptyPlan, 'drift')])
  expect(text).toBe('<!-- svcsync:report -->\n\n### svcsync: nothing to do for `test`, `prod`\n')
  // A shard may have no target.
  expect(renderCombinedMarkdown([])).toBe('<!-- svcsync:report -->\n\n### svcsync: no targets\n')
  // All of them can have failed.
  expect(renderCombinedMarkdown([], { leftOut: ['`test`: SVC3001'] })).toMatch(/^### svcsync: no results\n/m)
  expect(renderCombinedHtml([], { hash: () => '' }, ['`test`: SVC3001'])).toContain(
    '<title>svcsync: no results</title>',
  )
})

it('holds plans, drifts and applies side by side', () => {
  const text = renderCombinedMarkdown([
    planFor('a'),
    planFor('b', fullPlan, 'drift'),
    { command: 'apply', report: troubledReport },
  ])
  expect(headings(text).filter((line) => /^#### ⚠️ (?:|Drift of |Apply to )`(?:a|b|test)`: /.test(line))).toHaveLength(3)
  expect(text).not.toContain('<!-- svcsync:plan')
  expect(text.match(/: 1 step failed/g)).toHaveLength(2)
})

it('fits, and gives the room that short ones leave to those that are long', () => {
  const all = [planFor('small'), planFor('huge', hugePlan(1500)), planFor('larger', hugePlan(2500))]
  for (const maxLength of [65_000, 20_000, 5_000]) {
    const text = renderCombinedMarkdown(all, { maxLength })
    expect(text.length).toBeLessThanOrEqual(maxLength)
    for (const name of ['small', 'huge', 'larger']) expect(text).toContain(`\`${name}\``)
  }
  expect(renderCombinedMarkdown(all)).toContain('piotr.zielinski@example.com')
})

it('keeps foreign text and its length within bounds, and opens nothing that it does not close', () => {
  fc.assert(
    fc.property(
      fc.array(hostilePlan, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 3000, max: 65_000 }),
      (plans, maxLength) => {
        const all = plans.map((plan) => ({ command: 'plan' as const, plan }))
        const text = renderCombinedMarkdown(all, { maxLength })
        expect(text.length).toBeLessThanOrEqual(maxLength)
        expect(text).not.toContain(secret)
        expect(text.match(/^<details/gm)?.length).toBe(text.match(/^<\/details>/gm)?.length)
        expect((text.match(/^`{3,}/gm)?.length ?? 0) % 2).toBe(0)
        const { name, title, summary } = checkOf(all)
        expect(neutralise(name)).toBe(name)
        expect(neutralise(title)).toBe(title)
        expect(Math.max(name.length, title.length)).toBeLessThanOrEqual(250)
        expect(summary.length).toBeLessThanOrEqual(65_535)
      },
    ),
    { numRuns: isThorough ? 100 : 30 },
  )
})
