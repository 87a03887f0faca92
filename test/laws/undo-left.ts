// The rest that an undo reports, as names in the platform's own state: the objects and accounts in its warnings.
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'

export function leftNames(warnings: PlanDocument['warnings']): string[] {
  return warnings.flatMap(({ code, address = '', message }) => {
    // Who is in a list of which nobody knows what was there.
    const who = /^`(.+)` (?:is (?:not |as .* )?in its|was in its)/.exec(message)?.[1]
    if (who !== undefined) return [who]
    const name = address.slice(address.indexOf('/') + 1).replace(/^main\//, '')
    const last = name.replace(/^.*\/constant\//, '').replaceAll('\\/', '/')
    // A substitution that is over is not made again: it is known by the day on which it began.
    // An account stays that the former state uses, which may have been without it.
    if (code === 'SVC2261' && message.endsWith('uses it: it stays')) return [last]
    if (code === 'SVC2260') return [address.startsWith('substitution/') ? name.slice(name.lastIndexOf('/') + 1) : last]
    return []
  })
}
