// The texts of digests, plan files and changed plans.
import { describe, expect, it } from 'vitest'
import { PlanRefusal } from '../../src/core/saved/plan-refusal.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderPlanFile } from '../../src/render/plan/render-plan-file.ts'
import { renderErrorText } from '../../src/render/report/render-error-text.ts'
import { emptyPlan, fullPlan, refusedPlan } from './plan-fixture.ts'

const plain = { colour: false, width: 80 }

describe('the digest of a plan', () => {
  const plan = { ...fullPlan, unreadable: [], only: ['group/**', "user/it's"] }
  const command = 'svcsync apply --expect 0123456789abcdef --only "group/**" --only "user/it\'s"'

  it('stands last, with the command in one piece', () => {
    const text = renderPlanText(plan, { ...plain, width: 40, offersDigest: true })
    expect(text).toMatch(/\nApply exactly this plan:\n {2}svcsync apply [^\n]*\n$/)
    expect(text).toContain(`\n  ${command}\n`)
    expect(renderPlanMarkdown(plan, { offersDigest: true })).toContain(`\nApply exactly this plan: \`${command}\`\n`)
  })

  it('is offered with the saved file, which has its selection, or with the options of the plan', () => {
    const saved = renderPlanText(plan, {
      ...plain,
      offersDigest: { file: 'my plan.json', options: ['--project p.yaml'] },
    })
    expect(saved).toMatch(/\n {2}svcsync apply "my plan\.json" --expect 0123456789abcdef --project p\.yaml\n$/)
    const made = renderPlanText({ ...plan, only: [] }, { ...plain, offersDigest: { options: ['--target b'] } })
    expect(made).toMatch(/\nApply exactly this plan:\n? {2}svcsync apply --expect 0123456789abcdef --target b\n$/)
  })

  it('asks for what guards want, and is not offered where they can be given nothing', () => {
    const guards = refusedPlan.guards.filter(({ allow }) => allow !== undefined)
    const refused = { ...refusedPlan, guards, unreadable: [] }
    expect(renderPlanText(refused, { ...plain, width: 100, offersDigest: true })).toContain(
      'Apply exactly this plan, and allow what the guards refuse:',
    )
    expect(renderPlanMarkdown(refused, { offersDigest: true })).toContain(
      'Apply exactly this plan, and allow what the guards refuse: `svcsync apply',
    )
    // Allowances must be repeated: the digest does not cover them.
    expect(renderPlanText(refused, { ...plain, offersDigest: true })).toContain(
      '\n  svcsync apply --expect 0123456789abcdef --allow last-owner=group/a@example.com ' +
        '--allow deletions=14 --allow "last-administrator=process/main/It\'s/Invoice approval"\n',
    )
    const hopeless = { ...refusedPlan, unreadable: [] }
    expect(renderPlanText(hopeless, { ...plain, offersDigest: true })).not.toContain('--expect')
  })

  it('is not offered where nothing would be applied, and not unasked', () => {
    for (const each of [emptyPlan]) {
      expect(renderPlanText(each, { ...plain, offersDigest: true })).not.toContain('--expect')
      expect(renderPlanMarkdown(each, { offersDigest: true })).not.toContain('--expect')
    }
    expect(renderPlanText(plan, plain)).not.toContain('--expect')
  })
})

describe('renderPlanFile', () => {
  const saved = { ...fullPlan, only: ['group/**'], expiresAt: '2026-11-04T09:12:00.000Z' }
  const about = { ...plain, file: 'plan.json', application: 'Deployer (app@deployer)' }

  it('says how old the plan is, how long it holds, who made it, and for what', () => {
    expect(renderPlanFile(saved, { ...about, nowMs: Date.parse('2026-11-03T12:12:00.000Z') })).toBe(
      `Saved plan plan.json
  made      2026-11-03T09:12:00.000Z (3 h 0 min ago)
            by Deployer (app@deployer) · svcsync 0.1.0
  expires   2026-11-04T09:12:00.000Z (in 21 h 0 min)
  target    test · https://test.example.com · API 6.0 · database main = 1
  only      group/**
  digest
    0123456789abcdef
    sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
`,
    )
  })

  it('says when it has expired', () => {
    const text = renderPlanFile(saved, { ...about, nowMs: Date.parse('2026-11-04T09:12:00.000Z') })
    expect(text).toContain('expired   2026-11-04T09:12:00.000Z: apply refuses it')
  })
})

it('shows what has changed since a plan was made, by object, and nothing that steers a terminal', () => {
  const error = new PlanRefusal(
    'SVC2107',
    '5 things are not as they were',
    [
      { subject: 'group/a@example.com', path: 'name', planned: 'A', found: 'B\u001b[31m' },
      { subject: 'group/a@example.com', path: 'members', added: [{ svcId: 'x' }], removed: [{ svcId: 'y' }] },
      { subject: 'group/b@example.com', path: '', remark: 'was there, and is gone' },
      { subject: 'constant/main/C', path: 'test', planned: null, found: 'own' },
      { subject: 'constant/main/C', path: 'common', remark: 'the live value differs now' },
    ],
    { hint: 'Plan again.' },
  )
  expect(renderErrorText(error, plain)).toBe(
    `error SVC2107  5 things are not as they were
  when it was planned → now
  ~ group/a@example.com
      name     A → "B\\u{1b}[31m"
      members  -y +x
  ~ group/b@example.com
      was there, and is gone
  ~ constant/main/C
      common: the live value differs now
      test  (inherits) → own
  hint: Plan again.
`,
  )
})
