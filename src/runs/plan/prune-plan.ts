// Which kinds and objects a plan may prune.
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import { mentionedAccounts } from '@svcsync/core/assemble/mentioned-accounts.ts'
import { addressMatcher } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { createPruneJudge, type PruneJudge, type PruneRule } from '@svcsync/core/plan/prune.ts'
import type { Project } from '@svcsync/project/project.ts'
import { type ReadProject, scopeOf } from '../open/open-project.ts'

/** The kinds that are pruned, as far as the globs select any of them. */
export function pruneRules({ kinds, prune }: Project, only: readonly string[]): readonly PruneRule[] {
  const firstWords = only.map((glob) => glob.split('/')[0] ?? '')
  const mayBeSelected = ({ segment }: Kind): boolean =>
    only.length === 0 || firstWords.some((word) => word.includes('**') || addressMatcher(word, [])(segment))
  return kinds
    .map((kind): PruneRule => ({ kind, patterns: prune[kind.sections[0].key] ?? [] }))
    .filter(({ kind, patterns }) => kind.lifecycle === 'full' && patterns.length > 0 && mayBeSelected(kind))
}

/** Undefined: nothing is pruned, or nothing of it is selected; then no list is read for it. */
export function pruneOf(
  { project, declarations, outside, assembly: { sets, normalise } }: ReadProject,
  rules: readonly PruneRule[],
  only: readonly string[],
): { readonly kinds: readonly Kind[]; readonly judge: PruneJudge } | undefined {
  if (rules.length === 0) return undefined
  // An account in the same manifests is wanted, by this target or by another.
  const mentions = mentionedAccounts([...declarations, ...outside], sets, normalise)
  const isExternal = externalAccounts(project.externalAccounts, normalise)
  const judge = createPruneJudge(rules, {
    normalise,
    declarations,
    mentions,
    isExternal,
    protect: project.protect,
    selections: [only, scopeOf(project)],
    kinds: project.kinds,
  })
  return { kinds: rules.map(({ kind }) => kind), judge }
}
