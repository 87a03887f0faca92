// Which access the manifests of a project take, by kind, and which of it the application is given; and what `access: full` would take.
import { declaredTest } from '@svcsync/core/assemble/declared-test.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort, ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { check } from '@svcsync/doctor/make-check.ts'
import { failureCodes, formatCount, PlatformError } from '@svcsync/errors/index.ts'
import { discover } from '@svcsync/live/discover.ts'
import { companyList } from '@svcsync/live/metadata-lists.ts'
import type { PlatformClient } from '@svcsync/platform/index.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { exportNeeds, kindsRead } from '../open/scope-needs.ts'
import { installationNeeds } from '../plan/check-installation.ts'
import { pruneRules } from '../plan/prune-plan.ts'
import { concernsAccess, eachOnce } from '../plan/read-undeclared.ts'
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

/** So few that nobody has to think about them. */
const fewRequests = 200
/** A small installation has no more lists than these: others are counted no further. */
const mostLists = 50

/** Undefined: a project has decided otherwise, it would take too many requests, or the application may not read all of it. */
export async function checkFullAccess(
  client: Pick<PlatformClient, 'authorise'>,
  port: PlatformPort,
  { project, desired }: OpenedProject,
  kinds: readonly Kind[],
): Promise<Check | undefined> {
  if (project.access !== 'declared') return undefined
  const needed = exportNeeds(kinds, [], kinds.filter(concernsAccess))
  const { refused } = await refusedKinds(client, needed)
  if (refused.size > 0) return undefined
  const isDeclared = declaredTest(desired, port.normalise)
  let [lists, reads] = [0, 0]
  const counting: PlatformPort = {
    ...port,
    onUnknownKey: undefined,
    send(request) {
      lists++
      if (lists <= mostLists) return port.send(request)
      const failure = { kind: 'unreadable' as const, method: request.method, path: request.path }
      return Promise.reject(new PlatformError(failureCodes.permissionMissing, 'There are too many lists', failure))
    },
  }
  const { leftOut } = await discover(counting, {
    ...{ kinds: [...needed.keys()], databases: eachOnce(project.target.databases), only: [], refused },
    pageSize: project.settings.pageSize,
    passes(kind, address, name) {
      const isRead = kind.requests.read !== undefined && (kind.lookup ?? kind.parseItem) !== undefined
      if (isRead && !isDeclared(kind, address, name)) reads++
      return 'declared'
    },
  })
  const requests = lists + reads
  if (leftOut.some(({ isList }) => isList) || requests >= fewRequests) return undefined
  const found = `Plans read what manifests declare, and undeclared groups between. All other access takes at most ${formatCount(requests, 'request')} more for each plan that moves somebody.`
  return check('access', 'ok', found, {
    todo: 'To see it in plans, write into the project file:',
    copy: ['access: full'],
  })
}
