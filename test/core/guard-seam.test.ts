// The seam of guards: each says on what it runs and what it looks at, and what nobody found out refuses.
import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/core/compare/change.ts'
import { defineGuard, type Facts, type Guard } from '../../src/core/guards/guard.ts'
import { guards } from '../../src/core/guards/guards.ts'
import { judgeGuards, neededFacts } from '../../src/core/guards/judge-guards.ts'
import { olderCommitGuard } from '../../src/core/guards/older-commit.ts'
import { quoted } from '../../src/core/model/near-misses.ts'
import { group } from '../../src/kinds/group/index.ts'

const change = (action: Change['action'], field?: string): Change => {
  const live = { kind: group, key: 'old', collections: {} }
  const fields = field === undefined ? [] : [{ path: [field] }]
  return { address: 'group/old', action, live, fields, collections: [], unverifiable: [] } as unknown as Change
}

describe('a guard', () => {
  const renamed = change('update', 'name')
  const noNewNames = defineGuard({
    name: 'policy/no-new-names',
    counts: false,
    truth: 'No group gets another name.',
    on: 'anything',
    needs: ['changes'],
    find: ({ changes }) =>
      changes
        .filter(({ fields }) => fields.some(({ path }) => path[0] === 'name'))
        .map(({ address }) => ({
          sentence: 'It gets another name.',
          numbers: {},
          addresses: [address],
          allow: address,
        })),
  })
  const judged = (guard: Guard, facts: Partial<Facts>) =>
    judgeGuards(facts, [], [guard]).map(({ verdict, allow }) => [verdict, allow])

  it('is put to each plan that it speaks of, whether or not that takes anything away', () => {
    expect(judged(noNewNames, { changes: [renamed] })).toEqual([['refused', 'policy/no-new-names=group/old']])
    expect(judged(noNewNames, { changes: [] })).toEqual([['passed', undefined]])
    expect(judged({ ...noNewNames, on: 'removals' }, { changes: [renamed] })).toEqual([['passed', undefined]])
  })

  it('does not compile without saying of which plans it speaks, and what it looks at', () => {
    const find = () => []
    // @ts-expect-error: of which plans, is not said.
    defineGuard({ name: 'removals', counts: false, truth: '', needs: ['changes'], find })
    // @ts-expect-error: what it looks at, is not said.
    defineGuard({ name: 'removals', counts: false, truth: '', on: 'anything', find })
    // @ts-expect-error: it looks at nothing.
    defineGuard({ name: 'removals', counts: false, truth: '', on: 'anything', needs: [], find })
    const rest = { name: 'removals', counts: false, truth: '', on: 'anything', needs: ['changes'] } as const
    // @ts-expect-error: it looks at what it does not say.
    defineGuard({ ...rest, find: ({ history }) => (history ? [] : []) })
  })

  it('refuses where nobody found out what it needs, and cannot be allowed', () => {
    const deletes = { changes: [change('delete')] }
    for (const guard of guards) {
      const others = guard.needs.filter((name) => name !== 'changes')
      if (others.length > 0)
        expect([guard.name, ...judged(guard, deletes)]).toEqual([guard.name, ['refused', undefined]])
      const nothingKnown = judgeGuards({}, [], [guard]).map(({ sentence }) => sentence)
      expect(nothingKnown).toEqual([expect.stringContaining(`it lacked ${quoted([...guard.needs], ' and ')}`)])
    }
  })

  it('says nothing of a plan that has nothing of what it looks at', () => {
    expect(judged(olderCommitGuard, { changes: [], history: null })).toEqual([])
  })

  it('about removals needs nothing of a plan that takes nothing away', () => {
    expect(neededFacts([change('delete')])).toContain('acting')
    expect(neededFacts([renamed])).not.toContain('acting')
    expect(neededFacts([renamed])).toContain('changes')
  })

  it.each(guards.map(({ name }) => name))('%s has one name', async (name) => {
    const file = await import(`../../src/core/guards/${name}.ts`)
    const own = `${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Guard`
    expect(Object.entries(file).find(([, value]) => (value as Guard).name === name)?.[0]).toBe(own)
  })
})
