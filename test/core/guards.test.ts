// Laws of guards that need no platform: shares, options and patterns.
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idleAllowances, parseAllowance } from '../../src/core/guards/allowances.ts'
import type { GuardName } from '../../src/core/guards/guard.ts'
import { guards } from '../../src/core/guards/guards.ts'
import { exceeds, fewest, percentText } from '../../src/core/guards/limits.ts'
import { allowVerdicts } from '../../src/core/guards/rejudge.ts'
import { shellOption } from '../../src/core/guards/shell-option.ts'
import { createPruneJudge } from '../../src/core/plan/prune.ts'
import { group } from '../../src/kinds/group/index.ts'

const counts = fc.nat({ max: 5000 })

describe('limits', () => {
  it('refuse more than the largest number, and a larger share from five on', () => {
    fc.assert(
      fc.property(counts, counts, counts, fc.nat({ max: 100 }), (count, more, max, percent) => {
        const total = count + more
        const found = exceeds(count, total, { max, percent })
        expect(found === 'max').toBe(count > max)
        if (count > max) return
        expect(found === 'percent').toBe(count >= fewest && count / total > percent / 100)
      }),
    )
  })

  it('leave small numbers alone, whatever the share', () => {
    for (let count = 0; count < fewest; count++) expect(exceeds(count, count, { max: 10, percent: 0 })).toBeUndefined()
  })

  it('show no share smaller than it is', () => {
    expect([
      percentText(1, 3),
      percentText(201, 1000),
      percentText(0, 7),
      percentText(7, 7),
      percentText(3, 0),
    ]).toEqual([
      '34 %',
      '21 %',
      '0 %',
      '100 %',
      // What a list does not show yet.
      '100 %',
    ])
  })
})

describe('options', () => {
  it('reach the command as they were meant, whatever stands in an address', () => {
    const names = fc.string({
      unit: fc.constantFrom(...'aZ9 \'"$`\\*?!;&|<>(){}[]#~=@%,./:-_ż'),
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(fc.array(names, { minLength: 20, maxLength: 20 }), (list) => {
        const script = `printf '%s\\n' ${list.map((name) => shellOption(`protected=${name}`)).join(' ')}`
        const lines = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\n')
        expect(lines.slice(0, -1)).toEqual(list.flatMap((name) => ['--allow', `protected=${name}`]))
      }),
      { numRuns: 20 },
    )
  })

  it('are read for every guard, and for no other', () => {
    for (const { name, counts: isNumber } of guards) {
      const value = isNumber ? '12' : 'group/a=b c'
      expect(parseAllowance(`${name}=${value}`)).toEqual({ guard: name, value })
    }
    for (const text of [
      '',
      '=',
      'protected',
      'protected=',
      'deletions=',
      'deletions=-1',
      'deletions=1e3',
      'removals=1.5',
      'all',
      'unknown=x',
    ]) {
      expect(() => parseAllowance(text)).toThrow(expect.objectContaining({ code: 'SVC2071' }))
    }
    const hintOf = (hint: string) => expect.objectContaining({ hint: expect.stringContaining(hint) })
    expect(() => parseAllowance('deletions=all')).toThrow(hintOf('`--allow deletions=25` allows up to 25'))
    expect(() => parseAllowance('protected=')).toThrow(hintOf('like `--allow protected=…`'))
  })

  it('allow as many and fewer where a guard counts, and else the one thing that is named', () => {
    const passes = (asked: string, given: string): boolean => {
      const guard = asked.replace(/=.*/, '') as GuardName
      const verdict = { guard, verdict: 'refused', sentence: '', numbers: {}, addresses: [], allow: asked } as const
      return allowVerdicts([verdict], [parseAllowance(given)])[0]?.verdict === 'allowed'
    }
    expect(['13', '14', '140', '9'].filter((count) => passes('deletions=14', `deletions=${count}`))).toEqual([
      '14',
      '140',
    ])
    expect(passes('removals=14', 'deletions=14')).toBe(false)
    // A folder may have a year for its name.
    expect(['2024', '2025', '2024/a'].filter((name) => passes('disappeared=2024', `disappeared=${name}`))).toEqual([
      '2024',
    ])
  })
})

describe('allowances that let nothing pass', () => {
  const asked = ['a', 'b', 'c', 'd'].map(
    (name) =>
      ({
        guard: 'protected',
        verdict: 'refused',
        sentence: '',
        numbers: {},
        addresses: [],
        allow: `protected=group/${name}@example.com`,
      }) as const,
  )
  const hints = (...given: string[]) =>
    idleAllowances(
      given.map((text) => parseAllowance(text)),
      asked,
    ).map(({ hint }) => hint)

  it('come with what is near, or with some of what the guard asks for', () => {
    expect(hints('protected=group/b@example.con')).toEqual([expect.stringContaining('`protected=group/b@example.com`')])
    expect(hints('protected=something else')).toEqual([
      'This guard asks for `protected=group/a@example.com`, `protected=group/b@example.com`, `protected=group/c@example.com`.',
    ])
    expect(hints('deletions=3')).toEqual([expect.stringContaining('This guard holds in this plan')])
    expect(hints('protected=group/d@example.com')).toEqual([])
  })
})

describe('prune patterns', () => {
  const judge = (pattern: string, normalise: (svcId: string) => string) => {
    const settings = {
      normalise,
      declarations: [],
      mentions: new Map(),
      isExternal: () => false,
      protect: [],
      only: [],
    }
    const decide = createPruneJudge([{ kind: group, patterns: [pattern] }], settings)
    return (name: string): boolean => decide(group, name) !== undefined
  }
  const lower = (svcId: string) => svcId.toLowerCase()

  it.each([
    ['proj-*', ['proj-', 'PROJ-a/b', 'proj-\\x'], ['xproj-a', 'proj']],
    ['a?c', ['abc', 'a/c'], ['ac', 'abbc']],
    ['*@example.com', ['x@example.com'], ['x@examplescom', 'x@example.com.pl']],
    ['a.(b)[c]+', ['A.(B)[C]+'], ['axbc']],
  ])('%s matches whole svcIds and nothing else', (pattern, hits, misses) => {
    expect(hits.filter((name) => !judge(pattern, lower)(name))).toEqual([])
    expect(misses.filter(judge(pattern, lower))).toEqual([])
  })

  it('tell case apart where the target does', () => {
    expect(judge('Proj-*', (svcId) => svcId)('proj-a')).toBe(false)
  })
})
