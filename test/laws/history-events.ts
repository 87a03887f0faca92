// The events of a life with a ledger, as data: the cases of the law of histories.
import fc from 'fast-check'

export const accounts = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`)
/** The other repository names nobody else: who is named by both is taken away by whichever names them no more. */
export const ours = accounts.slice(0, 4)
export const groups = ['whole@example.com', 'shared@example.com'] as const
export type Group = (typeof groups)[number]

/**
 * `whole` is listed whole, or not at all; of `shared` members alone are named. An override may leave the members of
 * `whole` alone.
 */
export interface Declared {
  readonly whole: { readonly name: string; readonly members: readonly string[]; readonly unmanaged: boolean } | null
  readonly shared: readonly string[]
}

export type Event =
  /** `keeps`: what stays as the commit before says it. */
  | { readonly does: 'commit'; readonly says: Declared; readonly keeps: keyof Declared | null }
  | { readonly does: 'revert' }
  | { readonly does: 'hand'; readonly group: Group; readonly account: string }
  | { readonly does: 'rename'; readonly name: string }
  | { readonly does: 'other'; readonly members: readonly string[] }
  | { readonly does: 'apply'; readonly only: readonly Group[]; readonly atWrite: number; readonly sent: boolean }
  | { readonly does: 'save'; readonly only: readonly Group[] }
  /**
   * One of those that were saved. `goesBack`: also where another commit was applied since that does not come before.
   */
  | { readonly does: 'saved'; readonly which: number; readonly goesBack: boolean }
  | { readonly does: 'undo' }

const names = fc.constantFrom('One', 'Two')
export const declared: fc.Arbitrary<Declared> = fc.record({
  whole: fc.option(
    fc.record({ name: names, members: fc.subarray(ours), unmanaged: fc.constantFrom(false, false, false, true) }),
    {
      freq: 5,
    },
  ),
  shared: fc.subarray(ours),
})
export const whole = { does: 'apply' as const, only: [], atWrite: 1000, sent: true }
const parts = fc.constantFrom<Group[]>([], [], [], [groups[1]], [groups[0]])
const applies: fc.Arbitrary<Event> = fc.record({
  does: fc.constant('apply' as const),
  only: parts,
  atWrite: fc.constantFrom(1, 2, 1000, 1000, 1000),
  sent: fc.boolean(),
})
const commits: fc.Arbitrary<Event> = fc.record({
  does: fc.constant('commit' as const),
  says: declared,
  keeps: fc.constantFrom(null, 'whole', 'shared'),
})
const saves: fc.Arbitrary<Event> = fc.record({ does: fc.constant('save' as const), only: parts })
const savedApplies: fc.Arbitrary<Event> = fc.record({
  does: fc.constant('saved' as const),
  which: fc.nat(2),
  goesBack: fc.constantFrom(false, false, true),
})
const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: commits },
  { weight: 2, arbitrary: fc.constant({ does: 'revert' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('hand' as const),
      group: fc.constantFrom(...groups),
      account: fc.constantFrom(...accounts),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('rename' as const), name: names }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('other' as const), members: fc.subarray(accounts.slice(4)) }) },
  { weight: 4, arbitrary: applies },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('undo' as const) }) },
  { weight: 1, arbitrary: saves },
  { weight: 1, arbitrary: savedApplies },
)

/** Half of them apply a plan that was saved before something else was begun. */
export const lives: fc.Arbitrary<Event[]> = fc.oneof(
  fc.array(events, { minLength: 4, maxLength: 14 }),
  fc
    .tuple(
      fc.array(events, { maxLength: 4 }),
      fc.array(fc.oneof(commits, saves, applies), { minLength: 4, maxLength: 8 }),
      fc.array(fc.oneof(savedApplies, commits, applies), { minLength: 1, maxLength: 4 }),
    )
    .map((all) => all.flat()),
)

export const textOf = ({ whole, shared }: Declared): string =>
  [
    ...(whole ? [`groups: [{ svcId: ${groups[0]}, name: ${whole.name}, members: [${whole.members}] }]`] : []),
    ...(shared.length > 0 ? [`memberships: [{ group: ${groups[1]}, members: [${shared}] }]`] : []),
  ].join('\n')

export const overrideOf = ({ whole }: Declared): string =>
  whole?.unmanaged ? `groups: [{ svcId: ${groups[0]}, unmanaged: [members] }]` : ''
