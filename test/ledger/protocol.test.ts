// The protocol of the ledger, exhaustively: every order of two applies, with kills, lost pushes, skewed clocks and
// forged refs between. The real code must agree with the model on real refs.
import { describe, expect, it } from 'vitest'
import { isNight, isThorough } from '../harness/thorough.ts'
import { openStage } from './protocol-drive.ts'
import { allRules, type Rules, type World } from './protocol-model.ts'
import { type Budget, explore, faultsOf } from './protocol-search.ts'

const none: Budget = { kills: 0, pushes: 0, passes: 0, forgeries: 0, renewals: 0 }
/** The interferences, and the skew of the first clock in minutes. */
type Setting = readonly [what: string, skew: number, budget: Budget, logs: boolean]
const daily: readonly Setting[] = [
  ['kills, and time', 0, { ...none, kills: 2, passes: 1, renewals: 1 }, false],
  ['a lost push', 0, { ...none, kills: 1, pushes: 1, passes: 1 }, false],
  ['a clock that is late', -10, { ...none, kills: 1, renewals: 1 }, false],
  ['a clock that is early', 10, { ...none, kills: 1, renewals: 1 }, false],
  ['a forged ref', 0, { ...none, passes: 1, forgeries: 1 }, false],
  ['journals, a kill and a lost push', 0, { ...none, kills: 1, pushes: 1, passes: 1 }, true],
]
const nightly: readonly Setting[] = [
  ['kills, and more time', 0, { ...none, kills: 2, passes: 2, renewals: 2 }, false],
  ['lost pushes', 0, { ...none, kills: 1, pushes: 2, passes: 1, renewals: 1 }, false],
  ['a late clock, kills and a lost push', -10, { ...none, kills: 1, pushes: 1, passes: 1, renewals: 1 }, false],
  ['an early clock, kills and a lost push', 10, { ...none, kills: 1, pushes: 1, passes: 1, renewals: 1 }, false],
  ['a forged ref, and kills', 0, { ...none, kills: 1, passes: 1, forgeries: 1, renewals: 1 }, false],
  ['journals, kills and time', 0, { ...none, kills: 2, passes: 1 }, true],
  ['a forged ref and a late clock', -10, { ...none, kills: 1, forgeries: 1 }, false],
]
/** Each is explored once: its ends are held against the rules, and some of them are driven. */
const explored = new Map<string, ReturnType<typeof explore>>()
const explorationOf = ([what, skew, budget, logs]: Setting) => {
  const found = explored.get(what) ?? explore(skew, budget, allRules, logs)
  explored.set(what, found)
  return found
}
const settings = isThorough ? [...daily, ...nightly] : daily

describe('each end keeps what was given, takes nothing that nobody declared, and lets somebody go on', () => {
  it.each(settings)('with %s', (...setting) => {
    const { states, ends } = explorationOf(setting)
    expect([states > 1000, ends.length > 300]).toEqual([true, true])
    const faulty = ends
      .map(({ end, actions }) => ({ actions, faults: faultsOf(end) }))
      .filter((each) => each.faults.length > 0)
    expect(faulty).toEqual([])
  })

  it.each(Object.keys(allRules) as (keyof Rules)[])('and would not without the rule %s', (rule) => {
    const rules = { ...allRules, [rule]: false }
    const breaks = (end: World) => faultsOf(end, rules).length > 0
    expect(daily.some(([, skew, budget]) => explore(skew, budget, rules, false, breaks).isFound)).toBe(true)
  })
})

/** The limit of one setting: the longest has 1,121 schedules. */
const limit = isNight ? { timeout: 2 * 3_600_000 } : {}

describe('the real code does as the model', limit, () => {
  it.concurrent.each(daily)('with %s', async (...setting) => {
    // Steps are the platform's: schedules that differ in nothing else are one to the refs.
    const ends = explorationOf(setting).ends.map(
      (end) => [end.actions.filter(({ does }) => does !== 'step'), end] as const,
    )
    const schedules = [...new Map(ends.map(([actions, end]) => [JSON.stringify(actions), end])).values()]
    const stage = openStage()
    const every = isNight ? 1 : Math.ceil(schedules.length / (isThorough ? 30 : 1))
    for (const schedule of schedules.filter((_, index) => index % every === 7 % every)) await stage.drive(schedule)
    stage.close()
  })
})
