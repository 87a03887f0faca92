// The project file of an installation that was exported.
import type { Entry, LayoutNode } from '@svcsync/format/layout.ts'
import { documentText, entry, item, list, mapping, reference, scalar } from './yaml-node.ts'

interface ProjectFileOptions {
  readonly target: string
  readonly baseUrl: string
  /** Where tokens come from, if not from `baseUrl`. */
  readonly authUrl?: string | undefined
  readonly apiVersion: '5.0' | '6.0'
  /** Name → dbId. */
  readonly databases: Readonly<Record<string, number>>
  /** Documented name → name on this installation. */
  readonly wireNames: Readonly<Record<string, string>>
  /** Patterns of accounts that no manifest declares. */
  readonly external?: readonly string[]
  /** As seen from the file. */
  readonly schema: string
}

/** The lines of one more target of a project, which has its own manifests and credentials. */
export function targetBlock(
  options: Omit<ProjectFileOptions, 'schema'> & { readonly manifests: string; readonly credentials: Credentials },
): string {
  const { target, external = [], manifests, credentials } = options
  const settings = [
    ...settingsOf(options, credentials),
    entry('manifests', texts([manifests])),
    ...(external.length === 0 ? [] : [accounts(external)]),
  ]
  return documentText([entry(target, mapping(settings))], [])
}

/** Names of variables of the environment. */
interface Credentials {
  readonly id: string
  readonly secret: string
}

function settingsOf(
  { baseUrl, authUrl, apiVersion, databases, wireNames }: Omit<ProjectFileOptions, 'schema'>,
  credentials: Credentials,
): Entry[] {
  return [
    entry('baseUrl', scalar(baseUrl)),
    ...(authUrl === undefined || authUrl === baseUrl ? [] : [entry('authUrl', scalar(authUrl))]),
    entry('apiVersion', scalar(apiVersion), { beside: 'quoted, or YAML would read it as a number' }),
    entry('clientId', reference(credentials.id)),
    entry('clientSecret', reference(credentials.secret)),
    entry('databases', inBraces(databases), {
      beside: 'manifests say the name; each installation has its own number',
    }),
    ...(Object.keys(wireNames).length === 0 ? [] : [entry('wireNames', inBraces(wireNames))]),
  ]
}

/** Credentials come from the environment: the file can be shared. */
export function projectFile(options: ProjectFileOptions): string {
  const { target, external = [] } = options
  const settings = settingsOf(options, { id: 'SVCSYNC_CLIENT_ID', secret: 'SVCSYNC_CLIENT_SECRET' })
  const written = documentText(
    [
      entry('version', scalar(1)),
      entry('manifests', texts(['manifests'])),
      entry('target', scalar(target)),
      entry('targets', mapping([entry(target, mapping(settings))])),
      ...(external.length === 0 ? [] : [accounts(external)]),
    ],
    [
      `yaml-language-server: $schema=${options.schema}`,
      'The project file. svcsync looks for it upwards from the folder it is started in.',
    ],
  )
  return `${written}\n${unused}`
}

/** What an administrator decides on once the first plan is empty. Each example is in order as it stands. */
const unused = `# Nothing is deleted as long as neither of two things is said. \`absent: true\` on a user or group in a manifest deletes
# that one. \`prune\` deletes whatever matches a pattern and stands in no manifest:
# prune:
#   groups: ["proj-*@example.com"]
#   users: ["tmp-*"]

# How much one apply may take away: more is refused before the first write, until \`--allow\` lets it pass. The defaults:
# guards:
#   deletions: { max: 10, percent: 20 } # users and groups
#   removals: { max: 50, percent: 30 } # members, owners and privileges

# What is never deleted, never emptied:
# protect: ["group/admins@example.com"]

# A target can pin the installation that it is for: \`svcsync doctor\` prints the lines of \`expect\` to copy into it. With
# \`confirm: name\` beside them, \`apply\` asks for the name of the target.

# Rules of your own stand in the folder \`policies\`: policies/examples.yaml has some to begin with.
`

function accounts(external: readonly string[]): Entry {
  return entry('accounts', mapping([entry('external', texts(external))]), {
    above: ['Used in the manifests, and neither users nor groups of the platform: most likely from a directory.'],
  })
}

function texts(values: readonly string[]): LayoutNode {
  return list(values.map((value) => item(scalar(value))))
}

function inBraces(values: Readonly<Record<string, string | number>>): LayoutNode {
  const entries = Object.entries(values).map(([key, value]) => entry(key, scalar(value)))
  return mapping(entries, { flow: true })
}
