// Blocks as data: a golden for each section, whatever the medium. One golden for each medium shows the whole print.
import { describe, expect, it } from 'vitest'
import type { WeakenedProtection } from '../../src/core/plan/plan-document.ts'
import type { Block } from '../../src/render/blocks/block.ts'
import { planBlocks } from '../../src/render/plan/plan-blocks.ts'
import { reportBlocks } from '../../src/render/report/report-blocks.ts'
import { accessPlan, emptyPlan, fullPlan, place, pruningPlan, refusedPlan } from './plan-fixture.ts'
import { troubledReport } from './report-fixture.ts'
import { setsPlan } from './sets-plan.ts'

/** A line for each block and each row; what is inside of a block stands below it. */
function written(blocks: readonly Block[], depth = 0): string {
  return blocks.map((block) => linesOf(block, '  '.repeat(depth), depth)).join('')
}

function linesOf(block: Block, margin: string, depth: number): string {
  const { block: sort, ...rest } = block
  const line = (what: string, value: object) => `${margin}${what} ${JSON.stringify(value)}\n`
  if ('rows' in rest) {
    const { rows, ...table } = rest
    const shown = rows.map(({ differences, ...row }) => ({
      ...row,
      ...(differences && { differences: differences(80) }),
    }))
    return `${line(sort, table)}${shown.map((row) => `  ${line('row', row)}`).join('')}`
  }
  if (!('blocks' in rest)) return line(sort, rest)
  const { blocks, ...own } = rest
  return `${line(sort, own)}${written(blocks, depth + 1)}`
}

const base = { ref: 'main', commit: '0123456789abcdef0123456789abcdef01234567', from: 'since' } as const
const weakened: readonly WeakenedProtection[] = [
  {
    what: 'setting',
    name: 'guards.deletions.max',
    sentence: '`guards.deletions.max` goes from 3 to 30',
    place: place('svcsync.yaml', 9),
  },
  {
    what: 'policy',
    name: 'two-owners',
    sentence: 'the policy `two-owners` is gone',
    was: { commit: base.commit, ...place('policies/a.yaml', 2) },
  },
  {
    what: 'policy',
    name: 'named',
    sentence: 'the policy `named` is rewritten, and may let more pass',
    certain: false,
    place: place('policies/a.yaml', 7),
  },
]

describe('the sections of a plan', () => {
  const warning = { code: 'SVC1306', severity: 'warning', message: '`ana` is not declared', account: 'ana' } as const
  it.each([
    ['access', accessPlan, {}],
    ['access of drift', accessPlan, { drift: {} }],
    ['refused', refusedPlan, { offersDigest: true }],
    ['pruned', pruningPlan, {}],
    ['pruned in drift', pruningPlan, { drift: {} }],
    ['sets', setsPlan, {}],
    ['sets in drift', setsPlan, { drift: {} }],
    ['weaker than the base', { ...emptyPlan, base, weakened }, {}],
    ['accounts that nobody knows', { ...emptyPlan, warnings: [warning] }, {}],
    ['all forms of differences', fullPlan, { unmanaged: true }],
  ] as const)('are data: %s', async (name, plan, options: Parameters<typeof planBlocks>[1]) => {
    const file = `golden/blocks/${name.replaceAll(' ', '-')}.txt`
    await expect(written(planBlocks(plan, options))).toMatchFileSnapshot(file)
  })

  it('and those of a report', async () => {
    await expect(written(reportBlocks(troubledReport))).toMatchFileSnapshot('golden/blocks/report.txt')
  })
})
