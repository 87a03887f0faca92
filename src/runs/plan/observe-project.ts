// From a project that was read to its objects and their live state: access, names, base and lists, side by side.
import { setImmediate as turn } from 'node:timers/promises'
import { databaseName } from '@svcsync/core/assemble/as-written-directory.ts'
import { selectDeclarations } from '@svcsync/core/assemble/select-declarations.ts'
import { AuthorError, distinctProblems } from '@svcsync/errors/index.ts'
import { isPerhapsSparse } from '@svcsync/git/repository.ts'
import { findNames, type Observation, observe } from '@svcsync/live/observe.ts'
import { declarationsToFind } from '@svcsync/live/observe-base.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import { checkProject, hasErrors, type ReadProject, scopeOf } from '../open/open-project.ts'
import { listNeeds, readNeeds, refusedKinds } from '../open/scope-needs.ts'
import { secretsOf } from '../open/secrets-of.ts'
import { withPolicies } from '../open/with-policies.ts'
import { baseDeclarations } from './base-declarations.ts'
import { checkInstallation, installationNeeds } from './check-installation.ts'
import type { PlanRunOptions } from './plan-run.ts'
import { pruneOf, prunePatterns } from './prune-plan.ts'

/** Assembles the declarations of the project, and requests the scopes that they need. */
export async function openForPlan(given: ReadProject, client: PlatformClient, options: PlanRunOptions) {
  const { only, onProgress, applies = false } = options
  const read = await withPolicies(given)
  const { project } = read
  // With a base, its opening has checked that. An undo has no manifests.
  if (options.base === undefined && options.journal === undefined && isPerhapsSparse(project.dir))
    (await import('../open/open-base.ts')).refuseSparse(read)
  client.conceal(secretsOf(read))
  const declarations = selectDeclarations(read.declarations, only, ({ database }) =>
    databaseName(project.target.databases, database),
  )
  const patterns = prunePatterns(project, only)
  const authorised = client.authorise([...readNeeds(declarations, patterns.keys()), ...installationNeeds(project)])
  const identified = authorised.then(() => checkInstallation(project, client, { applies }))
  identified.catch(() => undefined)
  // The request for a token leaves before the work that goes on meanwhile.
  await turn()
  const opened = checkProject(read)
  const settings = {
    ...opened.assembly,
    kinds: project.kinds,
    only,
    within: scopeOf(project),
    pageSize: project.settings.pageSize,
    concurrency: project.settings.concurrency,
    databases: project.target.databases,
    ...(onProgress && { onProgress }),
  }
  if (hasErrors(opened.problems)) {
    // Names that lead nowhere belong to the same list, where the platform can be asked.
    const more = await identified.then(() => findNames(client, declarations, settings)).catch(() => [])
    throw new AuthorError(distinctProblems([...opened.problems, ...more]))
  }
  const prune = pruneOf(opened, patterns, only)
  const basis = options.base ?? options.held
  const base = basis && baseDeclarations(basis, opened, only)
  // An object of the base only may need its own scopes.
  const allowed = !base ? authorised : authorised.then(() => client.authorise(readNeeds(declarationsToFind(base))))
  allowed.catch(() => undefined)
  return { opened, declarations, base, authorised: allowed, identified, settings, prune }
}

export async function observeProject(
  { opened, declarations, authorised, identified, settings, prune, base }: Awaited<ReturnType<typeof openForPlan>>,
  client: PlatformClient,
  { unmanaged }: PlanRunOptions,
): Promise<Observation> {
  // The lists for counts may need further scopes, which must neither delay the declared objects nor end the run.
  const counting = unmanaged && {
    everywhere: unmanaged.everywhere,
    refused: authorised.then(() => refusedKinds(client, listNeeds(settings.kinds))).then(({ refused }) => refused),
  }
  counting?.refused.catch(() => undefined)
  const observing = observe(client, declarations, opened.desired, {
    ...{ ...settings, authorised, prune, base, unmanaged: counting },
  })
  observing.catch(() => undefined)
  // A wrong installation lacks much else as well: nothing of it is worth a word.
  await identified
  const [observation] = await Promise.all([observing, authorised])
  return observation
}
