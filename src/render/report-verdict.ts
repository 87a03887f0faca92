// Whether the platform now is as declared, in one sentence that promises no more than the report shows.
import type { ApplyReport } from '../core/plan/report.ts'
import { formatCount } from './format-count.ts'

/** Stands with "as declared" wherever nothing was counted. */
export const notLookedAt = 'What no manifest declares was not looked at.'

interface Verdict {
  readonly kind: 'declared' | 'different' | 'unknown'
  readonly sentence: string
}

export function judge(report: ApplyReport): Verdict {
  const { outcome, counts, verified } = report
  const { failed, skipped, unknown } = counts
  const unequal = verified.unequal.length
  const trouble = [
    ...(failed > 0 ? [`${formatCount(failed, 'step')} failed`] : []),
    ...(skipped > 0 ? [`${formatCount(skipped, 'step')} skipped`] : []),
    ...(unknown > 0 ? [`${formatCount(unknown, 'step')} of unknown outcome`] : []),
    ...(unequal > 0 ? [`${formatCount(unequal, 'object')} not as declared when read back`] : []),
  ].join(', ')
  if (outcome === 'interrupted') {
    if (trouble === '') {
      const sentence = 'Interrupted. It is not known whether the Svc platform is as declared: not all was read back.'
      return { kind: 'unknown', sentence }
    }
    return { kind: 'different', sentence: `Interrupted. The Svc platform is not as declared: ${trouble}.` }
  }
  if (failed === 0 && skipped === 0 && unknown > 0 && unequal === 0) {
    return { kind: 'unknown', sentence: `It is not known whether the Svc platform is as declared: ${trouble}.` }
  }
  if (trouble !== '' || outcome === 'partial' || outcome === 'different') {
    const why = trouble === '' ? `the run ended as ${outcome}` : trouble
    return { kind: 'different', sentence: `The Svc platform is NOT as declared: ${why}.` }
  }
  if (outcome === 'nothing-to-do') {
    return { kind: 'declared', sentence: 'Nothing to do: the Svc platform is as declared.' }
  }
  return { kind: 'declared', sentence: `The Svc platform is as declared: ${sayReadBack(report)}.` }
}

function sayReadBack({ verified: { equal } }: ApplyReport): string {
  return equal === 0 ? 'every step ended well' : `${formatCount(equal, 'object')} read back and found equal`
}
