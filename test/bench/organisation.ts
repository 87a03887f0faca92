// The example organisation as the bare loops see it, and the command run on it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import type { BenchContext } from './measure.ts'
import type { BareReads } from './programs/bare-reads.ts'
import { type ProcessRun, runNode } from './timed-process.ts'

export const inFlight = 16
export const latencyMs = 20
const credentials = { clientId: 'svcsync', clientSecret: 'local-only' }

export const organisationFolder = ({ examples }: BenchContext): string => join(examples, 'organisation')

export function bareTarget(url: string) {
  return { url, ...credentials, inFlight }
}

interface Manifest {
  readonly users?: readonly unknown[]
  readonly groups?: readonly { readonly svcId: string }[]
  readonly applications?: readonly { readonly application: string }[]
  readonly processes?: readonly { readonly process: string; readonly application: string }[]
}

/** The declarations of the manifests, read without svcsync. */
export function declaredReads(context: BenchContext): Pick<BareReads, 'cwd' | 'userPages' | 'groups' | 'processes'> {
  const folder = join(organisationFolder(context), 'manifests')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'))
  const documents = files.flatMap((file) => loadAll(readFileSync(join(folder, file), 'utf8')) as Manifest[])
  const processes: Record<string, string[]> = {}
  for (const { applications = [] } of documents) for (const { application } of applications) processes[application] = []
  for (const { processes: declared = [] } of documents) {
    for (const { process, application } of declared) {
      processes[application] ??= []
      processes[application]?.push(process)
    }
  }
  return {
    cwd: organisationFolder(context),
    userPages: Math.ceil(documents.reduce((sum, { users = [] }) => sum + users.length, 0) / 200),
    groups: documents.flatMap(({ groups = [] }) => groups.map(({ svcId }) => svcId)),
    processes,
  }
}

/** Runs the built command in the example's folder, or another, against the platform at `url`. */
export function runCommand(
  context: BenchContext,
  url: string,
  args: readonly string[],
  cwd = organisationFolder(context),
): Promise<ProcessRun> {
  return runNode([context.command, ...args, '--base-url', url, '--concurrency', String(inFlight)], {
    cwd,
    env: {
      SVCSYNC_CLIENT_ID: credentials.clientId,
      SVCSYNC_CLIENT_SECRET: credentials.clientSecret,
    },
  })
}
