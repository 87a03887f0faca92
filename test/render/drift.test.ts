// The text of drift speaks of the platform, not of svcsync's actions.
import { describe, expect, it } from 'vitest'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderDriftJson } from '../../src/render/report/render-json.ts'
import { emptyPlan, fullPlan, hugePlan, planOf, refusedPlan, step } from './plan-fixture.ts'

const plain = { colour: false, width: 80, drift: {} }

describe('drift', () => {
  it('says in text what was done by hand, and what healing does about it', async () => {
    await expect(renderPlanText(fullPlan, plain)).toMatchFileSnapshot('golden/drift-80.txt')
  })

  it('says in Markdown who got in, and shows what is there as what came in', async () => {
    await expect(renderPlanMarkdown(fullPlan, { drift: {} })).toMatchFileSnapshot('golden/drift.md.txt')
  })

  it('names both ways on, with the options that lead to the same installation', () => {
    const drift = { options: ['--target prod', '--var "a=b c"'] }
    const text = renderPlanText(fullPlan, { ...plain, drift })
    expect(text).toContain('\n  svcsync apply --target prod --var "a=b c"\n')
    expect(text).toContain('\n  svcsync accept --target prod --var "a=b c"\n')
    expect(text).toMatch(/\nFor one object alone, add its address: {2}--only \S+\n/)
    expect(renderPlanText(refusedPlan, plain)).toContain('with what the guards above want')
  })

  it('names all that may have led to an object that nobody declares, or that is declared absent', () => {
    const there = { address: 'group/a@b', kind: 'group', action: 'delete', differences: [] } as const
    const place = { file: 'a.yaml', line: 1, column: 1 }
    const said = (change: Parameters<typeof planOf>[0][number]) =>
      renderPlanText(planOf([change], [step(1, 'group/a@b', 'delete')]), { ...plain, width: 100 })
    expect(said(there)).toContain('\nCreated by hand, or no longer declared\n  Healing deletes it.\n  + group/a@b\n')
    expect(said({ ...there, place })).toContain(
      '+ group/a@b  declared absent: created by hand, or its deletion never applied',
    )
  })

  it('keeps what is gone as it keeps everything else', () => {
    const gone = planOf(
      [{ address: 'group/a@b', kind: 'group', action: 'create', differences: [] }],
      [step(1, 'group/a@b', 'create')],
    )
    const text = renderPlanText(gone, plain)
    expect(text).toContain('\nMissing: deleted by hand, or never applied\n  Healing creates it.\n  - group/a@b\n')
    expect(text).toContain('To keep it, so that the manifests match the platform:  svcsync accept')
    // One object is all there is.
    expect(text).not.toContain('--only')
  })

  it('says in JSON what was found, and nothing of ways where there is nothing to go on with', () => {
    const { changes, ways } = JSON.parse(renderDriftJson(fullPlan, {}))
    expect(new Set(changes.map(({ action, onPlatform }: Record<string, string>) => `${action} ${onPlatform}`))).toEqual(
      new Set(['create missing', 'update changed', 'delete created']),
    )
    const lists = changes.flatMap(({ differences }: { differences: Record<string, unknown>[] }) =>
      differences.filter(({ added, removed }) => added !== undefined || removed !== undefined),
    )
    expect(lists.length).toBeGreaterThan(0)
    for (const { onPlatform, added = [], removed = [] } of lists) {
      expect(onPlatform).toEqual({ added: removed, removed: added })
    }
    expect(ways.heal).toBe('svcsync apply')
    expect(ways.writeDown).toBe('svcsync accept')
    expect(JSON.parse(renderDriftJson(emptyPlan, {})).ways).toBeNull()
  })

  it('says no news of access that the run before did not look at', () => {
    const [before, at] = ['2026-11-02T03:00:00.000Z', '2026-11-03T03:00:00.000Z']
    const newsOf = (earlier: Readonly<Record<string, number>>, counts: Readonly<Record<string, number>>) => {
      const rest = { command: 'drift', only: [], isComplete: true, severity: 'danger', verdict: '' } as const
      const run = { ...rest, elapsedMs: 1, requests: 1 }
      const runs = [
        { ...run, at: before, counts: earlier },
        { ...run, at, counts },
      ]
      const history = { before, differences: [{ since: '2026-11-03', what: 'a', isNew: false }], runs }
      return /.*since the run.*/.exec(renderPlanText({ ...emptyPlan, history }, { ...plain, width: 120 }))?.[0]
    }
    expect(newsOf({ differences: 1 }, { differences: 1 })).toBe(`Nothing is new since the run of ${before}.`)
    const both = { differences: 1, access: 2 }
    expect(newsOf(both, both)).toBe(`Nothing is new since the run of ${before}.`)
    expect(newsOf({ differences: 1 }, both)).toBe(`Beside access, nothing is new since the run of ${before}.`)
    expect(newsOf({ differences: 0 }, { differences: 0, access: 2 })).toBeUndefined()
  })

  it('counts what an undeclared object holds as part of it, and not as entries of a list', () => {
    const removed = [{ svcId: 'a@b' }]
    const differences = [{ path: 'members', removed }]
    const found = (action: 'delete' | 'update') =>
      planOf([{ address: 'group/a@b', kind: 'group', action, differences }], [step(1, 'group/a@b', 'delete')])
    expect(renderPlanText(found('update'), plain)).toContain('0 missing; members +1; healing')
    expect(renderPlanText(found('delete'), plain)).toContain('0 missing; healing')
    expect(renderPlanText(found('delete'), { colour: false, width: 80 })).toContain('Plan: 1 deletion; 1 request.')
  })

  it('fits into a comment, however much somebody did', () => {
    const text = renderPlanMarkdown(hugePlan(3000), { drift: {} })
    expect(text.length).toBeLessThanOrEqual(65_000)
    expect(text).toContain('and 1,000 more')
  })
})

it('drift says of what ended by time that it ended, and of nobody that they added it', () => {
  const place = { file: 'a.yaml', line: 2, column: 1 }
  const over = { event: 'ended', at: '2026-11-02T00:00:00Z', shown: '2026-11-01', place } as const
  const [ann, bob] = [{ svcId: 'ann@b' }, { svcId: 'bob@b' }]
  const list = (address: string, removed: readonly { svcId: string }[]) => {
    const difference = { path: 'members', added: [], removed, outsideTime: [{ ...ann, ...over }] }
    return { address, kind: 'group', action: 'update' as const, differences: [difference] }
  }
  const ended = { at: over.at, shown: over.shown, place }
  const user = { address: 'user/c@b', kind: 'user', action: 'delete' as const, differences: [], ended }
  const text = (...changes: Parameters<typeof planOf>[0]) =>
    renderPlanText(planOf(changes, [step(1, 'group/a@b', 'remove')]), { ...plain, width: 120 })
  const alone = text(list('group/a@b', [ann]), user)
  expect(alone).toContain('  ⚠ 1 user has ended, 1 entry in lists has ended\n')
  expect(alone).toContain(
    '\nEntries whose time is over\n  Healing removes them.\n  ~ group/a@b\n      members  ended 2026-11-01\n',
  )
  expect(alone).toContain('\nObjects whose time is over\n  Healing deletes it.\n  + user/c@b  ended 2026-11-01')
  expect(alone).not.toMatch(/Changed by hand|Created by hand|undeclared/)
  const mixed = text(list('group/a@b', [ann, bob]))
  expect(mixed).toContain('  ⚠ 1 undeclared entry in lists, 1 entry in lists has ended\n')
  expect(mixed).toContain('\nEntries added by hand\n')
})
