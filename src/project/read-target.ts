// One target of the project file, with what the environment overrides.
import { Sensitive } from '../core/sensitive.ts'
import type { Path } from '../core/source.ts'
import type { Target } from './project.ts'
import type { ProjectReader } from './project-reader.ts'

export interface TargetOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** False: what runs does not reach the platform, so missing credentials are no problem. */
  readonly needCredentials: boolean
  /** On top of the target's own. */
  readonly variables: Readonly<Record<string, string>>
}

/** Resolves the target called `name`, which is there. What is missing or unusable is reported. */
export function readTarget(reader: ProjectReader, name: string, options: TargetOptions): Target {
  const { env, needCredentials } = options
  const path = ['targets', name]
  const baseUrl = readUrl(reader, [...path, 'baseUrl'], env.SVCSYNC_BASE_URL, 'SVCSYNC_BASE_URL')
  const authUrl = readUrl(reader, [...path, 'authUrl'], env.SVCSYNC_AUTH_URL, 'SVCSYNC_AUTH_URL')
  if (baseUrl === undefined && reader.at([...path, 'baseUrl']) === undefined && !env.SVCSYNC_BASE_URL) {
    reader.report('SVC1103', `The target \`${name}\` has no \`baseUrl\``, path, 'Add the address of the installation.')
  }
  return {
    name,
    baseUrl: baseUrl ?? '',
    authUrl: authUrl ?? baseUrl ?? '',
    apiVersion: reader.at([...path, 'apiVersion']) === '5.0' ? '5.0' : '6.0',
    clientId: readClientId(reader, [...path, 'clientId'], env, needCredentials) ?? '',
    clientSecret: readClientSecret(reader, [...path, 'clientSecret'], env, needCredentials),
    databases: readDatabases(reader, [...path, 'databases']),
    variables: { ...reader.textMap([...path, 'variables']), ...options.variables },
    wireNames: reader.textMap([...path, 'wireNames']),
    allowInsecureHttp: reader.at([...path, 'allowInsecureHttp']) === true,
    svcIds: reader.at([...path, 'svcIdCase']) === 'exact' ? 'case-sensitive' : 'ignore-case',
  }
}

function readClientId(
  reader: ProjectReader,
  path: Path,
  env: TargetOptions['env'],
  needed: boolean,
): string | undefined {
  if (env.SVCSYNC_CLIENT_ID) return env.SVCSYNC_CLIENT_ID
  if (!needed) return undefined
  if (reader.at(path) === undefined) return missing(reader, path, 'SVCSYNC_CLIENT_ID')
  return reader.text(path)
}

function readClientSecret(
  reader: ProjectReader,
  path: Path,
  env: TargetOptions['env'],
  needed: boolean,
): Sensitive | undefined {
  if (env.SVCSYNC_CLIENT_SECRET) return new Sensitive('${env:SVCSYNC_CLIENT_SECRET}', env.SVCSYNC_CLIENT_SECRET)
  if (!needed) return undefined
  if (reader.at(path) === undefined) return missing(reader, path, 'SVCSYNC_CLIENT_SECRET')
  return reader.secret(path)
}

function missing(reader: ProjectReader, path: Path, variable: string): undefined {
  // A literal that was refused is absent as well, and reported already.
  if (reader.problems.some(({ code, message }) => code === 'SVC1106' && message.includes(String(path.at(-1))))) return
  return reader.report(
    'SVC1501',
    `The target \`${String(path[1])}\` has no \`${String(path.at(-1))}\``,
    path,
    `Write \`\${env:${variable}}\` and set it where svcsync runs.`,
  )
}

function readDatabases(reader: ProjectReader, path: Path): Record<string, number> {
  const databases: Record<string, number> = {}
  for (const name of reader.keys(path)) {
    const dbId = reader.at([...path, name])
    if (typeof dbId === 'number') databases[name] = dbId
  }
  return databases
}

function readUrl(
  reader: ProjectReader,
  path: Path,
  override: string | undefined,
  variable: string,
): string | undefined {
  const text = override ? override : reader.text(path)
  if (text === undefined) return undefined
  const subject = override ? `\`${variable}\`` : `\`${String(path.at(-1))}\``
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return reader.report('SVC1501', `${subject} is no http address`, path, 'Write it like `https://svc.example.com`.')
  }
  if (url.username !== '' || url.password !== '') {
    hideValue(reader, path)
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
  if (url.protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) {
    const allowed = reader.at([...path.slice(0, -1), 'allowInsecureHttp']) === true
    const message = `${subject} is not https: credentials travel in clear`
    const hint = allowed
      ? 'Use https wherever the platform offers it.'
      : 'Write https, or set `allowInsecureHttp: true`.'
    reader.report('SVC1501', message, path, hint, allowed ? 'warning' : 'error')
  }
  return text.replace(/\/+$/, '')
}

function hideValue(reader: ProjectReader, path: Path): void {
  const { line } = reader.place(path)
  const span = reader.source.lineSpan(line)
  const { column } = reader.place(path)
  if (span !== undefined) reader.source.hide(span.start + column - 1, span.end)
}
