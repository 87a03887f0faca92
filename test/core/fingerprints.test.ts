// A difference is known again by where it is, whatever its values and however its accounts are written.

import { describe, expect, it } from 'vitest'
import type { ChangeDocument } from '../../src/core/plan/plan-document.ts'
import { fingerprintsOf } from '../../src/core/plan/run-history.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'

const value = (before: string): ChangeDocument => ({
  ...{ address: 'constant/main/ErpUrl', kind: 'constant', action: 'update' },
  differences: [{ path: 'test', before, after: 'declared' }],
})

const members = (added: string[], removed: string[]): ChangeDocument => ({
  ...{ address: 'group/finance@example.com', kind: 'group', action: 'update' },
  differences: [
    {
      path: 'members',
      added: added.map((svcId) => ({ svcId, cause: 'live' as const })),
      removed: removed.map((svcId) => ({ svcId })),
    },
  ],
})

const of = (changes: readonly ChangeDocument[], svcIds: 'ignore-case' | 'case-sensitive' = 'ignore-case') =>
  fingerprintsOf(changes, svcIds, sha256).map(({ fingerprint }) => fingerprint)

describe('a fingerprint of a difference', () => {
  it('stays while values move on, and holds none', () => {
    expect(of([value('one')])).toEqual(of([value('another')]))
    expect(of([value('one')])[0]).toMatch(/^[0-9a-f]{16}$/)
  })

  it('is of one entry, and tells what comes from what goes', () => {
    const [anna, ben] = of([members(['anna@example.com', 'ben@example.com'], [])])
    expect(of([members([], ['anna@example.com'])])).not.toContain(anna)
    expect(of([members(['ben@example.com'], ['carl@example.com'])])[0]).toBe(ben)
  })

  it('takes svcIds as the installation compares them', () => {
    const [lower, upper] = [members(['anna@example.com'], []), members(['Anna@example.com'], [])]
    expect(of([lower])).toEqual(of([upper]))
    expect(of([lower], 'case-sensitive')).not.toEqual(of([upper], 'case-sensitive'))
  })

  it('of an object that comes or goes is one, whatever it has', () => {
    const gone: ChangeDocument = { ...value('one'), action: 'create', differences: [] }
    expect(of([gone, value('one')])).toHaveLength(2)
    expect(of([gone])).toEqual(of([{ ...gone, differences: value('one').differences }]))
  })
})
