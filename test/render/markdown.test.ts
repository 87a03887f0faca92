// The comment on a pull request.
import { describe, expect, it } from 'vitest'
import { renderPlanMarkdown } from '../../src/render/plan/plan-blocks.ts'
import { renderReportMarkdown } from '../../src/render/report/report-blocks.ts'
import { commentMarker } from '../../src/render/text/markdown.ts'
import { emptyPlan, fullPlan, hugePlan } from './plan-fixture.ts'
import { reportOf, stepReport, troubledReport } from './report-fixture.ts'

describe('renderPlanMarkdown', () => {
  it('shows every form of difference', async () => {
    await expect(renderPlanMarkdown(fullPlan)).toMatchFileSnapshot('golden/plan.md.txt')
  })

  it('begins with the marker, and is the same at another time', () => {
    expect(renderPlanMarkdown(fullPlan).startsWith('<!-- svcsync:plan:test -->\n')).toBe(true)
    expect(renderPlanMarkdown(fullPlan, { command: 'drift' }).startsWith(commentMarker('drift', 'test'))).toBe(true)
    expect(renderPlanMarkdown({ ...fullPlan, createdAt: '2030-01-01T00:00:00.000Z' })).toBe(
      renderPlanMarkdown(fullPlan),
    )
    expect(commentMarker('plan', 'a --> b')).toBe('<!-- svcsync:plan:a%20%2D%2D%3E%20b -->')
  })

  it('says that nothing is to do only when all was read', () => {
    expect(renderPlanMarkdown(emptyPlan)).toContain('### `test`: no changes\n\n12 objects are as declared.')
    const text = renderPlanMarkdown({ ...emptyPlan, unreadable: [{ address: 'group/a', reason: 'HTTP 503' }] })
    expect(text).not.toMatch(/no changes/i)
    expect(text).toContain('#### ⛔ 1 object could not be read')
  })

  it('gets shorter by stages and says what it leaves out', () => {
    for (const count of [100, 1500, 5000, 20_000]) {
      const text = renderPlanMarkdown(hugePlan(count))
      expect(text.length).toBeLessThanOrEqual(65_000)
      expect(text).toContain(`<summary>Users: ${count.toLocaleString('en')}</summary>`)
      expect(text.includes('**Shortened:**')).toBe(count > 100)
    }
    expect(renderPlanMarkdown(hugePlan(900))).toContain('`user/user-0900@example.com`')
    expect(renderPlanMarkdown(hugePlan(20_000))).toContain('and 18,000 more')
    expect(renderPlanMarkdown(fullPlan, { maxLength: 1900 })).toContain('> **Shortened:** differences are left out.')
  })

  it('keeps deletions in sight when all else goes', () => {
    expect(renderPlanMarkdown(fullPlan, { maxLength: 1700 })).toContain('- `group/old@example.com`')
  })

  it('folds by kind what comes behind forty rows, and keeps links to lines', () => {
    expect(renderPlanMarkdown(hugePlan(40))).not.toContain('<details>')
    expect(renderPlanMarkdown(hugePlan(41))).toContain('<summary>Users: 41</summary>')
    const link = ({ file, line }: { readonly file: string; readonly line: number }) =>
      `https://git.example.com/${file}#L${line}`
    expect(renderPlanMarkdown(hugePlan(1), { link })).toContain(
      '([`manifests/users.yaml:4`](<https://git.example.com/manifests/users.yaml#L4>))',
    )
  })
})

describe('renderReportMarkdown', () => {
  it('shows every outcome', async () => {
    await expect(renderReportMarkdown(troubledReport)).toMatchFileSnapshot('golden/report.md.txt')
  })

  it('names the line of what failed', () => {
    const place = { file: 'manifests/users.yaml', line: 4, column: 5 }
    const report = reportOf([stepReport(1, 'user/a@example.com', 'failed', { reason: 'No', place })], {
      outcome: 'partial',
    })
    expect(renderReportMarkdown(report)).toMatch(/`user\/a@example\.com` step 1 \(`manifests\/users\.yaml:4:5`\)<br>No/)
  })

  it('stays short with thousands of failures', () => {
    const steps = Array.from({ length: 3000 }, (_, index) =>
      stepReport(index + 1, `user/user-${index}@example.com`, 'failed', { reason: `Reason ${index}` }),
    )
    const text = renderReportMarkdown(reportOf(steps, { outcome: 'partial' }))
    expect(text.length).toBeLessThanOrEqual(65_000)
    expect(text).toContain('<summary>… and 2,960 more</summary>')
    expect(text).toContain('3,000 steps failed')
  })
})
