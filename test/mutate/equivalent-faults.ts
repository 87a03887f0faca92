// Planted faults that no test can notice, since nothing that anybody could see changes: left out of the count, each for
// its reason.
import { equivalentAccessFaults } from './equivalent-access-faults.ts'

export interface EquivalentFault {
  readonly file: string
  /** As `npm run mutate` prints them, at full length. Absent: every fault of the line. */
  readonly before?: string
  readonly after?: string
  /** The whole line, where `before` and `after` stand elsewhere in the file as well. */
  readonly line?: string
  readonly why: string
}

const limit = 'Beyond it the platform makes its answers up, or memory ends: any limit of that size does.'
const typed = 'It is never undefined there, which the types do not show.'
const patience = 'It ends what hangs: any time of that size does.'

export const equivalentFaults: readonly EquivalentFault[] = [
  ...equivalentAccessFaults,
  {
    file: 'src/live/observe-base.ts',
    before: 'Object.keys(since.entries).length > 0',
    after: '(Object.keys(since.entries).length) >= (0)',
    why: 'Names that are declared still are looked for in any case.',
  },
  {
    file: 'src/live/count-unmanaged.ts',
    before: 'address < earlier.address',
    after: '(address) <= (earlier.address)',
    why: 'Of two that are the same either one is kept.',
  },
  {
    file: 'src/apply/synchronisation.ts',
    before: "at.name ?? at.self ?? ''",
    after: 'at.name ?? at.self',
    why: typed,
  },
  {
    file: 'src/core/saved/invert-lists.ts',
    before: "definition.part?.(element) ?? ''",
    after: 'definition.part?.(element)',
    why: 'Of a list without parts, only that there is something counts.',
  },
  {
    file: 'src/platform/data-interface.ts',
    before: 'reply.status < 300',
    after: '(reply.status) <= (300)',
    why: 'A look asks what was answered before: any answer shows that the platform is up.',
  },
  ...[
    { after: 'declarationsToFind({ joined })' },
    { before: 'isOwn.has(each) && needsNames(each)', after: '(isOwn.has(each)) || (needsNames(each))' },
  ].map((each) => ({
    ...{ ...each, file: 'src/live/observe-base.ts' },
    why: 'Names are looked for that nobody asks for afterwards.',
  })),
  {
    file: 'src/live/read-pages.ts',
    before: 'lastTold < 0',
    after: '(lastTold) <= (0)',
    why: 'Where the first page was told, it is no refusal.',
  },
  {
    file: 'src/core/access/access-blocks.ts',
    line: 'let [least, all] = [-1, 0]',
    before: '1',
    why: 'Where there is no right, none is looked at.',
  },
  {
    file: 'src/core/access/describe-access.ts',
    before: 'rankOf(right) <= least',
    after: 'true',
    why: 'More is looked at again, and cut by the limits then.',
  },
  {
    file: 'src/core/access/access-blocks.ts',
    before: 'all < limit',
    after: 'true',
    why: 'More is looked at again, and cut by the limits then.',
  },
  ...[
    { line: 'const maxPages = 10_000', why: limit },
    { line: 'const maxItems = 500_000', why: limit },
  ].map((each) => ({ ...each, file: 'src/live/read-pages.ts' })),
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
    line:
      'const first = before ?? ' +
      'writeCommit(dir, emptyTree(dir), [], 0, `Begin the ledger of ${oneLine(target)}`, {})',
    why: 'Git counts whole seconds: one millisecond after 1970 is 1970.',
  },
  ...[
    { file: 'src/ledger/remote.ts', line: 'const timeoutMs = 120_000' },
    { file: 'src/ledger/signatures.ts', line: 'const timeoutMs = 60_000' },
    { file: 'src/ledger/stray-commits.ts', line: 'const timeoutMs = 300_000' },
  ].map((each) => ({ ...each, why: patience })),
  ...[{ before: '0' }, { before: 'left > 0', after: '(left) >= (0)' }].map((each) => ({
    ...{ ...each, file: 'src/ledger/history-ref.ts' },
    line: 'for (let left = mostTries; left > 0; left--) {',
    why: 'Once more or less is no difference to whoever waits for others.',
  })),
  {
    file: 'src/ledger/signatures.ts',
    before: "entries.some(({ ref }) => ref.startsWith('refs/svcsync/journal/'))",
    why: 'The entry of a journal is asked for alone.',
  },
  ...[
    { before: "statusOf(join(common, 'reftable')) !== undefined", after: 'true' },
    { before: '!statusOf(file)?.isFile()', after: 'statusOf(file)?.isFile()' },
    {
      line:
        'const ref = checkedOut(dir, common) ?? ' +
        "runGit(dir, ['symbolic-ref', '--quiet', 'HEAD']).stdout.toString().trim()",
      after: "runGit(dir, ['symbolic-ref', '--quiet', 'HEAD']).stdout.toString().trim()",
    },
    { before: "!isUsers && key === 'core.worktree'", after: "(!isUsers) || (key === 'core.worktree')" },
    { before: "key === 'core.worktree'", after: "(key) !== ('core.worktree')" },
  ].map((each) => ({
    ...{ ...each, file: 'src/ledger/remote-refusals.ts' },
    why: 'It spares a start of git, which says the same.',
  })),
  {
    file: 'src/ledger/journal-ref.ts',
    before: "bytes.toString().trimEnd().split('\\n').at(-1) ?? ''",
    after: "bytes.toString().trimEnd().split('\\n').at(-1)",
    why: typed,
  },
  ...['(answer.status !== 0) && (commit === undefined)', 'false'].map((after) => ({
    ...{ file: 'src/ledger/stray-commits.ts', before: 'answer.status !== 0 || commit === undefined', after },
    why: 'It spares a fetch of a branch that is not there.',
  })),
  {
    file: 'src/ledger/ledger-commit.ts',
    before: "writeObject(dir, 'tree', '') ?? ''",
    after: "writeObject(dir, 'tree', '')",
    why: 'Where git cannot store a tree, it refuses the commit of either.',
  },
  {
    file: 'src/ledger/ledger-commit.ts',
    before: 'tree === undefined',
    after: 'false',
    why: 'Git refuses a commit without a tree.',
  },
  {
    file: 'src/ledger/lease.ts',
    before: "until === undefined ? 'now' : new Date(Date.parse(until) + skewMs).toISOString()",
    after: 'new Date(Date.parse(until) + skewMs).toISOString()',
    why: 'Only a lease that is held is refused, and it has an end.',
  },
  { file: 'src/ledger/lease.ts', line: 'const releaseMs = 20_000', why: patience },
  {
    file: 'src/ledger/stray-commits.ts',
    before: "ofApplied === 'before' || ofApplied === 'after'",
    after: "(ofApplied === 'before') && (ofApplied === 'after')",
    why: 'It spares an exchange with the remote: the second look finds the same.',
  },
  {
    file: 'src/ledger/journal-ref.ts',
    before: '0',
    after: '1',
    line: 'let pushed = 0',
    why: 'No journal is one byte long.',
  },
  { file: 'src/ledger/ledger.ts', line: 'const mostBegun = 50', why: 'Any number of that size bounds the looks.' },
  { file: 'src/ledger/signatures.ts', before: "each.entry ?? ''", after: 'each.entry', why: typed },
  {
    file: 'src/ledger/remote.ts',
    before: '!existing.has(ref) && read[index]?.id',
    after: '(!existing.has(ref)) || (read[index]?.id)',
    why: 'It spares a look at refs that are known: they are found to be there.',
  },
  {
    file: 'src/ledger/stray-commits.ts',
    before: 'rest.length === 0',
    after: 'false',
    why: 'It spares an exchange with the remote: of no commits, none is a stray.',
  },
  {
    file: 'src/ledger/remote.ts',
    before: 'before.isAsListed',
    after: 'false',
    why: 'It spares an exchange with the remote, which brings what is there already.',
  },
  {
    file: 'src/ledger/remote.ts',
    line: 'const moreFetches = 20',
    why: 'Another git has ended long before: any number of that size does.',
  },
  {
    file: 'src/ledger/signatures.ts',
    before: '0',
    after: '1',
    line:
      'const parents = [...text.slice(0, ' +
      "end).matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, each]) => ['-p', each ?? ''])",
    why: 'The text of a commit begins with its tree: its first letter is not of a parent.',
  },
  {
    file: 'src/ledger/lease.ts',
    before: '0',
    after: '1',
    line: "return `${createHash('sha256').update(place).digest('hex').slice(0, 16)}:${process.pid}`",
    why: 'Any part of the digest tells two places apart.',
  },
  {
    file: 'src/platform/client.ts',
    before: "options.svcIds ?? 'ignore-case'",
    after: 'options.svcIds',
    why: 'What compares names takes them without their case unless it is told otherwise.',
  },
  {
    file: 'src/platform/fetch-text.ts',
    before: '1',
    after: '2',
    line:
      'const transport = new Transport({ caFile, env, signal: ' +
      'undefined, maxAnswerBytes: mostBytes, connections: 1 })',
    why: 'One request takes one connection, however many there may be.',
  },
  {
    file: 'src/platform/scrub.ts',
    before: '1',
    line:
      'let round: UnescapedText = { text: original, at: ' +
      'Array.from({ length: original.length + 1 }, (_, index) => index) }',
    why: 'No place behind the end is asked for.',
  },
  ...[
    { line: 'const mostRounds = 8' },
    { line: 'for (let rounds = 0; rounds < mostRounds; rounds++) {', before: '0' },
    { before: 'rounds < mostRounds', after: '(rounds) <= (mostRounds)' },
  ].map((each) => ({
    ...{ ...each, file: 'src/platform/scrub.ts' },
    why: 'It bounds what is read of quotations of quotations: any limit of that size does.',
  })),
  ...[
    {
      file: 'src/apply/look-times.ts',
      before: 'lookedMs > known.uptoMs * beyond',
      after: '(lookedMs) >= (known.uptoMs * beyond)',
    },
    { file: 'src/apply/look-times.ts', line: 'const width = (known.uptoMs - known.aboveMs) / 3', before: '3' },
    {
      file: 'src/apply/synchronisation.ts',
      before: 'this.#dueMs(waiter) > nowMs + usualPauseMs(nowMs - waiter.sinceMs)',
      after: '(this.#dueMs(waiter)) >= (nowMs + usualPauseMs(nowMs - waiter.sinceMs))',
    },
  ].map((each) => ({ ...each, why: 'A look that comes a little sooner or later shows the same.' })),
  {
    file: 'src/core/guards/administrator-gained.ts',
    before: 'nests === undefined',
    after: 'false',
    why: 'No list has an undefined name.',
  },
  { file: 'src/ledger/remote.ts', before: "['--version']", why: 'Any run of git tells if it is there.' },
  ...[
    'const existing = await listRefs(remote, [ref]).catch(() => undefined)',
    'const from = (await listRefs(remote, [ref])).get(ref)',
  ].map((line) => ({
    ...{ file: 'src/ledger/remote.ts', line, before: '[ref]' },
    why: 'It spares a look at the other refs: without a name, git lists all.',
  })),
  ...[1, 2].map((place) => ({
    ...{ file: 'src/ledger/ledger.ts', before: `words[at + ${place}] ?? ''`, after: `words[at + ${place}]` },
    why: typed,
  })),
  {
    file: 'src/ledger/journal-ref.ts',
    line: 'if (!ending.signal.aborted) await push().catch(() => undefined)',
    after: 'true',
    why: 'At the end it is pushed in any case, and once is enough.',
  },
  {
    file: 'src/core/saved/invert-lists.ts',
    before: 'believed.collections[collection] ?? []',
    after: 'believed.collections[collection]',
    why: 'Without work of the apply on a list, nobody looks anything up in it; a list with work was read.',
  },
]
