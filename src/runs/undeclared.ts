// What an export of the missing passes over: what the manifests declare, and what a plan deletes by `prune`.
import type { Kind } from '../core/kind.ts'
import { selectDeclarations } from '../core/select-declarations.ts'
import { AuthorError } from '../errors/index.ts'
import type { DiscoverOptions } from '../live/discover.ts'
import { findDeclared } from '../live/find-declared.ts'
import { createMetadataLists } from '../live/metadata-lists.ts'
import type { PlatformClient } from '../platform/index.ts'
import { databaseName } from './database-name.ts'
import { hasErrors, type OpenedProject } from './open-project.ts'
import { pruneOf, pruneRules } from './prune-plan.ts'
import { secretsOf } from './secrets-of.ts'

/** Rejects with an AuthorError where a manifest names what the platform does not have. */
export async function undeclared(
  client: PlatformClient,
  opened: OpenedProject,
  kinds: readonly Kind[],
  only: readonly string[],
): Promise<Pick<DiscoverOptions, 'metadata' | 'passes'>> {
  const { project, assembly, desired } = opened
  const { databases } = project.target
  client.conceal(secretsOf(opened))
  const declarations = selectDeclarations(opened.declarations, only, ({ database }) => databaseName(project, database))
  const metadata = createMetadataLists()
  const names = { ...assembly, databases, kinds: new Map(kinds.map((kind) => [kind.name, kind])) }
  const { isDeclared, problems } = await findDeclared(client, declarations, desired, names, metadata)
  if (hasErrors(problems)) throw new AuthorError(problems)
  const prune = pruneOf(opened, pruneRules(project, kinds, only), only)
  return {
    metadata,
    passes(kind, address, name) {
      if (isDeclared(kind, address, name)) return 'declared'
      const fate = prune?.judge(kind, name)
      return fate !== undefined && 'pattern' in fate ? 'prune' : undefined
    },
  }
}
