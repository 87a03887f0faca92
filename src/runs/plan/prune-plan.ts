// Which kinds and objects a plan may prune.
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import { mentionedAccounts } from '@svcsync/core/assemble/mentioned-accounts.ts'
import { addressMatcher } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Text } from '@svcsync/core/model/sensitive.ts'
import { createPruneJudge } from '@svcsync/core/plan/prune.ts'
import type { Project } from '@svcsync/project/project.ts'
import { type ReadProject, scopeOf } from '../open/open-project.ts'

/** The patterns of the kinds that are pruned, as far as the globs select any of them. */
export function prunePatterns({ kinds, prune }: Project, only: readonly string[]): ReadonlyMap<Kind, readonly Text[]> {
  const firstWords = only.map((glob) => glob.split('/')[0] ?? '')
  const mayBeSelected = ({ segment }: Kind): boolean =>
    only.length === 0 || firstWords.some((word) => word.includes('**') || addressMatcher(word, [])(segment))
  const patterns = kinds.map((kind) => [kind, prune[kind.sections[0].key] ?? []] as const)
  return new Map(patterns.filter(([kind, own]) => kind.lifecycle === 'full' && own.length > 0 && mayBeSelected(kind)))
}

/** Undefined: nothing is pruned, or nothing of it is selected; then no list is read for it. */
export function pruneOf(
  { project, declarations, outside, assembly: { sets, normalise } }: ReadProject,
  patterns: ReadonlyMap<Kind, readonly Text[]>,
  only: readonly string[],
): { readonly kinds: readonly Kind[]; readonly judge: ReturnType<typeof createPruneJudge> } | undefined {
  if (patterns.size === 0) return undefined
  // An account in the same manifests is wanted, by this target or by another.
  const mentions = mentionedAccounts([...declarations, ...outside], sets, normalise)
  const isExternal = externalAccounts(project.externalAccounts, normalise)
  const judge = createPruneJudge(patterns, {
    normalise,
    declarations,
    mentions,
    isExternal,
    protect: project.protect,
    selections: [only, scopeOf(project)],
    kinds: project.kinds,
  })
  return { kinds: [...patterns.keys()], judge }
}
