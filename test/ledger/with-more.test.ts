// The ledger's begun commits, and its moves: no commit that may be live is forgotten or counted twice.
import { describe, expect, it } from 'vitest'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import { mergeBegun, reasonToStay } from '../../src/ledger/ledger.ts'

const of = (commit: string, only: readonly string[] = [], more: Partial<BegunCommit> = {}): BegunCommit => ({
  ...{ commit, at: '2026-01-01T00:00:00.000Z', only },
  ...more,
})
const undo = { undo: true } as const
const after = (begun: readonly BegunCommit[], own: BegunCommit, applied?: string) =>
  mergeBegun({ begun, applied: (applied && { commit: applied }) as never }, [own])

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

const [first, second, third] = ['1', '2', '3'] as const
const ended = { outcome: 'converged', counts: { done: 1 }, unreadable: undefined }
const applyRun = { exact: { commit: first }, base: 'none', isRemembered: true, hasEnded: false, rotates: false }
it.each([
  ['failed', { outcome: 'partial' }, {}, 'the Svc platform is not as declared', /remembers what it gave/],
  [
    'failed and is not remembered',
    { outcome: 'partial' },
    { isRemembered: false },
    'the Svc platform is not as declared',
    /does not hold yet/,
  ],
  ['could not read all', { outcome: 'partial', unreadable: [] }, {}, 'some of it could not be read', /remembers/],
  [
    'is of files that are no commit, for a reason of their own',
    {},
    { exact: { commit: undefined, reason: 'no commit yet', hint: 'Do that.' } },
    'no commit yet',
    /^Do that\.$/,
  ],
  ['knows no commit', {}, { exact: { commit: undefined } }, '', /Commit, and run apply again/],
] as const)('the ledger stays where an apply %s', (_what, report, run, reason, hint) => {
  const stays = reasonToStay(
    { applied: undefined, begun: [] },
    { ...ended, ...report } as never,
    { ...applyRun, ...run } as never,
  )
  expect(stays).toEqual({ reason, hint: expect.stringMatching(hint) })
})

describe('the ledger', () => {
  /** The reasons of an apply of `second`; `moves`: undefined. */
  const why = (
    applied: string | undefined,
    begun: readonly BegunCommit[],
    base: object | 'none',
    more: object = {},
    outcome = 'converged',
  ) =>
    reasonToStay(
      { applied: applied === undefined ? undefined : ({ commit: applied } as never), begun },
      { ...ended, outcome } as never,
      { ...applyRun, exact: { commit: second }, base, ...more } as never,
    )?.reason
  const another = 'the plan has another base'
  it.each([
    ['moves with the first apply', () => why(undefined, [], 'none'), undefined],
    ['moves from the base of the plan', () => why(first, [], { commit: first }), undefined],
    ['moves where the same is applied anew', () => why(second, [], { commit: second }), undefined],
    [
      'moves where nothing is to do, from another commit',
      () => why(first, [], { commit: first }, {}, 'nothing-to-do'),
      undefined,
    ],
    ['is where it should be', () => why(second, [], 'none', {}, 'nothing-to-do'), ''],
    ['takes no entry that says the same', () => why(second, [], { commit: second }, {}, 'nothing-to-do'), ''],
    ['is where it should be after a resume', () => why(second, [], 'none'), ''],
    [
      'moves where an account has ended since',
      () => why(second, [], { commit: second }, { hasEnded: true }, 'nothing-to-do'),
      undefined,
    ],
    [
      'stays where an account has ended, and the plan has another base',
      () => why(second, [], 'none', { hasEnded: true }),
      another,
    ],
    ['stays where the plan has no base', () => why(first, [], 'none'), another],
    ['stays where the plan has another base', () => why(first, [], { commit: third }), another],
    [
      'stays where something was begun that the plan did not know',
      () => why(second, [of(third)], { commit: second }),
      another,
    ],
    ['moves where the plan knew it', () => why(first, [of(third)], { commit: first, begun: [of(third)] }), undefined],
    ['moves where the same commit was begun', () => why(first, [of(second)], { commit: first }), undefined],
  ])('%s', (_what, run, reason) => expect(run()).toBe(reason))
})
