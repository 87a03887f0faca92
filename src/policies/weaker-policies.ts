// Policies that are gone since the base, or that refuse less.
import type { WeakenedProtection } from '@svcsync/core/plan/plan-document.ts'
import { inCode } from '@svcsync/errors/index.ts'
import type { Policy } from './expression.ts'

export function findWeakerPolicies(
  before: readonly Policy[],
  after: readonly Policy[],
  commit: string | null,
): WeakenedProtection[] {
  const now = new Map(after.map((policy) => [policy.name, policy]))
  const known = new Set(before.map(({ name }) => name))
  const renamed = new Set(after.filter(({ name }) => !known.has(name)).map(ruleOf))
  return before.flatMap((policy): WeakenedProtection[] => {
    const { name, place } = policy
    const same = now.get(name)
    const about = { what: 'policy', name, was: { commit, ...place } } as const
    if (same === undefined) {
      return renamed.has(ruleOf(policy)) ? [] : [{ ...about, sentence: `the policy ${inCode(name)} is gone` }]
    }
    return weakeningsOf(policy, same).map((looser) => ({ ...about, ...looser, place: same.place }))
  })
}

function ruleOf({ for: kinds, on, level, when, expression }: Policy): string {
  return JSON.stringify([[...kinds].sort(), on, level, when?.text, expression.text])
}

function weakeningsOf(before: Policy, after: Policy): Pick<WeakenedProtection, 'sentence' | 'certain'>[] {
  const name = `the policy ${inCode(before.name)}`
  const found = []
  if (before.level === 'deny' && after.level === 'warn') found.push({ sentence: `${name} only warns` })
  const lost = [...before.for].filter((kind) => !after.for.has(kind))
  if (lost.length > 0) found.push({ sentence: `${name} is no longer for ${lost.map(inCode).join(', ')}` })
  const isRewritten =
    before.on !== after.on || before.when?.text !== after.when?.text || before.expression.text !== after.expression.text
  // Nobody can tell in general if one expression lets more pass than another.
  if (isRewritten) found.push({ sentence: `${name} is rewritten, and may let more pass`, certain: false as const })
  return found
}
