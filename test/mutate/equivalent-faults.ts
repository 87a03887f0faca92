// Planted faults that no test can notice, since nothing that anybody could see changes: left out of the count, each for
// its reason.
export interface EquivalentFault {
  readonly file: string
  /** As `npm run mutate` prints them, at full length. */
  readonly before: string
  readonly after: string
  /** The whole line, where `before` and `after` stand elsewhere in the file as well. */
  readonly line?: string
  readonly why: string
}

export const equivalentFaults: readonly EquivalentFault[] = [
  {
    file: 'src/core/guards/deletions.ts',
    before: 'total ?? Number.POSITIVE_INFINITY',
    after: 'total',
    why: 'No number is more than a share of undefined, which is NaN, as none is of infinity.',
  },
  {
    file: 'src/core/guards/removals.ts',
    before: '0',
    after: '1',
    line: 'const total = live?.collections[collection]?.length ?? 0',
    why: 'A list of which something is removed was read: it has a length.',
  },
  {
    file: 'src/ledger/ledger-commit.ts',
    before: '0',
    after: '1',
    line: 'const first = before ?? writeCommit(dir, emptyTree(dir), [], 0, `Begin the ledger of ${oneLine(target)}`, {})',
    why: 'Git counts whole seconds: one millisecond after 1970 is 1970.',
  },
]
