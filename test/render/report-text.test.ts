// The report on the screen after an apply.
import { describe, expect, it } from 'vitest'
import { renderReportJson } from '../../src/render/report/render-json.ts'
import { renderReportMarkdown, renderReportText } from '../../src/render/report/report-blocks.ts'
import { reportOf, stepReport, troubledReport } from './report-fixture.ts'

const plain = { colour: false, width: 100 }
const flowing = (text: string): string => text.replace(/\s+/g, ' ')
const done = stepReport(1, 'user/a', 'done')

describe('renderReportText', () => {
  it('shows every outcome, and skipped steps by what began it', async () => {
    const text = renderReportText(troubledReport, plain)
    await expect(text).toMatchFileSnapshot('golden/report-100.txt')
    expect(text).toContain('20 steps, because step 2 failed: create group/finance@example.com')
  })

  it.each([
    [reportOf([done]), 'Every changed object is as declared: 14 read back and found equal.'],
    [reportOf([], { outcome: 'nothing-to-do' }), 'Nothing to do: every compared object is as declared.'],
    [
      reportOf([stepReport(1, 'user/a', 'unknown')], { outcome: 'partial' }),
      'It is not known whether the Svc platform is as declared: 1 step of unknown outcome.',
    ],
    [
      reportOf([done], {
        outcome: 'different',
        verified: { equal: 0, unequal: [{ address: 'user/a', differences: [] }] },
      }),
      'The Svc platform is NOT as declared: 1 object not as declared when read back.',
    ],
    [
      reportOf([done], { outcome: 'interrupted' }),
      'Interrupted. It is not known whether the Svc platform is as declared: not all was read back.',
    ],
    // A report that contradicts itself is not believed.
    [reportOf([stepReport(1, 'user/a', 'failed')]), 'The Svc platform is NOT as declared: 1 step failed.'],
  ])('begins with the verdict, and never says as declared without what was not looked at', (report, verdict) => {
    expect(flowing(renderReportText(report, plain))).toMatch(/^Apply to test · /)
    for (const text of [renderReportText(report, plain), renderReportMarkdown(report)])
      expect(flowing(text)).toContain(verdict.replace(/\.$/, ''))
    for (const text of [renderReportText(report, plain), renderReportMarkdown(report)]) {
      const says = text.includes('Not managed: svcsync did not read what no manifest declares.')
      expect(says).toBe(/^(?:Nothing to do|Every changed object is as declared)/.test(verdict))
    }
  })

  it('survives steps that blame each other', () => {
    const ring = [
      stepReport(1, 'user/a', 'skipped', { because: '2' }),
      stepReport(2, 'user/b', 'skipped', { because: '1' }),
      stepReport(3, 'user/c', 'skipped', { because: 'lost' }),
    ]
    expect(renderReportText(reportOf(ring, { outcome: 'partial' }), plain)).toContain('3 steps skipped')
  })

  it('asks only for the differences that it shows', () => {
    const asked = new Set<number>()
    const changed = Array.from({ length: 1000 }, (_, index) => ({
      ...{ address: `user/u${index}`, kind: 'user', action: 'create' as const },
      get differences() {
        asked.add(index)
        return [{ path: 'email', after: `u${index}@example.com` }]
      },
    }))
    const text = renderReportText(reportOf([done], { changed }), plain)
    expect(text).toContain('u9@example.com')
    expect(asked.size).toBe(10)
  })

  it('is whole in JSON', () => {
    expect(JSON.parse(renderReportJson(troubledReport))).toEqual(troubledReport)
  })
})
