// The project file of an installation that was exported.
import type { Entry, LayoutNode } from '@svcsync/format/layout.ts'
import { documentText, entry, item, list, mapping, reference, scalar } from './yaml-node.ts'

interface ProjectFileOptions {
  readonly target: string
  readonly baseUrl: string
  /** The origin of tokens, if it is not `baseUrl`. */
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
    ...(Object.keys(wireNames).length === 0 ? [] : [entry('wireNames', inBraces(wireNames), { above: namesNote })]),
  ]
}

const namesNote = ['Documented names, and those of this installation. A name beside itself is confirmed.']

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

/** The choices of an administrator after the first empty plan. Each example is valid. */
const unused = `# By default, an apply deletes only what manifests declare as absent or ended. \`prune\` also deletes what matches a
# pattern and is in no manifest:
# prune:
#   groups: ["proj-*@example.com"]
#   users: ["tmp-*"]

# One apply may take away so much: guards refuse more before the first write, unless \`--allow\` lets it pass. The
# defaults:
# guards:
#   deletions: { max: 10, percent: 20 } # users and groups
#   removals: { max: 50, percent: 30 } # members, owners and privileges

# Guards refuse to delete or empty these:
# protect: ["group/admins@example.com"]

# Pin the installation of a target: copy the lines of \`expect\` that \`svcsync doctor\` prints into it. With
# \`confirm: name\` beside them, \`apply\` asks for the name of the target.

# Rules of your own are in the folder \`policies\`: begin with those of policies/examples.yaml.
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
