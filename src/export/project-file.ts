// The project file of an installation that was exported.
import { printDocument } from './print-yaml.ts'
import { scalar, type YamlEntry } from './yaml-node.ts'

export interface ProjectFileOptions {
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

/** Credentials come from the environment: the file can be shared. */
export function projectFile(options: ProjectFileOptions): string {
  const { target, baseUrl, authUrl, apiVersion, databases, wireNames, external = [] } = options
  const settings: YamlEntry[] = [
    { key: 'baseUrl', value: text(baseUrl) },
    ...(authUrl === undefined || authUrl === baseUrl ? [] : [{ key: 'authUrl', value: text(authUrl) }]),
    { key: 'apiVersion', value: scalar(apiVersion), beside: 'quoted, or YAML would read it as a number' },
    { key: 'clientId', value: scalar('${env:SVCSYNC_CLIENT_ID}') },
    { key: 'clientSecret', value: scalar('${env:SVCSYNC_CLIENT_SECRET}') },
    {
      key: 'databases',
      value: mapping(databases),
      beside: 'manifests say the name; each installation has its own number',
    },
    ...(Object.keys(wireNames).length === 0 ? [] : [{ key: 'wireNames', value: mapping(wireNames) }]),
  ]
  const written = printDocument(
    {
      type: 'mapping',
      entries: [
        { key: 'version', value: scalar(1) },
        { key: 'manifests', value: { type: 'list', items: [{ value: scalar('manifests') }] } },
        { key: 'target', value: scalar(target) },
        {
          key: 'targets',
          value: { type: 'mapping', entries: [{ key: target, value: { type: 'mapping', entries: settings } }] },
        },
        ...(external.length === 0 ? [] : [accounts(external)]),
      ],
    },
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

# Rules of your own stand in the folder \`policies\`: policies/examples.yaml has some to begin with.
`

function accounts(external: readonly string[]): YamlEntry {
  const items = external.map((pattern) => ({ value: scalar(pattern) }))
  return {
    key: 'accounts',
    above: ['Used in the manifests, and neither users nor groups of the platform: most likely from a directory.'],
    value: { type: 'mapping', entries: [{ key: 'external', value: { type: 'list', items } }] },
  }
}

function mapping(values: Readonly<Record<string, string | number>>) {
  const entries = Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? text(value) : scalar(value),
  }))
  return { type: 'mapping', entries, flow: true } as const
}

function text(value: string) {
  return scalar(value.replaceAll('${', () => '$${'))
}
