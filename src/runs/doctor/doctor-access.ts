// Which access the manifests of a project take, by kind, and which of it the application is given.
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { companyList } from '@svcsync/live/metadata-lists.ts'
import type { PlatformClient } from '@svcsync/platform/index.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { kindsRead } from '../open/scope-needs.ts'
import { installationNeeds } from '../plan/check-installation.ts'
import { pruneRules } from '../plan/prune-plan.ts'
import { refusedKinds } from '../plan/refused-kinds.ts'

interface Wanted {
  /** Undefined: what is read and never written, such as business entities. */
  readonly kind: Kind | undefined
  readonly what: string
  readonly needs: readonly ScopeNeed[]
}

/** What reading takes: that of the declared kinds, of those in which they are found, and of those that are pruned. */
export function wantedToRead(opened: OpenedProject, kinds: readonly Kind[]): readonly Wanted[] {
  const pruned = pruneRules(opened.project, kinds, []).map(({ kind }) => kind)
  const wanted: Wanted[] = [...kindsRead(opened.declarations, pruned)].map((kind) => ({
    kind,
    what: kind.title,
    needs: kind.scopes.read,
  }))
  const limited = opened.desired.some(({ collections }) =>
    Object.values(collections).some(({ elements }) =>
      [...elements.values()].some(({ element }) => element.company != null),
    ),
  )
  if (limited) wanted.push({ kind: undefined, what: 'Business entities', needs: companyList(0).needs ?? [] })
  const pinned = installationNeeds(opened.project.target, kinds)
  if (pinned.length > 0) wanted.push({ kind: undefined, what: 'Applications that `expect` names', needs: pinned })
  return wanted
}

export function wantedToWrite(opened: OpenedProject, kinds: readonly Kind[]): readonly Wanted[] {
  const written = new Set<Kind>(pruneRules(opened.project, kinds, []).map(({ kind }) => kind))
  for (const { kind, collections } of opened.desired) {
    if (kind.lifecycle !== 'found' || Object.keys(collections).length > 0) written.add(kind)
  }
  return [...written].map((kind) => ({ kind, what: kind.title, needs: kind.scopes.write }))
}

/** One request where everything is granted; otherwise each by itself. Rejects with all that is not about scopes. */
export async function askForAccess(
  client: Pick<PlatformClient, 'authorise'>,
  wanted: readonly Wanted[],
): Promise<readonly (Wanted & { readonly granted: boolean })[]> {
  const { refused } = await refusedKinds(client, new Map(wanted.map((each) => [each, each.needs])))
  return wanted.map((each) => ({ ...each, granted: !refused.has(each) }))
}
