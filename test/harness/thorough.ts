// How much the tests try: every combination where SVCSYNC_LAW_RUNS asks for much, as CI does on one Node and each
// night; else a part of them, in which each sort of case meets each place.
export const isThorough = Number(process.env.SVCSYNC_LAW_RUNS ?? 0) > 200

/** Once a day: what takes too long for each change, also where that tries much. */
export const isNight = isThorough && process.env.SVCSYNC_LAW_SEED === 'random'

/**
 * The `which`th of `of` shares of the cases, so that those who stand for one sort of thing share them out; all where it
 * is thorough.
 */
export function sharedOut<T>(cases: readonly T[], which: number, of: number): readonly T[] {
  return isThorough ? cases : cases.filter((_, index) => index % of === which % of)
}
