// Examines a target beside its objects: access, the installation behind it, and the ledger.

import { declaredTest } from '@svcsync/core/assemble/declared-test.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort, ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { checkInstallation } from '@svcsync/doctor/check-installation.ts'
import { check, sentence } from '@svcsync/doctor/make-check.ts'
import { failureCodes, formatCount, OperatorError, PlatformError, SvcsyncError } from '@svcsync/errors/index.ts'
import { readLedger } from '@svcsync/ledger/ledger.ts'
import { ledgerRefs } from '@svcsync/ledger/ledger-commit.ts'
import { tryToPush } from '@svcsync/ledger/remote.ts'
import { discover } from '@svcsync/live/discover.ts'
import { companyList, MetadataLists, matching } from '@svcsync/live/metadata-lists.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Project } from '@svcsync/project/project.ts'
import { remoteOf } from '../open/open-ledger.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { exportNeeds, kindsRead, refusedKinds } from '../open/scope-needs.ts'
import { readActingApplication } from '../plan/acting-application.ts'
import {
  applicationKind,
  applicationList,
  installationDifferences,
  installationNeeds,
} from '../plan/check-installation.ts'
import { prunePatterns } from '../plan/prune-plan.ts'
import { concernsAccess, eachOnce } from '../plan/read-undeclared.ts'

interface ExpectedKind {
  /** Undefined: what is read and never written, such as business entities. */
  readonly kind: Kind | undefined
  readonly what: string
  readonly needs: readonly ScopeNeed[]
}

/** The scopes to read: for the declared kinds, their containers, and pruned kinds. */
export function wantedToRead(opened: OpenedProject): readonly ExpectedKind[] {
  const pruned = prunePatterns(opened.project, []).keys()
  const wanted: ExpectedKind[] = [...kindsRead(opened.declarations, pruned)].map((kind) => ({
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
  const pinned = installationNeeds(opened.project)
  if (pinned.length > 0) wanted.push({ kind: undefined, what: 'Applications that `expect` names', needs: pinned })
  return wanted
}

export function wantedToWrite(opened: OpenedProject): readonly ExpectedKind[] {
  const written = new Set<Kind>(prunePatterns(opened.project, []).keys())
  for (const { kind, collections } of opened.desired) {
    if (kind.lifecycle !== 'found' || Object.keys(collections).length > 0) written.add(kind)
  }
  return [...written].map((kind) => ({ kind, what: kind.title, needs: kind.scopes.write }))
}

/** One request where everything is granted; otherwise each by itself. Rejects with all that is not about scopes. */
export async function askForAccess(
  client: Pick<PlatformClient, 'authorise'>,
  wanted: readonly ExpectedKind[],
): Promise<readonly (ExpectedKind & { readonly granted: boolean })[]> {
  const { refused } = await refusedKinds(client, new Map(wanted.map((each) => [each, each.needs])))
  return wanted.map((each) => ({ ...each, granted: !refused.has(each) }))
}

/** `port`: asks for each answer once. Rejects with what ends the whole run. */
export async function lookAtInstallation(
  port: PlatformPort,
  project: Project,
  readable: ReadonlySet<Kind>,
): Promise<Check> {
  const seen = await readTargetObjects(port, project, readable)
  try {
    const differences = await installationDifferences(project, port)
    return checkInstallation(project.target.expect && differences, seen)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { message, code, hint } = error
    return check('installation', 'problem', sentence(message), { code, todo: hint })
  }
}

async function readTargetObjects(port: PlatformPort, { target, kinds }: Project, readable: ReadonlySet<Kind>) {
  const { databases, expect } = target
  const kind = applicationKind(kinds)
  const mayList = kind !== undefined && readable.has(kind)
  const listed = Object.entries(databases).filter(
    ([name]) => mayList || Object.hasOwn(expect?.applications ?? {}, name),
  )
  const [signsInAs, ...applications] = await Promise.all([
    readActingApplication(port).then(
      ({ svcId, name }) => (svcId === '' ? name : svcId),
      (error: unknown) => {
        if (error instanceof OperatorError) return ''
        throw error
      },
    ),
    ...listed.map(async ([name, dbId]) => [name, await someApplications(port, kinds, dbId)] as const),
  ])
  return { signsInAs, applications: Object.fromEntries(applications) }
}

/** As many as say which installation it is, each as it would be found again. */
async function someApplications(port: PlatformPort, kinds: readonly Kind[], dbId: number): Promise<readonly string[]> {
  const list = applicationList(kinds, dbId)
  const found = list === undefined ? [] : await new MetadataLists().read(port, list)
  if (found instanceof PlatformError) return []
  return found.slice(0, 3).map(({ name, guid }) => (matching(found, name).length === 1 ? name : guid))
}

/** Undefined: the project has none. `purpose`: `plan` needs no right to push. Nothing is pushed. */
export async function checkLedger(
  { project }: Pick<OpenedProject, 'project'>,
  purpose: 'plan' | 'apply' | undefined,
): Promise<Check | undefined> {
  const { ledger, file, targetName } = project
  if (ledger === undefined) return undefined
  const found = (result: Check['result'], text: string, { code, hint }: Partial<SvcsyncError> = {}): Check =>
    check('ledger', result, sentence(text), { code, todo: hint })
  try {
    const remote = remoteOf({ file, ledger })
    const { applied } = await readLedger(remote, targetName, Date.now())
    const last =
      applied === undefined ? 'nothing was applied yet' : `${applied.commit.slice(0, 7)} was applied at ${applied.at}`
    const read = `The remote \`${ledger.remote}\` can be read: ${last}.`
    if (purpose === 'plan') return found('ok', read)
    try {
      await tryToPush(remote, ledgerRefs(targetName).lease)
      return found('ok', `${read} An apply may push there, as far as can be told without doing it.`)
    } catch (error) {
      if (!(error instanceof SvcsyncError)) throw error
      return found(purpose === 'apply' ? 'problem' : 'warning', `${read} ${error.message}`, error)
    }
  } catch (error) {
    if (!(error instanceof SvcsyncError)) throw error
    return found('problem', error.message, error)
  }
}

/** So few that nobody has to think about them. */
const fewRequests = 200
/** A small installation has no more lists than these: others are counted no further. */
const mostLists = 50

/** Undefined: a project decided otherwise, it takes too many requests, or the application may not read it. */
export async function checkFullAccess(
  client: Pick<PlatformClient, 'authorise'>,
  port: PlatformPort,
  { project, desired }: OpenedProject,
): Promise<Check | undefined> {
  if (project.access !== 'declared') return undefined
  const needed = exportNeeds(project.kinds, [], project.kinds.filter(concernsAccess))
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
  const more = formatCount(requests, 'more request')
  const found = `Plans show little undeclared access. To read all of it, one that moves somebody takes at most ${more}.`
  return check('access', 'ok', found, {
    todo: 'To see it in plans, write into the project file:',
    copy: ['access: full'],
  })
}
