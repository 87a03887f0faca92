// The parts of a project that its pipelines need: targets, their order, and the variables of targets and manifests.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import type { NamedTarget } from '@svcsync/project/select-targets.ts'
import { type OpenOptions, type ReadProject, SharedReads } from './open-project.ts'
import { watchedPaths } from './watched-paths.ts'

const reference = /(?<!\$)\$\{env:([A-Za-z_]\w*)\}/g
const usual = { clientId: 'SVCSYNC_CLIENT_ID', clientSecret: 'SVCSYNC_CLIENT_SECRET' } as const

/** Rejects as the opening of a project does; other problems of its files are for `validate`. */
export function ciNeeds(
  parsed: ReadProject['parsed'],
  targets: readonly NamedTarget[],
  options: Omit<OpenOptions, 'target' | 'env' | 'needCredentials' | 'needSecrets'>,
) {
  const root = parsed.root ?? {}
  const all = targets.map(({ name }) => settingsOf(root, name))
  const credentials = all.flatMap((target) =>
    (['clientId', 'clientSecret'] as const).flatMap((key) => (target[key] ? namesIn(target[key]) : [usual[key]])),
  )
  const addresses = all.flatMap(({ baseUrl = null, authUrl = null }) => namesIn([baseUrl, authUrl]))
  const { targets: _, ...shared } = root
  const isOther = (name: string): boolean => !credentials.includes(name) && !addresses.includes(name)
  const reads = new SharedReads(parsed)
  const given = { ...options, env: {}, needCredentials: false, addresses: { baseUrl: noAddress } }
  const each = targets.map(({ name }) => reads.read({ ...given, target: name }))
  const reading = unique([...namesIn([shared, ...all]), ...each.flatMap(unsetVariables)].filter(isOther))
  const writing = unique([...reading, ...each.flatMap(({ manifests }) => manifests.needs)])
  // They get credentials, as far as the project file names them.
  const hosts = all.flatMap(({ baseUrl, authUrl }) => [baseUrl, authUrl].map(hostOf))
  return {
    promotion: promotionOf(root, targets),
    credentials: unique(credentials),
    addresses: unique(addresses),
    variables: { reading, writing },
    // They decide what is planned. Some may not be there yet.
    paths: watchedPaths({ parsed, opened: each }).paths,
    hosts: unique(hosts.filter((host) => host !== undefined)),
  }
}

/** True if only this machine has the address. */
export function isLocal(root: JsonObject | undefined, { name }: NamedTarget): boolean {
  const host = hostOf(settingsOf(root ?? {}, name).baseUrl)?.replace(/:\d+$/, '')
  return host !== undefined && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(host)
}

/** No request goes there: the address of a target may be known only in the job that applies. */
const noAddress = 'https://ci.invalid'

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

function settingsOf(root: JsonObject, name: string): JsonObject {
  const settings = isJsonObject(root.targets) ? root.targets[name] : undefined
  return isJsonObject(settings) ? settings : {}
}

function namesIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(reference)].map(([, name = '']) => name)
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return isJsonObject(value) ? Object.values(value).flatMap(namesIn) : []
}

function hostOf(address: Json | undefined): string | undefined {
  return typeof address === 'string' && !address.includes('$') ? parseUrl(address)?.host : undefined
}

/** Variables that are not set, by the lines of those problems. */
function unsetVariables({ problems, sources }: ReadProject): readonly string[] {
  return problems.flatMap(({ code, place }) => {
    if (code !== 'SVC1201' || place === undefined) return []
    const lines = sources.get(place.file)?.text.split('\n') ?? []
    return (
      lines
        .slice(place.line - 1)
        .map(namesIn)
        .find((names) => names.length > 0) ?? []
    )
  })
}

/** A commit is applied to `from` first, then to the others. Undefined: there is no such target, or several. */
function promotionOf(root: JsonObject, targets: readonly NamedTarget[]) {
  const from = (guards: Json | undefined): string | undefined => {
    const name = isJsonObject(guards) ? guards.promotedFrom : undefined
    return typeof name === 'string' ? name : undefined
  }
  const pairs = targets.flatMap(({ name }) => {
    const before = from(settingsOf(root, name).guards) ?? from(root.guards)
    return before === undefined || before === name ? [] : [{ before, name }]
  })
  const [first] = pairs
  const isKnown = targets.some(({ name }) => name === first?.before)
  const isOne = pairs.every(({ before }) => before === first?.before)
  return first !== undefined && isKnown && isOne ? { from: first.before, to: pairs.map(({ name }) => name) } : undefined
}
