// What the ledger remembers as begun: nothing that may stand on the platform is forgotten, and nothing is there twice.
import { expect, it } from 'vitest'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import { withMore } from '../../src/ledger/ledger.ts'

const of = (commit: string, only: readonly string[] = [], more: Partial<BegunCommit> = {}): BegunCommit => ({
  ...{ commit, at: '2026-01-01T00:00:00.000Z', only },
  ...more,
})
const undo = { undo: true } as const
const after = (begun: readonly BegunCommit[], own: BegunCommit, applied?: string) =>
  withMore({ begun, applied: (applied && { commit: applied }) as never }, [own])

it.each([
  ['another commit', [of('a')], of('b'), 2],
  ['another part of it', [of('a', ['user/*'])], of('a', ['group/*']), 2],
  ['the whole beside a part', [of('a', ['user/*'])], of('a'), 2],
  ['what takes it back', [of('a')], of('a', [], undo), 2],
  ['a part of the whole', [of('a')], of('a', ['user/*']), 1],
  ['the same part', [of('a', ['user/*'])], of('a', ['user/*']), 1],
  ['what takes it back, once more', [of('a', [], undo)], of('a', [], undo), 1],
])('begins with %s', (_what, begun, own, count) => {
  expect(after(begun, own)).toEqual(count === 1 ? begun : [...begun, own])
})

it('does not remember as begun what was applied last', () => {
  expect(after([of('b')], of('a'), 'a')).toEqual([of('b')])
})
