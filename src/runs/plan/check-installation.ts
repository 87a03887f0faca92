// Checks that an installation is the one that its target expects.

import type { Kind } from '@svcsync/core/model/kind.ts'
import { firstFew, quoted } from '@svcsync/core/model/near-misses.ts'
import type { PlatformPort, ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { plainText } from '@svcsync/core/model/sensitive.ts'
import { failureCodes, OperatorError, PlatformError, RefusedError } from '@svcsync/errors/index.ts'
import { type Candidate, MetadataLists, matching } from '@svcsync/live/metadata-lists.ts'
import type { Project, Target } from '@svcsync/project/project.ts'
import { describeApplication, readActingApplication } from './acting-application.ts'

/** The scopes for the comparison: every token may ask who signs in. */
export function installationNeeds({ target, kinds }: Pick<Project, 'target' | 'kinds'>): readonly ScopeNeed[] {
  const isPinned = Object.keys(target.expect?.applications ?? {}).length > 0
  return isPinned ? (applicationKind(kinds)?.scopes.read ?? []) : []
}

/** Asks nothing where the target expects nothing. `applies`: something would be written next. */
export async function checkInstallation(
  project: Pick<Project, 'target' | 'kinds'>,
  port: PlatformPort,
  { applies }: { readonly applies: boolean },
): Promise<void> {
  const differences = await installationDifferences(project, port)
  if (differences.length === 0) return
  const { target } = project
  const message =
    `The target \`${target.name}\` leads to another installation than it expects, ` +
    `at ${target.baseUrl}: ${differences.join('; ')}`
  const hint =
    'Nothing was written. Check `baseUrl`, `clientId` and `databases` of the target, and their variables. ' +
    'If they are right, correct `expect`: `svcsync doctor` prints the lines.'
  throw applies ? new RefusedError('SVC2153', message, { hint }) : new OperatorError('SVC2153', message, { hint })
}

/** Each a part of a sentence. Rejects as `checkInstallation` if nobody knows. */
export async function installationDifferences(
  { target, kinds }: Pick<Project, 'target' | 'kinds'>,
  port: PlatformPort,
): Promise<readonly string[]> {
  const { expect } = target
  if (expect === undefined) return []
  const lists = new MetadataLists()
  const found = await Promise.all([
    expect.signsInAs.length === 0 ? [] : differencesOfAccount(target, expect.signsInAs, port),
    ...Object.entries(expect.applications).map(async ([name, refs]) => {
      const dbId = target.databases[name] as number
      const list = applicationList(kinds, dbId)
      const candidates = list && (await lists.read(port, list))
      return differencesOfDatabase(target, `database ${name} = ${dbId}`, refs, candidates ?? [])
    }),
  ])
  return found.flat()
}

type Expected = NonNullable<Target['expect']>

async function differencesOfAccount(
  target: Target,
  expected: Expected['signsInAs'],
  port: PlatformPort,
): Promise<readonly string[]> {
  const application = await readActingApplication(port).catch((error: unknown) => {
    throw error instanceof OperatorError ? unknown(target, error) : error
  })
  const { normalise } = port
  // Some applications are no account, and have a name alone.
  const met = application.svcId === '' ? application.name : application.svcId
  if (expected.some((text) => normalise(plainText(text)) === normalise(met))) return []
  return [`svcsync signs in as ${describeApplication(application)}, but ${expected.join(' or ')} is expected`]
}

function differencesOfDatabase(
  target: Target,
  database: string,
  expected: Expected['applications'][string],
  candidates: readonly Candidate[] | PlatformError,
): readonly string[] {
  if (candidates instanceof PlatformError) {
    if (candidates.code === failureCodes.notFound) return [`${database} is not there`]
    throw unknown(target, candidates)
  }
  const missing = expected.filter((text) => matching(candidates, plainText(text)).length === 0)
  if (missing.length === 0) return []
  const names = candidates.map(({ name }) => name)
  const has = names.length === 0 ? 'has none at all' : `has ${firstFew(names, shownApplications)}`
  return [`${database} ${has}, but the application ${quoted(missing, ' and ')} is expected`]
}

const shownApplications = 3

function unknown({ name, baseUrl }: Target, cause: OperatorError | PlatformError): OperatorError {
  const message =
    `svcsync cannot tell whether ${baseUrl} is the installation ` +
    `that the target \`${name}\` expects: ${cause.message}`
  return new OperatorError('SVC2154', message, {
    cause,
    hint: 'Nothing was written. Let the application read what `expect` names, or remove that part of it.',
  })
}

/** The list of applications of a database. */
export function applicationList(kinds: readonly Kind[], dbId: number) {
  const lookup = applicationKind(kinds)?.lookup
  return lookup && { request: lookup.request({ dbId }), key: lookup.key }
}

/** The kind found by name that has no container. Undefined: this build lacks it. */
export function applicationKind(kinds: readonly Kind[]): Kind | undefined {
  return kinds.find(({ lookup, parent }) => lookup !== undefined && parent === undefined)
}
