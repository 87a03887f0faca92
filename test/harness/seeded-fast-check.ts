// fast-check with a seed, so that laws try the same cases in every run of the tests (`SVCSYNC_LAW_SEED` is another one,
// or `random`), and a third of the cases that they ask for where nobody says how many (`SVCSYNC_LAW_RUNS`), as CI and
// the nights do.
import fc from 'fast-check'

const { SVCSYNC_LAW_SEED = '1', SVCSYNC_LAW_RUNS } = process.env
if (SVCSYNC_LAW_SEED !== 'random') fc.configureGlobal({ seed: Number(SVCSYNC_LAW_SEED) })

const third = (numRuns = 100): number => Math.ceil(numRuns / 3)
const assert: typeof fc.assert = (property, parameters) =>
  fc.assert(property, {
    ...parameters,
    ...(SVCSYNC_LAW_RUNS === undefined && { numRuns: third(parameters?.numRuns) }),
  } as typeof parameters) as never

/**
 * Of `unit: 'binary'`: its own has a table of a million characters, which each worker would take half a second to make.
 */
const anyCharacter = fc
  .nat(0x10ffff - 0x800)
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))
const string: typeof fc.string = (constraints) =>
  fc.string(constraints?.unit === 'binary' ? { ...constraints, unit: anyCharacter } : constraints)

export * from 'fast-check'
export default { ...fc, assert, string }
