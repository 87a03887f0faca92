// Planted faults in `src/core/access` that no test can notice: see equivalent-faults.ts.
import type { EquivalentFault } from './equivalent-faults.ts'

const effort = 'It counts how long one of two searches runs before the other has its turn: both find the same.'
const shared =
  'Groups that remember their ways and accounts that walk find the same; the one takes room, the other time.'

export const equivalentAccessFaults: readonly EquivalentFault[] = [
  ...[
    { file: 'src/core/access/downward.ts', line: 'yield above.before.size + above.after.size' },
    { file: 'src/core/access/downward.ts', line: 'if (more.length === 0) return list', after: 'false' },
    ...[
      {
        before: '[...graph.svcIds.keys()].filter((each) => !sameNumbers(before[each], after[each]))',
        after: '[...graph.svcIds.keys()]',
      },
      { before: 'own[time] !== any[time]', after: 'true' },
      { before: 'a - b', after: '(a) + (b)' },
      { line: 'if (isSame && !isTouched) continue', after: 'false' },
    ].map((each) => ({ ...each, file: 'src/core/access/downward.ts' })),
    ...[
      { before: '2', after: '3' },
      { before: '2 * turn', after: '(2) / (turn)' },
      {
        before: 'turn === 0 ? Number.POSITIVE_INFINITY : 2 * turn',
        after: 'Number.POSITIVE_INFINITY',
      },
    ].map((each) => ({
      ...{ ...each, file: 'src/core/access/access-difference.ts' },
      line: 'for (let turn = inTurn; ; turn = turn === 0 ? Number.POSITIVE_INFINITY : 2 * turn) {',
    })),
    ...[
      { line: 'for (let steps = 0; waiting === undefined || steps < turn; ) {', before: '0', after: '1' },
      { before: 'steps < turn', after: '(steps) <= (turn)' },
      { before: 'steps += value', after: 'undefined' },
    ].map((each) => ({ ...each, file: 'src/core/access/access-difference.ts' })),
    { file: 'src/core/access/right-tree.ts', line: 'if (from === holders) return 0', before: '0' },
    { file: 'src/core/access/right-tree.ts', line: 'if (from === holders) return 0', after: 'false' },
    { file: 'src/core/access/right-tree.ts', line: 'from = holders' },
    { file: 'src/core/access/unseen.ts', line: 'if (open.length === 0) return []', after: 'false' },
    { file: 'src/core/access/accepted-access.ts', before: 'exceptions.length === 0', after: 'false' },
    { file: 'src/core/access/right-tree.ts', line: 'let looked = 0' },
    { file: 'src/core/access/right-tree.ts', line: 'looked++' },
    { file: 'src/core/access/right-tree.ts', line: 'return found + looked' },
    { file: 'src/core/access/access-difference.ts', line: 'const stepsInTurn = 2 ** 24' },
    { file: 'src/core/access/access-difference.ts', line: 'yield walks.before.steps() + walks.after.steps()' },
  ].map((each) => ({ ...each, why: effort })),
  ...[
    { line: 'let left = Math.min(known.room, Math.max(alwaysTogether, groups.length ** 2 / 8))' },
    { line: 'export const roomForRights = 2 ** 19' },
    { line: 'const known: Known = { ...graph, marks, byGroup: new Map(), steps: 0 }', before: '0' },
    { before: 'due.has(length + 1) ? length + 1 : Math.min(...due.keys())', after: 'Math.min(...due.keys())' },
    { before: 'left > 0', after: '(left) >= (0)' },
    { line: 'const alwaysTogether = 2 ** 12' },
    { line: 'known.room -= list.length' },
    { line: 'if (seen[way.holder] === round) return', after: 'false' },
    { line: 'if (met.has(way.holder)) return', after: 'false' },
    { line: 'met.add(way.holder)', after: 'undefined' },
    { line: 'known.room -= length' },
    { line: 'known.steps += 1 + (within[group] as Numbers).length + length' },
    { line: 'known.steps += 1 + lists.length + found.length' },
    { line: 'for (const { length } of lists) known.steps += length' },
    { before: 'fresh.length === all.length ? all : fresh', after: 'fresh' },
  ].map((each) => ({ ...each, file: 'src/core/access/reach.ts', why: shared })),
  ...[
    { line: 'const shortWay = 100' },
    { line: 'for (let steps = 0; steps < shortWay; steps++) {', before: '0', after: '1' },
    { line: 'steps += 1 + groups.length + own.length' },
    { line: 'this.#steps = reach.steps() - before' },
    { line: 'if (far !== undefined) return getOrInsert(this.#later, far, chainLater)', after: 'false' },
    { line: "let way = this.#isShort(place) ? this.wayTo(place) : ('unasked' as const)" },
    { line: 'if (this.#ways.has(at)) return true' },
    { line: 'at = this.#inner[at] as number', after: 'undefined' },
    { line: 'return false' },
    { before: 'at === undefined', after: 'true' },
    { before: 'other < own' },
    { before: 'covering < 0 ? undefined : this.ownPlaceOf(covering)', after: 'this.ownPlaceOf(covering)' },
  ].map((each) => ({ ...each, file: 'src/core/access/group-walk.ts', why: shared })),
  {
    file: 'src/core/access/reach.ts',
    line:
      'const marks = { round: 0, seen: new Int32Array(graph.within.length), ' +
      'foundIn: byRight(), placeAt: byRight() }',
    before: '0',
    after: '1',
    why: 'Each walk begins a round of its own, and writes a place before anybody reads it.',
  },
  ...[
    {
      file: 'src/core/access/access-difference.ts',
      before: '[...svcIds.keys()].filter((each) => !isSame(each))',
      after: '[...svcIds.keys()]',
    },
  ].map((each) => ({
    ...each,
    why: 'More accounts are looked at, and nothing is told of those for whom nothing changes.',
  })),
  ...[
    { before: 'before.length + after.length > 0', after: '(before.length + after.length) >= (0)' },
    {
      before: 'before.length + after.length > 0 || times.some((time) => standIns?.[time]?.passed.has(each))',
      after: 'true',
    },
    { line: 'if (way !== undefined) return staysOn(first, way) && holdsAfter(way.holder, right)', after: 'false' },
  ].map((each) => ({
    ...{ ...each, file: 'src/core/access/access-difference.ts' },
    why: 'Accounts and ways that are alike are looked at one by one, and the same is told of each.',
  })),
  ...[
    { before: '2', after: '3' },
    { before: "2 * via.place + (effect === 'gain' ? 1 : 0)", after: "(2 * via.place) - (effect === 'gain' ? 1 : 0)" },
  ].map((each) => ({
    ...{ ...each, file: 'src/core/access/access-blocks.ts' },
    line: "? 2 * via.place + (effect === 'gain' ? 1 : 0)",
    why: 'Any numbers do that tell gains and losses by all ways apart.',
  })),
  {
    file: 'src/core/access/access-blocks.ts',
    before:
      "isPlain ? 2 * via.place + (effect === 'gain' ? 1 : 0) : `${effect} ${via.place} ${before?.place} ${through}`",
    after: '`${effect} ${via.place} ${before?.place} ${through}`',
    why: 'The text tells them apart as the number does, which is found sooner.',
  },
  ...[
    { line: 'let now = 0' },
    {
      line:
        'const [round, steps, next, end, whole, ' +
        'queue] = Array.from({ length: 6 }, () => new Int32Array(size)) as [',
    },
    { before: '[...graph.numbers].filter(([, number]) => below.has(number))', after: '[...graph.numbers]' },
    { before: 'steps[group] ?? 0', after: 'steps[group]' },
    { before: '(order[group] as number) < (order[other] as number)' },
  ].map((each) => ({
    ...{ ...each, file: 'src/core/access/right-tree.ts' },
    why: 'Places and rounds are compared with each other alone, and a list of numbers takes NaN for 0.',
  })),
  ...[
    { file: 'src/core/access/access-graph.ts', before: 'sameNumbers(was, is) ? was : is', after: 'is' },
    { file: 'src/core/access/aftermath.ts', before: 'difference === undefined && deleted.size === 0', after: 'false' },
    {
      file: 'src/core/access/declared-side.ts',
      before: 'result.every((each, at) => each === changes[at]) ? changes : result',
      after: 'result',
    },
    { file: 'src/core/access/list-access.ts', before: 'known.size === mostWays', after: 'true' },
    { file: 'src/core/access/list-access.ts', before: 'way === undefined', after: 'true' },
    {
      file: 'src/core/access/declared-places.ts',
      before: 'subject !== last?.subject || via !== last.via',
      after: 'true',
    },
    {
      file: 'src/core/access/declared-places.ts',
      before: 'skipped !== undefined || substitutions !== undefined',
      after: 'true',
    },
    {
      file: 'src/core/access/standing-entries.ts',
      before: 'sinceOf === undefined ? [] : placesOf(entry)',
      after: 'placesOf(entry)',
    },
  ].map((each) => ({ ...each, why: 'A copy, or the same made again, takes time and says the same.' })),
  {
    file: 'src/core/access/access-blocks.ts',
    before: 'held.get(each) ?? []',
    after: 'held.get(each)',
    why: 'Nobody is sorted behind every account.',
  },
  {
    file: 'src/core/access/unseen.ts',
    before: 'through === undefined ? [] : [through]',
    after: '[through]',
    why: 'Nobody is no account that may be a group.',
  },
  ...[{ line: 'const mostOwn = 50' }, { line: 'const mostHolding = 500' }].map((each) => ({
    ...{ ...each, file: 'src/core/access/find-edits.ts' },
    why: 'It bounds what is looked at: any limit of that size does.',
  })),
  ...[
    { before: 'nests !== undefined', after: 'true' },
    { before: 'person === undefined || grant === undefined', after: 'false' },
    { before: 'person === undefined || grant === undefined', after: '(person === undefined) && (grant === undefined)' },
    {
      before: 'number === undefined ? [] : [...reached(graph.within.after, [number])].slice(1, 1 + mostOwn)',
      after: '[...reached(graph.within.after, [number])].slice(1, 1 + mostOwn)',
    },
    { line: 'const end = -1', before: '1' },
  ].map((each) => ({
    ...{ ...each, file: 'src/core/access/find-edits.ts' },
    why: 'Whoever has no number is in no group, and nobody holds what no object has: nothing is found.',
  })),
  {
    file: 'src/core/access/find-edits.ts',
    before: 'numberOf({ subject: null, level, address: object, company: limit }) ?? []',
    after: 'numberOf({ subject: null, level, address: object, company: limit })',
    why: 'No list of rights has an undefined one in it.',
  },
  {
    file: 'src/core/access/describe-access.ts',
    line: 'export const most = { entries: 1000, names: 20_000, administrators: { entries: 10_000, names: 200_000 } }',
    why: 'It bounds the size of documents, which tell how much is left out: any limit of that size does.',
  },
  ...['covering: -1,', 'const right: Growing = { ...whole, company, covering: -1, vague: [] }'].map((line) => ({
    ...{ file: 'src/core/access/access-graph.ts', line, before: '1', after: '2' },
    why: 'No right has a number below 0.',
  })),
  {
    file: 'src/core/access/access-difference.ts',
    before: 'graph.standIns !== undefined',
    after: 'true',
    line: 'if (graph.standIns !== undefined) return givesAfter(graph, first, chain, right)',
    why: 'Without substitutes both find the same; the other remembers long chains.',
  },
]
