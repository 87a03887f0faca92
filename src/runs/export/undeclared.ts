// What an export of the missing passes over: what the manifests declare, and what a plan deletes by `prune`.
import { databaseName } from '../../core/assemble/as-written-directory.ts'
import { declaredTest } from '../../core/assemble/declared-test.ts'
import { needsNames, selectDeclarations } from '../../core/assemble/select-declarations.ts'
import type { Declaration } from '../../core/model/declaration.ts'
import type { Desired } from '../../core/model/desired.ts'
import type { Kind } from '../../core/model/kind.ts'
import type { PlatformPort } from '../../core/model/platform-port.ts'
import { AuthorError } from '../../errors/index.ts'
import type { DiscoverOptions } from '../../live/discover.ts'
import { createMetadataLists, type MetadataLists } from '../../live/metadata-lists.ts'
import { assembleByNames, type NamesOptions } from '../../live/observe.ts'
import type { PlatformClient } from '../../platform/index.ts'
import { hasErrors, type OpenedProject } from '../open/open-project.ts'
import { secretsOf } from '../open/secrets-of.ts'
import { pruneOf, pruneRules } from '../plan/prune-plan.ts'

interface Undeclared {
  readonly reading: Pick<DiscoverOptions, 'metadata' | 'onAccount' | 'passes'>
  /** Once everything is read: why an account is to be deleted, as the end of a sentence. Undefined: it is not. */
  doomOf(svcId: string): string | undefined
}

/** Rejects with an AuthorError where a manifest names what the platform does not have. */
export async function undeclared(
  client: PlatformClient,
  opened: OpenedProject,
  kinds: readonly Kind[],
  only: readonly string[],
): Promise<Undeclared> {
  const { project, assembly, desired } = opened
  const { normalise } = assembly
  const { databases } = project.target
  client.conceal(secretsOf(opened))
  const declarations = selectDeclarations(opened.declarations, only, ({ database }) =>
    databaseName(project.target.databases, database),
  )
  const metadata = createMetadataLists()
  const names = { ...assembly, databases, kinds: new Map(kinds.map((kind) => [kind.name, kind])) }
  const { isDeclared, problems } = await findDeclared(client, declarations, desired, names, metadata)
  if (hasErrors(problems)) throw new AuthorError(problems)
  // Whatever is selected: a list that is exported may hold others.
  const prune = pruneOf(opened, pruneRules(project, kinds, []), [])
  const isPruned = (kind: Kind, name: string): boolean => 'pattern' in (prune?.judge(kind, name) ?? {})
  const absent = desired.filter((object) => object.absent && object.kind.provides !== undefined)
  const doomed = new Map(absent.map(({ key }) => [key, 'a manifest says that this is to be absent']))
  return {
    reading: {
      metadata,
      onAccount: (kind, name) => {
        if (isPruned(kind, name)) doomed.set(normalise(name), '`prune` of the project file has a plan delete that')
      },
      passes(kind, address, name) {
        if (isDeclared(kind, address, name)) return 'declared'
        return isPruned(kind, name) ? 'prune' : undefined
      },
    },
    doomOf: (svcId) => doomed.get(normalise(svcId)),
  }
}

/**
 * Which live objects a project declares already, and problems of names that lead nowhere. `asWritten`: the objects put together without the
 * platform. Rejects with what concerns the whole run.
 */
async function findDeclared(
  port: PlatformPort,
  declarations: readonly Declaration[],
  asWritten: readonly Desired[],
  options: NamesOptions,
  lists: MetadataLists,
) {
  const named = await assembleByNames(port, declarations.filter(needsNames), options, lists)
  const plain = asWritten.filter(({ declarations: [first] }) => !needsNames(first))
  return { isDeclared: declaredTest([...plain, ...named.desired], options.normalise), problems: named.problems }
}
