// The addresses of a target: from the file, the command line instead, and the environment for the rest.
import type { Path } from '@svcsync/core/model/source.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import { allowedBy } from '@svcsync/manifests/resolver.ts'
import type { ProjectReader } from './project-reader.ts'

interface Addresses {
  readonly baseUrl?: string | undefined
  readonly authUrl?: string | undefined
}

interface AddressOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** False: what runs does not reach the platform, so it does not matter what the environment says, or does not. */
  readonly needCredentials: boolean
  readonly addresses: Addresses
}

interface Address {
  /** The name of its source for people. */
  readonly subject: string
  readonly url: string
}

/** With `--base-url` alone, tokens come from there as well. The environment fills what the target leaves open. */
export function readAddresses(
  reader: ProjectReader,
  name: string,
  { env, needCredentials, addresses }: AddressOptions,
): Addresses {
  const [basePath, authPath] = [
    ['targets', name, 'baseUrl'],
    ['targets', name, 'authUrl'],
  ]
  const own = (path: Path): Address | undefined => {
    const url = reader.text(path)
    return url === undefined ? undefined : { subject: `\`${String(path.at(-1))}\``, url }
  }
  const addressOf = (subject: string, url: string | undefined): Address | undefined =>
    url ? { subject, url } : undefined
  const optionBase = addressOf('`--base-url`', addresses.baseUrl)
  const optionAuth = addressOf('`--auth-url`', addresses.authUrl)
  const [ownBase, ownAuth] = [own(basePath), own(authPath)]
  const [envBase, envAuth] = [
    addressOf('`SVCSYNC_BASE_URL`', env.SVCSYNC_BASE_URL),
    addressOf('`SVCSYNC_AUTH_URL`', env.SVCSYNC_AUTH_URL),
  ]
  const isWritten = (path: Path): boolean => reader.at(path) !== undefined
  const base = optionBase ?? (isWritten(basePath) ? ownBase : envBase)
  if (base === undefined && !isWritten(basePath)) reportMissing(reader, name)
  const isPinned = isWritten(basePath) || optionBase !== undefined
  const writtenAuth = optionBase === undefined && isWritten(authPath) ? ownAuth : undefined
  const auth = optionAuth ?? writtenAuth ?? (isPinned ? undefined : envAuth)
  if (needCredentials && optionBase === undefined) {
    compare(reader, basePath, ownBase, envBase)
    // The writer of the address of tokens gets the secret.
    const [said, own] = isWritten(authPath) ? [authPath, ownAuth] : [basePath, ownBase]
    if (optionAuth === undefined) compare(reader, said, own, envAuth)
  }
  const hosts = needCredentials ? env.SVCSYNC_ALLOW_HOSTS : undefined
  const limit = limitToHosts(hosts)
  // What the file does not say is no mistake in one of its lines.
  const placeOf = (address: Address, own: Address | undefined, path: Path): Path =>
    address === own ? path : path.slice(0, -1)
  const baseUrl = base && readUrl(reader, placeOf(base, ownBase, basePath), base, limit)
  const isOfFileAlone = needCredentials && hosts === undefined && auth === ownAuth && envAuth === undefined
  const authUrl =
    auth && readUrl(reader, placeOf(auth, ownAuth, authPath), auth, limitOfTokens(isOfFileAlone, envBase, limit))
  return { baseUrl, authUrl }
}

function reportMissing(reader: ProjectReader, name: string): void {
  const hint = 'Add the address of the installation.'
  reader.report('SVC1103', `The target \`${name}\` has no \`baseUrl\``, ['targets', name], hint)
}

/** The addresses that may get credentials, and the message about any other. */
interface HostLimit {
  readonly isAllowed: (url: URL) => boolean
  readonly refusal: string
  readonly hint: string
}

/** The environment pins the installation: a file alone must not send the secret to another host. */
function limitOfTokens(isOfFileAlone: boolean, envBase: Address | undefined, limit: HostLimit): HostLimit {
  return isOfFileAlone && envBase !== undefined ? limitToHostOf(envBase) : limit
}

const lister = 'The owner of the credentials can add it to `SVCSYNC_ALLOW_HOSTS`, separated by commas'

function limitToHosts(patterns: string | undefined): HostLimit {
  const isAllowed = allowedBy(patterns, (host) => host.toLowerCase())
  return {
    isAllowed: ({ hostname, host }) => isAllowed(hostname) || isAllowed(host),
    refusal: 'has a host that gets no credentials here',
    hint: `${lister}.`,
  }
}

function limitToHostOf({ subject, url: pinned }: Address): HostLimit {
  return {
    isAllowed: ({ origin }) => origin === parseUrl(pinned)?.origin,
    refusal: `has another host than ${subject}`,
    hint: `${lister}, or set \`SVCSYNC_AUTH_URL\` to this address.`,
  }
}

function compare(reader: ProjectReader, path: Path, own: Address | undefined, given: Address | undefined): void {
  if (own === undefined || given === undefined || canonicalUrl(given.url) === canonicalUrl(own.url)) return
  const variable = given.subject
  const key = String(path.at(-1))
  const shown = isShowable(given.url) ? `${variable} says \`${given.url}\`` : `${variable} is another`
  const isAboutTokens = variable.includes('AUTH')
  const hint =
    isAboutTokens && key === 'baseUrl'
      ? `Unset ${variable}, or write \`authUrl\` into the target: without it, tokens come from its \`baseUrl\`.`
      : `Unset ${variable}, or take \`${key}\` out of the target. ` +
        `\`${isAboutTokens ? '--auth-url' : '--base-url'}\` names another one for this run.`
  const quoted = isShowable(own.url) ? ` \`${own.url}\`` : ''
  reader.report('SVC1504', `The target \`${String(path[1])}\` has the \`${key}\`${quoted}, and ${shown}`, path, hint)
}

/** True for a plain address; one with credentials or a query is never shown. */
function isShowable(text: string): boolean {
  const url = parseUrl(text)
  if (url === undefined) return false
  const { protocol, username, password, search, hash } = url
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
}

/** Two ways of writing one address are one. */
export function canonicalUrl(url: string): string {
  return parseUrl(url)?.href.replace(/\/+$/, '') ?? url
}

function readUrl(
  reader: ProjectReader,
  path: Path,
  { subject, url: text }: Address,
  { isAllowed, refusal, hint: limitHint }: HostLimit,
): string | undefined {
  const url = parseUrl(text)
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return reader.report('SVC1501', `${subject} is no http address`, path, 'Write it like `https://svc.example.com`.')
  }
  if (url.username !== '' || url.password !== '') {
    if (path.length > 2) hideValue(reader, path)
    return reader.report(
      'SVC1501',
      `${subject} holds credentials`,
      path,
      'Write them as `clientId` and `clientSecret`.',
    )
  }
  if (url.search !== '' || url.hash !== '') {
    return reader.report('SVC1501', `${subject} has a query or a fragment`, path, 'Write the address without it.')
  }
  const beyond = /\/api\/(?:data|oauth2)(?:\/|$)/.exec(url.pathname)
  if (beyond !== null) {
    const message = `${subject} contains the path that svcsync adds`
    return reader.report('SVC1501', message, path, `Write the part before \`${beyond[0]}\`.`)
  }
  if (!isAllowed(url)) {
    return reader.report('SVC1505', `${subject} ${refusal}`, path, limitHint)
  }
  if (url.protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) {
    const allowed = reader.at([...path.slice(0, 2), 'allowInsecureHttp']) === true
    const message = `${subject} is not https: credentials travel in clear`
    const hint = allowed
      ? 'Use https wherever the platform offers it.'
      : 'Write https, or set `allowInsecureHttp: true`.'
    reader.report('SVC1501', message, path, hint, allowed ? 'warning' : 'error')
  }
  return text.replace(/\/+$/, '')
}

function hideValue(reader: ProjectReader, path: Path): void {
  const { line, column } = reader.place(path)
  const source = reader.sourceOf(path)
  const span = source.lineSpan(line)
  if (span !== undefined) source.hide(span.start + column - 1, span.end)
}
