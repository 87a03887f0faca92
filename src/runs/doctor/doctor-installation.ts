// Compares an installation with what the target expects, and gathers by what it could be known.
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { checkInstallation } from '@svcsync/doctor/check-installation.ts'
import { check, sentence } from '@svcsync/doctor/make-check.ts'
import { OperatorError, PlatformError } from '@svcsync/errors/index.ts'
import { createMetadataLists, matching } from '@svcsync/live/metadata-lists.ts'
import type { Target } from '@svcsync/project/project.ts'
import { readActingApplication } from '../plan/acting-application.ts'
import { applicationKind, applicationList, installationDifferences } from '../plan/check-installation.ts'
import type { look } from './doctor-look.ts'

/** `port`: asks for each answer once. Rejects with what ends the whole run. */
export async function lookAtInstallation(
  port: PlatformPort,
  target: Target,
  options: Parameters<typeof look>[2],
): Promise<Check> {
  const seen = await see(port, target, options)
  try {
    const differences = await installationDifferences(target, port, options.kinds)
    return checkInstallation(target.expect && differences, seen)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { message, code, hint } = error
    return check('installation', 'problem', sentence(message), { code, todo: hint })
  }
}

async function see(port: PlatformPort, { databases, expect }: Target, { kinds, readable }: Parameters<typeof look>[2]) {
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
  const found = list === undefined ? [] : await createMetadataLists().read(port, list)
  if (found instanceof PlatformError) return []
  return found.slice(0, 3).map(({ name, guid }) => (matching(found, name).length === 1 ? name : guid))
}
